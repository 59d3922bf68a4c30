#include "cli/table.h"

#include "base/memory.h"
#include "cli/text.h"

#include <assert.h>

void deft__table_init(deft__table *table, const deft__column *columns, size_t column_count)
{
    assert(column_count > 0 && column_count <= DEFT__TABLE_COLUMNS_MAX);
    *table = (deft__table){.columns = columns, .column_count = column_count};
    deft_buffer_init(&table->text, NULL);
    for (size_t i = 0; i < column_count; i++) {
        table->widths[i] = deft__text_width(deft_view_of(columns[i].title));
    }
}

void deft__table_clear(deft__table *table)
{
    deft_buffer_clear(&table->text);
    deft__free(NULL, table->cells, table->cell_capacity * sizeof table->cells[0]);
    table->cells = NULL;
}

// The text behind `offset` is the next cell.
static void end_cell(deft__table *table, size_t offset, deft__color color)
{
    void *cells = table->cells;
    if (table->text.status != DEFT_OK || !deft__grow(NULL, &cells, &table->cell_capacity,
                                                     table->cell_count, sizeof table->cells[0])) {
        table->status = DEFT_OUT_OF_MEMORY;
        return;
    }
    table->cells = cells;

    const size_t    size  = table->text.size - offset;
    const deft_view text  = deft_view_slice(deft_buffer_view(&table->text), offset, size);
    const size_t    width = deft__text_width(text);
    table->cells[table->cell_count++] =
        (deft__cell){.offset = offset, .size = size, .width = width, .color = color};
    if (width > table->widths[table->column]) {
        table->widths[table->column] = width;
    }
    table->column = table->column + 1 < table->column_count ? table->column + 1 : 0;
}

void deft__table_colored(deft__table *table, deft__color color, deft_view text)
{
    const size_t offset = table->text.size;
    deft__append_safe_line(&table->text, text);
    end_cell(table, offset, color);
}

void deft__table_text(deft__table *table, deft_view text)
{
    deft__table_colored(table, DEFT__COLOR_NONE, text);
}

void deft__table_indented(deft__table *table, deft_view text)
{
    const size_t offset = table->text.size;
    deft_buffer_append_text(&table->text, "  ");
    deft__append_safe_line(&table->text, text);
    end_cell(table, offset, DEFT__COLOR_NONE);
}

void deft__table_cut(deft__table *table, deft_view text, size_t width)
{
    const size_t offset = table->text.size;
    deft__append_cut_line(&table->text, text, width);
    end_cell(table, offset, DEFT__COLOR_NONE);
}

void deft__table_number(deft__table *table, uint64_t number)
{
    const size_t offset = table->text.size;
    deft__append_number(&table->text, number);
    end_cell(table, offset, DEFT__COLOR_NONE);
}

void deft__table_percent(deft__table *table, uint64_t part, uint64_t whole)
{
    const size_t offset = table->text.size;
    deft__append_percent(&table->text, part, whole);
    end_cell(table, offset, DEFT__COLOR_NONE);
}

void deft__table_empty(deft__table *table)
{
    deft__table_text(table, deft_view_of(""));
}

static void print_spaces(deft__output *output, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        deft_buffer_append_byte(&output->text, ' ');
    }
}

// How wide the last column may be: what the terminal leaves, but never so little that nothing can
// be read.
static size_t last_width_max(const deft__table *table, const deft__output *output)
{
    const size_t least = 20;
    size_t       used  = 0;
    for (size_t i = 0; i + 1 < table->column_count; i++) {
        used += table->widths[i] + 2;
    }
    if (output->width == 0) {
        return SIZE_MAX;
    } else {
        return output->width > used + least ? output->width - used : least;
    }
}

static void print_cell(const deft__table *table, size_t column, deft_view text, size_t width,
                       deft__color color, deft__output *output)
{
    const bool   is_last = column + 1 == table->column_count;
    const size_t room    = table->widths[column] > width ? table->widths[column] - width : 0;
    if (table->columns[column].is_number) {
        print_spaces(output, room);
    }
    const size_t width_max = is_last ? last_width_max(table, output) : SIZE_MAX;
    if (text.size > 0) {
        deft__color_begin(output, color);
        deft__append_cut(&output->text, text, width_max);
        deft__color_end(output, color);
    }
    if (!is_last) {
        print_spaces(output, table->columns[column].is_number ? 2 : room + 2);
    }
}

// A row whose last cells are empty would end in spaces.
static void end_row(deft__output *output)
{
    while (output->text.size > 0 && output->text.data[output->text.size - 1] == ' ') {
        deft_buffer_truncate(&output->text, output->text.size - 1);
    }
    deft_buffer_append_byte(&output->text, '\n');
}

deft_status deft__table_print(const deft__table *table, deft__output *output)
{
    if (table->status != DEFT_OK) {
        return table->status;
    }
    for (size_t i = 0; i < table->column_count; i++) {
        const deft_view title = deft_view_of(table->columns[i].title);
        print_cell(table, i, title, deft__text_width(title), DEFT__COLOR_BOLD, output);
    }
    end_row(output);
    for (size_t at = 0; at + table->column_count <= table->cell_count;) {
        for (size_t column = 0; column < table->column_count; column++, at++) {
            const deft__cell *cell = &table->cells[at];
            const deft_view   text =
                deft_view_slice(deft_buffer_view(&table->text), cell->offset, cell->size);
            print_cell(table, column, text, cell->width, cell->color, output);
        }
        end_row(output);
    }
    return output->text.status;
}
