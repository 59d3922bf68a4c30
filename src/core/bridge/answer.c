#include "core/bridge/answer.h"

#include "base/fail.h"
#include "core/listing/clean.h"

void deft_answer_init(deft_answer *answer, const deft_allocator *allocator)
{
    *answer = (deft_answer){0};
    deft_buffer_init(&answer->text, allocator);
    deft_buffer_init(&answer->structured, allocator);
}

void deft_answer_clear(deft_answer *answer)
{
    const deft_allocator *allocator = answer->text.allocator;
    deft_buffer_clear(&answer->text);
    deft_buffer_clear(&answer->structured);
    deft_answer_init(answer, allocator);
}

void deft__answer_reset(deft_answer *answer)
{
    deft_buffer_reset(&answer->text);
    deft_buffer_reset(&answer->structured);
    answer->is_error     = false;
    answer->found_count  = 0;
    answer->loaded_count = 0;
}

deft_status deft__answer_finish(deft_answer *answer, deft_error *error)
{
    if (answer->text.status == DEFT_OK && answer->structured.status == DEFT_OK) {
        return DEFT_OK;
    }
    deft__answer_reset(answer);
    return deft__fail_memory(error);
}

deft_status deft__answer_finish_error(deft_answer *answer, const char *advice, deft_error *error)
{
    if (advice != NULL) {
        deft_buffer_append_byte(&answer->text, ' ');
        deft_buffer_append_text(&answer->text, advice);
    }
    answer->is_error     = true;
    answer->found_count  = 0;
    answer->loaded_count = 0;

    deft__json_writer writer;
    deft_buffer_reset(&answer->structured);
    deft__json_writer_init(&writer, &answer->structured);
    deft__json_begin_object(&writer);
    deft__json_name(&writer, "error");
    deft__json_write_string(&writer, deft_buffer_view(&answer->text));
    deft__json_end_object(&writer);
    return deft__answer_finish(answer, error);
}

void deft__answer_append_message(deft_answer *answer, const deft_error *message)
{
    const deft_view text  = deft_view_of(message->message);
    const size_t    start = answer->text.size;
    deft__clean_append(&answer->text, text, sizeof message->message);
    if (answer->text.size > start && answer->text.data[start] >= 'a' &&
        answer->text.data[start] <= 'z') {
        answer->text.data[start] = (char)(answer->text.data[start] - 'a' + 'A');
    }
    deft_buffer_append_byte(&answer->text, '.');
}

void deft__append_quoted(deft_buffer *out, deft_view name)
{
    deft_buffer_append_byte(out, '\'');
    deft__clean_append(out, name, DEFT_NAME_SIZE_MAX * 2);
    deft_buffer_append_byte(out, '\'');
}

void deft__append_ids(deft_buffer *out, const deft_catalog *catalog, const deft_tool_id *tools,
                      size_t count)
{
    for (size_t i = 0; i < count; i++) {
        deft_buffer_append_text(out, i > 0 ? ", " : "");
        deft__clean_append(out, deft_catalog_tool(catalog, tools[i])->id, DEFT_NAME_SIZE_MAX * 3);
    }
}
