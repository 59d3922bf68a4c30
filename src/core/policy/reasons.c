// The words for a plan: short ones for programs, sentences for people.
#include "base/fail.h"
#include "core/policy/plan.h"

const char *deft_place_name(deft_place place)
{
    switch (place) {
    case DEFT_PLACE_PINNED:
        return "pinned";
    case DEFT_PLACE_VISIBLE:
        return "visible";
    case DEFT_PLACE_DEFERRED:
        return "deferred";
    }
    return "unknown";
}

const char *deft_reason_name(deft_reason reason)
{
    switch (reason) {
    case DEFT_REASON_MODE_OFF:
        return "mode-off";
    case DEFT_REASON_BUILTIN:
        return "builtin";
    case DEFT_REASON_CORE:
        return "core";
    case DEFT_REASON_TOOL_RULE:
        return "tool-rule";
    case DEFT_REASON_SERVER_RULE:
        return "server-rule";
    case DEFT_REASON_NOT_DEFERRABLE:
        return "not-deferrable";
    case DEFT_REASON_ALWAYS_LOAD:
        return "always-load";
    case DEFT_REASON_MODE_ON:
        return "mode-on";
    case DEFT_REASON_BELOW_THRESHOLD:
        return "below-threshold";
    case DEFT_REASON_OVER_THRESHOLD:
        return "over-threshold";
    case DEFT_REASON_FITS:
        return "fits";
    case DEFT_REASON_OVERFLOWS:
        return "overflows";
    }
    return "unknown";
}

const char *deft_cause_name(deft_cause cause)
{
    switch (cause) {
    case DEFT_CAUSE_MODE_OFF:
        return "mode-off";
    case DEFT_CAUSE_MODE_ON:
        return "mode-on";
    case DEFT_CAUSE_NOTHING_DEFERRABLE:
        return "nothing-deferrable";
    case DEFT_CAUSE_BELOW_THRESHOLD:
        return "below-threshold";
    case DEFT_CAUSE_CHARACTERS:
        return "characters";
    case DEFT_CAUSE_TOKENS:
        return "tokens";
    case DEFT_CAUSE_PERCENT:
        return "percent";
    case DEFT_CAUSE_RULE:
        return "rule";
    case DEFT_CAUSE_ALL_PINNED:
        return "all-pinned";
    }
    return "unknown";
}

// A number as people write it: 12,340.
static void append_number(deft_buffer *out, uint64_t number)
{
    if (number >= 1000) {
        append_number(out, number / 1000);
        const uint64_t group = number % 1000;
        deft_buffer_append_text(out, group < 10 ? ",00" : group < 100 ? ",0" : ",");
        deft_buffer_append_u64(out, group);
    } else {
        deft_buffer_append_u64(out, number);
    }
}

// "1 tool", "2 tools".
static void append_count(deft_buffer *out, uint64_t count, const char *unit)
{
    append_number(out, count);
    deft_buffer_append_byte(out, ' ');
    deft_buffer_append_text(out, unit);
    if (count != 1) {
        deft_buffer_append_byte(out, 's');
    }
}

// Hundredths of a percent as percent, without needless zeros: 1000 is "10 %", 617 is "6.17 %".
static void append_percent(deft_buffer *out, uint64_t permyriad)
{
    append_number(out, permyriad / 100);
    const uint64_t rest = permyriad % 100;
    if (rest > 0) {
        deft_buffer_append_text(out, rest < 10 ? ".0" : ".");
        deft_buffer_append_u64(out, rest % 10 == 0 ? rest / 10 : rest);
    }
    deft_buffer_append_text(out, " %");
}

// A pattern in quotes, always printable and on one line.
static void append_quoted(deft_buffer *out, const deft_view *rule)
{
    deft__quoted quoted;
    deft_buffer_append_byte(out, '\'');
    deft_buffer_append_text(out, deft__quote(&quoted, *rule));
    deft_buffer_append_byte(out, '\'');
}

// Which of the budgets is spoken of: the one in tokens where there is one.
static void append_size(deft_buffer *out, const deft_plan *plan, deft_size size)
{
    if (plan->threshold_tokens.is_set || plan->threshold_permyriad.is_set) {
        append_count(out, size.tokens, "token");
    } else {
        append_count(out, size.characters, "character");
    }
}

