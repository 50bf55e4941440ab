"""The full pass over Adult's 17,920 nodes against numpy, node by node; ratios inside one run."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import replace

import numpy as np

from paretonym import datasets
from paretonym.jobfile.loading import load_job
from paretonym.measures import Evaluator, build, parse
from paretonym.model.job import Rule
from paretonym.pipeline.open_job import OpenJob, open_job

SEVEN = [
    "k", "distinct_l(occupation)", "s_k", "s_l(occupation)", "glm", "cm(salary-class)",
    "suppressed",
]  # fmt: skip
ENTROPY = "entropy_l(occupation)"
SAMPLE = 200


def best_of(times: int, work: Callable[[], object]) -> float:
    seconds = []
    for _ in range(times):
        started = time.perf_counter()
        work()
        seconds.append(time.perf_counter() - started)
    return min(seconds)


def seven_evaluator(opened: OpenJob, rule: Rule, *more: str) -> Evaluator:
    measures = [build(parse(name), opened.context) for name in (*SEVEN, *more)]
    return Evaluator(
        opened.histogram, opened.lattice, measures, opened.context, limit=opened.limit, rule=rule
    )


def full_pass(evaluator: Evaluator, threads: int = 1) -> int:
    """Every node, every measure worked out to its values."""
    nodes = 0
    for part in evaluator.sweep(threads=threads):
        nodes += part.nodes
        for measure in evaluator.measures:
            part.values(measure)
    return nodes


class StraightNumpy:
    """What one would write first: rows as codes, np.unique a node, bincount for the counts."""

    def __init__(self, opened: OpenJob) -> None:
        raw = opened.table.histogram([*opened.lattice.columns, "occupation"])
        rows = raw["rows"].to_numpy()
        self.granulations = opened.lattice.granulations
        self.codes = [
            np.repeat([g.leaf_index[v] for v in raw[f"key:{g.column}"].to_pylist()], rows)
            for g in self.granulations
        ]
        self.sensitive = np.repeat(raw["key:occupation"].combine_chunks().indices.to_numpy(), rows)
        self.target = self.codes[opened.lattice.columns.index("salary-class")]
        self.limit = opened.limit

    def evaluate(self, node: tuple[int, ...]) -> dict[str, float]:
        rows = len(self.sensitive)
        key = np.zeros(rows, np.int64)
        cost = np.zeros(rows)
        for g, codes, level in zip(self.granulations, self.codes, node, strict=True):
            partition = g.partitions[level]
            block = partition.block_of[codes]
            key = key * partition.blocks + block
            cost += (partition.leaves_per_block[block] - 1) / max(len(g.leaves) - 1, 1)
        _, group, size = np.unique(key, return_inverse=True, return_counts=True)
        reached = np.cumsum(np.bincount(size) * np.arange(size.max() + 1))
        k = int(np.searchsorted(reached, self.limit, side="right"))
        kept = size >= k
        values, labels = self.sensitive.max() + 1, self.target.max() + 1
        by_value = np.bincount(group * values + self.sensitive, minlength=len(size) * values)
        by_value = by_value.reshape(-1, values)[kept]
        by_label = np.bincount(group * labels + self.target, minlength=len(size) * labels)
        by_label = by_label.reshape(-1, labels)[kept]
        left = size[kept]
        gone = rows - int(left.sum())
        return {
            "k": k,
            "distinct_l(occupation)": int((by_value > 0).sum(axis=1).min()),
            "s_k": int((left * left).sum()),
            "s_l(occupation)": int((by_value * by_value).sum()),
            "glm": float(cost[kept[group]].sum()) + gone * len(node),
            "cm(salary-class)": int((left - by_label.max(axis=1)).sum()) + gone,
            "suppressed": gone,
        }


def run() -> dict[str, float]:
    job = load_job(datasets.path("adult/job.yaml"))
    with open_job(replace(job, objectives=("k",))) as opened:
        paper = seven_evaluator(opened, "paper")
        stairs = seven_evaluator(opened, "staircase")
        full_pass(paper)  # compiled and warm
        full_pass(stairs)
        straight = StraightNumpy(opened)
        draw = np.random.default_rng(0)
        ranks = draw.integers(0, opened.lattice.size, SAMPLE)
        nodes = [opened.lattice.unrank(int(rank)) for rank in ranks]
        _agree(paper, straight, nodes)
        by_node = best_of(2, lambda: [straight.evaluate(node) for node in nodes]) / SAMPLE
        once = best_of(5, lambda: full_pass(paper))
        steps = best_of(5, lambda: full_pass(stairs))
        both = best_of(5, lambda: full_pass(paper, threads=2))
        eighth = max(_times_as_long(opened, rule) for rule in ("paper", "staircase"))
        size = opened.lattice.size
    numpy_seconds = by_node * size
    print(f"  numpy, {SAMPLE} random nodes extrapolated to {size:,}: {numpy_seconds:8.2f} s")
    print(f"  the pass, the papers' rule, one thread:        {once:8.3f} s")
    print(f"  -> times faster than numpy:                    {numpy_seconds / once:8.1f}   (80)")
    print(f"  the pass, every step of the staircase:         {steps:8.3f} s")
    print(f"  -> staircase / papers' rule:                   {steps / once:8.2f}   (1.5)")
    print(f"  -> one thread / two threads:                   {once / both:8.2f}")
    print(f"  -> with entropy l as an eighth measure:        {eighth:8.2f}   (1.5)")
    return {
        "numpy": numpy_seconds / once, "staircase": steps / once, "seconds": once,
        "entropy": eighth,
    }  # fmt: skip


def _times_as_long(opened: OpenJob, rule: Rule) -> float:
    """The pass with entropy l by the pass without, taken in turns."""
    without, within = seven_evaluator(opened, rule), seven_evaluator(opened, rule, ENTROPY)
    full_pass(within)  # compiled and warm
    turns = [
        (best_of(1, lambda: full_pass(without)), best_of(1, lambda: full_pass(within)))
        for _ in range(5)
    ]
    return min(b for _, b in turns) / min(a for a, _ in turns)


def _agree(evaluator: Evaluator, straight: StraightNumpy, nodes: list[tuple[int, ...]]) -> None:
    """Both must say the same before their times mean anything."""
    for node in nodes[:20]:
        scored = evaluator.score(node)
        mine = {m.name: scored.values(m).shown(0) for m in evaluator.measures}
        theirs = straight.evaluate(node)
        assert all(abs(mine[name] - theirs[name]) < 1e-6 * (1 + mine[name]) for name in SEVEN)
