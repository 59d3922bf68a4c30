#include "gateway/answers.h"

#include "base/hash.h"
#include "base/memory.h"

#include <string.h>

void deft__answers_init(deft__answers *answers, uint64_t seed, const deft_allocator *allocator)
{
    *answers = (deft__answers){.allocator = allocator, .seed = seed};
}

static void forget(deft__answers *answers, deft__known_answer *one)
{
    if (one->text != NULL) {
        const size_t size = (size_t)one->question_size + one->answer_size;
        deft__free(answers->allocator, one->text, size);
        answers->size -= size;
    }
    *one = (deft__known_answer){.text = NULL};
}

void deft__answers_clear(deft__answers *answers)
{
    for (size_t i = 0; i < DEFT__ANSWERS_MAX; i++) {
        forget(answers, &answers->known[i]);
    }
}

static deft__known_answer *place_of(deft__answers *answers, uint64_t hash)
{
    return &answers
                ->known[hash % (DEFT__ANSWERS_MAX / DEFT__ANSWERS_BESIDE) * DEFT__ANSWERS_BESIDE];
}

const deft__known_answer *deft__answers_find(deft__answers *answers, deft_view arguments)
{
    const uint64_t      hash  = deft__hash(arguments, answers->seed);
    deft__known_answer *place = place_of(answers, hash);
    for (size_t i = 0; i < DEFT__ANSWERS_BESIDE; i++) {
        if (place[i].text != NULL && place[i].hash == hash &&
            deft_view_equal(deft_view_make(place[i].text, place[i].question_size), arguments)) {
            place[i].used = ++answers->asked;
            return &place[i];
        }
    }
    return NULL;
}

deft_view deft__known_result(const deft__known_answer *one)
{
    return deft_view_make(one->text + one->question_size, one->answer_size);
}

// Forgets what nobody has asked for the longest until there is room.
static void make_room(deft__answers *answers, size_t size)
{
    while (answers->size > DEFT__ANSWERS_SIZE_MAX - size) {
        deft__known_answer *oldest = &answers->known[0];
        for (size_t i = 1; i < DEFT__ANSWERS_MAX; i++) {
            deft__known_answer *one = &answers->known[i];
            if (one->text != NULL && (oldest->text == NULL || one->used < oldest->used)) {
                oldest = one;
            }
        }
        forget(answers, oldest); // there is one: nothing that is kept is as large as the room
    }
}

void deft__answers_keep(deft__answers *answers, deft_view arguments, deft_view result,
                        size_t found_count, size_t text_size)
{
    const uint64_t      hash  = deft__hash(arguments, answers->seed);
    deft__known_answer *place = place_of(answers, hash);
    deft__known_answer *one   = place;
    for (size_t i = 1; i < DEFT__ANSWERS_BESIDE; i++) {
        one = place[i].used < one->used ? &place[i] : one; // an empty one was never used
    }
    if (arguments.size == 0 || arguments.size > DEFT__ANSWER_QUESTION_MAX || result.size == 0 ||
        result.size > DEFT__ANSWER_SIZE_MAX) {
        return;
    }
    forget(answers, one);
    make_room(answers, arguments.size + result.size);
    one->text = deft__resize(answers->allocator, NULL, 0, arguments.size + result.size);
    if (one->text != NULL) {
        answers->size += arguments.size + result.size;
        memcpy(one->text, arguments.data, arguments.size);
        memcpy(one->text + arguments.size, result.data, result.size);
        one->hash          = hash;
        one->used          = ++answers->asked;
        one->question_size = (uint32_t)arguments.size;
        one->answer_size   = (uint32_t)result.size;
        one->found_count   = (uint32_t)found_count;
        one->text_size     = (uint32_t)text_size;
    }
}
