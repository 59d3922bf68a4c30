#include "config/value.h"

#include "base/utf8.h"
#include "config/number.h"

// Copying between a field and a number goes by size, which must then be the one we think it is.
_Static_assert(sizeof(deft_mode) == sizeof(unsigned), "enums are stored as unsigned");

static char lower(char byte)
{
    return byte >= 'A' && byte <= 'Z' ? (char)(byte - 'A' + 'a') : byte;
}

bool deft__value_is_word(deft_view text, const char *word)
{
    size_t i = 0;
    for (; i < text.size && word[i] != '\0'; i++) {
        if (lower(text.data[i]) != word[i]) {
            return false;
        }
    }
    return i == text.size && word[i] == '\0';
}

deft_view deft__value_trim(deft_view text)
{
    while (text.size > 0 && (text.data[0] == ' ' || text.data[0] == '\t')) {
        text = deft_view_slice(text, 1, text.size);
    }
    while (text.size > 0 && (text.data[text.size - 1] == ' ' || text.data[text.size - 1] == '\t')) {
        text.size--;
    }
    return text;
}

static deft_status parse_number(const deft__key_info *info, deft_view text, deft__value *value)
{
    uint64_t number   = 0;
    bool     is_whole = false;
    if (!deft__number_parse(text, deft__key_decimals(info->kind), &number, &is_whole) ||
        number < info->min || number > info->max || (info->kind == DEFT__KIND_COUNT && !is_whole)) {
        return DEFT_INVALID;
    }
    *value = (deft__value){.number = number};
    return DEFT_OK;
}

static bool parse_bool(deft_view text, bool *value)
{
    static const struct {
        const char *word;
        bool        value;
    } words[] = {{"true", true}, {"false", false}, {"1", true},  {"0", false},
                 {"yes", true},  {"no", false},    {"on", true}, {"off", false}};
    for (size_t i = 0; i < sizeof words / sizeof words[0]; i++) {
        if (deft__value_is_word(text, words[i].word)) {
            *value = words[i].value;
            return true;
        }
    }
    return false;
}

// A mode (A4). Where a product says `true` it means auto, except for Claude, which means on.
static deft_status parse_mode(deft_view text, bool is_true_on, deft__value *value)
{
    const deft_mode mode_of_true = is_true_on ? DEFT_MODE_ON : DEFT_MODE_AUTO;
    const deft_view prefix       = deft_view_slice(text, 0, 5);
    if (deft__value_is_word(text, "true")) {
        *value = (deft__value){.number = mode_of_true};
    } else if (deft__value_is_word(text, "false") || deft__value_is_word(text, "off")) {
        *value = (deft__value){.number = DEFT_MODE_OFF};
    } else if (deft__value_is_word(text, "on")) {
        *value = (deft__value){.number = DEFT_MODE_ON};
    } else if (deft__value_is_word(text, "auto")) {
        *value = (deft__value){.number = DEFT_MODE_AUTO};
    } else if (deft__value_is_word(prefix, "auto:")) {
        const deft__key_info *percent = deft__key_info_of(DEFT__KEY_MIN_PCT);
        deft__value           number  = {.number = 0};
        if (parse_number(percent, deft_view_slice(text, 5, text.size), &number) != DEFT_OK) {
            return DEFT_INVALID;
        }
        *value = (deft__value){
            .number = DEFT_MODE_AUTO, .is_percented = true, .permyriad = number.number};
    } else {
        return DEFT_INVALID;
    }
    return DEFT_OK;
}

// The same with what shells and people use for true and false.
static deft_status parse_mode_text(deft_view text, bool is_true_on, deft__value *value)
{
    if (deft__value_is_word(text, "1") || deft__value_is_word(text, "yes")) {
        return parse_mode(deft_view_of("true"), is_true_on, value);
    } else if (deft__value_is_word(text, "0") || deft__value_is_word(text, "no")) {
        return parse_mode(deft_view_of("false"), is_true_on, value);
    } else {
        return parse_mode(text, is_true_on, value);
    }
}

static bool find_word(const deft__key_info *info, deft_view text, unsigned *index)
{
    for (unsigned i = 0; i < info->word_count; i++) {
        if (deft__value_is_word(text, info->word(i))) {
            *index = i;
            return true;
        }
    }
    return false;
}

static deft_status parse_enum(const deft__key_info *info, deft_view text, deft__value *value)
{
    unsigned index = 0;
    if (!find_word(info, text, &index)) {
        return DEFT_INVALID;
    }
    *value = (deft__value){.number = index};
    return DEFT_OK;
}

