"""How well vectors alone rank the tools of judged sets: recall@1 and recall@5, by set and style."""

import torch


def tool_vectors(table, fields, weights):
    total = 0
    for field, weight in enumerate(weights):
        sums = table.sums(fields[:, field], width=96)
        # A field of ten times as many words counts three times as much.
        total = total + weight * sums / sums.norm(dim=1, keepdim=True).clamp(min=1e-6).sqrt()
    return torch.nn.functional.normalize(total, dim=-1)


def recalls(similarity, queries, ks=(1, 5)):
    """Per query the share of its needs met by the first k."""
    top = similarity.topk(min(40, similarity.shape[1]), dim=1).indices.tolist()
    found = []
    for ranked, query in zip(top, queries):
        partial = set(query["partial"])
        ranked = [tool for tool in ranked if tool not in partial or
                  any(tool in need for need in query["needs"])]
        found.append([sum(any(tool in need for tool in ranked[:k]) for need in query["needs"])
                      / len(query["needs"]) for k in ks])
    return torch.tensor(found)


def is_unseen(query):
    """Half of the tools are never a right answer while training; queries for them judge it."""
    return query["needs"][0][0] % 2 == 1


def score_sets(sets, tools_of, queries_of, device, queries_max=1500):
    """{set: (recall@1, recall@5)}; styles of a set as `set/style`."""
    figures = {}
    for name, judged in sets.items():
        if not judged["queries"]:
            continue
        tools = tools_of(judged)
        for query_name, queries in judged["queries"].items():
            step = max(1, len(queries) // queries_max)
            chosen = queries[::step]
            texts = torch.tensor([query["text"] for query in chosen], device=device)
            found = recalls(queries_of(texts).float() @ tools.float().T, chosen)
            figures[query_name] = found.mean(0).tolist()
            figures[f"{query_name}/unseen"] = found[torch.tensor(
                [is_unseen(query) for query in chosen])].mean(0).tolist()
            for style in sorted({query["style"] for query in chosen if query["style"]}):
                mine = torch.tensor([query["style"] == style for query in chosen])
                figures[f"{query_name}/{style}"] = found[mine].mean(0).tolist()
    for title, ending in (("mean", ""), ("mean unseen", "/unseen")):
        chosen = [value for key, value in figures.items()
                  if (key.endswith(ending) if ending else "/" not in key and key != "mean")]
        figures[title] = [sum(value[i] for value in chosen) / len(chosen) for i in range(2)]
    return figures


def show(title, figures):
    print(title)
    for name, (first, fifth) in figures.items():
        if name.endswith("/unseen"):
            continue
        print(f"  {name:28} {first:.3f} {fifth:.3f}", flush=True)
