// Sets one key in the text of a configuration file and leaves every other byte alone. The value is
// replaced where the key stands already, under whatever name; else a member is added, written the
// way its neighbours are.
#include "deft/config.h"

#include "base/fail.h"
#include "config/read.h"
#include "config/text_edit.h"

// Where a key stands, and where it could.
typedef struct key_location {
    deft__json_value value;     // of the key; document NULL when it is not there
    deft__json_value group;     // toolSearch; document NULL when it is not there
    deft__json_value subgroup;  // the object of the key's own group, journal; the same
    bool             is_shared; // that is the `permissions` at the top, which may be Claude's
    bool             is_dotted; // the file writes "toolSearch.minPct" at its top level
    bool             is_failed; // no memory to find out
} key_location;

// The part of a key's name before its last dot, without `toolSearch`: journal, descriptions, nothing.
static deft_view subgroup_of(deft__key key)
{
    bool            is_grouped = false;
    const deft_view member =
        deft__key_member(deft_view_of(deft__key_info_of(key)->name), &is_grouped);
    const char *dot = memchr(member.data, '.', member.size);
    return deft_view_make(member.data, dot != NULL ? (size_t)(dot - member.data) : 0);
}

// Decodes a member's name behind `prefix`, which is empty or ends in a dot.
static deft_view join_name(deft_view prefix, deft__json_value name, deft_buffer *scratch)
{
    deft_buffer_reset(scratch);
    deft_buffer_append(scratch, prefix);
    const size_t    start = scratch->size;
    const deft_view text  = deft__json_string(name, scratch);
    if (scratch->size == start) {
        deft_buffer_append(scratch, text); // it was borrowed
    }
    return deft_buffer_view(scratch);
}

// Looks for `key` among the members of `object`, and of the group of its own inside.
static void locate_in(deft__json_value object, deft__key_place place, deft__key key,
                      deft_view prefix, deft_buffer *scratch, key_location *location)
{
    const deft_view     subgroup = subgroup_of(key);
    deft__json_iterator i        = deft__json_iterate(object);
    while (deft__json_next(&i)) {
        deft__key_match match;
        bool            is_dotted = false;
        const deft_view text      = join_name(prefix, i.name, scratch);
        (void)deft__key_member(text, &is_dotted);
        location->is_failed = location->is_failed || scratch->status != DEFT_OK;
        location->is_dotted = location->is_dotted || (is_dotted && place == DEFT__PLACE_ROOT);
        if (deft__key_find(place, text, &match) && match.key == key) {
            location->value = i.value;
        } else if (prefix.size == 0 && subgroup.size > 0 && deft_view_equal(text, subgroup) &&
                   deft__key_is_group(place, text) && deft__json_is(i.value, DEFT__JSON_OBJECT)) {
            size_t     own_count   = 0;
            const bool is_at_top   = place == DEFT__PLACE_ROOT;
            const bool is_allowing = key == DEFT__KEY_PERMISSIONS_ALLOW && is_at_top;
            if (is_allowing && deft__is_claude_allowing(i.value, &own_count)) {
                continue;
            }
            // subgroup is a part of a longer name: its dot comes next.
            location->is_shared = is_allowing;
            location->subgroup  = i.value;
            locate_in(i.value, place, key, deft_view_make(subgroup.data, subgroup.size + 1),
                      scratch, location);
        }
    }
}

static deft_status locate(deft__text_edit *edit, deft__key key, key_location *location)
{
    static const char *const groups[] = {"toolSearch", "tool_search"};
    const deft__json_value   root     = deft__json_root(&edit->document);
    const deft_view          nothing  = {NULL, 0};
    deft_buffer              scratch;
    deft_buffer_init(&scratch, edit->allocator);
    for (size_t i = 0; i < 2; i++) {
        const deft__json_value group = deft__json_member(root, groups[i]);
        if (deft__json_is(group, DEFT__JSON_NONE)) {
            continue;
        }
        location->group = group;
        if (deft__json_is(group, DEFT__JSON_OBJECT)) {
            locate_in(group, DEFT__PLACE_GROUP, key, nothing, &scratch, location);
        } else if (key == DEFT__KEY_ENABLED) {
            location->value = group; // "toolSearch": true is the mode itself
        }
    }
    locate_in(root, DEFT__PLACE_ROOT, key, nothing, &scratch, location);
    deft_buffer_clear(&scratch);
    return location->is_failed ? deft__fail_memory(edit->error) : DEFT_OK;
}

