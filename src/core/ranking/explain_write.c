// An explanation as text: lines for people, JSON for programs, a sentence for models.
#include "core/ranking/explain.h"

#include "core/listing/clean.h"
#include "json/writer.h"

#include <math.h>

// Lines of one tool; what is smaller is summed up in one more.
static const size_t shares_shown_max = 12;

// Bytes of a query that are repeated, and of one of its words.
static const size_t query_size_max = 200;
static const size_t word_size_max  = DEFT_WORD_SIZE_MAX;
static const size_t id_size_max    = (size_t)DEFT_NAME_SIZE_MAX * 3;

const char *deft_match_name(deft_match match)
{
    static const char *const names[] = {"word", "stem", "synonym", "corrected", "joined",
                                        "half", "part", "phrase",  "pattern"};
    return (unsigned)match < sizeof names / sizeof names[0] ? names[match] : "unknown";
}

const char *deft_basis_name(deft_basis basis)
{
    static const char *const names[] = {"words", "exact", "turn", "selected", "server"};
    return (unsigned)basis < sizeof names / sizeof names[0] ? names[basis] : "unknown";
}

const char *deft_outcome_name(deft_outcome outcome)
{
    static const char *const names[] = {"hit",    "no-word", "required", "excluded", "server",
                                        "hidden", "floor",   "weak",     "places"};
    return (unsigned)outcome < sizeof names / sizeof names[0] ? names[outcome] : "unknown";
}

static double sum_of(const deft_account *account)
{
    return account->words + account->coverage_lift + account->name_lift + account->meaning +
           account->use_lift + account->tier;
}

// --- for people ----------------------------------------------------------------------------

// A number of 0 or more with some digits behind the point, whatever the locale says of points.
static void append_decimal(deft_buffer *out, double value, unsigned digits)
{
    uint64_t scale = 1;
    for (unsigned i = 0; i < digits; i++) {
        scale *= 10;
    }
    const uint64_t number = (uint64_t)(value * (double)scale + 0.5);
    deft_buffer_append_u64(out, number / scale);
    deft_buffer_append_byte(out, '.');
    for (uint64_t place = scale / 10; place > 0; place /= 10) {
        deft_buffer_append_byte(out, (char)('0' + number / place % 10));
    }
}

static void append_percent(deft_buffer *out, double part, double whole)
{
    const double percent = whole > 0 ? 100 * part / whole : 0;
    deft_buffer_append_text(out, percent < 9.95 ? "    " : percent < 99.95 ? "   " : "  ");
    append_decimal(out, percent, 1);
    deft_buffer_append_text(out, " %  ");
}

static void append_count(deft_buffer *out, size_t count, const char *one, const char *many)
{
    deft_buffer_append_u64(out, count);
    deft_buffer_append_text(out, count == 1 ? one : many);
}

static void append_word(deft_buffer *out, deft_view word)
{
    deft_buffer_append_byte(out, '\'');
    deft__clean_append(out, word, word_size_max);
    deft_buffer_append_byte(out, '\'');
}

static void append_nears(deft_buffer *out, const deft_asked_word *asked)
{
    for (size_t i = 0; i < asked->near_count; i++) {
        deft_buffer_append_text(out, i > 0 ? ", " : "");
        append_word(out, asked->nears[i]);
    }
}

static void append_asked(deft_buffer *out, const deft_asked_word *asked)
{
    deft_buffer_append_text(out, "  ");
    append_word(out, asked->word);
    deft_buffer_append_text(out, ": ");
    if (asked->tool_count > 0) {
        append_count(out, asked->tool_count, " tool has it", " tools have it");
        deft_buffer_append_text(out, asked->is_filler ? "; it weighs little" : "");
    } else {
        deft_buffer_append_text(out, "no tool has it");
        if (asked->taken.size > 0) {
            deft_buffer_append_text(out, "; searched in its place: ");
            append_word(out, asked->taken);
        }
        if (asked->near_count > 0) {
            deft_buffer_append_text(out, "; near: ");
            append_nears(out, asked);
        }
    }
    deft_buffer_append_byte(out, '\n');
}

