"""Small tables with rules of confidentiality: the definitions in plain Python, and engine twins."""

from __future__ import annotations

import itertools
from collections import defaultdict
from dataclasses import dataclass

import numpy as np
from hypothesis import strategies as st

from paretonym.lattice import Lattice
from paretonym.measures.characteristic import SecurityTests
from paretonym.model.granulation import Granulation, partition_from_labels

Row = tuple[str, ...]
Sentence = tuple  # ("is", column, value), ("not", s), ("and", s, t), ("or", s, t)
ALWAYS = ("or", ("is", 0, "?"), ("not", ("is", 0, "?")))


@dataclass(frozen=True)
class Case:
    """Rows whose first columns are quasi-identifiers; rules as (sentence, for whom).

    `labels[j][level][value]` is the label of a value of the j-th quasi-identifier.
    """

    rows: tuple[Row, ...]
    labels: tuple[tuple[dict[str, str], ...], ...]
    rules: tuple[tuple[Sentence, Sentence], ...]

    def nodes(self):
        return list(itertools.product(*(range(len(levels)) for levels in self.labels)))


# --- plain Python on rows -----------------------------------------------------------------------


def holds(sentence: Sentence, row: Row) -> bool:
    match sentence:
        case ("is", column, value):
            return row[column] == value
        case ("not", inner):
            return not holds(inner, row)
        case ("and", one, other):
            return holds(one, row) and holds(other, row)
        case ("or", one, other):
            return holds(one, row) or holds(other, row)
    raise ValueError(sentence)


def classes(case: Case, node) -> dict[tuple[str, ...], list[Row]]:
    groups = defaultdict(list)
    for row in case.rows:
        groups[tuple(case.labels[j][level][row[j]] for j, level in enumerate(node))].append(row)
    return dict(groups)


def exposed(case: Case, node) -> set[int]:
    """Rules that hold for all members of a class in which somebody is protected by them."""
    return {
        number
        for number, (sentence, protects) in enumerate(case.rules)
        for members in classes(case, node).values()
        if all(holds(sentence, row) for row in members)
        and any(holds(protects, row) for row in members)
    }


def refines(finer: dict[str, str], coarser: dict[str, str]) -> bool:
    pairs = itertools.combinations(finer, 2)
    return all(coarser[x] == coarser[y] for x, y in pairs if finer[x] == finer[y])


def level_below(levels: tuple[dict[str, str], ...], a: int, b: int) -> bool:
    """Strictly; equal partitions by number."""
    if a == b or not refines(levels[a], levels[b]):
        return False
    return a < b or not refines(levels[b], levels[a])


def below(case: Case, lower, upper) -> bool:
    triples = zip(case.labels, lower, upper, strict=True)
    return all(a == b or level_below(levels, a, b) for levels, a, b in triples)


def minimal_secure(case: Case) -> list[tuple[int, ...]]:
    secure = [node for node in case.nodes() if not exposed(case, node)]
    return [n for n in secure if not any(m != n and below(case, m, n) for m in secure)]


def is_graded(levels: tuple[dict[str, str], ...]) -> bool:
    """All ways from the finest level to any other have the same length."""
    every = range(len(levels))
    covers = {
        (a, b)
        for a in every
        for b in every
        if level_below(levels, a, b)
        and not any(level_below(levels, a, m) and level_below(levels, m, b) for m in every)
    }

    def lengths(level: int) -> set[int]:
        ways = {1 + n for a, b in covers if b == level for n in lengths(a)}
        return ways or {0}

    return all(len(lengths(level)) == 1 for level in every)


# --- the engine's twins -------------------------------------------------------------------------


def lattice_of(case: Case) -> Lattice:
    granulations = []
    for j, levels in enumerate(case.labels):
        leaves = tuple(levels[0])
        partitions = tuple(
            partition_from_labels(f"level {i}", [level[v] for v in leaves])
            for i, level in enumerate(levels)
        )
        granulations.append(Granulation(f"q{j}", leaves, partitions, open_top=True))
    return Lattice.of(granulations)


def characteristic(case: Case, rows) -> int:
    word = 0
    for number, (sentence, protects) in enumerate(case.rules):
        word |= any(not holds(sentence, row) for row in rows) << number
        word |= any(holds(protects, row) for row in rows) << (32 + number)
    return word


def security_tests(case: Case, **options) -> SecurityTests:
    quasi = len(case.labels)
    members = defaultdict(list)
    for row in case.rows:
        members[row[:quasi]].append(row)
    leaves = [list(levels[0]) for levels in case.labels]
    codes = [[leaves[j].index(v) for j, v in enumerate(combination)] for combination in members]
    words = [characteristic(case, rows) for rows in members.values()]
    return SecurityTests(
        np.array(codes, np.int32), np.array(words, np.uint64), lattice_of(case), **options
    )


