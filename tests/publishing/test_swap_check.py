"""What the checker makes of swaps, on its own reading of a table."""

from __future__ import annotations

import random
from dataclasses import replace

import numpy as np
import pyarrow as pa
import pytest
from tests.support import swapping
from tests.support.swapping import COLUMNS, NAMES, by_hand, good_swaps, town

from paretonym.errors import TableError
from paretonym.groups.rules import Rule, grades
from paretonym.model.logic.predicate import AnyOf, ValueIn
from paretonym.model.swap import Graded, GradedAttribute, Margin
from paretonym.publishing.codes import code_table
from paretonym.publishing.swap_check import _by_rules, _signals, make_swaps, swap_checks


def coded(rows, **types):
    columns = dict(zip(NAMES, zip(*rows, strict=True), strict=True))
    return code_table(pa.table({n: pa.array(list(c)).cast(types.get(n, pa.string()))
                                for n, c in columns.items()}))  # fmt: skip


@pytest.fixture
def rows():
    return town()


@pytest.fixture
def swaps(tmp_path, rows):
    return good_swaps(tmp_path, rows)


def verdicts(rows, swaps):
    before = coded(rows)
    return {c.name: c for c in swap_checks(before, make_swaps(before, swaps), swaps)}


def failures(rows, swaps):
    return [name for name, check in verdicts(rows, swaps).items() if not check.holds]


def test_swaps_are_made_as_by_hand(rows, swaps):
    made, wanted = make_swaps(coded(rows), swaps), coded(by_hand(rows, swaps.pairs))
    for name in NAMES:
        own, other = made.columns[name], wanted.columns[name]
        assert [own.texts(name)[c] for c in own.codes] == [
            other.texts(name)[c] for c in other.codes
        ]


def test_good_swaps_keep_every_promise(rows, swaps):
    assert swaps.promises[0].outliers_before == {"": ("04",)}
    assert swaps.promises[0].outliers_after == {"": ()}
    found = verdicts(rows, swaps)
    assert all(check.holds for check in found.values())
    assert found["group 'army' (quantity): areas that stood out before"].recomputed == 1
    assert "04" not in str([(c.promised, c.recomputed, c.note) for c in found.values()])


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"outliers_before": {"": ()}}, "stood out before"),
        ({"outliers_before": {"": ("05",)}}, "stood out before"),
        ({"outliers_after": {"": ("04",)}}, "stand out now"),
        ({"member": ValueIn("job", frozenset({"baker"}))}, "stood out before"),
        ({"smallest_area": 21}, "stood out before"),
        ({"only": ValueIn("sex", frozenset({"nobody"}))}, "stood out before"),
    ],
)
def test_a_false_promise_is_found(rows, swaps, change, said):
    false = replace(swaps, promises=(replace(swaps.promises[0], **change),))
    assert any(said in name for name in failures(rows, false))


def test_too_few_swaps_leave_the_outlier(rows, swaps):
    found = failures(rows, replace(swaps, pairs=swaps.pairs[:2]))
    assert len(found) == 2
    assert "without being promised" in found[1]


def test_a_margin_that_changes_is_found(rows, swaps):
    broken = replace(swaps, margins=(Margin(("area", "name")),))
    assert [name for name in failures(rows, broken) if "margin" in name]


def test_areas_keep_their_sizes_only_if_all_their_columns_go_together(rows, swaps):
    half = replace(
        swaps, columns=("area",), promises=(replace(swaps.promises[0], parameter=COLUMNS),)
    )
    assert any("sizes of areas by area, district" in name for name in failures(rows, half))


def test_a_region_that_is_not_there_fails(rows, swaps):
    regions = {
        "region": "district",
        "outliers_before": {"west": ()},
        "outliers_after": {"west": ()},
    }
    false = replace(swaps, promises=(replace(swaps.promises[0], **regions),))
    assert len(failures(rows, false)) == 2


def test_another_number_of_rows_is_refused(rows, swaps):
    with pytest.raises(TableError, match="199 rows"):
        make_swaps(coded(rows[:-1]), swaps)