static void append_reason(deft_buffer *out, size_t count, const char *one, const char *many)
{
    if (count > 0) {
        deft_buffer_append_text(out, ", ");
        append_count(out, count, one, many);
    }
}

static void append_filtering(deft_buffer *out, const deft_explanation *explanation)
{
    const deft_filtering *f = &explanation->filtering;
    append_count(out, f->matched, " tool matches", " tools match");
    append_reason(out, f->required, " lacks a +word", " lack a +word");
    append_reason(out, f->excluded, " has a -word", " have a -word");
    append_reason(out, f->server, " is on another server", " are on other servers");
    append_reason(out, f->hidden, " is hidden by the filter", " are hidden by the filter");
    append_reason(out, explanation->hit_count, " is shown", " are shown");
    deft_buffer_append_text(out, f->is_below_floor ? ", none has enough of the query.\n" : ".\n");
}

static void append_share(deft_buffer *out, const deft_share *share, double whole)
{
    static const char *const how[] = {
        [DEFT_MATCH_STEM] = "another form",      [DEFT_MATCH_SYNONYM] = "a synonym",
        [DEFT_MATCH_CORRECTED] = "its spelling", [DEFT_MATCH_JOINED] = "both in one",
        [DEFT_MATCH_HALF] = "a part of it",
    };
    append_percent(out, share->score, whole);
    append_word(out, share->word);
    if ((unsigned)share->match < sizeof how / sizeof how[0] && how[share->match] != NULL) {
        deft_buffer_append_text(out, " as ");
        append_word(out, share->found);
        deft_buffer_append_text(out, ", ");
        deft_buffer_append_text(out, how[share->match]);
        deft_buffer_append_text(out, ",");
    }
    deft_buffer_append_text(out, share->match == DEFT_MATCH_PHRASE ? " as a phrase in its "
                                                                   : " in its ");
    deft_buffer_append_text(out, deft_field_name(share->field));
    deft_buffer_append_byte(out, '\n');
}

static void append_shares(deft_buffer *out, const deft_account *account)
{
    double       rest  = 0;
    const double whole = sum_of(account);
    for (size_t i = 0; i < account->share_count; i++) {
        if (i < shares_shown_max) {
            append_share(out, &account->shares[i], whole);
        } else {
            rest += account->shares[i].score;
        }
    }
    if (account->share_count > shares_shown_max) {
        append_percent(out, rest, whole);
        append_count(out, account->share_count - shares_shown_max, " smaller share\n",
                     " smaller shares\n");
    }
    if (account->coverage_lift > 0) {
        append_percent(out, account->coverage_lift, whole);
        deft_buffer_append_text(out, "for having ");
        append_decimal(out, 100 * account->coverage, 1);
        deft_buffer_append_text(out, " % of the query\n");
    }
    if (account->name_lift > 0) {
        append_percent(out, account->name_lift, whole);
        deft_buffer_append_text(out, "because the query has ");
        append_decimal(out, 100 * account->name_coverage, 1);
        deft_buffer_append_text(out, " % of its name\n");
    }
    if (account->meaning > 0) {
        append_percent(out, account->meaning, whole);
        deft_buffer_append_text(out, "for what it means: its likeness to the query is ");
        append_decimal(out, account->likeness > 0 ? account->likeness : 0, 2);
        deft_buffer_append_text(out, "\n");
    }
    if (account->use_lift > 0) {
        append_percent(out, account->use_lift, whole);
        deft_buffer_append_text(out, "because it was called after similar queries\n");
    }
    if (account->tier > 0) {
        append_percent(out, account->tier, whole);
        deft_buffer_append_text(out, "because the query names it: above all others\n");
    }
}

