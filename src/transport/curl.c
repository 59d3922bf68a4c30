#include "transport/curl.h"

#include "base/fail.h"

#include <dlfcn.h>
#include <string.h>
#include <threads.h>

// The library's interface has had the number 4 since 2006. The second name is the same library with
// another TLS below.
static const char *const usual_names[] = {"libcurl.so.4", "libcurl-gnutls.so.4", NULL};

// The oldest that has all that we call (curl_easy_header).
#define VERSION_MIN "7.84"

// Where a function is, or NULL. ISO C has no way from an object's address to a function's; POSIX
// promises that the bytes are the same.
static bool find(void *library, const char *name, void *function)
{
    void *const address = dlsym(library, name);
    memcpy(function, &address, sizeof address);
    return address != NULL;
}

bool deft__curl_load_named(deft__curl *curl, const char *const *names, deft_error *error)
{
    void *library = NULL;
    for (; library == NULL && *names != NULL; names++) {
        library = dlopen(*names, RTLD_NOW | RTLD_LOCAL); // never closed: it has threads of its own
    }
    if (library == NULL) {
        (void)deft__fail(
            error, DEFT_NOT_FOUND, 0,
            "libcurl is not installed, and remote servers need it; install it (Debian: "
            "apt install libcurl4)");
        return false;
    }
#define FIND(name)                                                                                 \
    if (!find(library, "curl_" #name, &curl->name)) {                                              \
        (void)deft__fail(error, DEFT_NOT_FOUND, 0,                                                 \
                         "the installed libcurl is too old: it has no curl_" #name                 \
                         "; install " VERSION_MIN " or newer");                                    \
        (void)dlclose(library);                                                                    \
        return false;                                                                              \
    }
    DEFT__CURL_FUNCTIONS(FIND)
#undef FIND
    return true;
}

static deft__curl loaded;
static bool       is_loaded;
static deft_error failure;
static once_flag  once = ONCE_FLAG_INIT;

static void load(void)
{
    is_loaded = deft__curl_load_named(&loaded, usual_names, &failure);
}

const deft__curl *deft__curl_load(deft_error *error)
{
    call_once(&once, load);
    if (!is_loaded && error != NULL) {
        *error = failure;
    }
    return is_loaded ? &loaded : NULL;
}
