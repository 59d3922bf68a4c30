"""Text to terms with the library's own analyzer, so that training and search agree on what a word is.

A term is a stem. Digits and single letters say nothing by themselves and are left out; identifiers
that were split inside (GitHub) also give themselves as a whole, marked as such.
"""

import ctypes
from pathlib import Path

LIBRARY = Path(__file__).resolve().parent.parent / "build" / "release" / "src" / "libdeft.so"


class View(ctypes.Structure):
    _fields_ = [("data", ctypes.c_void_p), ("size", ctypes.c_size_t)]


class Term(ctypes.Structure):
    _fields_ = [("word", View), ("position", ctypes.c_uint32), ("is_whole", ctypes.c_bool)]


class Analyzer:
    """deft_analyzer, with the stem of every word remembered."""

    def __init__(self, library=LIBRARY):
        self._deft = ctypes.CDLL(str(library))
        self._deft.deft_analyzer_new.restype = ctypes.c_void_p
        self._deft.deft_analyzer_new.argtypes = [View, ctypes.c_void_p, ctypes.c_void_p]
        self._deft.deft_analyzer_run.restype = ctypes.POINTER(Term)
        self._deft.deft_analyzer_run.argtypes = [
            ctypes.c_void_p, View, ctypes.c_size_t, ctypes.POINTER(ctypes.c_size_t)]
        self._deft.deft_analyzer_stem.restype = View
        self._deft.deft_analyzer_stem.argtypes = [ctypes.c_void_p, View]
        self._analyzer = self._deft.deft_analyzer_new(View(None, 0), None, None)
        self._stems = {}

    def _view(self, data):
        return View(ctypes.cast(ctypes.c_char_p(data), ctypes.c_void_p), len(data))

    def stem(self, word):
        known = self._stems.get(word)
        if known is None:
            found = self._deft.deft_analyzer_stem(self._analyzer, self._view(word))
            known = ctypes.string_at(found.data, found.size).decode("utf-8", "replace")
            self._stems[word] = known
        return known

    def run(self, text, terms_max=128):
        """The terms of a text as (word, stem, is_whole)."""
        data = text.encode("utf-8", "replace")
        count = ctypes.c_size_t(0)
        found = self._deft.deft_analyzer_run(
            self._analyzer, self._view(data), terms_max, ctypes.byref(count))
        words = [(ctypes.string_at(found[i].word.data, found[i].word.size), found[i].is_whole)
                 for i in range(count.value)]
        return [(word.decode("utf-8", "replace"), self.stem(word), is_whole)
                for word, is_whole in words]


def counts(stem):
    """Whether a stem has a row, or letters to guess one from."""
    return len(stem.encode("utf-8")) > 1 and not (stem.isascii() and stem.isdigit())


if __name__ == "__main__":
    analyzer = Analyzer()
    for sample in ("Create a new issue in a GitHub repository", "parseHTTPResponse", "天気予報"):
        print(sample, analyzer.run(sample))