static const char *outcome_sentence(deft_outcome outcome)
{
    switch (outcome) {
    case DEFT_OUTCOME_HIT:
        return "";
    case DEFT_OUTCOME_NO_WORD:
        return "it has nothing of what was asked for";
    case DEFT_OUTCOME_REQUIRED:
        return "it lacks a +word";
    case DEFT_OUTCOME_EXCLUDED:
        return "it has a -word";
    case DEFT_OUTCOME_SERVER:
        return "it is on another server";
    case DEFT_OUTCOME_HIDDEN:
        return "the filter hides it";
    case DEFT_OUTCOME_FLOOR:
        return "even the best match has too little of the query";
    case DEFT_OUTCOME_WEAK:
        return "its score is too low";
    case DEFT_OUTCOME_PLACES:
        return "others are better, and there were no more places";
    }
    return "";
}

static void append_account(deft_buffer *out, const deft_explanation *explanation,
                           const deft_account *account)
{
    deft_buffer_append_byte(out, '\n');
    if (account->place > 0) {
        deft_buffer_append_u64(out, account->place);
        deft_buffer_append_text(out, ". ");
    }
    deft__clean_append(out, deft_catalog_tool(explanation->catalog, account->tool)->id,
                       id_size_max);
    deft_buffer_append_text(out, account->place > 0 ? ": " : " is no hit: ");
    if (account->place == 0) {
        deft_buffer_append_text(out, outcome_sentence(account->outcome));
        deft_buffer_append_text(out, "; it would score ");
    } else {
        deft_buffer_append_text(out, "score ");
    }
    append_decimal(out, account->score, 3);
    if (account->basis == DEFT_BASIS_TURN) {
        deft_buffer_append_text(out, ", by turns, for ");
        append_word(out, account->need);
        deft_buffer_append_text(out, "; there it scores ");
        append_decimal(out, sum_of(account), 3);
    } else if (account->basis == DEFT_BASIS_SELECTED) {
        deft_buffer_append_text(out, ", for its place after select:");
    } else if (account->basis == DEFT_BASIS_SERVER) {
        deft_buffer_append_text(out, ", as every tool of its server");
    } else if (account->is_moved) {
        deft_buffer_append_text(out, ", behind lower ones since its server had three places");
    }
    deft_buffer_append_byte(out, '\n');
    append_shares(out, account);
}

// The version as sixteen digits: what programs compare need not be a number to them.
static void format_version(uint64_t version, char text[17])
{
    for (int i = 0; i < 16; i++) {
        text[i] = "0123456789abcdef"[version >> (60 - 4 * i) & 15];
    }
    text[16] = '\0';
}

// Ends what was appended from `start` on: all of it or nothing.
static deft_status finish(deft_buffer *out, size_t start)
{
    const deft_status status = out->status;
    if (status != DEFT_OK) {
        deft_buffer_truncate(out, start);
    }
    return status;
}

deft_status deft_explanation_write(const deft_explanation *explanation, deft_buffer *out)
{
    const size_t start = out->size;
    char         version[17];
    format_version(deft_catalog_version(explanation->catalog), version);
    deft_buffer_append_text(out, "Catalog ");
    deft_buffer_append_text(out, version);
    deft_buffer_append_text(out, " of ");
    append_count(out, deft_catalog_tool_count(explanation->catalog), " tool", " tools");
    deft_buffer_append_text(out, ", ranking ");
    deft_buffer_append_text(out, deft_ranking_name(explanation->ranking));
    deft_buffer_append_text(out, ", query ");
    deft_buffer_append_byte(out, '\'');
    deft__clean_append(out, explanation->query, query_size_max);
    deft_buffer_append_text(out, "'.\n");
    for (size_t i = 0; i < explanation->word_count; i++) {
        append_asked(out, &explanation->words[i]);
    }
    append_filtering(out, explanation);
    for (size_t i = 0; i < explanation->account_count; i++) {
        append_account(out, explanation, &explanation->accounts[i]);
    }
    return finish(out, start);
}