# --- random cases -------------------------------------------------------------------------------

CONFIDENTIAL = {"h": ("0", "1", "2"), "i": ("low", "high")}


@st.composite
def pentagons(draw, values: list[str]) -> tuple[dict[str, str], ...]:
    """A short way 0 < 1 < 4 to the top beside a longer one, 0 < 2 < 3 < 4: not graded."""
    levels = ["wxyz", "ccdd", "axaz", "bxbx", "****"]
    places = [*range(4), *(draw(st.integers(0, 3)) for _ in values[4:])]
    names = draw(st.permutations(values))
    coarser = [{v: level[i] for v, i in zip(names, places, strict=True)} for level in levels[1:]]
    return ({v: v for v in values}, *coarser)


@st.composite
def families(draw, values: list[str], *, chains: bool) -> tuple[dict[str, str], ...]:
    """Levels as label maps: a chain, and beside it partitions that need not nest with it.

    The coarsest level sometimes keeps two blocks apart, which then all levels do.
    """
    if not chains and len(values) > 3 and draw(st.booleans()):
        return draw(pentagons(values))
    apart = draw(st.integers(0, 5)) == 0
    top = {v: str(draw(st.integers(0, 1))) if apart else "*" for v in values}
    chain: list[dict[str, str]] = []
    below = {v: v for v in values}
    for _ in range(draw(st.integers(0, 3))):
        merge = {label: str(draw(st.integers(0, len(values) - 1))) for label in below.values()}
        below = {v: f"{merge[below[v]]} {top[v]}" for v in values}
        chain.append(below)
    sides = []
    for _ in range(0 if chains else draw(st.integers(0, 2))):
        sides.append({v: f"{draw(st.integers(0, 2))} {top[v]}" for v in values})
    between = chain if chains else draw(st.permutations([*chain, *sides]))
    return ({v: v for v in values}, *between, top)


def sentences(columns: list[tuple[int, tuple[str, ...]]]) -> st.SearchStrategy[Sentence]:
    atoms = st.sampled_from([("is", place, v) for place, values in columns for v in values])
    return st.recursive(
        atoms,
        lambda inner: st.one_of(
            st.tuples(st.just("not"), inner),
            st.tuples(st.sampled_from(["and", "or"]), inner, inner),
        ),
        max_leaves=3,
    )


@st.composite
def cases(draw, *, chains: bool = False) -> Case:
    quasi = draw(st.integers(1, 3))
    domains = [[f"v{i}" for i in range(draw(st.integers(1, 5)))] for _ in range(quasi)]
    labels = tuple(draw(families(domain, chains=chains)) for domain in domains)
    rows = draw(
        st.lists(
            st.tuples(*map(st.sampled_from, [*domains, *CONFIDENTIAL.values()])),
            min_size=2,
            max_size=14,
        )
    )
    secret = [(quasi + place, values) for place, values in enumerate(CONFIDENTIAL.values())]
    anything = [*secret, *((j, tuple(domain)) for j, domain in enumerate(domains))]
    whom = st.one_of(st.just(ALWAYS), sentences(anything))
    rules = draw(st.lists(st.tuples(sentences(secret), whom), min_size=1, max_size=3))
    return Case(tuple(rows), labels, tuple(rules))


# --- the running example of attribute-oriented granulation --------------------------------------

FIG_1 = (
    ("24/09/56", "24126", "161", "400K", "1"),
    ("06/09/56", "24129", "167", "300K", "1"),
    ("30/09/56", "24133", "163", "300K", "1"),
    ("23/03/56", "10427", "160", "300K", "0"),
    ("18/03/56", "10431", "165", "100K", "2"),
    ("05/03/56", "10466", "168", "100K", "2"),
    ("20/04/55", "26015", "175", "400K", "2"),
    ("18/04/55", "26032", "170", "300K", "1"),
    ("09/04/55", "26617", "173", "100K", "0"),
    ("01/04/55", "26628", "171", "400K", "0"),
    ("23/04/55", "26328", "176", "400K", "0"),
)
HEALTH = 4  # the column


def running_example(*health: str) -> Case:
    """Fig. 1 with Fig. 3's partitions; each value of health named is kept secret for everybody."""
    dates, zips, heights = (sorted({row[j] for row in FIG_1}) for j in range(3))
    by_date = tuple({d: d[cut:] for d in dates} for cut in (0, 3, 6))
    by_zip = tuple({z: z[: 5 - masked] for z in zips} for masked in range(5))
    by_height = tuple({h: str(int(h) // width) for h in heights} for width in (1, 5, 10, 20))
    labels = tuple(
        (*levels, dict.fromkeys(levels[0], "*")) for levels in (by_date, by_zip, by_height)
    )
    return Case(FIG_1, labels, tuple((("is", HEALTH, value), ALWAYS) for value in health))
