// A plan is made in three steps. First every tool is judged on its own: kind, core set, rules. What
// stays open is decided for all together, by the mode or by comparing what is deferrable with the
// thresholds. Where only the overflow is deferred, overflow.c then chooses which tools fit.
#include "deft/policy.h"

#include "base/fail.h"
#include "base/memory.h"
#include "core/policy/overflow.h"
#include "core/policy/plan.h"
#include "core/policy/rules.h"

// The settings, made ready to be asked once per tool.
typedef struct question_set {
    const deft_settings *settings;
    deft__rules          core;
    deft__rules          tool_rules;
    deft__rules          server_rules;
} question_set;

static bool add_rules(deft__rules *rules, const deft_rule *items, size_t count, deft__arena *arena)
{
    bool is_added = deft__rules_init(rules, count, arena);
    for (size_t i = 0; i < count && is_added; i++) {
        is_added = deft__rules_add(rules, items[i].pattern);
    }
    return is_added;
}

static bool add_core(deft__rules *rules, const deft_settings *settings, deft__arena *arena)
{
    size_t           count = 0;
    const deft_view *names = deft_core_tools(&count);
    if (settings->is_core_tools_set) {
        names = settings->core_tools;
        count = settings->core_tool_count;
    }

    bool is_added = deft__rules_init(rules, count, arena);
    for (size_t i = 0; i < count && is_added; i++) {
        is_added = deft__rules_add(rules, names[i]);
    }
    return is_added;
}

static bool questions_init(question_set *questions, const deft_settings *settings,
                           deft__arena *arena)
{
    questions->settings = settings;
    return add_core(&questions->core, settings, arena) &&
           add_rules(&questions->tool_rules, settings->tool_rules, settings->tool_rule_count,
                     arena) &&
           add_rules(&questions->server_rules, settings->server_rules, settings->server_rule_count,
                     arena);
}

static void questions_clear(question_set *questions)
{
    deft__rules_clear(&questions->core);
    deft__rules_clear(&questions->tool_rules);
    deft__rules_clear(&questions->server_rules);
}

// The first fitting rule of a list, or none.
typedef struct rule_hit {
    bool             is_found;
    bool             is_deferred;
    const deft_view *pattern; // borrowed from the arena
} rule_hit;

static rule_hit find_rule(const deft__rules *rules, const deft_rule *items, deft_view name,
                          deft_view id)
{
    uint32_t place = 0;
    if (!deft__rules_find(rules, name, id, &place)) {
        return (rule_hit){.is_found = false};
    }
    return (rule_hit){.is_found    = true,
                      .is_deferred = items[place].is_deferred,
                      .pattern     = &rules->patterns[place]};
}

static rule_hit find_server_rule(const question_set *questions, const deft_server *server)
{
    if (server->name.size == 0) {
        return (rule_hit){.is_found = false}; // `*` means every server, not the lack of one
    }
    return find_rule(&questions->server_rules, questions->settings->server_rules, server->name,
                     server->name);
}

static bool is_deferrable_kind(const deft_server *server, const deft_tool *tool)
{
    static const deft_view prefix = DEFT_VIEW_INIT("mcp_");
    switch (server->kind) {
    case DEFT_SERVER_MCP:
        return true;
    case DEFT_SERVER_HOST:
        return tool->is_marked_deferrable || deft_view_starts_with(tool->name, prefix);
    case DEFT_SERVER_BUILTIN:
        return false;
    }
    return false;
}

static void decide(deft__plan_tool *decided, deft_place place, deft_reason reason,
                   const deft_view *rule)
{
    decided->place  = place;
    decided->reason = reason;
    decided->rule   = rule;
}

static void decide_by_rule(deft__plan_tool *decided, deft_reason reason, rule_hit hit)
{
    decide(decided, hit.is_deferred ? DEFT_PLACE_DEFERRED : DEFT_PLACE_PINNED, reason, hit.pattern);
}

