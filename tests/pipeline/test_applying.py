"""A plan on a later file: what drifts, what is suppressed, when it fails."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import contextmanager
from fractions import Fraction
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.cli.calling import call
from tests.support.registering import own_measures

import paretonym as pn
from paretonym.errors import InfeasibleError, JobError
from paretonym.model.bound import Bound
from paretonym.model.front import Direction
from paretonym.model.plan import Plan, sealed, steps_of
from paretonym.model.schema import Column, Role, Schema
from paretonym.model.source import TableSource
from paretonym.model.steps import UNLISTED, Recode, Suppress
from paretonym.pipeline.applying import _Classes
from paretonym.pipeline.later_values import News
from paretonym.tables import open_table

__all__ = ["own_measures"]

JOB = {
    "columns": {
        "age": {"role": "quasi", "hierarchy": {"intervals": [10]}},
        "zip": {"role": "quasi", "hierarchy": {"mask": "right"}},
        "sex": {"role": "quasi", "hierarchy": "suppress"},
        "ill": {"role": "sensitive"},
    },
    "objectives": ["k", "glm"],
    "require": {"distinct_l(ill)": 2},
    "suppression": {"limit": "40%"},
}
JANUARY = [("31", "1101", "f", "flu"), ("32", "1102", "f", "cold"), ("35", "1109", "f", "flu")] * 2
JANUARY += [("41", "1201", "m", "flu"), ("45", "1203", "m", "cold"), ("48", "1203", "m", "gout")]


def table(path, rows):
    lines = ["age;zip;sex;ill", *(";".join(row) for row in rows)]
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return path


@pytest.fixture
def january(tmp_path):
    source = table(tmp_path / "january.csv", JANUARY)
    job = pn.make_job(JOB, table=source)
    levels = {"age": 1, "zip": 2, "sex": 0}
    pn.release(job, levels=levels, out=tmp_path / "january")
    return tmp_path


def applied(folder, rows, name="february"):
    source = table(folder / f"{name}.csv", rows)
    return pn.apply(folder / "january", source, out=folder / name)


def test_the_same_file_gives_the_same_release(january):
    made, drift = applied(january, JANUARY)
    assert (drift.suppressed, drift.k, drift.new_values, drift.unknown_values) == (0, 3, {}, {})
    assert made.verification.ok
    assert made.public.promises["distinct_l(ill)"] == 2


def test_new_values_follow_the_rule_of_their_hierarchy(january):
    """Age 39 and zip 1199 were not there in January, but lie in [30, 40) and 11**."""
    made, drift = applied(january, [*JANUARY, ("39", "1199", "f", "gout")])
    assert drift.new_values == {"age": 1, "zip": 1}
    assert (drift.suppressed, made.public.promises["rows"]) == (0, 10)


def test_values_outside_a_list_are_suppressed_and_counted(january):
    made, drift = applied(
        january, [*JANUARY, ("31", "1101", "x", "flu"), ("ten", "1101", "f", "flu")]
    )
    assert drift.unknown_values == {"sex": 1, "age": 1}
    assert (drift.unknown_rows, drift.suppressed, drift.limit) == (2, 2, 3)
    assert made.public.promises["rows"] == 9
    assert made.verification.ok


def test_classes_now_too_small_or_too_uniform_are_suppressed(january):
    """One man left alone falls below k; two women in a new decade share one diagnosis."""
    rows = JANUARY * 3 + [("52", "1301", "m", "flu")] + [("61", "1101", "f", "flu")] * 3
    _, drift = applied(january, rows)
    assert (drift.small_classes, drift.small_rows, drift.k) == (2, 4, 9)


def test_a_promise_that_cannot_be_kept_fails_and_writes_nothing(january):
    with pytest.raises(InfeasibleError, match="cannot be kept"):
        applied(january, JANUARY[6:8])
    assert not (january / "february").exists()


def test_another_table_is_refused(january):
    other = january / "other.csv"
    other.write_text("age;zip;gender;ill\n31;1101;f;flu\n")
    with pytest.raises(JobError, match="'sex' of the plan is not in the table"):
        pn.apply(january / "january", other, out=january / "out")


def test_the_later_file_is_read_as_the_first_one_was(tmp_path):
    source = tmp_path / "latin.csv"
    rows = [f"3{i % 10};1101;f;{'grippe é' if i % 2 else 'flu'}" for i in range(6)]
    source.write_bytes(("\n".join(["age;zip;sex;ill", *rows]) + "\n").encode("latin-1"))
    job = pn.make_job(JOB | {"table": {"path": str(source), "encoding": "latin-1"}})
    pn.release(job, levels={"age": 2, "zip": 2, "sex": 0}, out=tmp_path / "release")
    assert pn.verify(tmp_path / "release", against=source).ok
    made, _ = pn.apply(tmp_path / "release", source, out=tmp_path / "later")
    assert made.verification.ok


def test_the_public_digest_of_a_hierarchy_is_salted(january):
    public = json.loads((january / "january" / "manifest.json").read_text())
    plan = json.loads((january / "january" / "internal" / "plan.json").read_text())
    own = [step["recode"]["hierarchy"] for step in plan["steps"] if "recode" in step]
    shown = [column["hierarchy"] for column in public["columns"] if "hierarchy" in column]
    assert len(shown) == 3
    assert not set(shown) & set(own)


def test_a_later_file_tells_what_was_said_of_the_earlier_release(tmp_path):
    """Also one that comes after the later one; title and citation name the first one only."""
    about = {"title": "Visits", "purpose": "To learn.", "licence": "CC0", "cite": "Office (2026)"}
    source = table(tmp_path / "january.csv", JANUARY)
    pn.release(
        pn.make_job(JOB | {"about": about}, table=source),
        levels={"age": 1, "zip": 2, "sex": 0}, out=tmp_path / "january",
    )  # fmt: skip
    pn.apply(tmp_path / "january", source, out=tmp_path / "february")
    pn.apply(tmp_path / "february", source, out=tmp_path / "march")
    for name in ("february/report.html", "march/report.html", "march/internal/report.html"):
        page = (tmp_path / name).read_text(encoding="utf-8")
        assert "stated no" not in page
        assert all(text in page for text in about.values())
        assert "What its publisher says was said of that one." in page
        assert "cite the earlier release" in page
        assert "<h1>Visits" not in page


def test_plans_without_such_words_say_that_nothing_is_known(january):
    """As plans of earlier versions are; that the publisher stated nothing is not known."""
    assert "about" not in json.loads((january / "january" / "internal" / "plan.json").read_text())
    applied(january, JANUARY)
    page = (january / "february" / "report.html").read_text(encoding="utf-8")
    assert "stated no" not in page
    assert "No purpose is known here." in page
    assert "No citation of the data is known here." in page


@pytest.mark.parametrize("about", [{"purpose": 1}, {"other": "x"}, [], "x"])
def test_damaged_words_of_the_publisher_are_told(january, about):
    plan = january / "january" / "internal" / "plan.json"
    plan.write_text(json.dumps(sealed(json.loads(plan.read_text()) | {"about": about})))
    with pytest.raises(JobError, match="the plan is damaged"):
        applied(january, JANUARY)


def test_the_internal_report_of_a_later_file_compares_it_with_itself(january):
    """Six rows of three classes of two before, one class of six after; nobody is left out."""
    applied(january, JANUARY[:6])
    page = (january / "february" / "internal" / "report.html").read_text(encoding="utf-8")
    rows = page.split("<main>")[1]
    assert (
        '<th scope="row">smallest class (k)</th><td class="num">2</td><td class="num">6</td>'
        in rows
    )
    assert "3 (50.0 %)" in rows  # expected before: three classes of six rows
    assert "1 (16.7 %)" in rows
    assert "Losses are not measured on a later file" in rows


def test_the_internal_report_tells_the_steps_in_their_order(january):
    applied(january, JANUARY)
    for name in ("january", "february"):
        page = (january / name / "internal" / "report.html").read_text(encoding="utf-8")
        told = page.split("what was done, in this order")[1].split("</td>")[0]
        steps = ["no column is left out", "age is shown at level 1", "zip is shown at level 2"]
        steps += ["sex is shown as it is", "without distinct_l(ill) ≥ 2 are left out"]
        places = [told.index(step) for step in steps]
        assert places == sorted(places)
        public = (january / name / "report.html").read_text(encoding="utf-8")
        assert "what was done, in this order" not in public


@contextmanager
def edited_plan(january: Path) -> Iterator[dict[str, Any]]:
    """January's plan to be edited, and sealed again as by somebody who knows how."""
    plan = january / "january" / "internal" / "plan.json"
    data = json.loads(plan.read_text())
    yield data
    plan.write_text(json.dumps(sealed(data)))


