"""Swaps, made once more on the checker's own reading of the input, and what they promise.

The comparison of rows proves that the released rows are exactly the swapped and recoded input
rows, so that everything said here of the swapped input holds for the file that was written.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Mapping
from dataclasses import replace
from fractions import Fraction

import numpy as np

from paretonym.errors import TableError
from paretonym.model.arrays import Flags, Ints
from paretonym.model.swap import NO_REGION, Areas, Graded, GradedAttribute, GroupPromise, Swaps
from paretonym.publishing.checker import Check
from paretonym.publishing.codes import Coded, CodedTable, positions, row_ids
from paretonym.publishing.confidentiality import truth
from paretonym.publishing.outlier_areas import outliers_of

Place = tuple[str, str]  # region and area
Found = dict[str, tuple[str, ...]]  # region -> areas that stand out

_OF_THE_FILE = "of the input after its swaps, which the released rows are proven to be"
_JOIN = "-"  # between the parameter values of an area's label


def make_swaps(table: CodedTable, swaps: Swaps) -> CodedTable:
    """The table after its swaps, one pair after the other."""
    if table.rows != swaps.rows:
        raise TableError(
            f"the table has {table.rows:,} rows, and the swaps were computed on one of "
            f"{swaps.rows:,}; is it the table this release was made from?"
        )
    columns = dict(table.columns)
    for name in swaps.columns:
        codes = columns[name].codes.copy()
        for one, other in swaps.pairs:
            codes[one], codes[other] = codes[other], codes[one]
        columns[name] = replace(columns[name], codes=codes)
    return replace(table, columns=columns)


def swap_checks(before: CodedTable, after: CodedTable, swaps: Swaps) -> list[Check]:
    """What every plan of swaps must keep, and what these promise of their groups."""
    checks = [*_pair_checks(before, after, swaps)]
    sized = dict.fromkeys((swaps.columns, *(one.places for one in swaps.promises)))
    for columns in sized:
        checks.append(
            _same_counts(f"sizes of areas by {', '.join(columns)}", columns, before, after)
        )
    for margin in swaps.margins:
        said = f"promised margin of {', '.join(margin.columns)}"
        checks.append(_same_counts(said, margin.columns, before, after))
    for promise in swaps.promises:
        checks += _promise_checks(promise, before, after)
    return checks


def _pair_checks(before: CodedTable, after: CodedTable, swaps: Swaps) -> list[Check]:
    used = {row for pair in swaps.pairs for row in pair}
    moved = {
        name: np.flatnonzero(after.columns[name].codes != column.codes)
        for name, column in before.columns.items()
    }
    other_columns = sum(len(rows) for name, rows in moved.items() if name not in swaps.columns)
    other_rows = len({row for rows in moved.values() for row in rows.tolist()} - used)
    return [
        Check(
            f"cells changed in columns other than {', '.join(swaps.columns)}",
            0,
            other_columns,
            holds=not other_columns,
            note=_OF_THE_FILE,
        ),
        Check("rows changed that no swap names", 0, other_rows, holds=not other_rows),
    ]


def _same_counts(
    said: str, columns: Collection[str], before: CodedTable, after: CodedTable
) -> Check:
    """Each combination of the columns is as frequent after as before."""
    stacked = [
        (
            np.concatenate([t.columns[name].codes for t in (before, after)]),
            before.columns[name].size,
        )
        for name in columns
    ]
    ids, count = row_ids(stacked, before.rows + after.rows)
    had = np.bincount(ids[: before.rows], minlength=count)
    has = np.bincount(ids[before.rows :], minlength=count)
    changed = int(np.count_nonzero(had != has))
    name = f"{said}: combinations whose number changed"
    return Check(name, 0, changed, holds=not changed, note=_OF_THE_FILE)


def _promise_checks(promise: GroupPromise, before: CodedTable, after: CodedTable) -> list[Check]:
    """Outliers before and after as promised, and no others.

    Areas stay unnamed: a check is printed, and an area is a value of a cell.
    """
    was, now = _outliers(promise, before), _outliers(promise, after)
    left = {(r, area) for r, areas in now.items() for area in areas}
    kept = {(r, area) for r, areas in was.items() for area in areas} & left
    allowed = {(r, area) for r, areas in promise.outliers_after.items() for area in areas}
    group = f"group '{promise.group}' ({promise.signal})"
    return [
        _outlier_check(f"{group}: areas that stood out before", promise.outliers_before, was, ""),
        _outlier_check(
            f"{group}: areas that stand out now", promise.outliers_after, now, _OF_THE_FILE
        ),
        Check(
            f"{group}: areas that still stand out without being promised to",
            0,
            len(kept - allowed),
            holds=not kept - allowed,
            note=_OF_THE_FILE,
        ),
    ]


def _outlier_check(name: str, promised: Areas, found: Found, note: str) -> Check:
    wanted = {region: set(areas) for region, areas in promised.items()}
    same = wanted == {region: set(areas) for region, areas in found.items()}
    counts = [sum(map(len, areas.values())) for areas in (promised, found)]
    if not same and counts[0] == counts[1]:
        note = "as many, but other areas or regions"
    return Check(name, counts[0], counts[1], holds=same, note=note)


def _outliers(promise: GroupPromise, table: CodedTable) -> Found:
    """For each region that the promise names and the table has, the areas that stand out."""
    signals = _signals(promise, table)
    alpha, upper = float(Fraction(promise.alpha)), promise.side == "upper"
    found: Found = {}
    for region in promise.outliers_before:
        areas = sorted(area for its, area in signals if its == region)
        if not areas:
            continue  # no such region, which the promise then fails for
        signal = [signals[region, area] for area in areas]
        places = outliers_of(signal, alpha=alpha, upper_only=upper)
        found[region] = tuple(areas[p] for p in places if areas[p] not in promise.ignore)
    return found


def _signals(promise: GroupPromise, table: CodedTable) -> dict[Place, float]:
    """The group's signal in every area that has enough records."""
    seen = np.ones(table.rows, np.bool_)
    if promise.only is not None:
        seen = truth(promise.only, table.columns, table.rows)
    ids, places = _places(promise, table)
    graded = seen
    if isinstance(promise.member, Graded):
        member, listed = _by_rules(promise.member, table)
        member, graded = member & seen, listed & seen
    else:
        member = truth(promise.member, table.columns, table.rows) & seen
    records, members, whole = (
        np.bincount(ids[mask], minlength=len(places)).tolist() for mask in (seen, member, graded)
    )
    sums: dict[Place, list[int]] = {}
    for number, place in enumerate(places):
        if place is not None and records[number]:
            counts = (records[number], members[number], whole[number])
            old = sums.get(place, [0, 0, 0])
            sums[place] = [a + b for a, b in zip(old, counts, strict=True)]
    large = {place: c for place, c in sums.items() if c[0] >= promise.smallest_area}
    if promise.signal == "quantity":
        return {place: float(count) for place, (_, count, _) in large.items()}
    return {place: count / whole if whole else 0.0 for place, (_, count, whole) in large.items()}


