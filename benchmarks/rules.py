"""Fuzzy rules: scoring against numpy's products over all rows, and an evolution of paper size."""

from __future__ import annotations

import resource
import time
from collections.abc import Sequence

import numpy as np

from benchmarks.adult_pass import best_of
from paretonym.groups import (
    Adequacy,
    Evolution,
    FuzzyValue,
    RuleScorer,
    Variable,
    evolve,
    grades,
    memberships,
)
from paretonym.model.arrays import Floats
from paretonym.model.fuzzy import FuzzyKind

# the latter as the auxiliary microfile of Tavrov and Chertov 2016
ROWS, PAPER_ROWS = 300_000, 3_205_478
RULES = 400  # compared, drawn as the first population is
GROUP = 0.00445  # share of the group in Tavrov and Chertov 2016
SEED = 1
_SHAPES: dict[str, list[tuple[str, FuzzyKind, str]]] = {
    "age": [
        ("young", "pi", "7.05 15.40 22.50 27.18"), ("middle aged 1", "gauss", "2 27.5"),
        ("middle aged 2", "gauss", "2 32.5"), ("middle aged 3", "gauss", "2 37.5"),
        ("old", "pi", "37.85 42.50 47.51 54.84"),
    ],
    "education": [("low", "trapezoid", "1 1 8 10"), ("high", "trapezoid", "8 10 11 11")],
    "sex": [("male", "is", "1"), ("female", "is", "2")],
    "race": [("white", "is", "1"), ("black", "is", "2")],
    "hours": [
        ("low", "pi", "0 0 29.9 40.3"), ("medium", "gauss", "2.5 40"),
        ("high", "pi", "40.2 50.1 100 100"),
    ],
    "hispanic": [("no", "is", "0"), ("yes", "range", "1 9")],
    "marital": [("married", "range", "1 2"), ("not married", "range", "3 6")],
    "means": [("car", "range", "0 20"), ("public", "range", "30 36"), ("walked", "range", "40 50")],
    "departure": [
        ("night", "pi", "1 1 530 630"), ("morning", "pi", "530 630 800 900"),
        ("day", "pi", "800 900 2359 2359"),
    ],
    "travel": [
        ("little", "pi", "1 1 10 15"), ("medium", "pi", "10 15 30 45"),
        ("much", "pi", "35 45 120 120"),
    ],
    "weeks": [("abnormal", "trapezoid", "1 1 5 6"), ("normal", "trapezoid", "5 6 6 6")],
    "income": [
        ("low", "pi", "0 0 9000 12000"), ("medium", "pi", "9000 12000 70000 90000"),
        ("high", "pi", "70000 90000 200000 200000"),
    ],
}  # fmt: skip
_FREQUENT = {  # each value as often as it stands here
    "sex": [1, 2],
    "race": [1, 1, 1, 1, 1, 1, 2],
    "hispanic": [0, 0, 0, 0, 0, 0, 0, 1, 1, 4],
    "marital": [1, 1, 1, 1, 1, 2, 3, 4, 4, 6, 6, 6],
    "weeks": [6, 6, 6, 6, 6, 6, 5, 4, 3, 1],
}
VARIABLES = [
    Variable(
        column, tuple(FuzzyValue(name, kind, tuple(text.split())) for name, kind, text in found)
    )
    for column, found in _SHAPES.items()
]


def draw_people(
    rows: int, draw: np.random.Generator
) -> tuple[list[Floats], list[np.ndarray], np.ndarray]:
    """Grades of distinct values, codes, and who belongs to the group: staff that walk to work."""
    group = draw.random(rows) < GROUP
    tables, codes = [], []
    for variable in VARIABLES:
        column = np.where(
            group, _staff(variable.column, rows, draw), _others(variable.column, rows, draw)
        )
        distinct, code = np.unique(column, return_inverse=True)
        tables.append(memberships(variable, [str(value) for value in distinct.tolist()]))
        codes.append(code.astype(np.int32))
    return tables, codes, group


def _others(column: str, rows: int, draw: np.random.Generator) -> np.ndarray:
    match column:
        case "age":
            return draw.integers(18, 46, rows)
        case "education":
            return draw.integers(1, 12, rows)
        case "hours":
            return np.clip(np.rint(draw.normal(40, 9, rows)), 0, 99).astype(int)
        case "means":
            shares = [0.84, 0.01, 0.03, 0.03, 0.01, 0.03, 0.05]
            return draw.choice([10, 20, 31, 33, 40, 50, 70], rows, p=shares)
        case "departure":
            minutes = np.clip(np.rint(draw.normal(480, 150, rows)), 1, 1439).astype(int)
            return minutes // 60 * 100 + minutes % 60
        case "travel":
            return np.clip(np.rint(draw.gamma(2.0, 12.0, rows)), 1, 119).astype(int)
        case "income":
            tens = np.rint(draw.lognormal(7.9, 0.8, rows)).astype(int)
            return np.minimum(10 * tens, 200_000)
    return draw.choice(_FREQUENT[column], rows)


