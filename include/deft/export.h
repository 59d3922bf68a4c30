// export.h - marks what libdeft exports. Everything else stays hidden in the shared library.
#ifndef DEFT_EXPORT_H
#define DEFT_EXPORT_H

#if defined(__GNUC__)
#define DEFT_API __attribute__((visibility("default")))
#else
#define DEFT_API
#endif

#endif