// Decides one tool on its own merits, in the order of deft_reason. One that is left to the mode and
// the thresholds gets DEFT_REASON_BELOW_THRESHOLD for now. Returns whether it is deferrable: only
// these are measured.
static bool judge(const question_set *questions, const deft_server *server, rule_hit server_rule,
                  const deft_tool *tool, deft__plan_tool *decided)
{
    if (server->kind == DEFT_SERVER_BUILTIN) {
        decide(decided, DEFT_PLACE_PINNED, DEFT_REASON_BUILTIN, NULL);
        return false;
    }
    uint32_t       core_place = 0;
    const bool     is_core = deft__rules_find(&questions->core, tool->name, tool->id, &core_place);
    const bool     is_kind = is_deferrable_kind(server, tool);
    const rule_hit tool_rule =
        find_rule(&questions->tool_rules, questions->settings->tool_rules, tool->name, tool->id);

    if (is_core && questions->settings->is_core_tools_set) {
        decide(decided, DEFT_PLACE_PINNED, DEFT_REASON_CORE, &questions->core.patterns[core_place]);
    } else if (tool_rule.is_found) {
        decide_by_rule(decided, DEFT_REASON_TOOL_RULE, tool_rule);
    } else if (server_rule.is_found) {
        decide_by_rule(decided, DEFT_REASON_SERVER_RULE, server_rule);
    } else if (is_core) {
        decide(decided, DEFT_PLACE_PINNED, DEFT_REASON_CORE, &questions->core.patterns[core_place]);
    } else if (!is_kind) {
        decide(decided, DEFT_PLACE_VISIBLE, DEFT_REASON_NOT_DEFERRABLE, NULL);
    } else if (tool->is_always_load) {
        decide(decided, DEFT_PLACE_PINNED, DEFT_REASON_ALWAYS_LOAD, NULL);
    } else {
        decide(decided, DEFT_PLACE_VISIBLE, DEFT_REASON_BELOW_THRESHOLD, NULL);
    }
    return (is_kind && !is_core) || decided->place == DEFT_PLACE_DEFERRED;
}

static void add_size(deft_size *sum, deft_size size)
{
    sum->characters += size.characters;
    sum->tokens += size.tokens;
}

// What the first step leaves to the second.
typedef struct first_step {
    size_t    open_count;   // tools that are not decided yet
    size_t    rule_count;   // tools that a rule defers
    size_t    pinned_count; // of the deferrable ones
    deft_size pinned;       // their size
} first_step;

static first_step judge_all(deft_plan *plan, const deft_sizes *sizes, const question_set *questions)
{
    first_step         result       = {.open_count = 0};
    deft_plan_summary *summary      = &plan->summary;
    const size_t       server_count = deft_catalog_server_count(plan->catalog);

    for (uint32_t s = 0; s < server_count; s++) {
        const deft_server *server      = deft_catalog_server(plan->catalog, (deft_server_id){s});
        const rule_hit     server_rule = find_server_rule(questions, server);
        for (uint32_t t = 0; t < server->tool_count; t++) {
            const deft_tool_id id            = {server->first_tool.index + t};
            deft__plan_tool   *decided       = &plan->tools[id.index];
            const bool         is_deferrable = judge(questions, server, server_rule,
                                                     deft_catalog_tool(plan->catalog, id), decided);

            decided->size = deft_sizes_tool(sizes, id);
            add_size(&summary->total, decided->size);
            if (is_deferrable) {
                summary->deferrable_count++;
                add_size(&summary->measured, decided->size);
                if (decided->place == DEFT_PLACE_PINNED) {
                    result.pinned_count++;
                    add_size(&result.pinned, decided->size);
                }
            }
            result.open_count += decided->reason == DEFT_REASON_BELOW_THRESHOLD;
            result.rule_count += decided->place == DEFT_PLACE_DEFERRED;
        }
    }
    return result;
}

static uint64_t multiply_saturating(uint64_t a, uint64_t b)
{
    return a != 0 && b > UINT64_MAX / a ? UINT64_MAX : a * b;
}

static uint64_t add_saturating(uint64_t a, uint64_t b)
{
    return b > UINT64_MAX - a ? UINT64_MAX : a + b;
}

// Percent of the window in whole tokens, rounded down. A count of tokens is whole, so comparing it
// with this is the same as comparing it with the exact threshold:
//
//     tokens * 10000 > permyriad * window   <=>   tokens > floor(permyriad * window / 10000)
//
// Both factors are taken apart at 10,000 to keep every product below 2^64; what is larger anyway is
// larger than any count.
static uint64_t permyriad_of(uint64_t permyriad, uint64_t window)
{
    const uint64_t whole = permyriad / 10000;
    const uint64_t rest  = permyriad % 10000;
    return add_saturating(multiply_saturating(whole, window),
                          window / 10000 * rest + window % 10000 * rest / 10000);
}

static deft_threshold percent_in_tokens(const deft_settings *settings)
{
    const deft_threshold percent = settings->threshold_permyriad;
    const uint64_t       window  = settings->context_window_tokens;
    if (!percent.is_set || (window == 0 && percent.value > 0)) {
        return (deft_threshold){.is_set = false};
    }
    return (deft_threshold){.is_set = true, .value = permyriad_of(percent.value, window)};
}

