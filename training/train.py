"""From prepared numbers to a model: distils a teacher into a table of rows.

    train.py --data DIR --out DIR [--config config.json] [--set key=value ...]

Two losses over batches of pairs from one source: the two texts of a pair find one another among the
batch (InfoNCE), and the similarities within the batch follow the teacher's. A third pulls each text
towards the teacher's own vector, so that texts without a partner teach too. Rows start from the
teacher's vectors of their words and are held there: rare ones would be thrown about otherwise.
"""

import argparse
import json
import lzma
import time
from pathlib import Path

import numpy as np
import torch
import torch.nn.functional as functional

from score import is_unseen, score_sets, show, tool_vectors
from student import Bags, Table
from teacher import Teacher

HERE = Path(__file__).resolve().parent
NEIGHBOURS = 8


def read_data(folder):
    with lzma.open(folder / "names.json.xz", "rt", encoding="utf-8") as file:
        names = json.load(file)
    with lzma.open(folder / "texts.txt.xz", "rt", encoding="utf-8") as file:
        texts = file.read().split("\n")
    arrays = np.load(folder / "terms.npz")
    data = {key: arrays[key] for key in arrays.files}
    data.update(names=names["stems"], words=names["words"], sources=names["sources"],
                pair_texts=names["pair_texts"], sets=names["sets"], texts=texts)
    return data


