#include "core/policy/overflow.h"

#include "base/memory.h"

typedef struct candidate {
    uint64_t use_count;
    uint32_t tool;
} candidate;

// No two candidates are equal, so there is only one order and any sort finds it.
static bool goes_before(candidate a, candidate b)
{
    return a.use_count != b.use_count ? a.use_count > b.use_count : a.tool < b.tool;
}

// Moves the candidate at `at` down until none below it goes after it.
static void sink(candidate *heap, size_t at, size_t count)
{
    const candidate moving = heap[at];
    for (size_t child = 2 * at + 1; child < count; child = 2 * at + 1) {
        if (child + 1 < count && goes_before(heap[child], heap[child + 1])) {
            child++;
        }
        if (!goes_before(moving, heap[child])) {
            break;
        }
        heap[at] = heap[child];
        at       = child;
    }
    heap[at] = moving;
}

// Heap sort: in place and never worse than n log n. The C library's qsort may allocate on its own.
static void sort(candidate *candidates, size_t count)
{
    for (size_t at = count / 2; at > 0; at--) {
        sink(candidates, at - 1, count);
    }
    for (size_t end = count; end > 1; end--) {
        const candidate last = candidates[0];
        candidates[0]        = candidates[end - 1];
        candidates[end - 1]  = last;
        sink(candidates, 0, end - 1);
    }
}

static bool fits(deft_size used, deft_size size, deft__overflow_budget budget)
{
    return used.characters <= budget.characters && used.tokens <= budget.tokens &&
           size.characters <= budget.characters - used.characters &&
           size.tokens <= budget.tokens - used.tokens;
}

// The tools that are still open, in catalog order, with how often each was used.
static void collect(const deft_plan *plan, const deft_usage *usage, candidate *candidates)
{
    const size_t tool_count = deft_catalog_tool_count(plan->catalog);
    const bool   is_counted = usage != NULL && usage->count != NULL;
    size_t       count      = 0;

    for (uint32_t i = 0; i < tool_count; i++) {
        if (plan->tools[i].reason == DEFT_REASON_BELOW_THRESHOLD) {
            const deft_tool *tool = deft_catalog_tool(plan->catalog, (deft_tool_id){i});
            candidates[count++]   = (candidate){
                  .use_count = is_counted ? usage->count(usage->context, tool->id) : 0,
                  .tool      = i,
            };
        }
    }
}

bool deft__overflow_fill(deft_plan *plan, size_t count, deft_size used,
                         deft__overflow_budget budget, const deft_usage *usage)
{
    const size_t bytes      = (count + 1) * sizeof(candidate); // never zero
    candidate   *candidates = deft__new(plan->allocator, bytes);
    if (candidates == NULL) {
        return false;
    }
    collect(plan, usage, candidates);
    sort(candidates, count);

    for (size_t i = 0; i < count; i++) {
        deft__plan_tool *tool = &plan->tools[candidates[i].tool];
        if (fits(used, tool->size, budget)) {
            used.characters += tool->size.characters;
            used.tokens += tool->size.tokens;
            tool->place  = DEFT_PLACE_VISIBLE;
            tool->reason = DEFT_REASON_FITS;
        } else {
            tool->place  = DEFT_PLACE_DEFERRED;
            tool->reason = DEFT_REASON_OVERFLOWS;
        }
    }
    deft__free(plan->allocator, candidates, bytes);
    return true;
}