// Only what every provider and client takes as a tool's name.
static deft_status parse_name(deft_view text, deft__arena *arena, deft__value *value)
{
    if (text.size < 1 || text.size > 64) {
        return DEFT_INVALID;
    }
    for (size_t i = 0; i < text.size; i++) {
        const char byte = lower(text.data[i]);
        if (!((byte >= 'a' && byte <= 'z') || (byte >= '0' && byte <= '9') || byte == '_' ||
              byte == '-')) {
            return DEFT_INVALID;
        }
    }
    deft_view copy = {NULL, 0};
    if (!deft__arena_copy(arena, text, &copy)) {
        return DEFT_OUT_OF_MEMORY;
    }
    *value = (deft__value){.text = copy};
    return DEFT_OK;
}

// The word null means none here as it does wherever a person types it.
static deft_status parse_text(deft_view text, deft__arena *arena, deft__value *value)
{
    deft_view copy = deft__value_trim(text);
    if (deft__value_is_word(copy, "null")) {
        copy.size = 0;
    }
    if (!deft__arena_copy(arena, copy, &copy)) {
        return DEFT_OUT_OF_MEMORY;
    }
    *value = (deft__value){.text = copy};
    return DEFT_OK;
}

// The same list of texts, whether it was an array or typed with commas.
typedef struct text_list {
    deft_view *items;
    size_t     count;
} text_list;

static deft_status list_from_json(deft__json_value json, deft__arena *arena, text_list *list)
{
    const size_t count = deft__json_count(json);
    deft_view   *items = deft__arena_array(arena, count + 1, sizeof *items);
    if (items == NULL) {
        return DEFT_OUT_OF_MEMORY;
    }
    deft_buffer scratch;
    deft_buffer_init(&scratch, arena->allocator);
    deft_status         status = DEFT_OK;
    size_t              filled = 0;
    deft__json_iterator i      = deft__json_iterate(json);
    while (status == DEFT_OK && deft__json_next(&i)) {
        deft_buffer_reset(&scratch);
        const deft_view text = deft__json_string(i.value, &scratch);
        if (scratch.status != DEFT_OK) {
            status = DEFT_OUT_OF_MEMORY;
        } else if (text.size == 0) {
            status = DEFT_INVALID;
        } else if (!deft__arena_copy(arena, text, &items[filled++])) {
            status = DEFT_OUT_OF_MEMORY;
        }
    }
    deft_buffer_clear(&scratch);
    if (status == DEFT_OK) {
        *list = (text_list){items, filled};
    }
    return status;
}

static deft_status list_from_commas(deft_view text, deft__arena *arena, text_list *list)
{
    deft_view copy  = {NULL, 0};
    size_t    count = 1;
    for (size_t i = 0; i < text.size; i++) {
        count += text.data[i] == ',';
    }
    deft_view *items = deft__arena_array(arena, count, sizeof *items);
    if (items == NULL || !deft__arena_copy(arena, text, &copy)) {
        return DEFT_OUT_OF_MEMORY;
    }
    size_t start  = 0;
    size_t filled = 0;
    for (size_t i = 0; i <= copy.size; i++) {
        if (i == copy.size || copy.data[i] == ',') {
            const deft_view item = deft__value_trim(deft_view_slice(copy, start, i - start));
            if (item.size == 0) {
                return DEFT_INVALID;
            }
            items[filled++] = item;
            start           = i + 1;
        }
    }
    *list = (text_list){items, filled};
    return DEFT_OK;
}

static deft_status list_from_text(deft_view text, deft__arena *arena, text_list *list)
{
    if (deft__value_is_word(text, "none")) {
        *list = (text_list){NULL, 0};
        return DEFT_OK;
    } else if (text.size > 0 && text.data[0] == '[') {
        deft__json        document;
        deft__json_limits limits = {.depth_max = 4};
        deft__json_init(&document, arena->allocator);
        deft_status status = deft__json_parse(&document, text, &limits, NULL);
        if (status == DEFT_OK) {
            status = list_from_json(deft__json_root(&document), arena, list);
        }
        deft__json_clear(&document);
        return status == DEFT_LIMIT ? DEFT_INVALID : status;
    } else {
        return list_from_commas(text, arena, list);
    }
}

bool deft__value_parse_rule_word(deft_view word, bool *is_deferred)
{
    if (deft__value_is_word(word, "deferred") || deft__value_is_word(word, "true")) {
        *is_deferred = true;
    } else if (deft__value_is_word(word, "pinned") || deft__value_is_word(word, "false")) {
        *is_deferred = false;
    } else {
        return false;
    }
    return true;
}