def reduce(vectors, dimensions):
    """The directions that hold most of what the teacher says; the common part is left out."""
    sample = vectors[::max(1, len(vectors) // 200000)].float()
    mean = sample.mean(0)
    _, _, directions = torch.linalg.svd((sample - mean)[:100000], full_matrices=False)
    return mean, directions[:dimensions].T.contiguous()


def start_rows(data, bags, teacher, mean, directions, config):
    """Where rows start: the teacher's vector of the word or phrase, lighter for frequent ones."""
    words = data["words"][:bags.stems]
    vectors = functional.normalize((teacher.embed(words).float() - mean) @ directions, dim=-1)
    frequency = torch.from_numpy(data["frequency"][:bags.stems].astype(np.float32)).to(vectors.device)
    share = frequency / float(data["frequency"].sum())
    weight = (config["common_share"] / (config["common_share"] + share)).unsqueeze(1)
    phrases = [f"{data['words'][a]} {data['words'][b]}" for a, b in bags.phrases]
    rows = torch.zeros((bags.rows, vectors.shape[1]), device=vectors.device)
    rows[:bags.stems] = vectors * weight
    if phrases:
        whole = functional.normalize((teacher.embed(phrases).float() - mean) @ directions, dim=-1)
        first = torch.from_numpy(bags.phrases[:, 0]).to(vectors.device)
        second = torch.from_numpy(bags.phrases[:, 1]).to(vectors.device)
        parts = rows[first] + rows[second]
        # What the phrase says beyond its words.
        rows[bags.stems:bags.first_bucket] = 0.5 * (whole * parts.norm(dim=1, keepdim=True) - parts)
    # A bucket starts as the mean of the words that have it.
    grams = bags.grams[:bags.stems].long()
    there = grams >= 0
    bucket = torch.zeros((bags.buckets, vectors.shape[1]), device=vectors.device)
    count = torch.zeros(bags.buckets, device=vectors.device)
    for column in range(grams.shape[1]):
        use = there[:, column]
        bucket.index_add_(0, grams[use, column], vectors[use])
        count.index_add_(0, grams[use, column], torch.ones(int(use.sum()), device=count.device))
    rows[bags.first_bucket:] = bucket / count.clamp(min=1).unsqueeze(1)
    return rows


def unseen_tools(data, every):
    """The requests of some tools, which are held back whole. Neighbours go together: what tells a tool
    from its siblings is then not learned either."""
    sources, pairs = data["pair_sources"], data["pairs"]
    numbers = {tool: i for i, tool in enumerate(
        np.unique(pairs[sources == data["sources"].index("request"), 0]))}
    of_request = sources == data["sources"].index("request")
    of_language = sources == data["sources"].index("language")
    tools = np.where(of_request, pairs[:, 0], np.where(of_language, pairs[:, 1], -1))
    number = np.array([numbers.get(tool, -1) for tool in tools])
    return (number >= 0) & (number // NEIGHBOURS % every == 0)


class Batches:
    """Pairs of one source at a time; sources by the root of their size, times a weight."""

    def __init__(self, data, config, device, generator):
        self.pairs = torch.from_numpy(data["pairs"]).long().to(device)
        self.size, self.generator = config["batch"], generator
        sources = data["pair_sources"]
        held = np.zeros(len(sources), dtype=bool)
        held[::config["hold_out_every"]] = True
        self.unseen = unseen_tools(data, config["hold_out_tools_every"])
        held |= self.unseen
        self.of_source, weights = [], []
        self.held_out = {}
        for number, name in enumerate(data["sources"]):
            mine = np.flatnonzero((sources == number) & ~held)
            self.of_source.append(torch.from_numpy(mine).to(device))
            weights.append(len(mine) ** 0.5 * config["source_weights"].get(name, 1.0))
            self.held_out[name] = self.pairs[torch.from_numpy(
                np.flatnonzero((sources == number) & held & ~self.unseen)).to(device)]
        self.weights = torch.tensor(weights)

    def next(self):
        source = int(torch.multinomial(self.weights, 1, generator=self.generator))
        mine = self.of_source[source]
        chosen = torch.randint(len(mine), (min(self.size, len(mine)),), generator=self.generator)
        return self.pairs[mine[chosen.to(mine.device)]]


def pair_loss(similarity, left, right, tau):
    """Each text finds its partner; equal texts are no negatives of one another."""
    same = (left.unsqueeze(0) == left.unsqueeze(1)) | (right.unsqueeze(0) == right.unsqueeze(1))
    same.fill_diagonal_(False)
    logits = (similarity / tau).masked_fill(same, -1e4)
    target = torch.arange(len(left), device=left.device)
    return functional.cross_entropy(logits, target) + functional.cross_entropy(logits.T, target)


def follow_loss(similarity, teacher, tau):
    """The distribution over the batch follows the teacher's, both ways."""
    loss = 0
    for mine, theirs in ((similarity, teacher), (similarity.T, teacher.T)):
        loss = loss + functional.kl_div(functional.log_softmax(mine / tau, dim=1),
                                        functional.softmax(theirs / tau, dim=1),
                                        reduction="batchmean")
    return loss


class Labelled:
    """Judged queries with their tools, as a light extra; sets that are named are left out."""

    def __init__(self, data, config, device, generator):
        self.generator, self.device, self.sets = generator, device, []
        for name, judged in data["sets"].items():
            if name in config["labelled_without"] or not judged["queries"]:
                continue
            queries = [query for asked in judged["queries"].values() for query in asked
                       if len(query["needs"]) <= 3
                       and not (config["labelled_half"] and is_unseen(query))]
            self.sets.append((torch.tensor(judged["fields"], device=device), queries))

    def loss(self, table, weights, config):
        fields, queries = self.sets[int(torch.randint(len(self.sets), (1,), generator=self.generator))]
        chosen = torch.randint(len(queries), (512,), generator=self.generator).tolist()
        rows, right, texts = [], [], []
        for i in chosen:
            need = queries[i]["needs"][i % len(queries[i]["needs"])]
            rows.append(need[0])
            texts.append(queries[i]["text"])
            right.append({tool for each in queries[i]["needs"] for tool in each})
        others = torch.randint(len(fields), (512,), generator=self.generator).tolist()
        tools = sorted(set(rows) | set(others))
        place = {tool: at for at, tool in enumerate(tools)}
        mask = torch.zeros((len(chosen), len(tools)), dtype=torch.bool)
        for row, (mine, all_right) in enumerate(zip(rows, right)):
            for tool in all_right:
                if tool in place and tool != mine:
                    mask[row, place[tool]] = True
        mine = functional.normalize(table.sums(torch.tensor(texts, device=self.device), 0.02, 0.1), dim=-1)
        vectors = tool_vectors(table, fields[torch.tensor(tools, device=self.device)], weights)
        logits = (mine @ vectors.T / config["tau"]).masked_fill(mask.to(self.device), -1e4)
        return functional.cross_entropy(logits, torch.tensor([place[r] for r in rows], device=self.device))


def train(data, bags, start, targets, config, device):
    torch.manual_seed(config["seed"])
    generator = torch.Generator().manual_seed(config["seed"])
    table = Table(bags, start).to(device)
    batches = Batches(data, config, device, generator)
    labelled = Labelled(data, config, device, generator)
    weights = torch.nn.Parameter(torch.tensor(config["field_weights"], device=device))
    optimizer = torch.optim.Adam([{"params": [table.change], "lr": config["rate"]},
                                  {"params": [weights], "lr": 1e-3}])
    steps = config["steps"]
    schedule = torch.optim.lr_scheduler.LambdaLR(
        optimizer, lambda step: min(1, step / 100) * max(0.02, 1 - step / steps))
    for step in range(steps):
        pair = batches.next()
        left, right = table(pair[:, 0], config["typo"], config["drop"]), \
            table(pair[:, 1], config["typo"] / 2, config["drop"])
        similarity = left @ right.T
        t_left, t_right = targets[pair[:, 0]].float(), targets[pair[:, 1]].float()
        loss = config["pair_weight"] * pair_loss(similarity, pair[:, 0], pair[:, 1], config["tau"])
        if config["follow_weight"] > 0:
            loss = loss + config["follow_weight"] * follow_loss(similarity, t_left @ t_right.T,
                                                                config["follow_tau"])
        if config["place_weight"] > 0:
            loss = loss + config["place_weight"] * (
                2 - functional.cosine_similarity(left, t_left).mean()
                - functional.cosine_similarity(right, t_right).mean())
        if config["labelled_weight"] > 0 and step % 2 == 0:
            loss = loss + config["labelled_weight"] * labelled.loss(table, weights, config)
        loss = loss + config["hold_weight"] * table.change.square().sum() / len(pair)
        optimizer.zero_grad(set_to_none=True)
        loss.backward()
        optimizer.step()
        schedule.step()
        if step % 500 == 0 or step == steps - 1:
            print(f"    step {step} loss {loss.item():.4f}", flush=True)
    return table, weights.detach(), batches


def held_out_recall(table, batches):
    """How often a pair that was held back finds its partner among all held-back ones of its source."""
    figures = {}
    with torch.no_grad():
        for name, pairs in batches.held_out.items():
            pairs = pairs[:2000]
            if len(pairs) < 20:
                continue
            rank = table(pairs[:, 0]) @ table(pairs[:, 1]).T
            same = pairs[:, 1].unsqueeze(0) == pairs[:, 1].unsqueeze(1)
            top = rank.topk(5, dim=1).indices
            figures[name] = same.gather(1, top).any(1).float().mean().item()
    return figures


def unseen_recall(data, table, batches):
    """How often a request finds its tool among all, where none of the tool's requests was trained with."""
    pairs = batches.pairs
    of_request = torch.from_numpy(data["pair_sources"] == data["sources"].index("request"))
    unseen = pairs[(torch.from_numpy(batches.unseen) & of_request).to(pairs.device)]
    tools = pairs[of_request.to(pairs.device), 0].unique()
    with torch.no_grad():
        vectors = torch.cat([table(part) for part in tools.split(4096)])
        top = (table(unseen[:, 1]) @ vectors.T).topk(5, dim=1).indices
    right = tools[top] == unseen[:, :1]
    return {f"unseen@{k}": right[:, :k].any(1).float().mean().item() for k in (1, 5)}


def average(tables):
    """One table of several that differ by their seeds: what chance gave each of them cancels out."""
    with torch.no_grad():
        tables[0].change.copy_(torch.stack([table.change for table in tables]).mean(0))
    return tables[0]


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--config", type=Path, default=HERE / "config.json")
    parser.add_argument("--runs", type=Path, help="a list of changes to the configuration, a run each")
    options = parser.parse_args()
    device = "cuda" if torch.cuda.is_available() else "cpu"
    base = json.loads(options.config.read_text())
    runs = json.loads(options.runs.read_text()) if options.runs else [{}]
    began = time.time()
    data = read_data(options.data)
    teacher = Teacher(options.data / "teacher", device)
    vectors = teacher.embed(data["texts"])
    print(f"teacher done after {time.time() - began:.0f} s", flush=True)

    def whole(judged):
        return vectors[torch.tensor(judged["whole"], device=device)]
    show("teacher", score_sets(data["sets"], whole, lambda texts: vectors[texts], device))

    known = {}
    for change in runs:
        config = {**base, **change}
        key = tuple(config[k] for k in ("stems", "phrases", "buckets", "dimensions", "text_terms_max",
                                        "common_share"))
        if key not in known:
            known.clear()
            mean, directions = reduce(vectors[:data["pair_texts"]], config["dimensions"])
            targets = functional.normalize((vectors.float() - mean) @ directions, dim=-1).half()
            # The teacher knows English only: a foreign text means what its English one means.
            foreign = torch.from_numpy(data["pairs"][
                data["pair_sources"] == data["sources"].index("language")]).long().to(device)
            targets[foreign[:, 0]] = targets[foreign[:, 1]]
            bags = Bags(data, config, device)
            known[key] = (bags, targets, start_rows(data, bags, teacher, mean, directions, config))
        bags, targets, start = known[key]
        trained = [train(data, bags, start, targets, {**config, "seed": seed}, device)
                   for seed in config["seeds"]]
        table, (_, weights, batches) = average([each[0] for each in trained]), trained[0]
        with torch.no_grad():
            rows = table.table()
            figures = score_sets(
                data["sets"],
                lambda judged: tool_vectors(table, torch.tensor(judged["fields"], device=device), weights),
                table, device)
        title = f"{config['name']} (after {time.time() - began:.0f} s)"
        show(title, figures)
        held = {**held_out_recall(table, batches), **unseen_recall(data, table, batches)}
        print("  held out:", {k: round(v, 3) for k, v in held.items()}, "weights:",
              [round(w, 3) for w in weights.tolist()], flush=True)
        options.out.mkdir(parents=True, exist_ok=True)
        if config.get("save", True):
            np.savez(options.out / f"{config['name']}.npz", rows=rows.half().cpu().numpy(),
                     phrases=bags.phrases.astype(np.uint16), weights=weights.cpu().numpy())
        (options.out / f"{config['name']}.json").write_text(json.dumps(
            {"config": config, "figures": figures, "held_out": held,
             "weights": weights.tolist()}, indent=1))


if __name__ == "__main__":
    main()
