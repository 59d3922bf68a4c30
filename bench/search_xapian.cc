// Xapian with its English stemmer and its BM25, any of the words. Its lasting backend is the one
// that it is tuned for; the files are small enough to stay in the system's cache.
#include "bench/search_engine.h"

#include <cstdio>
#include <filesystem>
#include <string>
#include <xapian.h>

#include <stdlib.h>

namespace {

struct index_state {
    std::string           folder;
    Xapian::Database      database;
    Xapian::Stem          stemmer{"en"};
    Xapian::TermGenerator generator;
};

void free_index(void *pointer)
{
    auto             *state  = static_cast<index_state *>(pointer);
    const std::string folder = state->folder;
    delete state;
    std::error_code ignored;
    std::filesystem::remove_all(folder, ignored);
}

void fill(const std::string &folder, const Xapian::Stem &stemmer, const bench_corpus *corpus)
{
    Xapian::WritableDatabase database(folder, Xapian::DB_CREATE_OR_OPEN | Xapian::DB_NO_SYNC |
                                                  Xapian::DB_DANGEROUS);
    Xapian::TermGenerator    generator;
    generator.set_stemmer(stemmer);
    generator.set_stemming_strategy(Xapian::TermGenerator::STEM_ALL);
    for (size_t tool = 0; tool < corpus->tool_count; tool++) {
        const size_t     start = tool > 0 ? corpus->ends[tool - 1] : 0;
        Xapian::Document document;
        generator.set_document(document);
        // Positions are for phrases, which no one asks for here.
        generator.index_text_without_positions(
            std::string(corpus->texts + start, corpus->ends[tool] - start));
        database.replace_document(static_cast<Xapian::docid>(tool + 1), document);
    }
    database.commit();
}

void *build(const bench_corpus *corpus)
{
    const char *parent = getenv("TMPDIR");
    std::string folder = std::string(parent != nullptr ? parent : "/tmp") + "/bench-xapian-XXXXXX";
    if (mkdtemp(folder.data()) == nullptr) {
        std::perror("xapian: mkdtemp");
        return nullptr;
    }
    auto *state   = new index_state;
    state->folder = folder;
    try {
        fill(folder, state->stemmer, corpus);
        state->database = Xapian::Database(folder);
    } catch (const Xapian::Error &error) {
        std::fprintf(stderr, "xapian: %s\n", error.get_msg().c_str());
        free_index(state);
        return nullptr;
    }
    return state;
}

size_t size(void *pointer)
{
    size_t total = 0;
    for (const auto &file :
         std::filesystem::directory_iterator(static_cast<index_state *>(pointer)->folder)) {
        total += file.file_size();
    }
    return total;
}

size_t search(void *pointer, const char *query, size_t query_size, uint32_t *tools)
{
    auto *state = static_cast<index_state *>(pointer);

    // The words are analysed as those of the tools were; the query parser's syntax would cost more.
    Xapian::Document words;
    state->generator.set_stemmer(state->stemmer);
    state->generator.set_stemming_strategy(Xapian::TermGenerator::STEM_ALL);
    state->generator.set_document(words);
    state->generator.index_text_without_positions(std::string(query, query_size));
    Xapian::Enquire enquire(state->database);
    enquire.set_query(
        Xapian::Query(Xapian::Query::OP_OR, words.termlist_begin(), words.termlist_end()));
    size_t             count = 0;
    const Xapian::MSet hits  = enquire.get_mset(0, BENCH_HITS_MAX);
    for (auto hit = hits.begin(); hit != hits.end(); ++hit) {
        tools[count++] = *hit - 1;
    }
    return count;
}

} // namespace

bench_engine bench_engine_xapian(void)
{
    bench_engine engine = {"", build, size, search, free_index};
    std::snprintf(engine.name, sizeof engine.name, "Xapian %s", Xapian::version_string());
    return engine;
}
