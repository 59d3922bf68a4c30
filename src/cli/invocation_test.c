// What a command line means, and what is said of one that means nothing.
#include "cli/invocation.h"

#include "support/test.h"

#define WORDS_MAX 10

// Flags and operands as one line: "tools json catalog=a.json | operand".
static void write_line(const deft__invocation *invocation, char *line, size_t size)
{
    size_t used = (size_t)snprintf(line, size, "%s",
                                   invocation->command != NULL ? invocation->command->name : "-");
    for (size_t i = 0; i < invocation->given_count; i++) {
        const deft__given *given = &invocation->given[i];
        used += (size_t)snprintf(line + used, size - used, " %s%s%s",
                                 deft__flag_at(given->flag)->name, given->value != NULL ? "=" : "",
                                 given->value != NULL ? given->value : "");
    }
    for (size_t i = 0; i < invocation->operand_count; i++) {
        used += (size_t)snprintf(line + used, size - used, " | %s", invocation->operands[i]);
    }
}

static size_t count_words(const char *const *words)
{
    size_t count = 0;
    while (count < WORDS_MAX && words[count] != NULL) {
        count++;
    }
    return count;
}

static const struct {
    const char *name;
    const char *words[WORDS_MAX];
    const char *line;
} good[] = {
    {"nothing is nothing", {NULL}, "-"},
    {"a command", {"tools"}, "tools"},
    {"a flag behind the command", {"tools", "--json"}, "tools json"},
    {"a flag before the command", {"--json", "tools"}, "tools json"},
    {"a value as the next word", {"tools", "--catalog", "a.json"}, "tools catalog=a.json"},
    {"a value behind an equals sign", {"tools", "--catalog=a.json"}, "tools catalog=a.json"},
    {"a value with an equals sign in it", {"tools", "--set", "a=b=c"}, "tools set=a=b=c"},
    {"a value that is empty behind its key", {"tools", "--set=a="}, "tools set=a="},
    {"a value that starts with dashes", {"tools", "--server=--odd"}, "tools server=--odd"},
    {"a dash as a value", {"tools", "--catalog", "-"}, "tools catalog=-"},
    {"a flag several times, in order",
     {"tools", "--catalog", "a", "--catalog=b"},
     "tools catalog=a catalog=b"},
    {"letters", {"tools", "-q"}, "tools quiet"},
    {"letters joined", {"tools", "-qv"}, "tools quiet verbose"},
    {"a letter twice counts once", {"tools", "-vv"}, "tools verbose"},
    {"operands", {"settings", "set", "a", "b"}, "settings | set | a | b"},
    {"operands and flags mixed", {"search", "a", "--limit", "3", "b"}, "search limit=3 | a | b"},
    {"two dashes end the flags", {"search", "--", "--json"}, "search | --json"},
    {"a command may come behind two dashes", {"--", "tools"}, "tools"},
    {"a negative number is an operand", {"settings", "a", "-5"}, "settings | a | -5"},
    {"one dash is an operand", {"search", "-"}, "search | -"},
    {"help needs no operands", {"search", "--help"}, "search help"},
    {"the version needs no command", {"--version"}, "- version"},
    {"the largest number", {"search", "x", "--limit=1000"}, "search limit=1000 | x"},
};

static void understood(void **state)
{
    (void)state;
    for (size_t i = 0; i < array_size(good); i++) {
        case_name(good[i].name);
        deft_error       error = DEFT_ERROR_INIT;
        deft__invocation invocation;
        char             line[300];
        deft__invocation_init(&invocation);
        assert_ok(
            deft__invocation_parse(&invocation, count_words(good[i].words), good[i].words, &error),
            error);
        write_line(&invocation, line, sizeof line);
        assert_string_equal(line, good[i].line);
        deft__invocation_clear(&invocation);
    }
}

