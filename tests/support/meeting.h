// meeting.h - a model meets deft: a scene, a session over it, a searcher, and the bridge between.
#ifndef DEFT_TESTS_MEETING_H
#define DEFT_TESTS_MEETING_H

#include "deft/bridge.h"
#include "support/scene.h"

typedef struct test_meeting {
    test_scene     scene;
    deft_index    *index;
    deft_searcher *searcher;
    deft_session  *session;
    deft_answer    answer; // of the last call of the bridge
    deft_call      call;   // likewise
} test_meeting;

// Server `files` (read_file, write_file: pinned by rule), `github` and `slack` (deferred), mode on.
// Settings may be changed before test_meeting_start.
void test_meeting_init(test_meeting *meeting, deft_preset preset);
void test_meeting_start(test_meeting *meeting);
void test_meeting_clear(test_meeting *meeting);

// Puts a session over what `saved` holds in place of the present one.
void test_meeting_restore(test_meeting *meeting, deft_view saved,
                          const deft_restriction *restriction);

// The bridge's tools, with the arguments as JSON; the answer is in the meeting. A call returns its
// status, the others must succeed.
void        test_meeting_search(test_meeting *meeting, const char *arguments);
void        test_meeting_describe(test_meeting *meeting, const char *arguments);
deft_status test_meeting_call(test_meeting *meeting, const char *name, const char *arguments);

// What is visible, as ids joined with one space; loaded ones have a `*`, gone ones a `-` in front.
void test_meeting_expect_visible(const test_meeting *meeting, const char *ids);

// Whether the text is a part of the answer, or not; what is wrong is printed.
bool test_answer_has(const deft_answer *answer, const char *text);
bool test_answer_lacks(const deft_answer *answer, const char *text);

#endif