def _places(promise: GroupPromise, table: CodedTable) -> tuple[Ints, list[Place | None]]:
    """The place of each row by number, and what each number stands for; None: no area."""
    columns = [table.columns[name] for name in promise.places]
    ids, count = row_ids([(column.codes, column.size) for column in columns], table.rows)
    first = np.zeros(count, np.int64)
    first[ids] = np.arange(table.rows)
    texts = [
        [texts[code] for code in column.codes[first]]
        for column, name in zip(columns, promise.places, strict=True)
        for texts in [column.texts(name)]
    ]
    places: list[Place | None] = []
    for cells in zip(*texts, strict=True):
        at = dict(zip(promise.places, cells, strict=True))
        region = NO_REGION if promise.region is None else at[promise.region]
        parts = [at[name] for name in promise.parameter]
        known = [part for part in parts if part is not None]
        whole = region is not None and len(known) == len(parts)
        places.append((str(region), _JOIN.join(known)) if whole else None)
    return ids, places


def _by_rules(graded: Graded, table: CodedTable) -> tuple[Flags, Flags]:
    """Who is a member by some rule, and of whom the rules can say anything.

    Each distinct combination of cells is judged once.
    """
    codes: list[Ints] = []
    listed = np.ones(table.rows, np.bool_)
    rows_of: list[list[tuple[float, ...]]] = []
    for attribute in graded.attributes:
        place = _graded_rows(attribute, table.columns, table.rows)
        listed &= place >= 0
        codes.append(np.maximum(place, 0))
        rows_of.append(list(attribute.grades.values()))
    sizes = [len(rows) for rows in rows_of]
    ids, count = row_ids(list(zip(codes, sizes, strict=True)), table.rows)
    first = np.zeros(count, np.int64)
    first[ids] = np.arange(table.rows)
    fits = np.zeros(count, np.bool_)
    for number, row in enumerate(first.tolist()):
        grades = [rows[own[row]] for rows, own in zip(rows_of, codes, strict=True)]
        fits[number] = any(_product(rule, grades) >= graded.cut for rule in graded.rules)
    return fits[ids] & listed, listed


def _product(rule: tuple[int, ...], grades: list[tuple[float, ...]]) -> float:
    """In the order of the attributes, because rounding depends on it."""
    return math.prod(own[index - 1] for index, own in zip(rule, grades, strict=True) if index)


def _graded_rows(attribute: GradedAttribute, columns: Mapping[str, Coded], rows: int) -> Ints:
    """For each row its place among the attribute's listed cells, or -1."""
    cells = list(attribute.grades)
    known, coded = [], []
    for place, name in enumerate(attribute.columns):
        texts = list(dict.fromkeys(row[place] for row in cells))
        number = {text: code for code, text in enumerate(texts)}
        known.append([number[row[place]] for row in cells])
        coded.append(positions(columns[name], texts, name)[columns[name].codes])
    place_of = {key: place for place, key in enumerate(zip(*known, strict=True))}
    spans = [(own + 1, int(own.max(initial=0)) + 2) for own in coded]
    ids, count = row_ids(spans, rows)
    first = np.zeros(count, np.int64)
    first[ids] = np.arange(rows)
    keys = zip(*(own[first].tolist() for own in coded), strict=True)
    return np.array([place_of.get(key, -1) for key in keys], np.int64)[ids]