// What is to be set.
typedef struct key_change {
    deft__key          key;
    deft_view          member; // as the person called it, without the group
    const deft__value *value;
} key_change;

// Where a new member goes. Permissions may stand at the top as well, but there Claude Code keeps its
// own.
static bool is_in_group(deft__key key)
{
    bool is_grouped = false;
    (void)deft__key_member(deft_view_of(deft__key_info_of(key)->name), &is_grouped);
    return is_grouped || deft_view_equals(subgroup_of(key), "permissions");
}

// What is allowed at the top must not look like Claude's, or it would not be read again.
static deft_status check_shared(const key_change *change, const key_location *location,
                                deft_error *error)
{
    for (size_t i = 0; i < change->value->item_count && location->is_shared; i++) {
        deft__quoted quoted;
        if (deft__is_claude_rule(change->value->items[i])) {
            return deft__fail(error, DEFT_CONFLICT, 0,
                              "'%s' looks like a rule of Claude Code's in permissions.allow at the "
                              "top of a file; move permissions into toolSearch",
                              deft__reader_show(&quoted, change->value->items[i]));
        }
    }
    return DEFT_OK;
}

// "prefix" + name, quoted, and the value.
static void write_named(const key_change *change, const char *prefix, deft_view name,
                        deft_buffer *out)
{
    deft__json_writer writer;
    deft_buffer_append_byte(out, '"');
    deft_buffer_append_text(out, prefix);
    deft_buffer_append(out, name);
    deft_buffer_append_text(out, "\": ");
    deft__json_writer_init(&writer, out);
    deft__value_write_json(change->key, change->value, &writer);
}

// What stands in the key's own group.
static deft_view last_part(const key_change *change)
{
    const size_t size = subgroup_of(change->key).size;
    return size > 0 ? deft_view_slice(change->member, size + 1, change->member.size)
                    : change->member;
}

// The member with its value, in a new group of its own where it needs one.
static void write_member(const key_change *change, deft_buffer *out)
{
    const deft_view subgroup = subgroup_of(change->key);
    if (subgroup.size == 0) {
        write_named(change, "", change->member, out);
        return;
    }
    deft_buffer_append_byte(out, '"');
    deft_buffer_append(out, subgroup);
    deft_buffer_append_text(out, "\": {");
    write_named(change, "", last_part(change), out);
    deft_buffer_append_byte(out, '}');
}

// A line end and the indent of a group's members, or a blank where all is on one line.
static void append_break(const deft__text_layout *layout, bool is_first, deft_buffer *out)
{
    const deft_view indent = layout->indent;
    if (layout->is_multi_line || layout->is_empty) {
        deft__text_layout_indent(layout, out);
        deft_buffer_append_text(out,
                                indent.size > 0 && indent.data[0] == '\t' ? "\t" : layout->step);
    } else {
        deft_buffer_append_text(out, is_first ? "" : " ");
    }
}

// { ... } with the change in it, laid out as the members of the object around it are. `enabled` is
// the mode that comes first; may be empty.
static void write_group(const key_change *change, const deft__text_layout *layout,
                        deft_view enabled, deft_buffer *out)
{
    deft_buffer_append_byte(out, '{');
    if (enabled.size > 0) {
        append_break(layout, true, out);
        deft_buffer_append_text(out, "\"enabled\": ");
        deft_buffer_append(out, enabled);
        deft_buffer_append_byte(out, ',');
    }
    append_break(layout, enabled.size == 0, out);
    write_member(change, out);
    if (layout->is_multi_line || layout->is_empty) {
        deft__text_layout_indent(layout, out);
    }
    deft_buffer_append_byte(out, '}');
}

