#include "deft/version.h"

const char *deft_version(void)
{
    return DEFT_VERSION_STRING;
}
