"""What the internal report of a release tells: before, after, and what moved."""

from __future__ import annotations

import json
import shutil
from collections import Counter
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

import paretonym as pn
from paretonym.pipeline.fronts import score_of
from paretonym.pipeline.node_detail import published_detail, step_for
from paretonym.pipeline.node_facts import distance
from paretonym.pipeline.open_job import open_job
from paretonym.pipeline.release_details import extra_facts
from paretonym.publishing.manifest import Detail
from paretonym.report.release_risk import class_risk

ROWS = [
    ("Ann", "31", "1101", "f", "flu", "x"),
    ("Bea", "32", "1102", "f", "cold", "x"),
    ("Cid", "35", "1109", "f", "flu", "x"),
    ("Dan", "41", "1201", "m", "flu", "y"),
    ("Eva", "45", "1203", "m", "cold", "y"),
    ("Fay", "45", "1203", "m", "gout", "y"),
    ("Gil", "67", "1203", "m", "gout", "y"),
]
JOB = {
    "columns": {
        "name": {"role": "identifier"},
        "age": {"role": "quasi", "hierarchy": {"intervals": [10]}},
        "zip": {"role": "quasi", "hierarchy": {"mask": "right"}},
        "sex": {"role": "quasi", "hierarchy": "suppress"},
        "ill": {"role": "sensitive"},
        "ward": {"role": "insensitive", "because": "two wards of equal size"},
    },
    "objectives": ["k", "glm"],
    "suppression": {"limit": "1 row"},
    "about": {"title": "Seven patients", "purpose": "To count by hand."},
}
LEVELS = {"age": 1, "zip": 2, "sex": 0}  # tens, 11**, as it is: classes of 3, 3 and 1


@pytest.fixture
def source(tmp_path):
    path = tmp_path / "people.csv"
    lines = ["name,age,zip,sex,ill,ward", *(",".join(row) for row in ROWS)]
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return path


def facts_of(source, **changes):
    with open_job(pn.make_job({**JOB, **changes}, table=source)) as opened:
        node = opened.lattice.node_of(LEVELS)
        chosen = score_of(opened, node, suppress_below=2)
        evaluator = opened.evaluator()
        return extra_facts(opened, node, *evaluator.released(node, chosen.suppress_below), chosen)


def test_the_most_that_can_be_lost_counts_the_weights(source):
    """Seven rows; age counts three times, zip and sex once."""
    age = {"role": "quasi", "hierarchy": {"intervals": [10]}, "weight": 3}
    assert facts_of(source).glm_maximum == 7 * 3
    assert facts_of(source, columns={**JOB["columns"], "age": age}).glm_maximum == 7 * 5


def test_before_and_after_by_hand(source):
    """Gil is left out: 6 of 7 rows, flu 3 and 3, cold 2 and 2, gout 2 and 1."""
    facts = facts_of(source)
    assert facts.sizes_before == [(1, 5), (2, 1)]
    assert facts.class_sizes == [(3, 2)]
    assert facts.dropped == ("name",)
    assert facts.reasons == [("ward", "two wards of equal size")]
    changes = {c.column: (c.values_before, c.values_after, c.moved) for c in facts.changes}
    # before 3, 3 and 1 of 7 rows by tens of age; after 3 and 3 of 6
    assert changes["age"] == (6, 2, pytest.approx(1 / 7))
    assert changes["zip"] == (5, 2, pytest.approx(4 / 7 - 3 / 6))
    assert changes["sex"] == (2, 2, pytest.approx(4 / 7 - 3 / 6))
    assert changes["ill"] == (3, 3, pytest.approx(2 / 7 - 1 / 6))
    assert "ward" not in changes
    assert {c.column: c.loss for c in facts.changes}["sex"] == pytest.approx(1 / 7)


@pytest.mark.parametrize(
    "require",
    [{}, {"k": 2}, {"k": 3, "distinct_l(ill)": 2}, {"distinct_l(zip)": 1}, {"glm": 20}],
)
def test_requirements_take_no_measure_from_either_side(source, require):
    facts = facts_of(source, require=require)
    assert list(facts.before) == list(facts.after)
    assert set(require) <= set(facts.before)
    risk = class_risk(facts.sizes_before)
    assert risk is not None
    assert risk.smallest == facts.before["k"] == 1


