// A program of somebody else: finds deft by the package it was pointed to, nothing more.
#include <deft/buffer.h>
#include <deft/version.h>

#include <stdio.h>
#include <string.h>

int main(void)
{
    deft_buffer buffer;
    deft_buffer_init(&buffer, NULL);
    deft_buffer_append_text(&buffer, "deft ");
    deft_buffer_append_text(&buffer, deft_version());
    const int is_right = deft_view_equals(deft_buffer_view(&buffer), "deft " DEFT_VERSION_STRING);
    printf("%.*s\n", (int)buffer.size, buffer.data);
    deft_buffer_clear(&buffer);
    return is_right ? 0 : 1;
}
