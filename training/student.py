"""The student: a table of vectors. A text is the sum of its terms' rows, at length one.

Rows are, in this order: stems, phrases of two stems, and buckets of letter groups. A stem that has
no row is the mean of the buckets of its groups of 3 and 4 letters, so that a slip of the pen lands
near the word that was meant.
"""

import numpy as np
import torch

WHOLE = 1 << 31
GRAMS_MAX = 14


def fnv1a(data):
    value = 2166136261
    for byte in data:
        value = ((value ^ byte) * 16777619) & 0xFFFFFFFF
    return value


def gram_buckets(stem, buckets):
    """The buckets of a stem's groups of letters: of `<stem>`, 3 then 4, at most 14; ASCII only."""
    if not stem.isascii():
        return []
    data = b"<" + stem.encode("utf-8") + b">"
    grams = [data[i:i + size] for size in (3, 4) for i in range(len(data) - size + 1)]
    return [fnv1a(gram) % buckets for gram in grams[:GRAMS_MAX]]


def find_phrases(terms, lengths, stems, count, frequency, texts):
    """Neighbouring stems that come together far oftener than by chance, best first."""
    ends = np.cumsum(lengths.astype(np.int64))
    end = int(ends[texts - 1])
    flat = terms[:end]
    owner = np.repeat(np.arange(texts), lengths[:texts])
    is_part = (flat & WHOLE) == 0
    flat, owner = flat[is_part].astype(np.int64), owner[is_part]
    together = (owner[1:] == owner[:-1]) & (flat[1:] < stems) & (flat[:-1] < stems) & \
        (flat[1:] != flat[:-1])
    # Function words come together with everything.
    together &= (flat[1:] >= 60) & (flat[:-1] >= 60)
    keys, uses = np.unique(flat[:-1][together] * stems + flat[1:][together], return_counts=True)
    keep = uses >= 8
    keys, uses = keys[keep], uses[keep].astype(np.float64)
    first, second = keys // stems, keys % stems
    chance = frequency[first].astype(np.float64) * frequency[second] / len(flat)
    worth = uses * np.log(uses / chance)
    order = np.argsort(-worth, kind="stable")[:count]
    return np.stack([first[order], second[order]], axis=1)


class Bags:
    """The rows of every text, padded, on the device."""

    def __init__(self, data, config, device):
        self.stems, self.buckets = config["stems"], config["buckets"]
        self.width = config["text_terms_max"]
        terms, lengths = data["terms"], data["lengths"]
        self.phrases = find_phrases(terms, lengths, self.stems, config["phrases"],
                                    data["frequency"], data["pair_texts"])
        self.rows = self.stems + len(self.phrases) + self.buckets
        self.first_bucket = self.stems + len(self.phrases)
        keys = self.phrases[:, 0].astype(np.int64) * self.stems + self.phrases[:, 1]
        self.phrase_order = np.argsort(keys, kind="stable")
        self.phrase_keys = keys[self.phrase_order]

        names = data["names"]
        grams = np.full((len(names), GRAMS_MAX), -1, dtype=np.int32)
        for i, name in enumerate(names):
            found = gram_buckets(name, self.buckets)
            grams[i, :len(found)] = found
        self.grams = torch.from_numpy(grams).to(device)
        self.device = device

        # Per text: terms (wholes without a row dropped), then phrases.
        owner = np.repeat(np.arange(len(lengths)), lengths)
        number = (terms & (WHOLE - 1)).astype(np.int64)
        is_whole = (terms & WHOLE) != 0
        keep = ~(is_whole & (number >= self.stems))
        owner, number, is_whole = owner[keep], number[keep], is_whole[keep]
        parts = np.flatnonzero(~is_whole)
        a, b = parts[:-1], parts[1:]
        pair = number[a] * self.stems + number[b]
        pair[(owner[a] != owner[b]) | (number[a] >= self.stems) | (number[b] >= self.stems)] = -1
        at = np.searchsorted(self.phrase_keys, pair)
        at = np.minimum(at, len(self.phrase_keys) - 1)
        is_phrase = self.phrase_keys[at] == pair if len(self.phrase_keys) else np.zeros(len(pair), bool)
        phrase_owner = owner[a][is_phrase]
        phrase_row = self.stems + self.phrase_order[at[is_phrase]]
        # Numbers of terms without a row stay; they are told by being beyond the rows.
        beyond = number >= self.stems
        number = np.where(beyond, number + self.rows, number)
        owner = np.concatenate([owner, phrase_owner])
        number = np.concatenate([number, phrase_row])
        order = np.argsort(owner, kind="stable")
        owner, number = owner[order], number[order]
        count = np.bincount(owner, minlength=len(lengths))
        starts = np.concatenate([[0], np.cumsum(count)])
        self.flat = torch.from_numpy(number.astype(np.int64)).to(device)
        self.starts = torch.from_numpy(starts).to(device)

    def take(self, texts, width=None):
        """The rows of some texts: numbers and a mask, [texts, width]."""
        width = width or self.width
        starts, ends = self.starts[texts], self.starts[texts + 1]
        span = torch.arange(width, device=self.device)
        at = starts.unsqueeze(1) + span
        mask = at < ends.unsqueeze(1)
        return self.flat[torch.where(mask, at, 0)], mask


class Table(torch.nn.Module):
    def __init__(self, bags, start):
        super().__init__()
        self.bags = bags
        self.register_buffer("start", start)
        self.change = torch.nn.Parameter(torch.zeros_like(start))

    def table(self):
        return self.start + self.change

    def sums(self, texts, typo=0.0, drop=0.0, width=None, table=None):
        """The sum of the rows of each text."""
        bags = self.bags
        table = self.table() if table is None else table
        numbers, mask = bags.take(texts, width)
        if drop > 0:
            kept = mask & (torch.rand(mask.shape, device=mask.device) >= drop)
            mask = torch.where(kept.any(1, keepdim=True), kept, mask)
        is_row = numbers < bags.rows
        by_letters = mask & ~is_row
        if typo > 0:
            by_letters |= mask & (numbers < bags.stems) & \
                (torch.rand(mask.shape, device=mask.device) < typo)
        by_row = mask & is_row & ~by_letters
        values = torch.nn.functional.embedding(torch.where(by_row, numbers, 0), table)
        total = (values * by_row.unsqueeze(-1)).sum(1)
        where = by_letters.nonzero(as_tuple=True)
        if len(where[0]) > 0:
            stem = numbers[where]
            stem = torch.where(stem >= bags.rows, stem - bags.rows, stem)
            grams = bags.grams[stem].long()
            there = (grams >= 0).unsqueeze(-1)
            rows = torch.nn.functional.embedding(grams.clamp(min=0) + bags.first_bucket, table)
            mean = (rows * there).sum(1) / there.sum(1).clamp(min=1)
            total = total.index_add(0, where[0], mean)
        return total

    def forward(self, texts, typo=0.0, drop=0.0):
        return torch.nn.functional.normalize(self.sums(texts, typo, drop), dim=-1)