// --- for models ----------------------------------------------------------------------------

// A sentence about the tools that something of the query kept out.
static void append_kept_out(deft_buffer *out, size_t count, bool has_more, const char *one,
                            const char *many)
{
    if (count > 0) {
        deft_buffer_append_text(out, has_more ? " " : "");
        append_count(out, count, " tool matches", " tools match");
        deft_buffer_append_text(out, count == 1 ? one : many);
    }
}

void deft__explanation_write_miss(const deft_explanation *explanation, deft_buffer *out)
{
    const size_t words_max = 6; // a model needs the idea, not the list
    const size_t start     = out->size;
    size_t       count     = 0;
    for (size_t i = 0; i < explanation->word_count && count < words_max; i++) {
        const deft_asked_word *asked = &explanation->words[i];
        if (asked->tool_count == 0 && !asked->is_filler) {
            deft_buffer_append_text(out, count == 0 ? "No tool has the word " : ", ");
            append_word(out, asked->word);
            if (asked->near_count > 0) {
                deft_buffer_append_text(out, " (near: ");
                append_nears(out, asked);
                deft_buffer_append_byte(out, ')');
            }
            count++;
        }
    }
    deft_buffer_append_text(out, count > 0 ? "." : "");
    append_kept_out(out, explanation->filtering.required, out->size > start,
                    " for other words but lacks one with +.",
                    " for other words but lack one with +.");
    append_kept_out(out, explanation->filtering.excluded, out->size > start,
                    " but has a word with -.", " but have a word with -.");
    append_kept_out(out, explanation->filtering.server, out->size > start, " on another server.",
                    " on other servers.");
    if (explanation->filtering.is_below_floor && out->size == start) {
        deft_buffer_append_text(out, "Tools that share a word have too little of the rest.");
    }
}

// --- for programs --------------------------------------------------------------------------

static void write_text(deft__json_writer *json, const char *name, const char *text)
{
    deft__json_name(json, name);
    deft__json_write_text(json, text);
}

static void write_string(deft__json_writer *json, const char *name, deft_view text)
{
    deft__json_name(json, name);
    deft__json_write_string(json, text);
}

static void write_number(deft__json_writer *json, const char *name, double number)
{
    deft__json_name(json, name);
    deft__json_write_double(json, number);
}

static void write_count(deft__json_writer *json, const char *name, uint64_t count)
{
    deft__json_name(json, name);
    deft__json_write_uint64(json, count);
}

static void write_asked(deft__json_writer *json, const deft_asked_word *asked)
{
    deft__json_begin_object(json);
    write_string(json, "word", asked->word);
    write_count(json, "tools", asked->tool_count);
    if (asked->taken.size > 0) {
        write_string(json, "taken", asked->taken);
    }
    deft__json_name(json, "near");
    deft__json_begin_array(json);
    for (size_t i = 0; i < asked->near_count; i++) {
        deft__json_write_string(json, asked->nears[i]);
    }
    deft__json_end_array(json);
    deft__json_name(json, "filler");
    deft__json_write_bool(json, asked->is_filler);
    deft__json_end_object(json);
}

static void write_filtering(deft__json_writer *json, const deft_filtering *filtering)
{
    deft__json_begin_object(json);
    write_count(json, "matched", filtering->matched);
    write_count(json, "required", filtering->required);
    write_count(json, "excluded", filtering->excluded);
    write_count(json, "server", filtering->server);
    write_count(json, "hidden", filtering->hidden);
    write_count(json, "left", filtering->left);
    deft__json_name(json, "belowFloor");
    deft__json_write_bool(json, filtering->is_below_floor);
    deft__json_end_object(json);
}

static double percent_of(double part, double whole)
{
    return whole > 0 ? round(10000 * part / whole) / 100 : 0;
}

