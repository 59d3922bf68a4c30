// random_scene.h - a scene of random servers, tools, rules and thresholds, for property tests.
#ifndef DEFT_TESTS_RANDOM_SCENE_H
#define DEFT_TESTS_RANDOM_SCENE_H

#include "support/random.h"
#include "support/scene.h"

#define TEST_RANDOM_RULES_MAX 6

typedef struct test_random_scene {
    test_scene scene;
    deft_rule  server_rules[TEST_RANDOM_RULES_MAX];
    deft_rule  tool_rules[TEST_RANDOM_RULES_MAX];
    deft_view  core[2];
} test_random_scene;

// Fills the scene, measures it and sets every setting that decides a plan; thresholds lie around
// what is measured. Most tools are called `zaq` and three digits, each with its own number; the
// others have names of the core set. Plan it with test_scene_plan(&random_scene->scene).
void test_random_scene_init(test_random_scene *random_scene, test_random *random);
void test_random_scene_clear(test_random_scene *random_scene);

#endif