static const struct {
    const char *name;
    const char *words[WORDS_MAX];
    const char *message;
} bad[] = {
    {"a slip in a command", {"tolls"}, "there is no command 'tolls'; did you mean tools?"},
    {"the start of a command", {"compl"}, "there is no command 'compl'; did you mean completions?"},
    {"nothing near", {"xyzzyx"}, "there is no command 'xyzzyx'"},
    {"a slip in a flag", {"tools", "--jsom"}, "there is no flag '--jsom'; did you mean --json?"},
    {"a slip in a flag with a value",
     {"tools", "--catalogue=a"},
     "there is no flag '--catalogue'; did you mean --catalog?"},
    {"an underscore for a dash",
     {"tools", "--no_mcp"},
     "there is no flag '--no_mcp'; did you mean --no-mcp?"},
    {"a flag with nothing near", {"--xyzzyx"}, "there is no flag '--xyzzyx'"},
    {"an unknown letter",
     {"tools", "-x"},
     "there is no flag '-x'; long flags start with two dashes"},
    {"one dash before a long flag",
     {"tools", "-json"},
     "there is no flag '-json'; long flags start with two dashes"},
    {"a control character in a flag", {"--\x1b[31m"}, "there is no flag '--?[31m'"},
    {"a value is missing at the end",
     {"tools", "--catalog"},
     "--catalog needs a value: --catalog=FILE|DIR"},
    {"a value is missing before a flag",
     {"tools", "--catalog", "--json"},
     "--catalog needs a value: --catalog=FILE|DIR"},
    {"a value that is nothing", {"tools", "--config="}, "--config needs a value: --config=FILE"},
    {"a value where none belongs", {"tools", "--json=yes"}, "--json takes no value"},
    {"a pair without its key", {"tools", "--set", "=1"}, "--set: '=1' is not KEY=VALUE"},
    {"a pair without its value", {"tools", "--set", "a"}, "--set: 'a' is not KEY=VALUE"},
    {"no number",
     {"tools", "--context-window", "many"},
     "--context-window: 'many' is not a whole number from 1 to 1000000000"},
    {"a number below its range",
     {"search", "x", "--limit", "0"},
     "--limit: '0' is not a whole number from 1 to 1000"},
    {"a number above its range",
     {"search", "x", "--limit=1001"},
     "--limit: '1001' is not a whole number from 1 to 1000"},
    {"a number that fits nowhere",
     {"search", "x", "--limit=99999999999999999999"},
     "--limit: '99999999999999999999' is not a whole number from 1 to 1000"},
    {"a number with something behind it",
     {"search", "x", "--limit=5k"},
     "--limit: '5k' is not a whole number from 1 to 1000"},
    {"no choice, but near one",
     {"tools", "--sort", "token"},
     "--sort: 'token' is not one of tokens, name, catalog; did you mean tokens?"},
    {"no choice at all",
     {"tools", "--sort", "zzz"},
     "--sort: 'zzz' is not one of tokens, name, catalog"},
    {"a flag of another command",
     {"tools", "--origin"},
     "--origin is a flag of 'deft settings', not of 'deft tools'"},
    {"a flag of another command, before the command",
     {"--origin", "tools"},
     "--origin is a flag of 'deft settings', not of 'deft tools'"},
    {"an operand too many",
     {"tools", "github"},
     "'deft tools' does not know what to do with 'github'"},
    {"an operand too few", {"search"}, "'deft search' needs QUERY..."},
};

static void not_understood(void **state)
{
    (void)state;
    for (size_t i = 0; i < array_size(bad); i++) {
        case_name(bad[i].name);
        deft_error       error = DEFT_ERROR_INIT;
        deft__invocation invocation;
        deft__invocation_init(&invocation);
        assert_int_not_equal(
            deft__invocation_parse(&invocation, count_words(bad[i].words), bad[i].words, &error),
            DEFT_OK);
        assert_string_equal(error.message, bad[i].message);
        deft__invocation_clear(&invocation);
    }
}

static void the_last_of_a_flag_counts(void **state)
{
    (void)state;
    static const char *const words[] = {"search",    "x", "--limit",   "3", "--limit=7",
                                        "--catalog", "a", "--catalog", "b"};
    deft_error               error   = DEFT_ERROR_INIT;
    deft__invocation         invocation;
    deft__invocation_init(&invocation);
    assert_ok(deft__invocation_parse(&invocation, array_size(words), words, &error), error);
    assert_true(deft__invocation_has(&invocation, DEFT__FLAG_LIMIT));
    assert_false(deft__invocation_has(&invocation, DEFT__FLAG_JSON));
    assert_string_equal(deft__invocation_value(&invocation, DEFT__FLAG_LIMIT), "7");
    assert_null(deft__invocation_value(&invocation, DEFT__FLAG_RANKING));
    assert_int_equal(deft__invocation_number(&invocation, DEFT__FLAG_LIMIT, 5), 7);
    assert_int_equal(deft__invocation_number(&invocation, DEFT__FLAG_CONTEXT_WINDOW, 5), 5);

    size_t at = 0;
    assert_string_equal(deft__invocation_next(&invocation, DEFT__FLAG_CATALOG, &at), "a");
    assert_string_equal(deft__invocation_next(&invocation, DEFT__FLAG_CATALOG, &at), "b");
    assert_null(deft__invocation_next(&invocation, DEFT__FLAG_CATALOG, &at));
    deft__invocation_clear(&invocation);
}

static void the_tables_hold_together(void **state)
{
    (void)state;
    for (size_t i = 0; i < DEFT__FLAG_COUNT; i++) {
        const deft__flag *flag = deft__flag_at((deft__flag_id)i);
        assert_non_null(flag->name);
        assert_non_null(flag->help);
        assert_true((flag->kind == DEFT__VALUE_NONE) == (flag->value_name == NULL));
        assert_true((flag->kind == DEFT__VALUE_CHOICE) == (flag->choices != NULL));
        assert_true(flag->letter == 0 || flag->kind == DEFT__VALUE_NONE);
        bool is_taken = flag->is_global;
        for (size_t j = 0; deft__command_at(j) != NULL; j++) {
            is_taken = is_taken || deft__command_takes(deft__command_at(j), (deft__flag_id)i);
        }
        assert_true(is_taken);
    }
    for (size_t i = 0; deft__command_at(i) != NULL; i++) {
        const deft__command *command = deft__command_at(i);
        assert_ptr_equal(deft__command_named(deft_view_of(command->name)), command);
        assert_non_null(command->run);
        assert_non_null(command->summary);
        assert_non_null(command->description);
        assert_true((command->operands[0] != '\0') == (command->operand_count_max > 0));
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(understood),
        cmocka_unit_test(not_understood),
        cmocka_unit_test(the_last_of_a_flag_counts),
        cmocka_unit_test(the_tables_hold_together),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
