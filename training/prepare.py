"""Texts to numbers: reads every source, analyses it once, writes one folder that train.py takes.

    prepare.py --data DIR --sets DIR --out DIR

`--data` has pairs.tsv.xz and thesaurus.txt; `--sets` has judged sets as `deft eval` reads them. What
is ours lies beside this file: phrases.txt, requests.txt and languages.tsv.

Written: texts.txt.xz (one text a line, for the teacher), terms.npz (their terms, the pairs, the sets).
"""

import argparse
import collections
import gzip
import itertools
import json
import lzma
import random
import re
from pathlib import Path

import numpy as np

from terms import Analyzer, counts

HERE = Path(__file__).resolve().parent
WHOLE = 1 << 31
LANGUAGE_VERBS = 33  # the first rows of languages.tsv
# What is ours counts so often when rows are chosen. A word of ours that two requests use shall have
# one; a foreign word one use is enough for, as no other source has it.
OWN_USES, FOREIGN_USES = 12, 30
# A word that the English sources use so often is English in a list of foreign ones, or in a request.
COMMON_USES, REQUEST_USES = 40, 8
FIELDS = ["name", "title", "server", "description", "parameters", "parameter_descriptions"]
FIELD_TERMS_MAX = {"name": 32, "title": 32, "server": 16, "description": 96, "parameters": 48,
                   "parameter_descriptions": 96}


class Texts:
    """Different texts, numbered."""

    def __init__(self):
        self.numbers = {}
        self.texts = []
        self.limits = []

    def add(self, text, limit=96):
        text = " ".join(text.split())
        key = (text, limit)
        if key not in self.numbers:
            self.numbers[key] = len(self.texts)
            self.texts.append(text[:600])
            self.limits.append(limit)
        return self.numbers[key]


def open_lines(path):
    if not path.exists():
        path = path.with_name(path.name + ".gz")
    opener = gzip.open if path.suffix == ".gz" else open
    with opener(path, "rt", encoding="utf-8") as lines:
        yield from (json.loads(line) for line in lines if line.strip())


def read_pairs(path, texts):
    with lzma.open(path, "rt", encoding="utf-8") as lines:
        for line in lines:
            source, a, b = line.rstrip("\n").split("\t")
            yield source, texts.add(a), texts.add(b)


def read_phrases(path, texts, per_group=40):
    """Every phrase of a group with every other; a sample where there are very many."""
    chooser = random.Random(1)
    for line in path.read_text(encoding="utf-8").splitlines():
        phrases = [phrase.strip() for phrase in line.split("|") if phrase.strip()]
        if line.startswith("#") or len(phrases) < 2:
            continue
        pairs = list(itertools.combinations(phrases, 2))
        for a, b in chooser.sample(pairs, min(per_group, len(pairs))):
            yield "phrase", texts.add(a), texts.add(b)


def english_words(texts, uses_min):
    """Words that the English sources use: a foreign word that looks like one stays English."""
    uses = collections.Counter(word for text in texts.texts for word in text.lower().split())
    return {word for word, count in uses.items() if count >= uses_min}


def is_foreign(text, english):
    """Whether a request is not in English: other letters, or hardly a word that English has."""
    words = [word for word in re.findall(r"[^\W\d_]+", text.lower()) if len(word) > 2]
    return any(ord(c) > 0x2FF for c in text) or \
        2 * sum(word in english for word in words) < len(words)


def read_requests(path, texts, english):
    """A tool and what people say who need it. The teacher knows English only: foreign requests are
    pairs of a kind of their own, whose target is the tool's."""
    for line in path.read_text(encoding="utf-8").splitlines():
        cells = [cell.strip() for cell in line.split("|") if cell.strip()]
        if line.startswith("#") or len(cells) < 2:
            continue
        tool = texts.add(cells[0])
        for request in cells[1:]:
            if is_foreign(request, english):
                yield "language", texts.add(request), tool
            else:
                yield "request", tool, texts.add(request)


def read_languages(path, texts, english, combinations=24000):
    """english<TAB>spanish<TAB>german<TAB>french<TAB>chinese<TAB>japanese; alternatives by comma.

    Single words, and two words of one language together: a request is hardly ever one word.
    """
    chooser = random.Random(2)
    rows = []
    for line in path.read_text(encoding="utf-8").splitlines():
        cells = [[word.strip() for word in cell.split(",") if word.strip()]
                 for cell in line.split("\t")]
        if line.startswith("#") or len(cells) < 2:
            continue
        cells[1:] = [[word for word in words if word not in english] for words in cells[1:]]
        rows.append(cells)
        for words in cells[1:]:
            for meant, other in itertools.product(cells[0], words):
                yield "language", texts.add(other), texts.add(meant)
    verbs, things = rows[:LANGUAGE_VERBS], rows[LANGUAGE_VERBS:]
    for _ in range(combinations):
        a, b = chooser.choice(verbs + things), chooser.choice(things)
        language = chooser.randrange(1, len(a))
        if a is not b and a[language] and b[language]:
            other = f"{chooser.choice(a[language])} {chooser.choice(b[language])}"
            yield "language", texts.add(other), texts.add(f"{chooser.choice(a[0])} {chooser.choice(b[0])}")