static bool parse_rule(deft_view text, deft_rule *rule)
{
    size_t equals = text.size;
    for (size_t i = 0; i < text.size; i++) {
        equals = text.data[i] == '=' ? i : equals;
    }
    rule->pattern = deft_view_slice(text, 0, equals);
    return equals < text.size && rule->pattern.size > 0 &&
           deft__value_parse_rule_word(
               deft__value_trim(deft_view_slice(text, equals + 1, text.size)), &rule->is_deferred);
}

// Turns the list into what the key wants: the list itself, rules, or bits.
static deft_status from_list(const deft__key_info *info, text_list list, deft__arena *arena,
                             deft__value *value)
{
    if (info->kind == DEFT__KIND_LIST) {
        *value = (deft__value){.items = list.items, .item_count = list.count};
    } else if (info->kind == DEFT__KIND_RULES) {
        deft_rule *rules = deft__arena_array(arena, list.count + 1, sizeof *rules);
        if (rules == NULL) {
            return DEFT_OUT_OF_MEMORY;
        }
        for (size_t i = 0; i < list.count; i++) {
            if (!parse_rule(list.items[i], &rules[i])) {
                return DEFT_INVALID;
            }
        }
        *value = (deft__value){.rules = rules, .rule_count = list.count};
    } else {
        uint64_t bits = 0;
        for (size_t i = 0; i < list.count; i++) {
            unsigned index = 0;
            if (!find_word(info, list.items[i], &index)) {
                return DEFT_INVALID;
            }
            bits |= (uint64_t)1 << index;
        }
        // The first word is the one that there must be.
        if ((bits & 1) == 0) {
            return DEFT_INVALID;
        }
        *value = (deft__value){.number = bits};
    }
    return DEFT_OK;
}

static bool is_list(const deft__key_info *info)
{
    return info->kind == DEFT__KIND_LIST || info->kind == DEFT__KIND_FLAGS ||
           info->kind == DEFT__KIND_RULES;
}

static bool may_be_unset(const deft__key_info *info)
{
    return info->field == DEFT__FIELD_THRESHOLD || info->kind == DEFT__KIND_LIST ||
           info->kind == DEFT__KIND_RULES || info->kind == DEFT__KIND_TEXT;
}

static deft_status from_json_string(const deft__key_info *info, deft__json_value json,
                                    deft__arena *arena, deft__value *value)
{
    deft_buffer scratch;
    deft_buffer_init(&scratch, arena->allocator);
    const deft_view text   = deft__json_string(json, &scratch);
    deft_status     status = DEFT_INVALID;
    if (scratch.status != DEFT_OK) {
        status = DEFT_OUT_OF_MEMORY;
    } else if (info->kind == DEFT__KIND_MODE) {
        status = parse_mode(text, false, value);
    } else if (info->kind == DEFT__KIND_ENUM) {
        status = parse_enum(info, text, value);
    } else if (info->kind == DEFT__KIND_NAME) {
        status = parse_name(text, arena, value);
    } else if (info->kind == DEFT__KIND_TEXT) {
        status = parse_text(text, arena, value);
    }
    deft_buffer_clear(&scratch);
    return status;
}

static deft_status from_json_bool(const deft__key_info *info, bool is_true, deft__value *value)
{
    if (info->kind == DEFT__KIND_MODE) {
        return parse_mode(deft_view_of(is_true ? "true" : "false"), false, value);
    } else if (info->kind == DEFT__KIND_BOOL) {
        *value = (deft__value){.number = is_true};
        return DEFT_OK;
    } else {
        return DEFT_INVALID;
    }
}

deft_status deft__value_from_json(deft__key key, deft__json_value json, deft__arena *arena,
                                  deft__value *value)
{
    const deft__key_info *info = deft__key_info_of(key);
    text_list             list = {NULL, 0};
    deft_status           status;

    switch (deft__json_kind_of(json)) {
    case DEFT__JSON_NULL:
        if (!may_be_unset(info)) {
            return DEFT_INVALID;
        }
        *value = (deft__value){.is_unset = true};
        return DEFT_OK;
    case DEFT__JSON_FALSE:
        return from_json_bool(info, false, value);
    case DEFT__JSON_TRUE:
        return from_json_bool(info, true, value);
    case DEFT__JSON_NUMBER:
        if (info->kind != DEFT__KIND_COUNT && info->kind != DEFT__KIND_PERCENT &&
            info->kind != DEFT__KIND_DECIMAL) {
            return DEFT_INVALID;
        }
        return parse_number(info, deft__json_raw(json), value);
    case DEFT__JSON_STRING:
        return from_json_string(info, json, arena, value);
    case DEFT__JSON_ARRAY:
        if (!is_list(info)) {
            return DEFT_INVALID;
        }
        status = list_from_json(json, arena, &list);
        return status != DEFT_OK ? status : from_list(info, list, arena, value);
    case DEFT__JSON_NONE:
    case DEFT__JSON_OBJECT:
        break;
    }
    return DEFT_INVALID;
}

