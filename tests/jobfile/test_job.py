"""What a job file means: texts stay texts, forms become specifications."""

from __future__ import annotations

from dataclasses import replace
from decimal import Decimal
from fractions import Fraction
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from paretonym import datasets
from paretonym.errors import JobError
from paretonym.jobfile.digest import digest_of, search_digest
from paretonym.jobfile.loading import load_job, parse_budget, parse_job
from paretonym.model.hierarchy import (
    Dates,
    Family,
    FromFile,
    Groups,
    HierarchySpec,
    Intervals,
    Mask,
    OrderedGroups,
    Suppress,
)
from paretonym.model.job import About, Budget, Job, Limit, SearchOptions, Suppression
from paretonym.model.schema import Role

JOB = """\
table: people.csv
columns:
  zip: {role: quasi, hierarchy: HIERARCHY}
  job: {role: sensitive}
objectives: [k]
"""


def write(folder: Path, text: str) -> Path:
    path = folder / "job.yaml"
    path.write_text(text, encoding="utf-8")
    return path


def job_with(folder: Path, hierarchy: str) -> Job:
    return load_job(write(folder, JOB.replace("HIERARCHY", hierarchy)))


def plain(**changes: Any) -> dict[str, Any]:
    columns = {"zip": {"role": "quasi", "hierarchy": "suppress"}, "job": {"role": "sensitive"}}
    return {"table": "people.csv", "columns": columns, "objectives": ["k"], **changes}


def test_bundled_job_loads() -> None:
    """Eight quasi-identifiers of the Adult table, in the order of the file."""
    job = load_job(datasets.path("adult/job.yaml"))
    assert len(job.quasi) == 8
    assert job.quasi[0] == "age"
    assert job.source.data == datasets.path("adult")
    assert job.suppression == Suppression(Limit(percent=Decimal(1)), "staircase")
    assert job.search == SearchOptions("auto", 1)
    assert job.columns[-1].roles == {Role.QUASI, Role.TARGET}


@pytest.mark.parametrize(
    ("text", "spec"),
    [
        ("suppress", Suppress()),
        ("{mask: right}", Mask("right")),
        ("{intervals: [5, 10]}", Intervals((Decimal(5), Decimal(10)))),
        ("{intervals: 0.5, origin: -1}", Intervals((Decimal("0.5"),), Decimal(-1))),
        (
            "{intervals: [5], bottom: 10, top: 90, decimal_comma: yes}",
            Intervals((Decimal(5),), Decimal(0), Decimal(10), Decimal(90), True),
        ),
        (
            "{order: [01, no, 2020-01-01, ~], groups_of: [2, 4]}",
            OrderedGroups(("01", "no", "2020-01-01", "~"), (2, 4)),
        ),
        ("{groups: {a: [01001, 1e5]}}", Groups(((("a", ("01001", "1e5")),),))),
        (
            "{groups: [{a: [x], b: [y]}, {c: [a, b]}], open_top: true}",
            Groups(((("a", ("x",)), ("b", ("y",))), (("c", ("a", "b")),)), True),
        ),
        ("{groups: {a: [x]}, other: 1e5}", Groups(((("a", ("x",)),),), other="1e5")),
    ],
)
def test_hierarchy_forms(tmp_path: Path, text: str, spec: HierarchySpec) -> None:
    assert job_with(tmp_path, text).columns[0].hierarchy == spec


def test_file_hierarchies_are_found_beside_the_job(tmp_path: Path) -> None:
    (tmp_path / "zip.csv").write_text("1;*\n")
    near = job_with(tmp_path, '{file: zip.csv, delimiter: ";"}').columns[0].hierarchy
    assert near == FromFile(tmp_path / "zip.csv", ";")
    bundled = job_with(tmp_path, "{file: 'dataset:adult/education.csv'}").columns[0].hierarchy
    assert bundled == FromFile(datasets.path("adult/education.csv"))


