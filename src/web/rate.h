// rate.h - so many a minute: a bucket that fills steadily and holds a burst. Time is handed in. Whole
// numbers: what is in the bucket is counted in 1/60,000 of a take, so that every millisecond adds
// exactly `per_minute` of them.
#ifndef DEFT_WEB_RATE_H
#define DEFT_WEB_RATE_H

#include <stdbool.h>
#include <stdint.h>

typedef struct deft__rate {
    uint32_t per_minute; // 0: no limit
    uint32_t burst;      // as many at once, when nothing was taken for a while
    uint64_t level;
    uint64_t filled_ms; // when that was true
} deft__rate;

// Full at the beginning.
void deft__rate_init(deft__rate *rate, uint32_t per_minute, uint32_t burst, uint64_t now_ms);

// Other limits from now on; what was taken stays taken.
void deft__rate_change(deft__rate *rate, uint32_t per_minute, uint32_t burst, uint64_t now_ms);

// Takes one. False: there is none, and `wait_s` says in how many whole seconds there will be.
bool deft__rate_take(deft__rate *rate, uint64_t now_ms, uint64_t *wait_s);

#endif
