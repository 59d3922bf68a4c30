#include "quality/baselines/baseline.h"

const quality_baseline *const baselines[] = {
    &baseline_pizzapi,      &baseline_praisonai,    &baseline_qwen,       &baseline_codex,
    &baseline_hermes,       &baseline_hermes_gated, &baseline_mcpproxy,   &baseline_toolhive,
    &baseline_fastmcp,      &baseline_opencode,     &baseline_cloudflare, &baseline_spring_lucene,
    &baseline_spring_regex, &baseline_litellm,      &baseline_kiro,       NULL,
};