def test_dates_take_the_format_of_their_column(tmp_path: Path) -> None:
    chain = job_with(tmp_path, '{date: [month, year]}, format: "%d/%m/%y"').columns[0]
    assert chain.hierarchy == Dates("%d/%m/%y", ("month", "year"))
    text = JOB.replace(
        "hierarchy: HIERARCHY", 'format: "%Y", partitions: {y: {date: year}, all: {mask: left}}'
    )
    family = load_job(write(tmp_path, text)).columns[0].hierarchy
    assert family == Family((("y", Dates("%Y", ("year",))), ("all", Mask("left"))))


def test_decimal_comma_of_a_column_is_that_of_its_intervals(tmp_path: Path) -> None:
    spec = job_with(tmp_path, "{intervals: 5}, decimal_comma: true").columns[0].hierarchy
    assert spec == Intervals((Decimal(5),), decimal_comma=True)


def test_weight_is_exact(tmp_path: Path) -> None:
    assert job_with(tmp_path, "suppress, weight: 0.1").columns[0].weight == Fraction(1, 10)


@pytest.mark.parametrize(
    ("limit", "rows_of_30162"),
    [("1%", 301), ("1 %", 301), ("0.5%", 150), ("30", 30), ("30 rows", 30), ("1 row", 1),
     ("0", 0), ("0%", 0), ("99.9%", 30131), (30, 30)],
)  # fmt: skip
def test_limits(limit: object, rows_of_30162: int) -> None:
    job = parse_job(plain(suppression={"limit": limit}), base=Path())
    assert job.suppression.limit.of(30162) == rows_of_30162


@pytest.mark.parametrize("limit", ["0.01", 0.01, 1.0, "1.0", ".5", "1e-2"])
def test_a_bare_fraction_is_refused(limit: object) -> None:
    with pytest.raises(JobError, match=r"suppression\.limit: .*write 1% or a number of rows"):
        parse_job(plain(suppression={"limit": limit}), base=Path())


@pytest.mark.parametrize("limit", ["100%", "101%", "-1", "-1%", "1,5%", "", "x", True, [1], "١%"])
def test_other_limits_are_refused(limit: object) -> None:
    with pytest.raises(JobError, match=r"suppression\.limit: .*1% or a number of rows"):
        parse_job(plain(suppression={"limit": limit}), base=Path())


@pytest.mark.parametrize("method", ["auto", "exhaustive", "exact", "evolve", "pbg-ea"])
def test_methods(method: str) -> None:
    assert parse_job(plain(search={"method": method}), base=Path()).search.method == method


@pytest.mark.parametrize(
    ("text", "budget"),
    [("60s", Budget(60.0)), ("90 s", Budget(90.0)), ("1s", Budget(1.0)), ("1.5s", Budget(1.5)),
     ("10min", Budget(600.0)), ("10 min", Budget(600.0)), ("10m", Budget(600.0)),
     ("0.2 min", Budget(12.0)), ("2h", Budget(7200.0)), ("1000 h", Budget(3_600_000.0)),
     ("5000 evaluations", Budget(evaluations=5000)), ("1 evaluation", Budget(evaluations=1)),
     ("5,000 evaluations", Budget(evaluations=5000)),
     ("1,234,567 evaluations", Budget(evaluations=1_234_567))],
)  # fmt: skip
def test_budgets(text: str, budget: Budget) -> None:
    assert parse_job(plain(search={"budget": text}), base=Path()).search.budget == budget
    assert parse_budget(text) == budget


NO_BUDGETS = [
    "0s", "0.5s", "-1s", "+1s", "0.01min", "0h", "1001h", "60001 min", "99999999999999s", "s",
    "60", "60.5", "1e3", "3 days", "60sec", "60S", "1,000s", "٦٠s", "60 s ", "60\ns", "",
    "0 evaluations", "000 evaluations", "-5 evaluations", "1.5 evaluations", "evaluations",
    "50,00 evaluations", "1e3 evaluations", "5000 evals", "nan s", "inf h",
]  # fmt: skip


