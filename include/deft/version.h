// version.h - which deft this is. The number in the header is the one compiled against, the
// function gives the one that is running.
#ifndef DEFT_VERSION_H
#define DEFT_VERSION_H

#include "deft/export.h"

#ifdef __cplusplus
extern "C" {
#endif

#define DEFT_VERSION_MAJOR  0
#define DEFT_VERSION_MINOR  1
#define DEFT_VERSION_PATCH  0
#define DEFT_VERSION_STRING "0.1.0"

// "major.minor.patch". Static: valid as long as the program runs.
DEFT_API const char *deft_version(void);

#ifdef __cplusplus
}
#endif
#endif
