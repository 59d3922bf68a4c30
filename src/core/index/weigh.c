#include "core/index/weigh.h"

// How much a field's words count, in 1/1024, and how much its length is held against it, in
// percent. Chosen on the judged sets; the curve is flat: half or double of any of these moves the
// mean recall@5 by less than half a point.
static const struct {
    uint32_t weight;
    uint32_t length_penalty;
} field_weights[DEFT__FIELD_COUNT] = {
    [DEFT_FIELD_NAME] = {3072, 50},           [DEFT_FIELD_TITLE] = {1024, 50},
    [DEFT_FIELD_SERVER] = {1024, 30},         [DEFT_FIELD_DESCRIPTION] = {1024, 60},
    [DEFT_FIELD_PARAMETER_NAMES] = {512, 60}, [DEFT_FIELD_PARAMETER_DESCRIPTIONS] = {358, 60},
    [DEFT_FIELD_ENUM_VALUES] = {358, 60},     [DEFT_FIELD_INSTRUCTIONS] = {102, 60},
};

// BM25's k1, in 1/1024: how soon more of the same stops counting.
static const uint64_t saturation = 1229;

//     weight * repeats / (1 - b + b * length / average_length)
uint64_t deft__field_worth(deft_field field, const deft__field_total *total, uint32_t repeats,
                           uint32_t length)
{
    const uint64_t penalty = field_weights[field].length_penalty;
    const uint64_t counted = repeats < DEFT__REPEATS_MAX ? repeats : DEFT__REPEATS_MAX;
    const uint64_t divisor = (100 - penalty) * total->words + penalty * length * total->tools;
    // Nothing divides by nothing only in an image that was not made by us.
    return divisor > 0 ? field_weights[field].weight * counted * 100 * total->words / divisor : 0;
}

uint8_t deft__impact_from(uint64_t worth)
{
    const uint64_t impact = 255 * worth / (worth + saturation);
    return (uint8_t)(impact > 0 ? impact : 1);
}
