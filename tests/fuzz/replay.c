// Runs a fuzz target over each file of the folders it is given, so that a corpus is part of the
// ordinary tests.
#include "fuzz/fuzz.h"

#include <dirent.h>

static void replay_file(const char *path)
{
    FILE *file = fopen(path, "rb");
    check(file != NULL);
    check(fseek(file, 0, SEEK_END) == 0);
    const long length = ftell(file);
    check(length >= 0);
    rewind(file);

    // Exactly as large as the file, so that the address sanitizer sees one byte too many. Not
    // even malloc(0) has room to read from.
    const size_t size = (size_t)length;
    uint8_t     *data = malloc(size > 0 ? size : 1);
    check(data != NULL);
    check(fread(data, 1, size, file) == size);
    (void)fclose(file);
    check(LLVMFuzzerTestOneInput(data, size) == 0);
    free(data);
}

int main(int argc, char **argv)
{
    size_t count = 0;
    for (int i = 1; i < argc; i++) {
        DIR *folder = opendir(argv[i]);
        check(folder != NULL);
        const struct dirent *entry;
        while ((entry = readdir(folder)) != NULL) {
            if (entry->d_name[0] != '.') {
                char      path[4096];
                const int size = snprintf(path, sizeof path, "%s/%s", argv[i], entry->d_name);
                check(size > 0 && (size_t)size < sizeof path);
                replay_file(path);
                count++;
            }
        }
        (void)closedir(folder);
    }
    (void)printf("%zu files\n", count);
    return count > 0 ? 0 : 1;
}
