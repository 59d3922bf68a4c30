// What a text costs. Proves the estimate of A1: near a real tokenizer, the same on every machine,
// and harmless for any bytes.
#include "deft/tokens.h"

#include "support/guard.h"
#include "support/test.h"

#include <stdlib.h>

// `real` is what gpt-tokenizer 4.0.0 counts as o200k_base. The estimates are what a fit gave: when
// tokens_weights.h is fitted anew they change by a few tokens, and the diff is what to look at.
static const struct {
    const char *name;
    const char *text;
    size_t      real;
    size_t      estimates[4]; // in the order of deft_token_family
} cases[] = {
    {"a small definition",
     "{\"name\":\"read_note\",\"description\":\"Read one note by its number.\",\"inputSchema"
     "\":{\"type\":\"object\",\"properties\":{\"number\":{\"type\":\"integer\"}},\"required"
     "\":[\"number\"]}}",
     36,
     {36, 62, 36, 41}},
    {"a larger definition",
     "{\"name\":\"plan_route\",\"description\":\"Plan a cycling route between two places. Pr"
     "efers quiet roads; returns distance, climb and an estimate of the riding time.\",\"inp"
     "utSchema\":{\"type\":\"object\",\"properties\":{\"from\":{\"type\":\"string\",\"descri"
     "ption\":\"Start address, or latitude and longitude separated by a comma\"},\"to\":{\"t"
     "ype\":\"string\",\"description\":\"Destination, in the same form\"},\"avoidFerries\":{"
     "\"type\":\"boolean\",\"default\":false},\"surface\":{\"type\":\"string\",\"enum\":[\"p"
     "aved\",\"gravel\",\"any\"],\"default\":\"any\"},\"max_climb_m\":{\"type\":\"number\","
     "\"minimum\":0,\"maximum\":9000,\"description\":\"Steepest total climb in metres (e.g. "
     "1200)\"}},\"required\":[\"from\",\"to\"],\"additionalProperties\":false},\"annotations"
     "\":{\"readOnlyHint\":true}}",
     170,
     {168, 269, 162, 178}},
    {"the form of a function",
     "{\"type\":\"function\",\"function\":{\"name\":\"turn_on_lamp\",\"description\":\"Turns"
     " a lamp on.\",\"parameters\":{\"type\":\"object\",\"properties\":{\"lamp_id\":{\"type"
     "\":\"string\"}},\"required\":[\"lamp_id\"]}}}",
     44,
     {43, 76, 42, 46}},
    {"a sentence",
     "The quick estimate should agree with a careful count, even where the writer's words ar"
     "e unusual.",
     19,
     {19, 28, 19, 24}},
    {"rare words",
     "Kubernetes sidecars, webhooks and idempotency keys for the Quillfeather telemetry gate"
     "way",
     20,
     {17, 35, 15, 23}},
    {"names in many shapes",
     "getUserByID parseHTTPResponse MAX_RETRY_COUNT list-open-tickets v2.orders.create",
     19,
     {19, 41, 19, 20}},
    {"numbers",
     "Between 2019-07-14T08:30:00Z and 1234567890, step 0.25, port 8080",
     32,
     {32, 38, 33, 17}},
    {"an address and a path",
     "https://example.org/api/v3/items?sort=name&limit=50 or ./docs/guide/setup.md",
     22,
     {23, 35, 23, 19}},
    {"lines and indentation",
     "def add(a, b):\n    \"\"\"Adds.\"\"\"\n    return a + b\n\n\nprint(add(1, 2))\n",
     24,
     {26, 38, 28, 17}},
    {"escapes inside JSON",
     "{\"description\":\"First line\\nSecond \\\"quoted\\\" line\\n\\n- item\\tone\\n- item "
     "two\"}",
     22,
     {21, 37, 21, 20}},
    {"a rule", "# Title\n--------------------------------\ntext", 6, {7, 12, 6, 12}},
    {"German",
     "Sucht nach Fahrplänen und gibt die nächsten Abfahrten einer Haltestelle zurück.",
     19,
     {22, 38, 23, 20}},
    {"Chinese",
     "{\"description\":\"查询指定城市的天气预报，返回温度、湿度和风速。\",\"name\":\"get_wea"
     "ther\"}",
     27,
     {26, 41, 30, 16}},
    {"Japanese", "指定した都市の天気予報を取得し、気温と湿度を返します。", 21, {21, 23, 21, 7}},
    {"Korean", "지정한 도시의 날씨 정보를 조회하고 기온과 습도를 반환합니다.", 19, {17, 33, 19, 9}},
    {"Russian",
     "Возвращает прогноз погоды для указанного города на ближайшие дни.",
     15,
     {17, 24, 18, 17}},
    {"Arabic", "يعرض توقعات الطقس للمدينة المحددة خلال الأيام القادمة.", 14, {16, 34, 17, 14}},
    {"signs and emoji", "Done ✅ — see “notes” → 🔍 search… • next", 14, {14, 22, 15, 10}},
};

static void known_texts(void **state)
{
    (void)state;
    for (size_t i = 0; i < array_size(cases); i++) {
        case_name(cases[i].name);
        for (unsigned f = DEFT_TOKENS_O200K; f <= DEFT_TOKENS_CHARS4; f++) {
            assert_int_equal(
                deft_tokens_estimate(deft_view_of(cases[i].text), (deft_token_family)f),
                cases[i].estimates[f]);
        }
    }
}