@pytest.mark.parametrize("text", NO_BUDGETS)
def test_other_budgets_are_refused(text: str) -> None:
    """In the same words, whether the job says it or the command line."""
    told = r"(a .*; )?a budget is a time of at least one second .* or a number of evaluations .*"
    with pytest.raises(JobError, match=rf"^search\.budget: {told}") as in_job:
        parse_job(plain(search={"budget": text}), base=Path())
    with pytest.raises(JobError, match=rf"^--budget: {told}") as in_command:
        parse_budget(text)
    assert str(in_job.value).partition(": ")[2] == str(in_command.value).partition(": ")[2]
    assert in_command.value.__suppress_context__


@pytest.mark.parametrize("budget", [60, 1.5, True, ["60s"], {"seconds": 60}])
def test_a_budget_is_a_text(budget: object) -> None:
    with pytest.raises(JobError, match=r"search\.budget: .*a budget is a time"):
        parse_job(plain(search={"budget": budget}), base=Path())


def test_refused_budgets_say_why_where_it_is_known() -> None:
    with pytest.raises(JobError, match="a bare number is neither a time nor evaluations"):
        parse_budget("60")
    with pytest.raises(JobError, match="a time of more than 1000 hours"):
        parse_budget("1000.1h")


@pytest.mark.parametrize(
    ("budget", "shown"),
    [(Budget(60.0), "60 s"), (Budget(1.5), "1.5 s"), (Budget(3_600_000.0), "3600000 s"),
     (Budget(evaluations=5000), "5,000 evaluations"), (Budget(evaluations=1), "1 evaluation")],
)  # fmt: skip
def test_a_budget_shows_itself_as_it_may_be_written(budget: Budget, shown: str) -> None:
    assert str(budget) == shown
    assert parse_budget(shown) == budget


@given(st.decimals(min_value=1, max_value=1000, places=6), st.sampled_from(["s", "min", "h"]))
def test_every_time_that_is_read_can_be_read_again(number: Decimal, unit: str) -> None:
    budget = parse_budget(f"{number}{unit}")
    assert parse_budget(str(budget)) == budget


def test_a_budget_is_a_time_or_evaluations() -> None:
    with pytest.raises(ValueError, match="either a time or a number of evaluations"):
        Budget()
    with pytest.raises(ValueError, match="either a time or a number of evaluations"):
        Budget(60.0, 5000)


def test_box_sizes_are_exact(tmp_path: Path) -> None:
    text = JOB.replace("HIERARCHY", "suppress").replace("[k]", '[k, glm, "max:s_l(job)"]')
    sizes = "epsilon: {k: 5, glm: 0.1, s_l( job ): 1e-3}\n"
    epsilon = load_job(write(tmp_path, text + sizes)).epsilon
    assert epsilon == {"k": 5, "glm": Fraction(1, 10), "s_l(job)": Fraction(1, 1000)}
    assert all(isinstance(size, Fraction) for size in epsilon.values())


def test_box_sizes_go_by_the_plain_name_of_their_objective() -> None:
    changes = {"objectives": ["k", "max:s_l(job)"], "epsilon": {"max: s_l(job)": 0.1, "k": 1}}
    assert parse_job(plain(**changes), base=Path()).epsilon == {"s_l(job)": Fraction(1, 10), "k": 1}
    assert parse_job(plain(epsilon={}), base=Path()).epsilon == {}


def test_defaults() -> None:
    job = parse_job(plain(), base=Path("/data"))
    assert job.source.data == Path("/data/people.csv")
    assert job.source.missing == ("",)
    assert job.suppression == Suppression(Limit(rows=0), "staircase")
    assert job.search == SearchOptions("auto", None, None)
    assert dict(job.require) == {}
    assert dict(job.epsilon) == {}


def test_table_options() -> None:
    table = {"path": "x.csv", "delimiter": ";", "encoding": "latin-1", "missing": ["?", ""]}
    source = parse_job(plain(table={**table, "names": ["zip", "job"]}), base=Path("/d")).source
    assert (source.data, source.delimiter, source.encoding) == (Path("/d/x.csv"), ";", "latin-1")
    assert source.names == ("zip", "job")
    assert source.missing == ("", "?")  # the empty cell is always missing


