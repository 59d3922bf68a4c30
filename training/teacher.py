"""The teacher: a sentence encoder of the MiniLM class, whose weights come inside a PyPI package.

    teacher.py PACKAGE.whl OUT     packs its weights into int8 (23 MB), so that they travel

It is used while training, never shipped. Weights are kept as int8 with a scale per row; embeddings
change by less than a thousandth in cosine.
"""

import io
import json
import sys
import zipfile
from pathlib import Path

import numpy as np


def read_safetensors(data):
    size = int.from_bytes(data[:8], "little")
    header = json.loads(data[8:8 + size])
    body = memoryview(data)[8 + size:]
    kinds = {"F32": np.float32, "F16": np.float16, "I64": np.int64}
    return {name: np.frombuffer(body[slice(*item["data_offsets"])], dtype=kinds[item["dtype"]])
            .reshape(item["shape"]) for name, item in header.items() if name != "__metadata__"}


def pack(wheel, out):
    out.mkdir(parents=True, exist_ok=True)
    packed = {}
    with zipfile.ZipFile(wheel) as archive:
        for name in archive.namelist():
            base = name.rsplit("/", 1)[-1]
            if base in ("config.json", "tokenizer.json") and "1_" not in name:
                (out / base).write_bytes(archive.read(name))
            elif base == "model.safetensors":
                for key, value in read_safetensors(archive.read(name)).items():
                    if value.dtype == np.int64:
                        continue
                    if value.ndim == 2:
                        scale = np.abs(value).max(axis=1, keepdims=True) / 127
                        packed[key + "|q"] = np.rint(value / np.maximum(scale, 1e-12)).astype(np.int8)
                        packed[key + "|s"] = scale.astype(np.float16)
                    else:
                        packed[key] = value.astype(np.float16)
    buffer = io.BytesIO()
    np.savez(buffer, **packed)
    (out / "weights.npz").write_bytes(buffer.getvalue())


class Teacher:
    """Mean-pooled, normalised sentence embeddings on a GPU."""

    def __init__(self, folder, device):
        import torch
        from tokenizers import Tokenizer
        from transformers import BertConfig, BertModel

        self.torch, self.device = torch, device
        self.tokenizer = Tokenizer.from_file(str(folder / "tokenizer.json"))
        self.tokenizer.no_padding()
        self.tokenizer.enable_truncation(72)
        config = BertConfig(**json.loads((folder / "config.json").read_text()))
        self.model = BertModel(config, add_pooling_layer=False)
        packed = np.load(folder / "weights.npz")
        state = {}
        for key in packed.files:
            if key.endswith("|q"):
                name = key[:-2]
                value = packed[key].astype(np.float32) * packed[name + "|s"].astype(np.float32)
            elif key.endswith("|s"):
                continue
            else:
                name, value = key, packed[key].astype(np.float32)
            state[name] = torch.from_numpy(value)
        missing, _ = self.model.load_state_dict(state, strict=False)
        missing = [name for name in missing if "position_ids" not in name]
        assert not missing, missing
        self.model.to(device).half().eval()

    def embed(self, texts, batch=4096):
        torch = self.torch
        ids = []
        for start in range(0, len(texts), 65536):
            ids.extend(encoding.ids
                       for encoding in self.tokenizer.encode_batch(texts[start:start + 65536]))
        order = sorted(range(len(ids)), key=lambda i: len(ids[i]))
        out = torch.empty((len(ids), 384), dtype=torch.float16, device=self.device)
        with torch.no_grad():
            for start in range(0, len(order), batch):
                chosen = order[start:start + batch]
                width = len(ids[chosen[-1]])
                padded = np.zeros((len(chosen), width), dtype=np.int64)
                mask = np.zeros((len(chosen), width), dtype=np.int64)
                for row, i in enumerate(chosen):
                    padded[row, :len(ids[i])] = ids[i]
                    mask[row, :len(ids[i])] = 1
                mask = torch.from_numpy(mask).to(self.device)
                hidden = self.model(input_ids=torch.from_numpy(padded).to(self.device),
                                    attention_mask=mask).last_hidden_state
                weights = mask.unsqueeze(-1).to(hidden.dtype)
                pooled = (hidden * weights).sum(1).float() / weights.sum(1).float()
                out[torch.tensor(chosen, device=self.device)] = torch.nn.functional.normalize(
                    pooled, dim=-1).half()
        return out


if __name__ == "__main__":
    pack(Path(sys.argv[1]), Path(sys.argv[2]))
