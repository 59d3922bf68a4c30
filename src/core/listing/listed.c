#include "core/listing/listed.h"

void deft__listed_init(deft__listed *listed, const deft_allocator *allocator)
{
    *listed = (deft__listed){.plan = NULL};
    deft_buffer_init(&listed->text, allocator);
}

void deft__listed_clear(deft__listed *listed)
{
    deft_plan_release(listed->plan);
    deft_buffer_clear(&listed->text);
    deft__listed_init(listed, listed->text.allocator);
}

static bool is_same(const deft__listed *listed, const deft_plan *plan,
                    const deft_settings *settings)
{
    return listed->plan == plan && listed->level == settings->listing &&
           listed->family == settings->token_family &&
           listed->budget_tokens == settings->listing_budget_tokens &&
           listed->description_size_max == settings->listing_description_size_max &&
           listed->instructions_size_max == settings->listing_instructions_size_max;
}

bool deft__listed_get(deft__listed *listed, deft_plan *plan, const deft_settings *settings,
                      deft_view *text)
{
    if (!is_same(listed, plan, settings)) {
        deft__listed_clear(listed);
        if (deft_listing_write(plan, settings, &listed->text, NULL) != DEFT_OK) {
            deft__listed_clear(listed);
            return false;
        }
        listed->plan                  = deft_plan_retain(plan);
        listed->level                 = settings->listing;
        listed->family                = settings->token_family;
        listed->budget_tokens         = settings->listing_budget_tokens;
        listed->description_size_max  = settings->listing_description_size_max;
        listed->instructions_size_max = settings->listing_instructions_size_max;
    }
    *text = deft_buffer_view(&listed->text);
    return true;
}
