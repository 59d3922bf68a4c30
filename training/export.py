"""Writes a trained table as the file that the library reads (src/core/semantic/model.h).

    export.py --data DIR --model MODEL.npz --name NAME --out FILE
"""

import argparse
import json
import lzma
import struct
from pathlib import Path

import numpy as np

MAGIC, VERSION = 0x3143455654464544, 1
NONE = 0xFFFFFFFF
PROBES_MAX = 64
SCALE_MAX = 4096
# By deft_field: name, title, server, description, parameter names and descriptions, enum values,
# server instructions. The last two have no part in a vector.
FIELDS = 8


def fnv1a(data):
    value = 2166136261
    for byte in data:
        value = ((value ^ byte) * 16777619) & NONE
    return value


def place(hashes, slot_count):
    """Open addressing: each item in the first free slot from its hash on."""
    slots = np.full(slot_count, NONE, dtype=np.uint32)
    for item, value in enumerate(hashes):
        slot = value & (slot_count - 1)
        for probe in range(PROBES_MAX):
            if slots[slot] == NONE:
                break
            slot = (slot + 1) & (slot_count - 1)
        assert slots[slot] == NONE, "the hash is too full"
        slots[slot] = item
    return slots


def slots_for(count):
    slots = 16
    while slots < 2 * count:
        slots *= 2
    return slots


def quantise(rows):
    """int8 numbers, a scale per row in 2^-16 units of the largest, and the length of the numbers."""
    largest = np.abs(rows).max(axis=1)
    numbers = np.rint(rows / np.maximum(largest, 1e-9)[:, None] * 127).astype(np.int8)
    scales = np.rint(largest / largest.max() * SCALE_MAX).astype(np.uint16)
    norms = np.floor(np.sqrt((numbers.astype(np.int64) ** 2).sum(axis=1) * 256)).astype(np.uint16)
    return numbers, scales, norms


def checksum(body):
    words = np.frombuffer(body[:len(body) // 8 * 8], dtype="<u8")
    with np.errstate(over="ignore"):
        plain = int(words.sum(dtype=np.uint64))
        placed = int((words * np.arange(1, len(words) + 1, dtype=np.uint64)).sum(dtype=np.uint64))
    return plain ^ ((placed << 32 | placed >> 32) & 0xFFFFFFFFFFFFFFFF)


def write(out, name, stems, phrases, rows, weights):
    numbers, scales, norms = quantise(rows.astype(np.float32))
    texts = [stem.encode("utf-8") for stem in stems]
    starts = np.concatenate([[0], np.cumsum([len(text) for text in texts])]).astype(np.uint32)
    slots = place([fnv1a(text) for text in texts], slots_for(len(texts)))
    phrase_slots = place(
        [((int(a) * 2654435761 + int(b) * 40503) & NONE) >> 7 for a, b in phrases],
        slots_for(len(phrases)))
    buckets = len(rows) - len(stems) - len(phrases)
    tables = [slots, starts, np.frombuffer(b"".join(texts), dtype=np.uint8), phrase_slots,
              phrases.astype(np.uint32), scales, norms, numbers]
    header_size = 96
    body = b""
    for table in tables:
        body += b"\0" * (-(header_size + len(body)) % 64) + table.tobytes()
    fields = [round(weight * 256) for weight in weights] + [0] * (FIELDS - len(weights))
    header = struct.pack("<Q8I8HQ32s", MAGIC, VERSION, rows.shape[1], len(stems), len(phrases), buckets,
                         len(slots), len(phrase_slots), int(starts[-1]), *fields, checksum(body),
                         name.encode()[:31])
    assert len(header) == header_size
    out.write_bytes(header + body)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--model", type=Path, required=True)
    parser.add_argument("--name", required=True)
    parser.add_argument("--out", type=Path, required=True)
    options = parser.parse_args()
    trained = np.load(options.model)
    with lzma.open(options.data / "names.json.xz", "rt", encoding="utf-8") as file:
        names = json.load(file)["stems"]
    config = json.loads(options.model.with_suffix(".json").read_text())["config"]
    stems = names[:config["stems"]]
    write(options.out, options.name, stems, trained["phrases"], trained["rows"],
          [float(w) for w in trained["weights"]])
    print(f"{options.out}: {options.out.stat().st_size} bytes, {len(trained['rows'])} rows")


if __name__ == "__main__":
    main()
