// baseline.h - rankings of other products, written again from their descriptions, to compare with.
// They are no part of the library. Each file names what it follows and where it had to guess. What
// fails here stops the program: it is a measuring tool, and half a measurement is none.
#ifndef DEFT_TESTS_QUALITY_BASELINE_H
#define DEFT_TESTS_QUALITY_BASELINE_H

#include "quality/baselines/corpus.h"

typedef struct quality_baseline {
    const char *name;
    bool        is_ours; // one of deft's own rankings
    void *(*open)(quality_corpus *corpus);
    // Writes at most `ranked_max` tools, best first; returns how many.
    size_t (*rank)(void *state, deft_view query, uint32_t *ranked, size_t ranked_max);
    void (*close)(void *state);
} quality_baseline;

// Of other products, and ours; each list ends in NULL.
extern const quality_baseline *const baselines[];
extern const quality_baseline *const our_rankings[];

extern const quality_baseline baseline_cloudflare, baseline_codex, baseline_fastmcp,
    baseline_hermes, baseline_hermes_gated, baseline_kiro, baseline_litellm, baseline_mcpproxy,
    baseline_opencode, baseline_pizzapi, baseline_praisonai, baseline_qwen, baseline_spring_lucene,
    baseline_spring_regex, baseline_toolhive;

#endif