deft_status deft__value_from_text(deft__key key, deft_view text, bool is_true_on,
                                  deft__arena *arena, deft__value *value)
{
    const deft__key_info *info    = deft__key_info_of(key);
    const deft_view       trimmed = deft__value_trim(text);
    bool                  is_true = false;
    text_list             list    = {NULL, 0};
    deft_status           status;

    if (may_be_unset(info) && (trimmed.size == 0 || deft__value_is_word(trimmed, "null"))) {
        *value = (deft__value){.is_unset = true};
        return DEFT_OK;
    }
    switch (info->kind) {
    case DEFT__KIND_MODE:
        return parse_mode_text(trimmed, is_true_on, value);
    case DEFT__KIND_BOOL:
        if (!parse_bool(trimmed, &is_true)) {
            return DEFT_INVALID;
        }
        *value = (deft__value){.number = is_true};
        return DEFT_OK;
    case DEFT__KIND_COUNT:
    case DEFT__KIND_PERCENT:
    case DEFT__KIND_DECIMAL:
        if (may_be_unset(info) && deft__value_is_word(trimmed, "none")) {
            *value = (deft__value){.is_unset = true};
            return DEFT_OK;
        }
        return parse_number(info, trimmed, value);
    case DEFT__KIND_ENUM:
        return parse_enum(info, trimmed, value);
    case DEFT__KIND_NAME:
        return parse_name(trimmed, arena, value);
    case DEFT__KIND_TEXT:
        return deft__utf8_valid_size(trimmed) < trimmed.size ? DEFT_INVALID
                                                             : parse_text(trimmed, arena, value);
    case DEFT__KIND_LIST:
    case DEFT__KIND_FLAGS:
    case DEFT__KIND_RULES:
        if (deft__utf8_valid_size(trimmed) < trimmed.size) {
            return DEFT_INVALID;
        }
        status = list_from_text(trimmed, arena, &list);
        return status != DEFT_OK ? status : from_list(info, list, arena, value);
    }
    return DEFT_INVALID;
}

bool deft__value_equal(const deft__value *a, const deft__value *b)
{
    if (a->is_unset != b->is_unset || a->number != b->number ||
        a->is_percented != b->is_percented || a->permyriad != b->permyriad ||
        !deft_view_equal(a->text, b->text) || a->item_count != b->item_count) {
        return false;
    }
    for (size_t i = 0; i < a->item_count; i++) {
        if (!deft_view_equal(a->items[i], b->items[i])) {
            return false;
        }
    }
    return true;
}

void deft__value_apply(deft__key key, const deft__value *value, deft_settings *settings)
{
    const deft__key_info *info  = deft__key_info_of(key);
    char                 *field = (char *)settings + info->offset;
    switch (info->field) {
    case DEFT__FIELD_ENUM:
        *(unsigned *)(void *)field = (unsigned)value->number;
        break;
    case DEFT__FIELD_BOOL:
        *(bool *)field = value->number != 0;
        break;
    case DEFT__FIELD_U32:
        *(uint32_t *)(void *)field = (uint32_t)value->number;
        break;
    case DEFT__FIELD_U64:
        *(uint64_t *)(void *)field = value->number;
        break;
    case DEFT__FIELD_SIZE:
        *(size_t *)(void *)field = (size_t)value->number;
        break;
    case DEFT__FIELD_THRESHOLD:
        *(deft_threshold *)(void *)field =
            (deft_threshold){.is_set = !value->is_unset, .value = value->number};
        break;
    case DEFT__FIELD_VIEW:
        *(deft_view *)(void *)field = value->text;
        break;
    case DEFT__FIELD_NONE:
        if (key == DEFT__KEY_CORE_TOOLS) {
            settings->core_tools        = value->items;
            settings->core_tool_count   = value->item_count;
            settings->is_core_tools_set = !value->is_unset;
        } else if (key == DEFT__KEY_PERMISSIONS_ALLOW) {
            settings->allowed_tools      = value->items;
            settings->allowed_tool_count = value->item_count;
        } else if (key == DEFT__KEY_PERMISSIONS_DENY) {
            settings->denied_tools      = value->items;
            settings->denied_tool_count = value->item_count;
        } else if (key == DEFT__KEY_HTTP_ALLOW_HOSTS) {
            settings->http_hosts      = value->items;
            settings->http_host_count = value->item_count;
        } else if (key == DEFT__KEY_HTTP_ALLOW_ORIGINS) {
            settings->http_origins      = value->items;
            settings->http_origin_count = value->item_count;
        }
        break;
    }
}