def test_a_release_tells_its_purpose_in_its_reports_and_to_later_files(tmp_path, source):
    job = pn.make_job({**JOB, "require": {"distinct_l(zip)": 1}}, table=source)
    made = pn.release(job, pick="k>=2", out=tmp_path / "r")
    assert made.verification.ok
    for name in ("report.html", "internal/report.html"):
        assert "To count by hand." in (tmp_path / "r" / name).read_text(encoding="utf-8")
    for name in ("manifest.json", "internal/manifest.json"):
        assert "count by hand" not in (tmp_path / "r" / name).read_text(encoding="utf-8")
    inside = (tmp_path / "r" / "internal" / "report.html").read_text(encoding="utf-8")
    assert "the front is complete" in inside
    assert (tmp_path / "r" / "internal" / "report.html").stat().st_mode & 0o777 == 0o600
    assert (
        "distinct_l(zip)"
        in json.loads((tmp_path / "r/internal/manifest.json").read_text())["values"]
    )


@given(st.lists(st.tuples(st.integers(0, 3), st.booleans()), min_size=1, max_size=40))
def test_the_distance_is_half_the_sum_of_differences(rows):
    before = Counter(value for value, _ in rows)
    after = Counter(value for value, stays in rows if stays)
    left = sum(after.values())
    assume(left)  # a limit that would allow leaving out all rows is refused
    apart = (abs(Fraction(before[v], len(rows)) - Fraction(after[v], left)) for v in range(4))
    wanted = sum(apart, Fraction(0)) / 2
    counts = [np.array([c[v] for v in range(4)], np.int64) for c in (before, after)]
    assert distance(*counts) == float(wanted)


def test_levels_are_named_as_people_read_them(tmp_path, source):
    """Towns of a file have no names for their levels; the last one is `*` for everybody."""
    zips = tmp_path / "zips.csv"
    lines = [f"{row[2]};{row[2][:2]};*" for row in {row[2]: row for row in ROWS}.values()]
    zips.write_text("\n".join(lines) + "\n", encoding="utf-8")
    columns = JOB["columns"] | {"zip": {"role": "quasi", "hierarchy": {"file": str(zips)}}}
    job = pn.make_job({**JOB, "columns": columns, "suppression": {"limit": "0 rows"}}, table=source)
    for level, told in ((1, "level 1 of 2"), (2, "*")):
        folder = tmp_path / f"r{level}"
        pn.release(job, levels={"age": 2, "zip": level, "sex": 1}, out=folder)
        named = json.loads((folder / "manifest.json").read_text())["columns"]
        assert [c["level_name"] for c in named if "level_name" in c] == ["*", told, "*"]
        inside = (folder / "internal" / "report.html").read_text(encoding="utf-8")
        assert f'<td class="wrap">{told}</td><td>declared</td>' in inside


def test_rules_stand_in_the_internal_report_with_what_decides(tmp_path, source):
    """Without the bound of 25 % nobody can read how many people are at risk."""
    rule = {"say": "ill = gout", "for": "sex = m", "damage": 2, "prior": "5%"}
    job = pn.make_job(
        {
            **JOB,
            "confidential": [rule, {"say": "ill = flu"}],
            "security": {"at_risk": "25%"},
            "objectives": ["k", "sf"],
            "suppression": {"limit": "0 rows"},
        },
        table=source,
    )
    pn.release(job, levels={"age": 2, "zip": 4, "sex": 1}, out=tmp_path / "r")
    pn.apply(tmp_path / "r", source, out=tmp_path / "later")
    for folder in ("r", "later"):
        inside = (tmp_path / folder / "internal" / "report.html").read_text(encoding="utf-8")
        methods = inside.split('id="methods"')[1].split('id="suppression"')[0]
        told = ("ill = gout", "sex = m", ">2<", "5.00 %", "ill = flu", "everybody",
                "its share in the table", "surer than", "25.0 %")  # fmt: skip
        assert [text for text in told if text not in methods] == []
        assert "allowed is a posterior of 25.0 %" in inside
        assert "attribute-oriented granulation" in inside
        public = (tmp_path / folder / "report.html").read_text(encoding="utf-8")
        secret = ("gout", "25.0 %", "surer", "posterior", "granulation", "onfidential")
        assert [text for text in secret if text in public] == []


def detail_of(tmp_path, rows, levels=LEVELS, **changes):
    """What would be published of a table of these rows, whose single groups are left out."""
    path = tmp_path / "some.csv"
    lines = ["name,age,zip,sex,ill,ward", *(",".join(row) for row in rows)]
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    job = {**JOB, "suppression": {"limit": "3 rows"}, **changes}
    with open_job(pn.make_job(job, table=path)) as opened:
        node = opened.lattice.node_of(levels)
        return published_detail(opened, *opened.evaluator().released(node, 2))