// A file that says nothing yet: comments stay on top.
static void write_new(const deft__text_edit *edit, const key_change *change, deft_buffer *out)
{
    const deft__text_layout layout = {.step = "  ", .is_multi_line = true};
    deft_buffer_append(out, edit->text);
    if (edit->text.size > 0 && !deft__is_line_end(edit->text.data[edit->text.size - 1])) {
        deft_buffer_append_byte(out, '\n');
    }
    deft_buffer_append_byte(out, '{');
    deft__text_layout_indent(&layout, out);
    if (is_in_group(change->key)) {
        deft_buffer_append_text(out, "\"toolSearch\": ");
        write_group(change, &layout, deft_view_make(NULL, 0), out);
    } else {
        write_member(change, out);
    }
    deft_buffer_append_text(out, "\n}\n");
}

static void write_added(const deft__text_edit *edit, const key_change *change,
                        const key_location *location, deft_buffer *member, deft_buffer *out)
{
    const deft__json_value root   = deft__json_root(&edit->document);
    deft__json_value       object = root;
    deft__text_layout      layout = deft__text_layout_find(edit, root);
    if (location->subgroup.document != NULL) {
        object = location->subgroup;
        write_named(change, "", last_part(change), member);
    } else if (!is_in_group(change->key)) {
        write_member(change, member);
    } else if (deft__json_is(location->group, DEFT__JSON_OBJECT)) {
        object = location->group;
        write_member(change, member);
    } else if (location->group.document != NULL) {
        // "toolSearch": true becomes an object that says so.
        write_group(change, &layout, deft__json_raw(location->group), member);
        deft__text_edit_splice(edit, deft__json_offset(location->group),
                               deft__text_edit_end_of(location->group), deft_buffer_view(member),
                               out);
        return;
    } else if (location->is_dotted) {
        write_named(change, "toolSearch.", change->member, member);
    } else {
        deft_buffer_append_text(member, "\"toolSearch\": ");
        write_group(change, &layout, deft_view_make(NULL, 0), member);
    }
    layout = deft__text_layout_find(edit, object);
    deft__text_edit_insert(edit, &layout, deft_buffer_view(member), out);
}

// One change of one text.
static deft_status edit_once(deft_view text, const key_change *change, deft_buffer *out,
                             deft_error *error)
{
    deft__text_edit edit     = {.allocator = out->allocator, .error = error};
    key_location    location = {.is_dotted = false};
    bool            is_blank = false;
    deft_buffer     member;
    deft_buffer_init(&member, out->allocator);

    deft_status status = deft__text_edit_open(&edit, text, &is_blank);
    if (status == DEFT_OK && !is_blank) {
        status = locate(&edit, change->key, &location);
    }
    if (status == DEFT_OK) {
        status = check_shared(change, &location, error);
    }
    if (status == DEFT_OK) {
        if (is_blank) {
            write_new(&edit, change, out);
        } else if (location.value.document != NULL) {
            deft__json_writer writer;
            deft__json_writer_init(&writer, &member);
            deft__value_write_json(change->key, change->value, &writer);
            deft__text_edit_splice(&edit, deft__json_offset(location.value),
                                   deft__text_edit_end_of(location.value),
                                   deft_buffer_view(&member), out);
        } else {
            write_added(&edit, change, &location, &member, out);
        }
        if (out->status != DEFT_OK || member.status != DEFT_OK) {
            status = deft__fail_memory(error);
        }
    }
    deft_buffer_clear(&member);
    deft__text_edit_clear(&edit);
    return status;
}

// What a file says for a key; false when it says nothing.
static deft_status find_value(deft_view text, deft__key key, deft__arena *arena, bool *is_there,
                              deft__value *value, deft_error *error)
{
    deft__text_edit edit     = {.allocator = arena->allocator, .error = error};
    key_location    location = {.is_dotted = false};
    bool            is_blank = false;
    deft_status     status   = deft__text_edit_open(&edit, text, &is_blank);
    if (status == DEFT_OK && !is_blank) {
        status = locate(&edit, key, &location);
    }
    *is_there = false;
    if (status == DEFT_OK && location.value.document != NULL) {
        status    = deft__value_from_json(key, location.value, arena, value);
        *is_there = status == DEFT_OK;
        status    = status == DEFT_INVALID ? DEFT_OK : status; // a bad value may be replaced
        if (status != DEFT_OK) {
            deft__fail_memory(error);
        }
    }
    deft__text_edit_clear(&edit);
    return status;
}