def test_frames_and_paths_take_the_place_of_the_table() -> None:
    frame = pa.table({"zip": ["1"], "job": ["a"]})
    options = {"path": "x.csv", "missing": ["?"]}
    given = parse_job(plain(table=options), base=Path("/d"), table=frame).source
    assert given.data is frame
    assert given.missing == ("", "?")
    assert parse_job(plain(table=frame), base=Path("/d")).source.data is frame
    assert parse_job(plain(), base=Path("/d"), table="y.csv").source.data == Path("y.csv")
    bundled = parse_job(plain(), base=Path("/d"), table="dataset:adult").source
    assert bundled.data == datasets.path("adult")
    without = {key: value for key, value in plain().items() if key != "table"}
    assert parse_job(without, base=Path("/d"), table=frame).source.data is frame


def test_python_scalars_mean_what_their_text_means() -> None:
    columns = {
        "zip": {"role": [Role.QUASI], "hierarchy": {"intervals": [5, 10.0]}, "weight": Decimal(2)},
        "job": {"role": Role.SENSITIVE, "because": None},
        5: {"role": "identifier"},
    }
    job = parse_job(plain(columns=columns, require={"k": 5}, search={"seed": 3}), base=Path())
    assert job.columns[0].hierarchy == Intervals((Decimal(5), Decimal(10)))
    assert [column.name for column in job.columns] == ["zip", "job", "5"]
    assert job.require == {"k": Decimal(5)}
    assert job.search.seed == 3


def test_measures_keep_direction_and_lose_blanks() -> None:
    listed = ["k", " max: s_l( job )", "distinct_l(job)"]
    job = parse_job(plain(objectives=listed, require={"distinct_l( job )": 2}), base=Path())
    assert job.objectives == ("k", "max:s_l(job)", "distinct_l(job)")
    assert job.require == {"distinct_l(job)": Decimal(2)}


def test_a_measures_column_may_hold_parentheses() -> None:
    columns = {**plain()["columns"], "pay (EUR)": {"role": "sensitive"}}
    job = parse_job(plain(columns=columns, objectives=["distinct_l(pay (EUR))"]), base=Path())
    assert job.objectives == ("distinct_l(pay (EUR))",)


def test_anchors_are_followed(tmp_path: Path) -> None:
    text = JOB.replace("HIERARCHY", "&h {intervals: [5, 10]}").replace(
        "job: {role: sensitive}", "job: {role: quasi, hierarchy: *h}"
    )
    columns = load_job(write(tmp_path, text)).columns
    assert columns[0].hierarchy == columns[1].hierarchy


CHANGES: list[dict[str, Any]] = [
    {"objectives": ["glm"]},
    {"objectives": ["k", "glm"]},
    {"require": {"k": 2}},
    {"suppression": {"limit": 1}},
    {"suppression": {"rule": "paper"}},
    {"epsilon": {"k": 5}},
    {"table": {"path": "people.csv", "missing": ["?"]}},
    {"columns": {**plain()["columns"], "x": {"role": "identifier"}}},
]
BUDGETS = st.builds(Budget, seconds=st.floats(1, 3_600_000)) | st.builds(
    Budget, evaluations=st.integers(1, 10**18)
)


