// table.h - rows and columns for people. Cells are text that was made safe for a terminal; widths
// are in columns, not bytes; numbers stand to the right. On a terminal the last column is cut to
// fit; in a pipe nothing is.
#ifndef DEFT_CLI_TABLE_H
#define DEFT_CLI_TABLE_H

#include "cli/output.h"
#include "deft/view.h"

#include <stdint.h>

#define DEFT__TABLE_COLUMNS_MAX 12

typedef struct deft__column {
    const char *title;
    bool        is_number; // stands to the right
} deft__column;

typedef struct deft__cell {
    size_t      offset; // in `text`
    size_t      size;   // bytes
    size_t      width;  // columns
    deft__color color;
} deft__cell;

typedef struct deft__table {
    const deft__column *columns; // borrowed
    size_t              column_count;
    deft_buffer         text;
    deft__cell         *cells; // row by row
    size_t              cell_count;
    size_t              cell_capacity;
    size_t              column; // of the next cell
    size_t              widths[DEFT__TABLE_COLUMNS_MAX];
    deft_status         status; // DEFT_OK, or why cells are missing
} deft__table;

// `columns` are borrowed and at most DEFT__TABLE_COLUMNS_MAX.
void deft__table_init(deft__table *table, const deft__column *columns, size_t column_count);
void deft__table_clear(deft__table *table);

// The next cell, from left to right; a row is full when every column has one. Text is shown as one
// safe line, numbers with separators.
void deft__table_text(deft__table *table, deft_view text);
void deft__table_colored(deft__table *table, deft__color color, deft_view text);
void deft__table_number(deft__table *table, uint64_t number);
void deft__table_percent(deft__table *table, uint64_t part, uint64_t whole);
void deft__table_empty(deft__table *table);

// At most `width` columns of the text.
void deft__table_cut(deft__table *table, deft_view text, size_t width);

// Two spaces before the text: a row that belongs to the one above.
void deft__table_indented(deft__table *table, deft_view text);

// Prints titles and rows.
deft_status deft__table_print(const deft__table *table, deft__output *output);

#endif