def test_published_detail_by_hand(tmp_path):
    """Gil is left out. Ages 31, 32, 35 and 41, 45: (3·2 + 3·1) / (6·4) = 37.5 %, in halves."""
    assert detail_of(tmp_path, ROWS) == {
        "age": Detail(2, lost=50, step=50),
        "zip": Detail(2, lost=50, step=50),
        "sex": Detail(2, lost=0),
    }
    stars = detail_of(tmp_path, ROWS, {"age": 2, "zip": 4, "sex": 1})
    assert set(stars.values()) == {Detail(1, lost=100)}


@pytest.mark.parametrize(
    "left_out",
    [
        [],
        [("Gil", "67", "1203", "m", "gout", "y")],
        [("Gil", "99", "7777", "m", "gout", "y"), ("Hal", "34", "1203", "m", "flu", "x")],
        [
            ("Gil", "", "", "m", "gout", "y"),
            ("Hal", "71", "1", "f", "flu", "x"),
            ("I", "8", "9", "f", "x", "y"),
        ],
    ],
)
def test_rows_that_are_left_out_have_no_part_in_what_is_published(tmp_path, left_out):
    """Neither their number nor values that only they hold: `<k` stays what it is."""
    assert detail_of(tmp_path, [*ROWS[:6], *left_out]) == detail_of(tmp_path, ROWS[:6])


def test_a_declared_domain_is_told_in_whole_per_cent(tmp_path):
    """Five towns under 11 and three under 12, also where somebody who is left out has none."""
    towns = [row[2] for row in {row[2]: row for row in ROWS}.values()] + ["1110", "1111", "1210"]
    file = tmp_path / "zips.csv"
    file.write_text("".join(f"{town};{town[:2]};*\n" for town in towns), encoding="utf-8")
    columns = JOB["columns"] | {"zip": {"role": "quasi", "hierarchy": {"file": str(file)}}}
    wanted = round(100 * (3 * 4 + 3 * 2) / (6 * 7))
    levels = {"age": 1, "zip": 1, "sex": 0}
    for rows in (ROWS, [*ROWS[:6], ("Gil", "67", "", "m", "gout", "y")]):
        found = detail_of(tmp_path, rows, levels, columns=columns)
        assert found["zip"] == Detail(2, lost=wanted, step=1)


@given(st.integers(2, 500), st.integers(0, 100), st.integers(1, 100))
def test_one_value_more_or_less_moves_a_figure_by_one_step_at_most(domain, values, rows):
    """The largest change: a value joins the label of so many of a hundred rows."""
    step = step_for(domain)
    if step is None:
        assert domain == 2
        return
    under = min(values, domain - 1)
    before = Fraction(rows * under, 100 * (domain - 1))
    after = Fraction(rows * (under + 1), 100 * domain)
    told = [step * round(share * 100 / step) for share in (before, after)]
    assert abs(told[0] - told[1]) <= step


def test_what_is_stated_of_detail_is_checked(tmp_path, source):
    """Different values by anybody, lost detail by the publisher where nothing was left out."""
    job = pn.make_job({**JOB, "suppression": {"limit": "0 rows"}}, table=source)
    pn.release(job, levels={"age": 2, "zip": 2, "sex": 0}, out=tmp_path / "r")
    path = tmp_path / "r" / "manifest.json"
    true = json.loads(path.read_text())
    assert true["detail"]["zip"] == {"values": 2, "lost_percent": 50, "rounded_to": 50}
    assert pn.verify(tmp_path / "r").ok

    def failing(column, **changes):
        told = {**true["detail"], column: {**true["detail"][column], **changes}}
        path.write_text(json.dumps({**true, "detail": told}))
        return {check.name for check in pn.verify(tmp_path / "r").failures}

    assert "detail of zip lost, in per cent" in failing("zip", lost_percent=100)
    assert "detail of age lost, in per cent" in failing("age", lost_percent=99)
    assert "values(zip)" in failing("zip", values=3)
    shutil.rmtree(tmp_path / "r" / "internal")
    assert failing("zip", values=3) == {"values(zip)"}
    assert failing("zip", values=2) == set()
    path.write_text(json.dumps({name: part for name, part in true.items() if name != "detail"}))
    assert pn.verify(tmp_path / "r").ok  # as earlier versions wrote it