class TestDigest:
    """Equal for the same question, another one for another question."""

    def test_ignores_layout_places_and_table(self, tmp_path: Path) -> None:
        folders = [tmp_path / "a", tmp_path / "b"]
        for folder in folders:
            folder.mkdir()
            (folder / "zip.csv").write_text("1;*\n")
        one = job_with(folders[0], "{file: zip.csv}")
        text = "# note\n" + JOB.replace("HIERARCHY", '\n      {"file": "zip.csv"}')
        two = load_job(write(folders[1], text.replace("people", "other")))
        assert one.digest == two.digest
        assert len(one.digest) == 64

    def test_sees_the_content_of_a_hierarchy_file(self, tmp_path: Path) -> None:
        (tmp_path / "zip.csv").write_text("1;*\n")
        before = job_with(tmp_path, "{file: zip.csv}").digest
        (tmp_path / "zip.csv").write_text("1;*\n2;*\n")
        assert job_with(tmp_path, "{file: zip.csv}").digest != before

    def test_sees_numbers_not_their_writing(self, tmp_path: Path) -> None:
        five = job_with(tmp_path, "{intervals: [5]}").digest
        assert job_with(tmp_path, "{intervals: 5.0}").digest == five
        assert job_with(tmp_path, "{intervals: 6}").digest != five

    @pytest.mark.parametrize("change", CHANGES)
    def test_sees_every_part(self, change: dict[str, Any]) -> None:
        original, changed = (parse_job(plain(**c), base=Path()) for c in ({}, change))
        assert changed.digest != original.digest
        assert search_digest(changed) != search_digest(original)

    @pytest.mark.parametrize("search", [{"seed": 1}, {"method": "evolve"}])
    def test_of_a_search_leaves_method_and_seed_to_the_checkpoint(self, search) -> None:
        original, changed = (parse_job(plain(**c), base=Path()) for c in ({}, {"search": search}))
        assert changed.digest != original.digest
        assert search_digest(changed) == search_digest(original)

    def test_sees_rules_not_their_blanks(self) -> None:
        def digest(say: str) -> str:
            columns = {**plain()["columns"], "x": {"role": "sensitive"}}
            job = plain(columns=columns, confidential=[{"say": say}])
            return parse_job(job, base=Path()).digest

        assert digest("x = 1") == digest(" (x  =  1)") != digest("x = 2")

    def test_sees_the_size_of_a_box_not_its_writing(self) -> None:
        digests = [
            parse_job(plain(epsilon={"k": size}), base=Path()).digest for size in ("5", 5.0, "6")
        ]
        assert digests[0] == digests[1] != digests[2]

    def test_ignores_the_order_of_box_sizes(self) -> None:
        both = {"k": 5, "glm": 1000}
        digests = {
            parse_job(plain(objectives=["k", "glm"], epsilon=sizes), base=Path()).digest
            for sizes in (both, dict(reversed(both.items())))
        }
        assert len(digests) == 1

    def test_sees_the_budget_not_its_writing(self) -> None:
        digests = [
            parse_job(plain(search={"budget": budget}), base=Path()).digest
            for budget in ("60s", "1 min", "61s", "60 evaluations")
        ]
        assert digests[0] == digests[1]
        assert len({parse_job(plain(), base=Path()).digest, *digests}) == 4

    @given(st.sampled_from([{}, *CHANGES]), st.none() | BUDGETS, st.none() | BUDGETS)
    def test_a_search_may_go_on_with_another_budget(
        self, change: dict[str, Any], first: Budget | None, second: Budget | None
    ) -> None:
        """The digest of a search is blind to the budget, that of the job is not."""
        job = parse_job(plain(**change), base=Path())
        one, two = (replace(job, search=replace(job.search, budget=b)) for b in (first, second))
        assert search_digest(one) == search_digest(two)
        assert (digest_of(one) == digest_of(two)) == (first == second)

    def test_the_digest_of_a_search_sees_hierarchy_files(self, tmp_path: Path) -> None:
        (tmp_path / "zip.csv").write_text("1;*\n")
        before = search_digest(job_with(tmp_path, "{file: zip.csv}"))
        (tmp_path / "zip.csv").write_text("1;*\n2;*\n")
        assert search_digest(job_with(tmp_path, "{file: zip.csv}")) != before

    def test_what_is_told_about_a_release_changes_no_digest(self) -> None:
        told = parse_job(plain(about={"title": "Visits", "cite": " Office (2026) "}), base=Path())
        silent = parse_job(plain(), base=Path())
        assert told.about == About(title="Visits", cite="Office (2026)")
        assert silent.about == About()
        assert (told.digest, search_digest(told)) == (silent.digest, search_digest(silent))

    def test_limits_of_percent_and_rows_differ(self) -> None:
        digests = {
            parse_job(plain(suppression={"limit": limit}), base=Path()).digest
            for limit in ("1%", "1", "1 row", "1.0%")
        }
        assert len(digests) == 2
