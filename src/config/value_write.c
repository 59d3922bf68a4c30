// Values as text for people and as JSON for files. What is written is read back as the same value.
#include "config/number.h"
#include "config/value.h"

#include <assert.h>

// The number in a field; false for a threshold that is not set and for what is no number.
static bool read_field(const deft__key_info *info, const deft_settings *settings, uint64_t *number)
{
    const char *field = (const char *)settings + info->offset;
    switch (info->field) {
    case DEFT__FIELD_ENUM:
        *number = *(const unsigned *)(const void *)field;
        return true;
    case DEFT__FIELD_BOOL:
        *number = *(const bool *)field;
        return true;
    case DEFT__FIELD_U32:
        *number = *(const uint32_t *)(const void *)field;
        return true;
    case DEFT__FIELD_U64:
        *number = *(const uint64_t *)(const void *)field;
        return true;
    case DEFT__FIELD_SIZE:
        *number = *(const size_t *)(const void *)field;
        return true;
    case DEFT__FIELD_THRESHOLD:
        *number = ((const deft_threshold *)(const void *)field)->value;
        return ((const deft_threshold *)(const void *)field)->is_set;
    case DEFT__FIELD_VIEW:
    case DEFT__FIELD_NONE:
        break;
    }
    return false;
}

// Whether a text can stand between commas and be found again.
static bool is_plain_item(deft_view text)
{
    const deft_view trimmed = deft__value_trim(text);
    for (size_t i = 0; i < text.size; i++) {
        const unsigned char byte = (unsigned char)text.data[i];
        if (byte == ',' || byte < 0x20 || byte == 0x7F) {
            return false;
        }
    }
    return text.size > 0 && trimmed.size == text.size && text.data[0] != '[' &&
           !deft__value_is_word(text, "none") && !deft__value_is_word(text, "null");
}

static void write_item(deft_view text, const char *suffix, deft_buffer *out)
{
    deft_buffer_append(out, text);
    deft_buffer_append_text(out, suffix);
}

// Lists are written with commas where that reads back, else as an array, which keeps their order
// as an object of rules would not.
static void write_list(const deft_view *items, const deft_rule *rules, size_t count, bool is_array,
                       deft_buffer *out)
{
    assert(count == 0 || items != NULL || rules != NULL);
    bool is_plain = !is_array;
    for (size_t i = 0; i < count; i++) {
        is_plain = is_plain && is_plain_item(rules != NULL ? rules[i].pattern : items[i]);
    }
    deft__json_writer writer;
    deft__json_writer_init(&writer, out);
    deft_buffer item;
    deft_buffer_init(&item, out->allocator);
    if (!is_plain) {
        deft__json_begin_array(&writer);
    }
    for (size_t i = 0; i < count; i++) {
        const deft_view text   = rules != NULL ? rules[i].pattern : items[i];
        const char     *suffix = "";
        if (rules != NULL) {
            suffix = rules[i].is_deferred ? "=deferred" : "=pinned";
        }
        if (is_plain) {
            deft_buffer_append_text(out, i > 0 ? "," : "");
            write_item(text, suffix, out);
        } else {
            deft_buffer_reset(&item);
            write_item(text, suffix, &item);
            out->status = item.status != DEFT_OK ? item.status : out->status;
            deft__json_write_string(&writer, deft_buffer_view(&item));
        }
    }
    if (!is_plain) {
        deft__json_end_array(&writer);
    }
    deft_buffer_clear(&item);
}

static void write_flags(const deft__key_info *info, uint64_t bits, deft_buffer *out)
{
    bool is_first = true;
    for (unsigned i = 0; i < info->word_count; i++) {
        if ((bits >> i & 1) != 0) {
            deft_buffer_append_text(out, is_first ? "" : ",");
            deft_buffer_append_text(out, info->word(i));
            is_first = false;
        }
    }
}

static void write_lists_of(deft__key key, const deft_settings *settings, deft_buffer *out)
{
    if (key == DEFT__KEY_SERVERS) {
        write_list(NULL, settings->server_rules, settings->server_rule_count, false, out);
    } else if (key == DEFT__KEY_TOOLS) {
        write_list(NULL, settings->tool_rules, settings->tool_rule_count, false, out);
    } else if (key == DEFT__KEY_PERMISSIONS_ALLOW) {
        write_list(settings->allowed_tools, NULL, settings->allowed_tool_count, false, out);
    } else if (key == DEFT__KEY_PERMISSIONS_DENY) {
        write_list(settings->denied_tools, NULL, settings->denied_tool_count, false, out);
    } else if (key == DEFT__KEY_HTTP_ALLOW_HOSTS) {
        write_list(settings->http_hosts, NULL, settings->http_host_count, false, out);
    } else if (key == DEFT__KEY_HTTP_ALLOW_ORIGINS) {
        write_list(settings->http_origins, NULL, settings->http_origin_count, false, out);
    } else if (settings->is_core_tools_set && settings->core_tool_count == 0) {
        deft_buffer_append_text(out, "none");
    } else if (settings->is_core_tools_set) {
        write_list(settings->core_tools, NULL, settings->core_tool_count, false, out);
    }
}

