// scene.h - a small world to plan in: servers with a few tools, written in one line each, measured
// and planned. Every call fails the test when something goes wrong.
#ifndef DEFT_TESTS_SCENE_H
#define DEFT_TESTS_SCENE_H

#include "deft/policy.h"

typedef struct test_scene {
    deft_catalog_builder *builder; // until the first plan
    deft_catalog         *catalog;
    deft_sizes           *sizes;
    deft_plan            *plan;     // the last one
    deft_settings         settings; // set these between init and plan
    deft_usage            usage;    // nothing was used, unless set
} test_scene;

void test_scene_init(test_scene *scene, deft_preset preset);
void test_scene_clear(test_scene *scene);

// Adds a server whose tools have these names (separated by spaces), each with a description and a
// schema of its own.
void test_scene_add(test_scene *scene, const char *server, deft_server_kind kind,
                    const char *names);

// Adds one tool to a server that measures exactly this many characters; counted as CHARS4 in MCP
// form it has a quarter as many tokens, rounded up, and 11 for the JSON around its three parts.
void test_scene_add_sized(test_scene *scene, const char *server, const char *name,
                          size_t characters);

// Adds what the text holds: anything that deft_catalog_builder_add understands.
void test_scene_add_json(test_scene *scene, const char *server, deft_server_kind kind,
                         const char *json);

// Builds the catalog where that is still to be done, measures it, and plans.
void test_scene_measure(test_scene *scene);
void test_scene_plan(test_scene *scene);

deft_tool_id  test_scene_tool(const test_scene *scene, const char *id);
deft_decision test_scene_decision(const test_scene *scene, const char *id);

#endif
