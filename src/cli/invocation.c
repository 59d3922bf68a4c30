#include "cli/invocation.h"

#include "base/fail.h"
#include "base/memory.h"
#include "base/nearest.h"
#include "deft/buffer.h"

#include <stdio.h>
#include <string.h>

void deft__invocation_init(deft__invocation *invocation)
{
    *invocation = (deft__invocation){.command = NULL};
}

void deft__invocation_clear(deft__invocation *invocation)
{
    deft__free(NULL, invocation->given, invocation->capacity * sizeof invocation->given[0]);
    deft__free(NULL, invocation->operands, invocation->capacity * sizeof invocation->operands[0]);
    deft__invocation_init(invocation);
}

bool deft__parse_u64(deft_view text, uint64_t *number)
{
    uint64_t value = 0;
    for (size_t i = 0; i < text.size; i++) {
        if (text.data[i] < '0' || text.data[i] > '9') {
            return false;
        }
        const uint64_t digit = (uint64_t)(text.data[i] - '0');
        if (value > (UINT64_MAX - digit) / 10) {
            return false;
        }
        value = value * 10 + digit;
    }
    if (text.size == 0) {
        return false;
    }
    *number = value;
    return true;
}

// Keeps the nearest of several names: a slip of the fingers, or the start of a longer name.
typedef struct suggestion {
    deft_view   word;
    size_t      distance; // of `name`; one more than plausible when there is none yet
    const char *name;
} suggestion;

static suggestion suggestion_for(deft_view word)
{
    return (suggestion){
        .word = word, .distance = deft__edit_distance_plausible(word.size) + 1, .name = NULL};
}

static void suggest(suggestion *best, const char *name)
{
    const deft_view candidate = deft_view_of(name);
    size_t          distance  = deft__edit_distance(best->word, candidate, best->distance);
    if (best->word.size >= 2 && deft_view_starts_with(candidate, best->word)) {
        distance = 0;
    }
    if (distance < best->distance) {
        best->distance = distance;
        best->name     = name;
    }
}

// "; did you mean X?" ready to stand in a message; empty when nothing is near.
typedef struct hint {
    char text[80];
} hint;

static const char *hint_of(hint *out, const suggestion *best, const char *dashes)
{
    out->text[0] = '\0';
    if (best->name != NULL) {
        snprintf(out->text, sizeof out->text, "; did you mean %s%s?", dashes, best->name);
    }
    return out->text;
}

static bool find_flag(deft_view name, deft__flag_id *id)
{
    for (size_t i = 0; i < DEFT__FLAG_COUNT; i++) {
        if (deft_view_equals(name, deft__flag_at((deft__flag_id)i)->name)) {
            *id = (deft__flag_id)i;
            return true;
        }
    }
    return false;
}

static bool find_letter(char letter, deft__flag_id *id)
{
    for (size_t i = 0; i < DEFT__FLAG_COUNT; i++) {
        if (deft__flag_at((deft__flag_id)i)->letter == letter) {
            *id = (deft__flag_id)i;
            return true;
        }
    }
    return false;
}

static deft_status fail_unknown_flag(deft_view name, deft_error *error)
{
    suggestion   best = suggestion_for(name);
    deft__quoted quoted;
    hint         near;
    for (size_t i = 0; i < DEFT__FLAG_COUNT; i++) {
        suggest(&best, deft__flag_at((deft__flag_id)i)->name);
    }
    return deft__fail(error, DEFT_NOT_FOUND, 0, "there is no flag '--%s'%s",
                      deft__quote(&quoted, name), hint_of(&near, &best, "--"));
}

static deft_status fail_unknown_command(deft_view name, deft_error *error)
{
    suggestion   best = suggestion_for(name);
    deft__quoted quoted;
    hint         near;
    for (size_t i = 0; deft__command_at(i) != NULL; i++) {
        suggest(&best, deft__command_at(i)->name);
    }
    return deft__fail(error, DEFT_NOT_FOUND, 0, "there is no command '%s'%s",
                      deft__quote(&quoted, name), hint_of(&near, &best, ""));
}

static deft_status check_number(const deft__flag *flag, deft_view value, deft_error *error)
{
    uint64_t number = 0;
    if (!deft__parse_u64(value, &number) || number < flag->number_min ||
        number > flag->number_max) {
        deft__quoted quoted;
        return deft__fail(error, DEFT_INVALID, 0,
                          "--%s: '%s' is not a whole number from %llu to %llu", flag->name,
                          deft__quote(&quoted, value), (unsigned long long)flag->number_min,
                          (unsigned long long)flag->number_max);
    }
    return DEFT_OK;
}