def schema_texts(schema, names, descriptions, depth=0):
    if not isinstance(schema, dict) or depth > 6:
        return
    for name, part in (schema.get("properties") or {}).items():
        names.append(name)
        if isinstance(part, dict):
            if isinstance(part.get("description"), str):
                descriptions.append(part["description"])
            schema_texts(part, names, descriptions, depth + 1)
            schema_texts(part.get("items"), names, descriptions, depth + 1)


def tool_fields(tool, texts):
    names, descriptions = [], []
    schema_texts(tool.get("inputSchema"), names, descriptions)
    values = {"name": tool["name"], "title": tool.get("title") or "", "server": tool.get("server") or "",
              "description": tool.get("description") or "", "parameters": " ".join(names),
              "parameter_descriptions": " . ".join(descriptions)}
    return [texts.add(values[field], FIELD_TERMS_MAX[field]) for field in FIELDS]


def read_set(directory, texts):
    """A judged set: its tools' texts, and queries with their needs."""
    tools = list(open_lines(directory / "tools.jsonl"))
    numbers = {tool["id"]: i for i, tool in enumerate(tools)}
    fields = [tool_fields(tool, texts) for tool in tools]
    whole = [texts.add(f"{tool['name']}. {tool.get('description') or ''}", 128) for tool in tools]
    queries = {}
    stems = sorted({path.name.split(".")[0] for path in directory.glob("queries*.jsonl*")})
    for stem in stems:
        name = directory.name + (":" + stem[8:] if len(stem) > 7 else "")
        queries[name] = [
            {"text": texts.add(query["query"], 128),
             "needs": [[numbers[i] for i in need]
                       for need in query.get("groups") or [[i] for i in query["relevant"]]],
             "partial": [numbers[i] for i in query.get("partial", [])],
             "style": query.get("style", "")}
            for query in open_lines(directory / f"{stem}.jsonl")]
    return {"fields": fields, "whole": whole, "queries": queries}


def number_terms(texts, analyzer, own):
    """The terms of every text, as numbers by falling frequency; wholes have the high bit."""
    stems, frequency, surface = {}, [], []
    streams, lengths = [], np.zeros(len(texts.texts), dtype=np.uint16)
    for i, text in enumerate(texts.texts):
        stream = []
        for word, stem, is_whole in analyzer.run(text, texts.limits[i]):
            if not counts(stem):
                continue
            number = stems.get(stem)
            if number is None:
                number = stems[stem] = len(frequency)
                frequency.append(0)
                surface.append({})
            frequency[number] += own.get(i, 1)
            surface[number][word] = surface[number].get(word, 0) + 1
            stream.append(number | (WHOLE if is_whole else 0))
        lengths[i] = len(stream)
        streams.extend(stream)
    names = list(stems)
    order = sorted(range(len(names)), key=lambda n: (-frequency[n], names[n]))
    rank = np.zeros(len(names), dtype=np.uint32)
    rank[order] = np.arange(len(names), dtype=np.uint32)
    flat = np.array(streams, dtype=np.uint32)
    flat = rank[flat & (WHOLE - 1)] | (flat & WHOLE)
    words = [max(sorted(surface[n]), key=surface[n].get) for n in order]
    return [names[n] for n in order], words, [frequency[n] for n in order], flat, lengths


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--sets", type=Path, required=True)
    parser.add_argument("--out", type=Path, required=True)
    options = parser.parse_args()
    options.out.mkdir(parents=True, exist_ok=True)

    texts = Texts()
    pairs = list(read_pairs(options.data / "pairs.tsv.xz", texts))
    pairs.extend(read_phrases(HERE / "phrases.txt", texts))
    common, english = english_words(texts, COMMON_USES), english_words(texts, REQUEST_USES)
    pairs.extend(read_languages(HERE / "languages.tsv", texts, common))
    pairs.extend(read_requests(HERE / "requests.txt", texts, english))
    own = {text: OWN_USES for source, a, b in pairs if source in ("phrase", "request")
           for text in (a, b)}
    own.update((a, FOREIGN_USES) for source, a, _ in pairs if source == "language")
    pair_texts = len(texts.texts)
    sets = {path.name: read_set(path, texts) for path in sorted(options.sets.iterdir())
            if path.is_dir()}

    names, words, frequency, flat, lengths = number_terms(texts, Analyzer(), own)
    sources = sorted({source for source, _, _ in pairs})
    with lzma.open(options.out / "texts.txt.xz", "wt", encoding="utf-8", preset=4) as out:
        out.write("\n".join(texts.texts))
    np.savez_compressed(
        options.out / "terms.npz", terms=flat, lengths=lengths,
        frequency=np.array(frequency, dtype=np.uint32),
        pairs=np.array([(a, b) for _, a, b in pairs], dtype=np.int32),
        pair_sources=np.array([sources.index(s) for s, _, _ in pairs], dtype=np.uint8))
    with lzma.open(options.out / "names.json.xz", "wt", encoding="utf-8", preset=4) as out:
        json.dump({"stems": names, "words": words, "sources": sources, "pair_texts": pair_texts,
                   "fields": FIELDS, "sets": sets}, out, ensure_ascii=False)
    print(f"{len(pairs)} pairs, {len(texts.texts)} texts, {len(names)} stems, {len(flat)} terms")


if __name__ == "__main__":
    main()
