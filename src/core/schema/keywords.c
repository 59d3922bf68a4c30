#include "core/schema/checker.h"

static const char *const names[DEFT__KEYWORD_COUNT] = {
    [DEFT__KEYWORD_REF]                   = "$ref",
    [DEFT__KEYWORD_ID]                    = "$id",
    [DEFT__KEYWORD_TYPE]                  = "type",
    [DEFT__KEYWORD_NULLABLE]              = "nullable",
    [DEFT__KEYWORD_ENUM]                  = "enum",
    [DEFT__KEYWORD_CONST]                 = "const",
    [DEFT__KEYWORD_PROPERTIES]            = "properties",
    [DEFT__KEYWORD_REQUIRED]              = "required",
    [DEFT__KEYWORD_ADDITIONAL_PROPERTIES] = "additionalProperties",
    [DEFT__KEYWORD_PATTERN_PROPERTIES]    = "patternProperties",
    [DEFT__KEYWORD_ITEMS]                 = "items",
    [DEFT__KEYWORD_PREFIX_ITEMS]          = "prefixItems",
    [DEFT__KEYWORD_ADDITIONAL_ITEMS]      = "additionalItems",
    [DEFT__KEYWORD_MIN_ITEMS]             = "minItems",
    [DEFT__KEYWORD_MAX_ITEMS]             = "maxItems",
    [DEFT__KEYWORD_MINIMUM]               = "minimum",
    [DEFT__KEYWORD_MAXIMUM]               = "maximum",
    [DEFT__KEYWORD_EXCLUSIVE_MINIMUM]     = "exclusiveMinimum",
    [DEFT__KEYWORD_EXCLUSIVE_MAXIMUM]     = "exclusiveMaximum",
    [DEFT__KEYWORD_MULTIPLE_OF]           = "multipleOf",
    [DEFT__KEYWORD_MIN_LENGTH]            = "minLength",
    [DEFT__KEYWORD_MAX_LENGTH]            = "maxLength",
    [DEFT__KEYWORD_PATTERN]               = "pattern",
    [DEFT__KEYWORD_ANY_OF]                = "anyOf",
    [DEFT__KEYWORD_ONE_OF]                = "oneOf",
    [DEFT__KEYWORD_ALL_OF]                = "allOf",
    [DEFT__KEYWORD_NOT]                   = "not",
};

// Members that describe and do not restrict.
static const char *const annotations[] = {
    "title",    "description",         "default",  "examples",  "example", "$schema",
    "$comment", "deprecated",          "readOnly", "writeOnly", "$defs",   "definitions",
    "$anchor",  "markdownDescription",
};

static bool is_annotation(deft__json_value name)
{
    for (size_t i = 0; i < sizeof annotations / sizeof annotations[0]; i++) {
        if (deft__json_string_equals(name, deft_view_of(annotations[i]))) {
            return true;
        }
    }
    const deft_view raw = deft__json_raw(name); // with its quote in front
    return raw.size > 3 && raw.data[1] == 'x' && raw.data[2] == '-';
}

void deft__keywords_read(deft__keywords *keywords, deft__json_value schema)
{
    *keywords             = (deft__keywords){.has_unknown = false};
    deft__json_iterator i = deft__json_iterate(schema);
    while (deft__json_next(&i)) {
        size_t found = 0;
        while (found < DEFT__KEYWORD_COUNT &&
               !deft__json_string_equals(i.name, deft_view_of(names[found]))) {
            found++;
        }
        if (found < DEFT__KEYWORD_COUNT) {
            keywords->at[found] = i.value;
        } else if (!is_annotation(i.name)) {
            keywords->has_unknown = true;
        }
    }
}