static deft_status check_choice(const deft__flag *flag, deft_view value, deft_error *error)
{
    suggestion  best     = suggestion_for(value);
    deft_buffer accepted = {.data = NULL};
    for (size_t i = 0; flag->choices[i] != NULL; i++) {
        if (deft_view_equals(value, flag->choices[i])) {
            deft_buffer_clear(&accepted);
            return DEFT_OK;
        }
        suggest(&best, flag->choices[i]);
        deft_buffer_append_text(&accepted, i == 0 ? "" : ", ");
        deft_buffer_append_text(&accepted, flag->choices[i]);
    }
    deft__quoted quoted;
    hint         near;
    deft__fail(error, DEFT_INVALID, 0, "--%s: '%s' is not one of %.*s%s", flag->name,
               deft__quote(&quoted, value), (int)accepted.size,
               accepted.data != NULL ? accepted.data : "", hint_of(&near, &best, ""));
    deft_buffer_clear(&accepted);
    return DEFT_INVALID;
}

static deft_status check_value(const deft__flag *flag, const char *text, deft_error *error)
{
    const deft_view value = deft_view_of(text);
    switch (flag->kind) {
    case DEFT__VALUE_NUMBER:
        return check_number(flag, value, error);
    case DEFT__VALUE_CHOICE:
        return check_choice(flag, value, error);
    case DEFT__VALUE_PAIR:
        if (strchr(text, '=') == NULL || text[0] == '=') {
            deft__quoted quoted;
            return deft__fail(error, DEFT_INVALID, 0, "--%s: '%s' is not %s", flag->name,
                              deft__quote(&quoted, value), flag->value_name);
        }
        return DEFT_OK;
    case DEFT__VALUE_FILE:
    case DEFT__VALUE_PATH:
    case DEFT__VALUE_TEXT:
        if (value.size == 0) {
            return deft__fail(error, DEFT_INVALID, 0, "--%s needs a value: --%s=%s", flag->name,
                              flag->name, flag->value_name);
        }
        return DEFT_OK;
    case DEFT__VALUE_NONE:
        break;
    }
    return DEFT_OK;
}

// Where the parser stands among the words.
typedef struct cursor {
    const char *const *words;
    size_t             count;
    size_t             at; // the next word
} cursor;

// `value` is what stood behind `=`; NULL: the flag had none, so the next word is it.
static deft_status take_flag(deft__invocation *invocation, deft__flag_id id, const char *value,
                             cursor *words, deft_error *error)
{
    const deft__flag *flag = deft__flag_at(id);
    if (flag->kind == DEFT__VALUE_NONE) {
        if (value != NULL) {
            return deft__fail(error, DEFT_INVALID, 0, "--%s takes no value", flag->name);
        }
    } else {
        if (value == NULL) {
            const char *next = words->at < words->count ? words->words[words->at] : NULL;
            // A flag in the place of a value is a forgotten value; a value that does start with
            // dashes can still be given behind `=`.
            const bool is_missing = next == NULL || strncmp(next, "--", 2) == 0;
            if (is_missing && flag->is_value_optional) {
                invocation->given[invocation->given_count++] =
                    (deft__given){.flag = id, .value = ""};
                return DEFT_OK;
            }
            if (is_missing) {
                return deft__fail(error, DEFT_INVALID, 0, "--%s needs a value: --%s=%s", flag->name,
                                  flag->name, flag->value_name);
            }
            value = next;
            words->at++;
        }
        const deft_status status = check_value(flag, value, error);
        if (status != DEFT_OK) {
            return status;
        }
    }
    invocation->given[invocation->given_count++] = (deft__given){.flag = id, .value = value};
    return DEFT_OK;
}

static deft_status take_long(deft__invocation *invocation, const char *word, cursor *words,
                             deft_error *error)
{
    const char     *equals = strchr(word, '=');
    const size_t    size   = equals != NULL ? (size_t)(equals - word) : strlen(word);
    const deft_view name   = deft_view_make(word, size);
    deft__flag_id   id     = DEFT__FLAG_COUNT;
    if (!find_flag(name, &id)) {
        return fail_unknown_flag(name, error);
    }
    return take_flag(invocation, id, equals != NULL ? equals + 1 : NULL, words, error);
}

// Letters take no values, so each of `-qv` is a flag of its own.
static deft_status take_letters(deft__invocation *invocation, const char *word, cursor *words,
                                deft_error *error)
{
    for (const char *letter = word + 1; *letter != '\0'; letter++) {
        deft__flag_id id = DEFT__FLAG_COUNT;
        if (!find_letter(*letter, &id)) {
            deft__quoted quoted;
            return deft__fail(error, DEFT_NOT_FOUND, 0,
                              "there is no flag '%s'; long flags start with two dashes",
                              deft__quote(&quoted, deft_view_of(word)));
        }
        // A letter given twice, as in -vv, says no more than once; the room is one flag a word.
        if (!deft__invocation_has(invocation, id)) {
            const deft_status status = take_flag(invocation, id, NULL, words, error);
            if (status != DEFT_OK) {
                return status;
            }
        }
    }
    return DEFT_OK;
}

