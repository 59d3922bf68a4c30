#include "web/rate.h"

#define ONE 60000u // one take; also the milliseconds of a minute

static void fill(deft__rate *rate, uint64_t now_ms)
{
    const uint64_t full    = (uint64_t)rate->burst * ONE;
    const uint64_t passed  = now_ms > rate->filled_ms ? now_ms - rate->filled_ms : 0;
    const uint64_t missing = full > rate->level ? full - rate->level : 0;
    // Compared before it is multiplied: a gateway may sleep for as long as it likes.
    if (rate->per_minute > 0 && passed < missing / rate->per_minute + 1) {
        rate->level += passed * rate->per_minute;
    } else {
        rate->level = full;
    }
    rate->level     = rate->level < full ? rate->level : full;
    rate->filled_ms = now_ms;
}

void deft__rate_init(deft__rate *rate, uint32_t per_minute, uint32_t burst, uint64_t now_ms)
{
    *rate = (deft__rate){.per_minute = per_minute,
                         .burst      = burst,
                         .level      = (uint64_t)burst * ONE,
                         .filled_ms  = now_ms};
}

void deft__rate_change(deft__rate *rate, uint32_t per_minute, uint32_t burst, uint64_t now_ms)
{
    if (rate->per_minute == 0) {
        deft__rate_init(rate, per_minute, burst, now_ms); // nothing was counted
        return;
    }
    fill(rate, now_ms);
    rate->per_minute = per_minute;
    rate->burst      = burst;
    fill(rate, now_ms);
}

bool deft__rate_take(deft__rate *rate, uint64_t now_ms, uint64_t *wait_s)
{
    *wait_s = 0;
    if (rate->per_minute == 0) {
        return true;
    }
    fill(rate, now_ms);
    if (rate->level >= ONE) {
        rate->level -= ONE;
        return true;
    }
    const uint64_t second = (uint64_t)rate->per_minute * 1000;
    *wait_s               = (ONE - rate->level + second - 1) / second;
    return false;
}