// "auto:5" beside a minPct, or the other way round, would contradict one another: the mode then
// becomes plain auto and the percent stands alone.
static deft_status plan_changes(deft_view text, key_change *changes, size_t *count,
                                deft__value *mode, deft__value *percent, deft__arena *arena,
                                deft_error *error)
{
    const deft__key other =
        changes[0].key == DEFT__KEY_ENABLED ? DEFT__KEY_MIN_PCT : DEFT__KEY_ENABLED;
    bool        is_there = false;
    deft__value value    = {.number = 0};
    *mode                = (deft__value){.number = DEFT_MODE_AUTO};
    *percent             = *changes[0].value;
    if (changes[0].key != DEFT__KEY_MIN_PCT &&
        !(changes[0].key == DEFT__KEY_ENABLED && changes[0].value->is_percented)) {
        return DEFT_OK;
    }
    const deft_status status = find_value(text, other, arena, &is_there, &value, error);
    if (status != DEFT_OK || !is_there) {
        return status;
    }
    if (other == DEFT__KEY_MIN_PCT) {
        *percent         = (deft__value){.number = changes[0].value->permyriad};
        changes[1]       = (key_change){other, deft_view_of("minPct"), percent};
        changes[0].value = mode;
        *count           = 2;
    } else if (value.is_percented) {
        changes[1]       = changes[0];
        changes[1].value = percent;
        changes[0]       = (key_change){other, deft_view_of("enabled"), mode};
        *count           = 2;
    }
    return DEFT_OK;
}

static deft_status edit_all(deft_view text, const key_change *changes, size_t count,
                            deft_buffer *out, deft_error *error)
{
    deft_buffer buffers[2];
    deft_buffer_init(&buffers[0], out->allocator);
    deft_buffer_init(&buffers[1], out->allocator);
    deft_status status = DEFT_OK;
    deft_view   latest = text;
    for (size_t i = 0; i < count && status == DEFT_OK; i++) {
        status = edit_once(latest, &changes[i], &buffers[i], error);
        latest = deft_buffer_view(&buffers[i]);
    }
    if (status == DEFT_OK) {
        const size_t size_before = out->size;
        deft_buffer_append(out, latest);
        if (out->status != DEFT_OK) {
            deft_buffer_truncate(out, size_before);
            status = deft__fail_memory(error);
        }
    }
    deft_buffer_clear(&buffers[0]);
    deft_buffer_clear(&buffers[1]);
    return status;
}

deft_status deft_config_edit(deft_view text, deft_view key, deft_view value, deft_buffer *out,
                             deft_error *error)
{
    deft__key_match match;
    deft__quoted    quoted;
    bool            is_grouped = false;
    if (!deft__key_find(DEFT__PLACE_PATH, key, &match)) {
        return deft__key_fail_unknown(key, error);
    }
    if (text.size > DEFT__CONFIG_SIZE_MAX) {
        return deft__fail(error, DEFT_LIMIT, 0, "%zu bytes, with a limit of %u", text.size,
                          DEFT__CONFIG_SIZE_MAX);
    }
    if (deft__toml_is_likely(text)) {
        return deft__fail(error, DEFT_INVALID, 0,
                          "this is TOML, which is only read; settings are kept in a JSON file");
    }

    deft__arena arena;
    deft__arena_init(&arena, out->allocator);
    const deft__key_info *info = deft__key_info_of(match.key);
    deft__value           parsed;
    deft__value           mode;
    deft__value           percent;
    key_change            changes[2] = {{match.key, deft__key_member(key, &is_grouped), &parsed}};
    size_t                count      = 1;

    deft_status status = deft__value_from_text(match.key, value, false, &arena, &parsed);
    if (status == DEFT_INVALID) {
        deft__fail(error, DEFT_INVALID, 0, "%s is \"%s\"; accepted: %s", info->name,
                   deft__reader_show(&quoted, value), info->accepts);
    } else if (status != DEFT_OK) {
        deft__fail_memory(error);
    } else {
        status = plan_changes(text, changes, &count, &mode, &percent, &arena, error);
    }
    if (status == DEFT_OK) {
        status = edit_all(text, changes, count, out, error);
    }
    deft__arena_clear(&arena);
    return status;
}