def _staff(column: str, rows: int, draw: np.random.Generator) -> np.ndarray:
    """Most are young, male, walk early and work long, each of these in four of five people."""
    alike = _others(column, rows, draw)
    typical = {
        "age": (18, 26), "sex": (1, 2), "hours": (48, 70), "means": (50, 51),
        "departure": (500, 560), "travel": (1, 12), "income": (12_000, 40_000),
    }.get(column)  # fmt: skip
    if typical is None:
        return alike
    return np.where(draw.random(rows) < 0.8, draw.integers(*typical, rows), alike)


def by_rows(
    rules: np.ndarray, tables: Sequence[Floats], codes: Sequence[np.ndarray], group: np.ndarray
) -> np.ndarray:
    """The plain way: for each rule numpy's product of all rows' grades, cut, and added up."""
    found = []
    for rule in rules:
        product = np.ones(len(group))
        for value, table, code in zip(rule, tables, codes, strict=True):
            if value:
                product *= table[value][code]
        product[product < 0.5] = 0.0
        found.append((product[group].sum(), product.sum()))
    return np.array(found)


def run() -> dict[str, float]:
    return {"ratio": _compare(), **_paper_size(), "bayes": _bayes_test()}


def _bayes_test() -> float:
    """The published matrix of 887 areas."""
    seconds = best_of(5, lambda: Adequacy(tp=60, fp=4, fn=38, tn=785).mb)
    print(f"  Bayes test MB of 887 areas:                   {seconds:10.2f} s (2)")
    return seconds


def _compare() -> float:
    draw = np.random.default_rng(SEED)
    tables, codes, group = draw_people(ROWS, draw)
    rules = draw.integers(0, [len(table) for table in tables], size=(RULES, len(tables)))

    def ours() -> list:
        with RuleScorer(tables, codes, members=group, others=~group) as scorer:
            return scorer.score(rules)

    def score_only() -> None:
        scorer.score(rules)
        scorer._known.clear()

    expected = by_rows(rules, tables, codes, group)
    found = ours()  # compiled and warm
    assert np.allclose([rule.support * group.sum() for rule in found], expected[:, 0])
    plain = best_of(3, lambda: by_rows(rules, tables, codes, group))
    whole = best_of(3, ours)
    with RuleScorer(tables, codes, members=group, others=~group) as scorer:
        alone = best_of(3, score_only)
        cases = len(scorer.cases.members)
    print(f"  rows, distinct cases:                         {ROWS:10,} {cases:10,}")
    print(f"  numpy, products over all rows:                {1e3 * plain / RULES:10.3f} ms a rule")
    print(f"  scoring, one thread:                          {1e3 * alone / RULES:10.3f} ms a rule")
    print(f"  -> numpy over scoring:                        {plain / alone:10.1f} (50)")
    print(f"  the same with the index built for it:         {plain / whole:10.1f}")
    return plain / alone


def _paper_size() -> dict[str, float]:
    draw = np.random.default_rng(SEED)
    tables, codes, group = draw_people(PAPER_ROWS, draw)
    started = time.perf_counter()
    with RuleScorer(tables, codes, members=group, others=~group, threads=2) as scorer:
        built = time.perf_counter() - started
        found = evolve(scorer, Evolution(), draw=draw)
        seconds = time.perf_counter() - started
        cases = len(scorer.cases.members)
    started = time.perf_counter()
    restored = grades(found.rules, tables, codes)
    graded = time.perf_counter() - started
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 2**20
    hits, all_found = int((restored[group] > 0).sum()), int((restored > 0).sum())
    print(f"  rows, distinct cases:                         {PAPER_ROWS:10,} {cases:10,}")
    print(f"  index:                                        {built:10.2f} s")
    print(f"  index, and 10 runs of 100 generations:        {seconds:10.2f} s (300)")
    print(f"  distinct rules scored:                        {found.evaluated:10,}")
    print(f"  rules kept:                                   {len(found.rules):10,}")
    print(f"  grades of all rows:                           {graded:10.2f} s")
    print(f"  found, of these members of the group:         {all_found:10,} {hits:10,}")
    print(f"  peak memory, the table included:              {peak:10.2f} GB (3)")
    return {"seconds": seconds, "peak": peak}