static void write_share(deft__json_writer *json, const deft_share *share, double whole)
{
    deft__json_begin_object(json);
    write_string(json, "word", share->word);
    if (share->match != DEFT_MATCH_PATTERN) {
        write_string(json, "found", share->found);
    }
    write_text(json, "match", deft_match_name(share->match));
    write_text(json, "field", deft_field_name(share->field));
    write_number(json, "score", share->score);
    write_number(json, "percent", percent_of(share->score, whole));
    deft__json_end_object(json);
}

static void write_lift(deft__json_writer *json, const char *name, double share, double coverage,
                       double whole)
{
    if (share > 0) {
        deft__json_name(json, name);
        deft__json_begin_object(json);
        if (coverage > 0) {
            write_number(json, "covered", coverage);
        }
        write_number(json, "score", share);
        write_number(json, "percent", percent_of(share, whole));
        deft__json_end_object(json);
    }
}

static void write_meaning(deft__json_writer *json, const deft_account *account, double whole)
{
    if (account->meaning > 0) {
        deft__json_name(json, "meaning");
        deft__json_begin_object(json);
        write_number(json, "likeness", account->likeness);
        write_number(json, "score", account->meaning);
        write_number(json, "percent", percent_of(account->meaning, whole));
        deft__json_end_object(json);
    }
}

static void write_account(deft__json_writer *json, const deft_explanation *explanation,
                          const deft_account *account)
{
    const double whole = sum_of(account);
    deft__json_begin_object(json);
    write_string(json, "id", deft_catalog_tool(explanation->catalog, account->tool)->id);
    write_text(json, "outcome", deft_outcome_name(account->outcome));
    write_count(json, "place", account->place);
    write_number(json, "score", account->score);
    write_text(json, "basis", deft_basis_name(account->basis));
    if (account->basis == DEFT_BASIS_TURN) {
        write_string(json, "need", account->need);
    }
    if (account->is_moved) {
        deft__json_name(json, "moved");
        deft__json_write_bool(json, true);
    }
    deft__json_name(json, "shares");
    deft__json_begin_array(json);
    for (size_t i = 0; i < account->share_count; i++) {
        write_share(json, &account->shares[i], whole);
    }
    deft__json_end_array(json);
    write_lift(json, "coverage", account->coverage_lift, account->coverage, whole);
    write_lift(json, "name", account->name_lift, account->name_coverage, whole);
    write_meaning(json, account, whole);
    write_lift(json, "use", account->use_lift, 0, whole);
    write_lift(json, "exact", account->tier, 0, whole);
    deft__json_end_object(json);
}

deft_status deft_explanation_write_json(const deft_explanation *explanation, deft_buffer *out)
{
    const size_t      start = out->size;
    char              version[17];
    deft__json_writer json;
    deft__json_writer_init(&json, out);
    format_version(deft_catalog_version(explanation->catalog), version);
    deft__json_begin_object(&json);
    write_text(&json, "catalogVersion", version);
    write_count(&json, "catalogTools", deft_catalog_tool_count(explanation->catalog));
    write_text(&json, "ranking", deft_ranking_name(explanation->ranking));
    write_string(&json, "query", explanation->query);
    deft__json_name(&json, "words");
    deft__json_begin_array(&json);
    for (size_t i = 0; i < explanation->word_count; i++) {
        write_asked(&json, &explanation->words[i]);
    }
    deft__json_end_array(&json);
    deft__json_name(&json, "filtered");
    write_filtering(&json, &explanation->filtering);
    write_count(&json, "hits", explanation->hit_count);
    deft__json_name(&json, "tools");
    deft__json_begin_array(&json);
    for (size_t i = 0; i < explanation->account_count; i++) {
        write_account(&json, explanation, &explanation->accounts[i]);
    }
    deft__json_end_array(&json);
    deft__json_end_object(&json);
    return finish(out, start);
}