void deft__value_write_text(deft__key key, const deft_settings *settings, deft_buffer *out)
{
    const deft__key_info *info   = deft__key_info_of(key);
    uint64_t              number = 0;
    const bool            is_set = read_field(info, settings, &number);
    switch (info->kind) {
    case DEFT__KIND_MODE:
        deft_buffer_append_text(out, deft_mode_name((deft_mode)number));
        break;
    case DEFT__KIND_BOOL:
        deft_buffer_append_text(out, number != 0 ? "true" : "false");
        break;
    case DEFT__KIND_COUNT:
    case DEFT__KIND_PERCENT:
    case DEFT__KIND_DECIMAL:
        if (is_set) {
            deft__number_write(number, deft__key_decimals(info->kind), out);
        }
        break;
    case DEFT__KIND_ENUM:
        deft_buffer_append_text(out, info->word((unsigned)number));
        break;
    case DEFT__KIND_FLAGS:
        write_flags(info, number, out);
        break;
    case DEFT__KIND_NAME:
    case DEFT__KIND_TEXT:
        deft_buffer_append(
            out, *(const deft_view *)(const void *)((const char *)settings + info->offset));
        break;
    case DEFT__KIND_LIST:
    case DEFT__KIND_RULES:
        write_lists_of(key, settings, out);
        break;
    }
}

static void write_mode_json(const deft__value *value, deft__json_writer *writer)
{
    if (value->is_percented) {
        char        text[32];
        deft_buffer buffer = {.data = text, .capacity = sizeof text};
        deft_buffer_append_text(&buffer, "auto:");
        deft__number_write(value->permyriad, 2, &buffer);
        deft__json_write_string(writer, deft_buffer_view(&buffer));
    } else if (value->number == DEFT_MODE_OFF) {
        deft__json_write_bool(writer, false);
    } else {
        deft__json_write_text(writer, deft_mode_name((deft_mode)value->number));
    }
}

static void write_number_json(uint64_t number, unsigned decimals, deft__json_writer *writer)
{
    char        text[32];
    deft_buffer buffer = {.data = text, .capacity = sizeof text};
    deft__number_write(number, decimals, &buffer);
    deft__json_write_raw(writer, deft_buffer_view(&buffer));
}

static void write_array_json(const deft__key_info *info, const deft__value *value,
                             deft__json_writer *writer)
{
    deft__json_begin_array(writer);
    for (size_t i = 0; i < value->item_count; i++) {
        deft__json_write_string(writer, value->items[i]);
    }
    for (unsigned i = 0; i < info->word_count; i++) {
        if ((value->number >> i & 1) != 0) {
            deft__json_write_text(writer, info->word(i));
        }
    }
    deft__json_end_array(writer);
}

void deft__value_write_json(deft__key key, const deft__value *value, deft__json_writer *writer)
{
    const deft__key_info *info = deft__key_info_of(key);
    if (value->is_unset) {
        deft__json_write_null(writer);
        return;
    }
    switch (info->kind) {
    case DEFT__KIND_MODE:
        write_mode_json(value, writer);
        break;
    case DEFT__KIND_BOOL:
        deft__json_write_bool(writer, value->number != 0);
        break;
    case DEFT__KIND_COUNT:
    case DEFT__KIND_PERCENT:
    case DEFT__KIND_DECIMAL:
        write_number_json(value->number, deft__key_decimals(info->kind), writer);
        break;
    case DEFT__KIND_ENUM:
        deft__json_write_text(writer, info->word((unsigned)value->number));
        break;
    case DEFT__KIND_NAME:
    case DEFT__KIND_TEXT:
        deft__json_write_string(writer, value->text);
        break;
    case DEFT__KIND_LIST:
    case DEFT__KIND_FLAGS:
        write_array_json(info, value, writer);
        break;
    case DEFT__KIND_RULES:
        write_list(NULL, value->rules, value->rule_count, true, writer->out);
        break;
    }
}