// One short text may be further off than a server's definitions, whose errors cancel out: a tenth,
// and two tokens more.
static void near_the_real_count(void **state)
{
    (void)state;
    size_t real      = 0;
    size_t estimated = 0;
    for (size_t i = 0; i < array_size(cases); i++) {
        case_name(cases[i].name);
        const size_t tokens = deft_tokens_estimate(deft_view_of(cases[i].text), DEFT_TOKENS_O200K);
        const size_t slack  = cases[i].real / 10 + 2;
        assert_in_range(tokens + slack, cases[i].real, cases[i].real + 2 * slack);
        real += cases[i].real;
        estimated += tokens;
    }
    assert_in_range(estimated * 100, real * 95, real * 105);
}

static void nothing_costs_nothing(void **state)
{
    (void)state;
    for (unsigned f = DEFT_TOKENS_O200K; f <= DEFT_TOKENS_CHARS4; f++) {
        assert_int_equal(deft_tokens_estimate(deft_view_make(NULL, 0), (deft_token_family)f), 0);
        assert_int_equal(deft_tokens_estimate(deft_view_of(""), (deft_token_family)f), 0);
    }
}

static void every_byte_alone_costs_something(void **state)
{
    (void)state;
    for (unsigned byte = 0; byte < 256; byte++) {
        const char text = (char)byte;
        for (unsigned f = DEFT_TOKENS_O200K; f <= DEFT_TOKENS_CHARS4; f++) {
            const size_t tokens =
                deft_tokens_estimate(deft_view_make(&text, 1), (deft_token_family)f);
            assert_in_range(tokens, 1, 2);
        }
    }
}

// xorshift32: any sequence will do, as long as it is the same in every run.
static uint32_t random_next(uint32_t *seed)
{
    *seed ^= *seed << 13;
    *seed ^= *seed >> 17;
    *seed ^= *seed << 5;
    return *seed;
}

// Bytes near the edges of UTF-8 and of our classes come more often than the rest.
static char random_byte(uint32_t *seed)
{
    static const char edges[] = "\x80\xbf\xc0\xc3\xa9\xe4\xb8\xad\xed\xa0\xf0\x9f\xf4\x90\xff '\n/";
    const uint32_t    random  = random_next(seed);
    return (random & 0x300) == 0 ? (char)random : edges[(random >> 16) % (sizeof edges - 1)];
}

// The end of the text lies against a page that may not be read.
static void any_bytes_are_fine(void **state)
{
    (void)state;
    uint32_t seed = 20240511;
    char     text[64];
    for (int round = 0; round < 2000; round++) {
        const size_t size = random_next(&seed) % (sizeof text + 1);
        for (size_t i = 0; i < size; i++) {
            text[i] = random_byte(&seed);
        }
        test_guard      guard = {0};
        const deft_view view  = test_guard_copy(&guard, deft_view_make(text, size));
        for (unsigned f = DEFT_TOKENS_O200K; f <= DEFT_TOKENS_CHARS4; f++) {
            const size_t tokens = deft_tokens_estimate(view, (deft_token_family)f);
            assert_in_range(tokens, size > 0 ? 1 : 0, size * 5);
            assert_int_equal(tokens, deft_tokens_estimate(view, (deft_token_family)f));
        }
        test_guard_clear(&guard);
    }
}

// A megabyte of one character costs no less than the longest tokens would, nor more than its bytes.
static void long_runs_stay_in_proportion(void **state)
{
    (void)state;
    const size_t      size   = 1024u * 1024;
    static const char runs[] = "aZ09 \n-=_\\{\"\t\x80\xff";
    char             *text   = malloc(size);
    assert_non_null(text);
    for (size_t i = 0; i < sizeof runs; i++) { // the NUL too
        memset(text, runs[i], size);
        for (unsigned f = DEFT_TOKENS_O200K; f < DEFT_TOKENS_CHARS4; f++) {
            const size_t tokens =
                deft_tokens_estimate(deft_view_make(text, size), (deft_token_family)f);
            assert_in_range(tokens, size / 64, size * 2);
        }
    }
    free(text);
}

// Appending a word never makes a text noticeably cheaper.
static void longer_text_costs_more(void **state)
{
    (void)state;
    const deft_view text = deft_view_of(cases[1].text);
    for (unsigned f = DEFT_TOKENS_O200K; f <= DEFT_TOKENS_CHARS4; f++) {
        size_t most = 0;
        for (size_t size = 0; size <= text.size; size++) {
            const size_t tokens =
                deft_tokens_estimate(deft_view_slice(text, 0, size), (deft_token_family)f);
            // A word that grows may become a known one: "descriptio" is dearer than "description".
            assert_true(tokens + 3 >= most);
            most = tokens > most ? tokens : most;
        }
    }
}

static void families_have_names(void **state)
{
    (void)state;
    for (unsigned f = DEFT_TOKENS_O200K; f <= DEFT_TOKENS_CHARS4; f++) {
        deft_token_family family = DEFT_TOKENS_O200K;
        const char       *name   = deft_token_family_name((deft_token_family)f);
        assert_true(deft_token_family_from_name(deft_view_of(name), &family));
        assert_int_equal(family, f);
    }
    deft_token_family untouched = DEFT_TOKENS_LLAMA;
    assert_false(deft_token_family_from_name(deft_view_of("gpt"), &untouched));
    assert_false(deft_token_family_from_name(deft_view_of(""), &untouched));
    assert_int_equal(untouched, DEFT_TOKENS_LLAMA);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(known_texts),
        cmocka_unit_test(near_the_real_count),
        cmocka_unit_test(nothing_costs_nothing),
        cmocka_unit_test(every_byte_alone_costs_something),
        cmocka_unit_test(any_bytes_are_fine),
        cmocka_unit_test(long_runs_stay_in_proportion),
        cmocka_unit_test(longer_text_costs_more),
        cmocka_unit_test(families_have_names),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