@pytest.mark.parametrize("kind", ["quantity", "concentration"])
@pytest.mark.parametrize("seed", range(8))
def test_signals_are_those_of_the_engine(tmp_path, kind, seed):
    """Regions, missing places, small areas, areas to ignore, and who is looked at."""
    draw = random.Random(seed)
    rows = town(seed)
    for row in rows:
        if draw.random() < 0.1:
            row[3] = ""
        if draw.random() < 0.1:
            row[4] = ""
        if draw.random() < 0.3:
            row[5] = "soldier"
    least = draw.choice([1, 8, 12])
    group = {
        "region": "district", "smallest_area": least, "only": "sex = f or age >= 30",
        "outliers": {"alpha": "20%", "side": draw.choice(["both", "upper"]), "signal": kind,
                     "ignore": ["01"]},
    }  # fmt: skip
    wanted = swapping.outliers(swapping.write(tmp_path / "people.csv", rows), **group)
    older = frozenset(str(age) for age in range(30, 40))
    promise = replace(
        swapping.promise(tmp_path, town(), ()),
        region="district",
        smallest_area=least,
        only=AnyOf((ValueIn("sex", frozenset({"f"})), ValueIn("age", older))),
        alpha="1/5",
        side=group["outliers"]["side"],
        signal=kind,
        ignore=("01",),
        outliers_before=wanted,
        outliers_after=wanted,
    )
    swaps = replace(good_swaps(tmp_path, town()), pairs=(), promises=(promise,))
    assert not failures(rows, swaps)


def test_typed_columns_are_judged_alike(rows, swaps):
    table = coded(rows, age=pa.int64(), area=pa.int64(), sex=pa.dictionary(pa.int8(), pa.string()))
    areas = {"outliers_before": {"": ("4",)}, "outliers_after": {"": ()}}
    typed = replace(swaps, promises=(replace(swaps.promises[0], **areas),))
    assert all(c.holds for c in swap_checks(table, make_swaps(table, typed), typed))


def test_rules_find_whom_the_engine_finds(rows):
    """Ages 20 to 35 are listed, so that older people are not looked at."""
    draw = random.Random(4)
    listed = [str(age) for age in range(20, 36)]
    fuzzy = {(age,): (draw.random(), draw.choice([0.0, 1.0])) for age in listed}
    pairs = {(sex, job): (draw.choice([0.6, 1.0]),) for sex in "fm" for job in ("soldier", "nurse")}
    rules = ((1, 0), (2, 1), (1, 1))
    graded = Graded(
        (GradedAttribute("age", ("age",), fuzzy), GradedAttribute("kind", ("sex", "job"), pairs)),
        rules, 0.5,
    )  # fmt: skip
    member, seen = _by_rules(graded, coded(rows))
    shown = [(row[1],) in fuzzy and (row[2], row[5]) in pairs for row in rows]
    assert seen.tolist() == shown
    places = [list(fuzzy), list(pairs)]
    codes = [
        np.array([places[0].index((row[1],)) for row, one in zip(rows, shown, strict=True) if one]),
        np.array(
            [places[1].index((row[2], row[5])) for row, one in zip(rows, shown, strict=True) if one]
        ),
    ]
    known = [np.array([(1.0, *own) for own in table.values()]).T.copy() for table in (fuzzy, pairs)]
    made = [Rule(rule, 0.0, 0.0, 0.0) for rule in rules]
    wanted = grades(made, known, [c.astype(np.int32) for c in codes], cut=0.5) > 0
    assert member[seen].tolist() == wanted.tolist()
    assert not member[~seen].any()
    assert 0 < member.sum() < seen.sum()


def test_only_listed_records_count_in_a_concentration(tmp_path, rows):
    graded = Graded(
        (GradedAttribute("job", ("job",), {("soldier",): (1.0,), ("baker",): (0.0,)}),), ((1,),)
    )
    base = swapping.promise(tmp_path, rows, ())
    found = _signals(replace(base, member=graded, signal="concentration"), coded(rows))
    area = [row[5] for row in rows if row[3] == "04" and row[5] != "nurse"]
    assert found["", "04"] == area.count("soldier") / len(area)
