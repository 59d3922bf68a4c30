// The model that is built in. The assembler takes the file as it is; the build says where it lies
// (DEFT_BUILTIN_MODEL) or leaves it out.
#include "deft/model.h"

#if defined(DEFT_BUILTIN_MODEL) && defined(__ELF__)

__asm__(".pushsection .rodata\n"
        ".balign 64\n"
        ".hidden deft__builtin_model\n"
        ".hidden deft__builtin_model_end\n"
        ".global deft__builtin_model\n"
        "deft__builtin_model:\n"
        ".incbin \"" DEFT_BUILTIN_MODEL "\"\n"
        ".global deft__builtin_model_end\n"
        "deft__builtin_model_end:\n"
        ".byte 0\n"
        ".popsection\n");

extern const char deft__builtin_model[] __attribute__((visibility("hidden")));
extern const char deft__builtin_model_end[] __attribute__((visibility("hidden")));

deft_view deft_model_builtin(void)
{
    return deft_view_make(deft__builtin_model,
                          (size_t)(deft__builtin_model_end - deft__builtin_model));
}

#else

deft_view deft_model_builtin(void)
{
    return deft_view_make(NULL, 0);
}

#endif