def test_a_requirement_that_a_plan_cannot_judge_needs_the_job(january):
    with edited_plan(january) as data:
        data["steps"][-1]["suppress"]["require"] = [{"measure": "glm", "at most": "2"}]
    with pytest.raises(JobError, match=r"glm, which cannot be judged from a plan"):
        applied(january, JANUARY)


def test_a_plan_with_a_measure_that_nobody_knows_here_says_so(january):
    with edited_plan(january) as data:
        data["steps"][-1]["suppress"]["require"] = [{"measure": "commonest(ill)", "at most": "2"}]
    with pytest.raises(JobError, match=r"requires commonest\(ill\) ≤ 2, and .*pn.register"):
        applied(january, JANUARY)


def test_a_plan_with_half_a_sign_is_damaged(january):
    with edited_plan(january) as data:
        data["salt"] = "\ud800"
    with pytest.raises(JobError, match="damaged"):
        applied(january, JANUARY)


def test_any_requirement_on_classes_is_kept_on_a_later_file(tmp_path):
    """One class has three people with a cold and one with a flu: 2 values, but not as spread as 2.

    Its entropy is 0.81 bit, so that it counts for 1.75 equally frequent values.
    """
    columns = {
        "sex": {"role": "quasi", "hierarchy": "suppress"},
        "ill": {"role": "sensitive"},
    }
    table, later = tmp_path / "first.csv", tmp_path / "later.csv"
    table.write_text("sex,ill\n" + "f,cold\nf,flu\n" * 4 + "m,cold\nm,flu\n" * 4)
    uneven = "m,cold\nm,cold\nm,cold\nm,flu\n"
    later.write_text("sex,ill\n" + "f,cold\nf,flu\n" * 4 + uneven)
    job = pn.make_job(
        {
            "table": str(table),
            "columns": columns,
            "objectives": ["k", "glm"],
            "require": {"k": 2, "entropy_l(ill)": 2},
            "suppression": {"limit": "50%"},
        }
    )
    pn.release(job, levels={"sex": 0}, out=tmp_path / "release")
    made, drift = pn.apply(tmp_path / "release", later, out=tmp_path / "next")
    assert (drift.suppressed, drift.small_classes) == (4, 1)
    assert made.internal.values["entropy_l(ill)"] == 2
    assert "entropy_l(ill)" in made.internal.recomputed
    assert made.verification.ok