// "Exceeds" is strict, and 0 is exceeded by the mere presence of something deferrable.
static bool exceeds(uint64_t size, deft_threshold threshold)
{
    return threshold.is_set && (threshold.value == 0 || size > threshold.value);
}

static deft_cause find_cause(const deft_plan_summary *summary, const deft_settings *settings)
{
    if (settings->mode == DEFT_MODE_OFF) {
        return DEFT_CAUSE_MODE_OFF;
    } else if (summary->deferrable_count == 0) {
        return DEFT_CAUSE_NOTHING_DEFERRABLE;
    } else if (settings->mode == DEFT_MODE_ON) {
        return DEFT_CAUSE_MODE_ON;
    } else if (exceeds(summary->measured.characters, settings->threshold_characters)) {
        return DEFT_CAUSE_CHARACTERS;
    } else if (exceeds(summary->measured.tokens, settings->threshold_tokens)) {
        return DEFT_CAUSE_TOKENS;
    } else if (exceeds(summary->measured.tokens, percent_in_tokens(settings))) {
        return DEFT_CAUSE_PERCENT;
    } else {
        return DEFT_CAUSE_BELOW_THRESHOLD;
    }
}

static uint64_t limit_of(deft_threshold threshold)
{
    return threshold.is_set ? threshold.value : UINT64_MAX;
}

static deft__overflow_budget overflow_budget(const deft_settings *settings)
{
    const uint64_t tokens  = limit_of(settings->threshold_tokens);
    const uint64_t percent = limit_of(percent_in_tokens(settings));
    return (deft__overflow_budget){
        .characters = limit_of(settings->threshold_characters),
        .tokens     = tokens < percent ? tokens : percent,
    };
}

static void decide_open(deft_plan *plan, deft_place place, deft_reason reason)
{
    const size_t count = deft_catalog_tool_count(plan->catalog);
    for (size_t i = 0; i < count; i++) {
        if (plan->tools[i].reason == DEFT_REASON_BELOW_THRESHOLD) {
            decide(&plan->tools[i], place, reason, NULL);
        }
    }
}

static void show_all(deft_plan *plan)
{
    const size_t count = deft_catalog_tool_count(plan->catalog);
    for (size_t i = 0; i < count; i++) {
        decide(&plan->tools[i], DEFT_PLACE_VISIBLE, DEFT_REASON_MODE_OFF, NULL);
    }
}

// Decides what was left open, by what find_cause found. False without memory.
static bool decide_together(deft_plan *plan, const deft_settings *settings, first_step judged,
                            const deft_usage *usage)
{
    switch (plan->summary.cause) {
    case DEFT_CAUSE_MODE_OFF:
        show_all(plan);
        return true;
    case DEFT_CAUSE_MODE_ON:
        decide_open(plan, DEFT_PLACE_DEFERRED, DEFT_REASON_MODE_ON);
        return true;
    case DEFT_CAUSE_CHARACTERS:
    case DEFT_CAUSE_TOKENS:
    case DEFT_CAUSE_PERCENT:
        if (settings->defer == DEFT_DEFER_OVERFLOW) {
            return deft__overflow_fill(plan, judged.open_count, judged.pinned,
                                       overflow_budget(settings), usage);
        }
        decide_open(plan, DEFT_PLACE_DEFERRED, DEFT_REASON_OVER_THRESHOLD);
        return true;
    case DEFT_CAUSE_NOTHING_DEFERRABLE:
    case DEFT_CAUSE_BELOW_THRESHOLD:
    case DEFT_CAUSE_RULE:
    case DEFT_CAUSE_ALL_PINNED:
        return true; // what is open stays visible
    }
    return true;
}

// Counts the places, and looks at the cause again: rules may have the last word on it.
static void sum_up(deft_plan *plan, const deft_settings *settings, first_step judged)
{
    deft_plan_summary *summary = &plan->summary;
    const size_t       count   = deft_catalog_tool_count(plan->catalog);
    for (size_t i = 0; i < count; i++) {
        switch (plan->tools[i].place) {
        case DEFT_PLACE_PINNED:
            summary->pinned_count++;
            break;
        case DEFT_PLACE_VISIBLE:
            summary->visible_count++;
            break;
        case DEFT_PLACE_DEFERRED:
            summary->deferred_count++;
            add_size(&summary->deferred, plan->tools[i].size);
            break;
        }
    }

    summary->is_active                = summary->deferred_count > 0;
    summary->threshold_percent_tokens = percent_in_tokens(settings).value;
    if (summary->cause == DEFT_CAUSE_BELOW_THRESHOLD && judged.rule_count > 0) {
        summary->cause = DEFT_CAUSE_RULE;
    } else if (summary->cause != DEFT_CAUSE_MODE_OFF && summary->deferrable_count > 0 &&
               judged.pinned_count == summary->deferrable_count) {
        summary->cause = DEFT_CAUSE_ALL_PINNED;
    }
}

