// value.h - one value of one key: read from JSON or from text as a person types it, put into
// settings, written back. Text and JSON read back to the same value.
#ifndef DEFT_CONFIG_VALUE_H
#define DEFT_CONFIG_VALUE_H

#include "base/arena.h"
#include "config/keys.h"
#include "deft/error.h"
#include "json/reader.h"
#include "json/writer.h"

typedef struct deft__value {
    bool             is_unset;     // no such threshold, the default list
    uint64_t         number;       // as settings store it: enums, bits and booleans too
    bool             is_percented; // the mode was "auto:N"
    uint64_t         permyriad;    // this N
    deft_view        text;         // DEFT__KIND_NAME and DEFT__KIND_TEXT
    const deft_view *items;        // DEFT__KIND_LIST
    size_t           item_count;
    const deft_rule *rules; // DEFT__KIND_RULES
    size_t           rule_count;
} deft__value;

// Both: DEFT_INVALID when the key does not take this, DEFT_OUT_OF_MEMORY; `value` is then
// untouched. Views point into `arena`, or into the JSON text. Rules are read by rules.h, except
// for the ordered form: an array of "pattern=pinned" and "pattern=deferred".
deft_status deft__value_from_json(deft__key key, deft__json_value json, deft__arena *arena,
                                  deft__value *value);

// `is_true_on`: a mode of true means on, not auto.
deft_status deft__value_from_text(deft__key key, deft_view text, bool is_true_on,
                                  deft__arena *arena, deft__value *value);

bool deft__value_equal(const deft__value *a, const deft__value *b); // of one key, not for rules

// Puts a value where its key lands. Borrows the value's lists. Not for rules.
void deft__value_apply(deft__key key, const deft__value *value, deft_settings *settings);

// Writes what `settings` hold for a key, as deft__value_from_text takes it; nothing when unset.
void deft__value_write_text(deft__key key, const deft_settings *settings, deft_buffer *out);

// Writes a value as JSON for a configuration file.
void deft__value_write_json(deft__key key, const deft__value *value, deft__json_writer *writer);

// "pinned" is false, "deferred" is true, and so are false and true themselves (deferLoading).
bool deft__value_parse_rule_word(deft_view word, bool *is_deferred);

deft_view deft__value_trim(deft_view text); // without blanks at its ends

// Whether two words are the same but for upper and lower case (ASCII).
bool deft__value_is_word(deft_view text, const char *word);

#endif