def register_commonest():
    """Rows of the commonest value of a column: at most so many in any class."""

    @pn.register("commonest")
    def made(column: str) -> pn.Measure:
        key = f"commonest({column})"
        statistic = pn.Statistic(
            key, lambda classes, _: classes.majority(column), pn.Reduce.MAX, (column,)
        )
        return pn.Measure(
            key, pn.Direction.MIN, (statistic,), pn.direct(key), pn.Monotone.NO, "", class_wise=True
        )


@pytest.mark.usefixtures("own_measures")
def test_a_users_own_requirement_on_classes_is_kept_in_a_later_session(january):
    """Registered by its name alone, a measure says that it is class-wise only once it is built."""
    register_commonest()
    asked = {"require": {"commonest(ill)": 4}, "suppression": {"limit": "80%"}}
    job = pn.make_job(JOB | asked, table=january / "january.csv")
    pn.release(job, levels={"age": 1, "zip": 2, "sex": 0}, out=january / "own")
    register_commonest()  # as a new session does, which has built nothing yet
    later = table(january / "later.csv", [*JANUARY, JANUARY[0]])  # five times flu among seven
    made, drift = pn.apply(january / "own", later, out=january / "next")
    assert (drift.suppressed, drift.small_classes) == (7, 1)
    assert made.internal.values["commonest(ill)"] == 1
    assert made.verification.without_formula == ("commonest(ill)",)


def test_what_falls_short_is_told_with_all_that_was_required(january):
    """Classes may be large enough and fall short of another requirement."""
    with pytest.raises(InfeasibleError, match=r"at least 3 rows, distinct_l\(ill\) ≥ 2\)"):
        applied(january, [("31", "1101", "f", "flu")] * 6)
    told = call("apply", january / "january", january / "january.csv", "-o", january / "again")
    assert "0 classes now short of what the plan requires" in told.err


QUASI = ("p", "q")
SCHEMA = Schema.of(
    [
        *(Column(name, frozenset({Role.QUASI})) for name in QUASI),
        Column("s", frozenset({Role.SENSITIVE})),
    ]
)
text = st.sampled_from([None, "", "a", "b", "c"])
shown = st.sampled_from([None, "", "A", "B", UNLISTED])
maps = st.fixed_dictionaries(dict.fromkeys([None, "", "a", "b", "c"], shown))


@given(
    st.tuples(maps, maps),
    st.lists(st.tuples(text, text, text), min_size=1, max_size=15),
    st.integers(0, 3),
    st.integers(1, 2),
)
def test_classes_of_a_later_file_are_counted_by_what_they_show(labels, rows, below, least):
    """Against plain Python: blocks whose texts coincide are one class, missing ones are told."""
    recodes = [Recode(n, 1, "t", m, {}, 5, "") for n, m in zip(QUASI, labels, strict=True)]
    bound = Bound("distinct_l(s)", Direction.MAX, Fraction(least))
    plan = Plan(SCHEMA, (), steps_of(SCHEMA, recodes, Suppress(below, (bound,), 9)), "", len(rows))
    frame = pa.table(
        {n: pa.array(c, pa.string()) for n, c in zip("pqs", zip(*rows, strict=True), strict=True)}
    )
    cells = {}
    for p, q, s in rows:
        cells.setdefault((labels[0][p], labels[1][q]), []).append(s)
    kept = {
        key: values
        for key, values in cells.items()
        if UNLISTED not in key and len(values) >= below and len(set(values)) >= least
    }
    with open_table(TableSource(frame, missing=())) as table:
        found = _Classes.of(plan, recodes, table)
    drift = found.drift(plan, News({}, {}))
    gone = list(zip(*(found.gone()[name].to_pylist() for name in QUASI), strict=True))
    assert len(gone) == len(set(gone))
    assert set(gone) == set(cells) - set(kept)
    assert drift.suppressed == len(rows) - sum(map(len, kept.values()))
    assert drift.unknown_rows == sum(len(v) for key, v in cells.items() if UNLISTED in key)
    assert drift.k == min(map(len, kept.values()), default=0)
    assert len(found.before) == len({row[:2] for row in rows})
    if kept:
        assert found.values() == {"distinct_l(s)": min(len(set(v)) for v in kept.values())}