deft_status deft_plan_explain(const deft_plan *plan, deft_tool_id tool, deft_buffer *out)
{
    const deft__plan_tool *decided = &plan->tools[tool.index];
    deft_buffer_append_text(out, deft_place_name(decided->place));
    switch (decided->reason) {
    case DEFT_REASON_MODE_OFF:
        deft_buffer_append_text(out, ": tool search is off");
        break;
    case DEFT_REASON_BUILTIN:
        deft_buffer_append_text(out, ": a built-in tool is never deferred");
        break;
    case DEFT_REASON_CORE:
        deft_buffer_append_text(out, " by the core set, entry ");
        append_quoted(out, decided->rule);
        break;
    case DEFT_REASON_TOOL_RULE:
        deft_buffer_append_text(out, " by rule ");
        append_quoted(out, decided->rule);
        break;
    case DEFT_REASON_SERVER_RULE:
        deft_buffer_append_text(out, " by the rule for server ");
        append_quoted(out, decided->rule);
        break;
    case DEFT_REASON_NOT_DEFERRABLE:
        deft_buffer_append_text(out, ": neither from an MCP server nor marked deferrable");
        break;
    case DEFT_REASON_ALWAYS_LOAD:
        deft_buffer_append_text(out, ": its definition asks for it (anthropic/alwaysLoad)");
        break;
    case DEFT_REASON_MODE_ON:
        deft_buffer_append_text(out, ": tool search is on");
        break;
    case DEFT_REASON_BELOW_THRESHOLD:
        deft_buffer_append_text(out, ": the definitions together do not exceed the threshold");
        break;
    case DEFT_REASON_OVER_THRESHOLD:
        deft_buffer_append_text(out, ": the definitions together exceed the threshold");
        break;
    case DEFT_REASON_FITS:
        deft_buffer_append_text(out, ": there was room for its ");
        append_size(out, plan, decided->size);
        break;
    case DEFT_REASON_OVERFLOWS:
        deft_buffer_append_text(out, ": there was no room left for its ");
        append_size(out, plan, decided->size);
        break;
    }
    return out->status;
}

// size * 10000 / window, rounded down, for windows and sizes that do not wrap it.
static uint64_t share_permyriad(uint64_t size, uint64_t window)
{
    const uint64_t limit = UINT64_MAX / 10000;
    return size > limit || window > limit ? size / (window / 10000 + 1) : size * 10000 / window;
}

static void append_characters(deft_buffer *out, const deft_plan *plan)
{
    append_count(out, plan->summary.measured.characters, "character");
    deft_buffer_append_text(out, ", the threshold is ");
    append_number(out, plan->threshold_characters.value);
}

static void append_tokens(deft_buffer *out, const deft_plan *plan)
{
    append_count(out, plan->summary.measured.tokens, "token");
    deft_buffer_append_text(out, ", the threshold is ");
    append_number(out, plan->threshold_tokens.value);
}

static void append_share(deft_buffer *out, const deft_plan *plan)
{
    const uint64_t tokens    = plan->summary.measured.tokens;
    const uint64_t window    = plan->context_window_tokens;
    const uint64_t threshold = plan->threshold_permyriad.value;

    append_count(out, tokens, "token");
    if (window == 0) {
        deft_buffer_append_text(out, " in a context window of unknown size");
    } else {
        const uint64_t share = share_permyriad(tokens, window);
        // Two digits may not show by how little the threshold is exceeded.
        const bool is_close = share == threshold && tokens > plan->summary.threshold_percent_tokens;
        deft_buffer_append_text(out, tokens == 1 ? " is " : " are ");
        deft_buffer_append_text(out, is_close ? "just over " : "");
        append_percent(out, share);
        deft_buffer_append_text(out, " of the ");
        append_number(out, window);
        deft_buffer_append_text(out, "-token window");
    }
    deft_buffer_append_text(out, ", the threshold is ");
    append_percent(out, threshold);
}

// Every threshold that is set, each with what it was compared with.
static void append_comparisons(deft_buffer *out, const deft_plan *plan)
{
    const char *separator = "";
    if (plan->threshold_characters.is_set) {
        append_characters(out, plan);
        separator = "; ";
    }
    if (plan->threshold_tokens.is_set) {
        deft_buffer_append_text(out, separator);
        append_tokens(out, plan);
        separator = "; ";
    }
    if (plan->threshold_permyriad.is_set) {
        deft_buffer_append_text(out, separator);
        append_share(out, plan);
        separator = "; ";
    }
    if (*separator == '\0') {
        deft_buffer_append_text(out, "no threshold is set");
    }
}

deft_status deft_plan_explain_cause(const deft_plan *plan, deft_buffer *out)
{
    const deft_plan_summary *summary = &plan->summary;
    deft_buffer_append_text(out, summary->is_active ? "active: " : "inactive: ");
    switch (summary->cause) {
    case DEFT_CAUSE_MODE_OFF:
        deft_buffer_append_text(out, "tool search is off, every tool is visible");
        break;
    case DEFT_CAUSE_MODE_ON:
        deft_buffer_append_text(out, "tool search is on for every tool that is not pinned");
        break;
    case DEFT_CAUSE_NOTHING_DEFERRABLE:
        deft_buffer_append_text(out, "there is no tool that may be deferred");
        break;
    case DEFT_CAUSE_BELOW_THRESHOLD:
        append_comparisons(out, plan);
        break;
    case DEFT_CAUSE_CHARACTERS:
        append_characters(out, plan);
        break;
    case DEFT_CAUSE_TOKENS:
        append_tokens(out, plan);
        break;
    case DEFT_CAUSE_PERCENT:
        append_share(out, plan);
        break;
    case DEFT_CAUSE_RULE:
        append_count(out, summary->deferred_count, "tool");
        deft_buffer_append_text(out, " deferred by rules alone; ");
        append_comparisons(out, plan);
        break;
    case DEFT_CAUSE_ALL_PINNED:
        deft_buffer_append_text(out, "every tool that may be deferred is pinned");
        break;
    }
    return out->status;
}