// Notes what is not deferred: each session begins with these, and searches leave them out. False: no
// memory.
static bool note_upfront(deft_plan *plan)
{
    const deft_plan_summary *summary = &plan->summary;
    const size_t             count   = deft_catalog_tool_count(plan->catalog);
    size_t                   noted   = 0;
    plan->upfront = deft__arena_array(&plan->arena, summary->pinned_count + summary->visible_count,
                                      sizeof *plan->upfront);
    plan->is_deferred = deft__arena_array(&plan->arena, count, sizeof *plan->is_deferred);
    if (plan->upfront == NULL || plan->is_deferred == NULL) {
        return false;
    }
    for (uint32_t i = 0; i < count; i++) {
        plan->is_deferred[i] = plan->tools[i].place == DEFT_PLACE_DEFERRED;
        if (!plan->is_deferred[i]) {
            plan->upfront[noted++] = (deft_tool_id){i};
        }
    }
    return true;
}

static bool fill(deft_plan *plan, const deft_sizes *sizes, const deft_settings *settings,
                 const deft_usage *usage)
{
    question_set questions = {.settings = settings};
    bool         is_filled = false;

    plan->tools = deft__arena_array(&plan->arena, deft_catalog_tool_count(plan->catalog),
                                    sizeof *plan->tools);
    if (plan->tools != NULL && questions_init(&questions, settings, &plan->arena)) {
        const first_step judged = judge_all(plan, sizes, &questions);
        plan->summary.cause     = find_cause(&plan->summary, settings);
        is_filled               = decide_together(plan, settings, judged, usage);
        sum_up(plan, settings, judged);
        is_filled = note_upfront(plan) && is_filled;
    }
    questions_clear(&questions);
    return is_filled;
}

deft_plan *deft_plan_new(deft_catalog *catalog, const deft_sizes *sizes,
                         const deft_settings *settings, const deft_usage *usage,
                         const deft_allocator *allocator, deft_error *error)
{
    deft_plan *plan = deft__new(allocator, sizeof *plan);
    if (plan == NULL) {
        deft__fail_memory(error);
        return NULL;
    }
    atomic_init(&plan->references, 1);
    plan->allocator             = allocator;
    plan->catalog               = deft_catalog_retain(catalog);
    plan->threshold_characters  = settings->threshold_characters;
    plan->threshold_tokens      = settings->threshold_tokens;
    plan->threshold_permyriad   = settings->threshold_permyriad;
    plan->context_window_tokens = settings->context_window_tokens;
    deft__arena_init(&plan->arena, allocator);

    if (!fill(plan, sizes, settings, usage)) {
        deft__fail_memory(error);
        deft_plan_release(plan);
        return NULL;
    }
    return plan;
}

deft_plan *deft_plan_retain(deft_plan *plan)
{
    atomic_fetch_add_explicit(&plan->references, 1, memory_order_relaxed);
    return plan;
}

void deft_plan_release(deft_plan *plan)
{
    // The last to let go must see everything that the others did before they let go.
    if (plan != NULL &&
        atomic_fetch_sub_explicit(&plan->references, 1, memory_order_acq_rel) == 1) {
        deft_catalog_release(plan->catalog);
        deft__arena_clear(&plan->arena);
        deft__free(plan->allocator, plan, sizeof *plan);
    }
}

const deft_catalog *deft_plan_catalog(const deft_plan *plan)
{
    return plan->catalog;
}

const deft_plan_summary *deft_plan_summary_of(const deft_plan *plan)
{
    return &plan->summary;
}

const deft_tool_id *deft__plan_upfront(const deft_plan *plan, size_t *count)
{
    *count = plan->summary.pinned_count + plan->summary.visible_count;
    return plan->upfront;
}

deft_decision deft_plan_decision(const deft_plan *plan, deft_tool_id tool)
{
    const deft__plan_tool *decided = &plan->tools[tool.index];
    return (deft_decision){
        .place  = decided->place,
        .reason = decided->reason,
        .rule   = decided->rule != NULL ? *decided->rule : deft_view_make(NULL, 0),
    };
}

deft_size deft_plan_size(const deft_plan *plan, deft_tool_id tool)
{
    return plan->tools[tool.index].size;
}
