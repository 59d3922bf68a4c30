// deft.h - all of the public API at once.
#ifndef DEFT_DEFT_H
#define DEFT_DEFT_H

#include "deft/allocator.h"   // IWYU pragma: export
#include "deft/analyzer.h"    // IWYU pragma: export
#include "deft/bridge.h"      // IWYU pragma: export
#include "deft/buffer.h"      // IWYU pragma: export
#include "deft/catalog.h"     // IWYU pragma: export
#include "deft/config.h"      // IWYU pragma: export
#include "deft/error.h"       // IWYU pragma: export
#include "deft/explain.h"     // IWYU pragma: export
#include "deft/index.h"       // IWYU pragma: export
#include "deft/learning.h"    // IWYU pragma: export
#include "deft/listing.h"     // IWYU pragma: export
#include "deft/model.h"       // IWYU pragma: export
#include "deft/permissions.h" // IWYU pragma: export
#include "deft/policy.h"      // IWYU pragma: export
#include "deft/schema.h"      // IWYU pragma: export
#include "deft/session.h"     // IWYU pragma: export
#include "deft/settings.h"    // IWYU pragma: export
#include "deft/sizes.h"       // IWYU pragma: export
#include "deft/tokens.h"      // IWYU pragma: export
#include "deft/tool.h"        // IWYU pragma: export
#include "deft/version.h"     // IWYU pragma: export
#include "deft/view.h"        // IWYU pragma: export

#endif