static deft_status take_word(deft__invocation *invocation, const char *word, deft_error *error)
{
    if (invocation->command == NULL) {
        invocation->command = deft__command_named(deft_view_of(word));
        return invocation->command != NULL ? DEFT_OK
                                           : fail_unknown_command(deft_view_of(word), error);
    }
    invocation->operands[invocation->operand_count++] = word;
    return DEFT_OK;
}

// `-5` is a number that someone sets, not a flag.
static bool is_letters(const char *word)
{
    return word[0] == '-' && word[1] != '\0' && word[1] != '-' && (word[1] < '0' || word[1] > '9');
}

// A flag of another command is told apart from one that does not exist.
static deft_status check_flags(const deft__invocation *invocation, deft_error *error)
{
    for (size_t i = 0; invocation->command != NULL && i < invocation->given_count; i++) {
        const deft__flag_id id = invocation->given[i].flag;
        if (!deft__command_takes(invocation->command, id)) {
            for (size_t j = 0; deft__command_at(j) != NULL; j++) {
                if (deft__command_takes(deft__command_at(j), id)) {
                    return deft__fail(error, DEFT_INVALID, 0,
                                      "--%s is a flag of 'deft %s', not of 'deft %s'",
                                      deft__flag_at(id)->name, deft__command_at(j)->name,
                                      invocation->command->name);
                }
            }
        }
    }
    return DEFT_OK;
}

static deft_status check_operands(const deft__invocation *invocation, deft_error *error)
{
    const deft__command *command = invocation->command;
    if (command == NULL || deft__invocation_has(invocation, DEFT__FLAG_HELP) ||
        deft__invocation_has(invocation, DEFT__FLAG_VERSION)) {
        return DEFT_OK;
    }
    if (invocation->operand_count < command->operand_count_min) {
        return deft__fail(error, DEFT_INVALID, 0, "'deft %s' needs %s", command->name,
                          command->operands);
    } else if (invocation->operand_count > command->operand_count_max) {
        deft__quoted quoted;
        const char  *first = invocation->operands[command->operand_count_max];
        return deft__fail(error, DEFT_INVALID, 0, "'deft %s' does not know what to do with '%s'",
                          command->name, deft__quote(&quoted, deft_view_of(first)));
    } else {
        return DEFT_OK;
    }
}

static bool allocate(deft__invocation *invocation, size_t count)
{
    // Letters can be more than words: a word of n letters is at most as many different flags.
    const size_t capacity = count + DEFT__FLAG_COUNT;
    size_t       size     = 0;
    if (!deft__multiply_size(capacity, sizeof invocation->given[0], &size)) {
        return false;
    }
    invocation->given    = deft__new(NULL, size);
    invocation->operands = deft__new(NULL, capacity * sizeof invocation->operands[0]);
    invocation->capacity = capacity;
    return invocation->given != NULL && invocation->operands != NULL;
}

deft_status deft__invocation_parse(deft__invocation *invocation, size_t count,
                                   const char *const *words, deft_error *error)
{
    if (!allocate(invocation, count)) {
        return deft__fail_memory(error);
    }
    cursor      place    = {.words = words, .count = count, .at = 0};
    bool        is_ended = false;
    deft_status status   = DEFT_OK;
    while (status == DEFT_OK && place.at < count) {
        const char *word = words[place.at++];
        if (is_ended) {
            status = take_word(invocation, word, error);
        } else if (strcmp(word, "--") == 0) {
            is_ended = true;
        } else if (strncmp(word, "--", 2) == 0) {
            status = take_long(invocation, word + 2, &place, error);
        } else if (is_letters(word)) {
            status = take_letters(invocation, word, &place, error);
        } else {
            status = take_word(invocation, word, error);
        }
    }
    if (status == DEFT_OK) {
        status = check_flags(invocation, error);
    }
    return status == DEFT_OK ? check_operands(invocation, error) : status;
}

bool deft__invocation_has(const deft__invocation *invocation, deft__flag_id flag)
{
    for (size_t i = 0; i < invocation->given_count; i++) {
        if (invocation->given[i].flag == flag) {
            return true;
        }
    }
    return false;
}

const char *deft__invocation_next(const deft__invocation *invocation, deft__flag_id flag,
                                  size_t *at)
{
    while (*at < invocation->given_count) {
        const deft__given *given = &invocation->given[(*at)++];
        if (given->flag == flag) {
            return given->value;
        }
    }
    return NULL;
}

const char *deft__invocation_value(const deft__invocation *invocation, deft__flag_id flag)
{
    const char *value = NULL;
    const char *next  = NULL;
    size_t      at    = 0;
    while ((next = deft__invocation_next(invocation, flag, &at)) != NULL) {
        value = next;
    }
    return value;
}

uint64_t deft__invocation_number(const deft__invocation *invocation, deft__flag_id flag,
                                 uint64_t otherwise)
{
    const char *value  = deft__invocation_value(invocation, flag);
    uint64_t    number = otherwise;
    if (value != NULL) {
        deft__parse_u64(deft_view_of(value), &number);
    }
    return number;
}
