"""A proposed job passes the checks as it is, gives its reasons, and holds no value of the table."""

from __future__ import annotations

import csv
import io
import re
from decimal import Decimal
from itertools import pairwise
from pathlib import Path

import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from paretonym import datasets
from paretonym.app.bench import identifying, open_bench
from paretonym.app.job import load_job, parse_job
from paretonym.app.job_yaml import read_yaml
from paretonym.app.proposal import propose_job
from paretonym.app.proposal_hierarchies import MOST_NODES, round_widths, spread
from paretonym.app.proposal_text import quoted
from paretonym.app.proposal_words import hint_of, words_of
from paretonym.errors import JobError, TableError
from paretonym.model.hierarchy import Dates, Intervals, Mask, Suppress
from paretonym.model.job import ColumnSpec, Job, Limit, SearchOptions
from paretonym.model.schema import Role
from paretonym.model.source import TableSource

SHARED = Path(__file__).parents[3] / "shared" / "data"
SDC = SHARED / "sdc"
ACS = SHARED / "acs2018" / "person_wy.csv.gz"


def accepted(folder: Path, source: TableSource, table_text: str) -> tuple[str, Job]:
    """The proposal for a table, once it has passed what `check` does."""
    text = propose_job(source, table_text=table_text)
    path = folder / "job.yaml"
    path.write_text(text, encoding="utf-8")
    job = load_job(path)
    with open_bench(job) as bench:
        assert [c.name for c in job.columns] == list(bench.table.names)
        assert 1 <= len(job.quasi) <= 10
        assert bench.lattice.size <= MOST_NODES
        for profile in bench.table.profile():
            roles = bench.schema[profile.name].roles
            if roles & {Role.INSENSITIVE, Role.WEIGHT}:
                assert identifying(profile) is None
    assert all(c.because is None for c in job.columns)  # a reason is never invented
    assert text.count("# guess: ") >= len(job.columns)
    return text, job


def propose(folder: Path, table: str, **options: object) -> tuple[str, Job]:
    (folder / "t.csv").write_text(table, encoding="utf-8")
    return accepted(folder, TableSource(folder / "t.csv", **options), "t.csv")  # type: ignore[arg-type]


def column(folder: Path, name: str, cells: list[str]) -> tuple[str, ColumnSpec]:
    """What is proposed for one column beside a plain one; and its comment with its line."""
    rows = "\n".join(f"{cell};{i % 3}" for i, cell in enumerate(cells))
    text, job = propose(folder, f"{name};other\n{rows}\n", delimiter=";")
    about = text.split("columns:\n")[1].split("\n\n")[0]
    return re.sub(r"\s+#\s+", " ", about), job.columns[0]


def role_of(folder: Path, name: str, cells: list[str]) -> Role:
    (role,) = column(folder, name, cells)[1].roles
    return role


# tables


def test_adult_gets_the_roles_of_the_literature(tmp_path: Path) -> None:
    text, job = accepted(tmp_path, TableSource(datasets.path("adult")), "dataset:adult")
    assert {c.name for c in job.columns if Role.SENSITIVE in c.roles} == {
        "occupation",
        "salary-class",
    }
    assert len(job.quasi) == 7
    assert job.columns[0].hierarchy == Intervals((Decimal(5), Decimal(10), Decimal(20)))
    assert job.objectives == ("k", "glm", "distinct_l(occupation)")
    assert job.require == {"k": Decimal(5)}
    assert job.suppression.limit == Limit(percent=Decimal(1))
    assert job.search == SearchOptions(method="auto", seed=1)
    assert "# guess: 72 whole numbers; the name says 'age'" in text


@pytest.mark.skipif(not SDC.is_dir(), reason="the shared tables are not here")
def test_the_tables_of_disclosure_control_are_accepted(tmp_path: Path) -> None:
    for path in sorted(SDC.glob("*.csv")):
        accepted(tmp_path, TableSource(path), str(path))


@pytest.mark.skipif(not ACS.is_file(), reason="the shared survey is not here")
def test_forty_survey_columns_are_accepted(tmp_path: Path) -> None:
    text, job = accepted(tmp_path, TableSource(ACS), str(ACS))
    roles = {c.name: c.roles for c in job.columns}
    assert roles["SERIALNO"] == {Role.IDENTIFIER}
    assert roles["PWGTP"] == {Role.WEIGHT}
    assert len(job.quasi) == 10
    assert "UNPROTECTED: 21 columns" in text


ODD = ["yes", "null", "1e5", "007", "a: b", 'q"uo\'te', "- x", "# y", "{z}", "größe 😀", "~", "*a",
       "x\u2028y", "a\\b", "k", "distinct_l(x)", "a)b(", "?", "!!int", "n" * 1100, "tab\there",
       "é\u0301", "\x85x\x7f", "@", "`", "%YAML", "---", "true", "x #y", "x,y",
       "&a", "|", ">"]  # fmt: skip

headers = st.one_of(
    st.sampled_from(ODD),
    st.sampled_from(
        ["age", "Name", "income: net", "body weight", "weight", "date of birth", "zip"]
    ),
    st.text(st.characters(exclude_characters="\0", exclude_categories=["Cs"]), max_size=12),
).filter(lambda name: name.strip() not in ("", "<<"))

cells = st.one_of(
    st.sampled_from(
        ["", "", "0", "1", "2", "01", "A1", "x", "*", "NA", "-5", "3.5", "3,5", "1,000"]
    ),
    st.sampled_from(
        ["2020-02-30", "2020-01-31", "31/12/1999", "1/2/2000", "20200131", "1e999", ".5"]
    ),
    st.integers().map(str),
    st.decimals(allow_nan=False, allow_infinity=False).map(str),
    st.dates().map(str),
    st.text(st.characters(exclude_characters="\0", exclude_categories=["Cs"]), max_size=8),
)


@st.composite
def tables(draw: st.DrawFn) -> tuple[list[str], list[list[str]]]:
    names = draw(st.lists(headers, min_size=1, max_size=14, unique_by=str.strip))
    count = draw(st.sampled_from([1, 2, 3, 5, 8, 60]))
    columns = []
    for _ in names:
        pool = draw(st.lists(cells, min_size=1, max_size=6))
        start = draw(st.integers(-3, 30))
        columns.append(
            draw(
                st.sampled_from(
                    [
                        [pool[i % len(pool)] for i in range(count)],
                        [str(start + i) for i in range(count)],
                        [f"{i / 7:.4f}" for i in range(count)],
                        [f"{i // 2:0{1 + abs(start) % 12}d}" for i in range(count)],
                    ]
                )
            )
        )
    return names, [list(row) for row in zip(*columns, strict=True)]


def as_csv(names: list[str], rows: list[list[str]]) -> str:
    stream = io.StringIO()
    writer = csv.writer(stream, quoting=csv.QUOTE_ALL, lineterminator="\n")
    writer.writerows([names, *rows])
    return stream.getvalue()


@given(tables())
@example((ODD, [[str(i)] * len(ODD) for i in range(60)]))
@example((ODD, [[f"{i}.25"] * len(ODD) for i in range(3)]))
@settings(max_examples=80, deadline=None, suppress_health_check=list(HealthCheck))
def test_any_table_gets_a_job_that_passes(
    tmp_path_factory: pytest.TempPathFactory, table: tuple[list[str], list[list[str]]]
) -> None:
    folder = tmp_path_factory.mktemp("table")
    names, rows = table
    (folder / "t.csv").write_text(as_csv(names, rows), encoding="utf-8", newline="")
    accepted(folder, TableSource(folder / "t.csv", delimiter=","), "t.csv")


@given(st.text(st.characters(exclude_categories=["Cs"]), min_size=1))
def test_a_quoted_text_reads_back(text: str) -> None:
    assert read_yaml(f"[{quoted(text)}]", "job").data == [text]


def test_no_value_of_the_table_is_written(tmp_path: Path) -> None:
    """Tokens in cells of every kind; the comments and hierarchies hold none of them."""
    rows = [
        f"canary{i % 4},71{i % 30:03d}77,2031-{i % 12 + 1:02d}-17,tok{i},{i}.5519,Zyx{i % 2}"
        for i in range(90)
    ]
    text, _ = propose(tmp_path, "town,zip,birth,note,dose,disease\n" + "\n".join(rows) + "\n")
    for token in ("canary", "71", "2031", "tok", "5519", "Zyx"):
        assert token not in text


# roles


def test_a_name_gives_a_role(tmp_path: Path) -> None:
    repeated = [str(i % 4) for i in range(60)]
    assert role_of(tmp_path, "patient_id", repeated) is Role.IDENTIFIER
    assert role_of(tmp_path, "PWGTP", repeated) is Role.WEIGHT
    assert role_of(tmp_path, "familyIncome", repeated) is Role.SENSITIVE
    assert role_of(tmp_path, "country_name", repeated) is Role.QUASI
    assert role_of(tmp_path, "paid", repeated) is Role.QUASI  # neither `id` nor `pay` as a word


def test_last_known_word_counts_and_what_follows_of_does_not() -> None:
    assert hint_of(words_of("family_income")) == ("sensitive", "income")
    assert hint_of(words_of("DateOfBirth")) == ("quasi", "date")
    assert hint_of(words_of("RAC1P")) == ("quasi", "rac1p")
    assert hint_of(words_of("body weight")) is None
    assert hint_of(words_of("identity")) is None


def test_a_weight_that_singles_people_out_is_left_out_and_says_so(tmp_path: Path) -> None:
    said, spec = column(tmp_path, "weight", [str(1000 + i) for i in range(60)])
    assert spec.roles == {Role.IDENTIFIER}
    assert "the name says 'weight', but a weight passes unchanged" in said
    assert "is nearly unique (60 values in 60 rows)" in said


def test_nearly_unique_columns(tmp_path: Path) -> None:
    """Whole numbers and texts are left out; decimals are measurements; dates are generalised."""
    assert role_of(tmp_path, "x", [str(i) for i in range(60)]) is Role.IDENTIFIER
    assert role_of(tmp_path, "x", [f"n{i}y" * 9 for i in range(60)]) is Role.IDENTIFIER
    assert role_of(tmp_path, "x", [f"{i}.25" for i in range(60)]) is Role.SENSITIVE
    days = [f"2020-0{i % 6 + 1}-{i % 28 + 1:02d}" for i in range(60)]
    assert role_of(tmp_path, "x", days) is Role.QUASI


def test_free_text_is_left_out_whatever_its_name(tmp_path: Path) -> None:
    notes = [f"person {i} fell ill" for i in range(60)]
    assert role_of(tmp_path, "diagnosis", notes) is Role.IDENTIFIER
    assert role_of(tmp_path, "work", notes) is Role.IDENTIFIER


def test_household_numbers_never_pass(tmp_path: Path) -> None:
    assert role_of(tmp_path, "x", [str(i // 3) for i in range(90)]) is Role.IDENTIFIER
    assert role_of(tmp_path, "x", [str(i // 6) for i in range(180)]) is Role.QUASI


def test_columns_that_tell_nothing_pass(tmp_path: Path) -> None:
    assert role_of(tmp_path, "age", ["7"] * 60) is Role.INSENSITIVE
    assert role_of(tmp_path, "age", [""] * 60) is Role.INSENSITIVE


def test_a_table_of_unique_columns_still_has_a_quasi_identifier(tmp_path: Path) -> None:
    rows = "\n".join(f"{i},p{i}@x,{i * 7}" for i in range(60))
    text, job = propose(tmp_path, f"id,email,amount\n{rows}\n")
    assert job.quasi == ("amount",)
    assert "would otherwise be identifier" in re.sub(r"\s+#\s+", " ", text)


def test_more_than_ten_quasi_identifiers_are_not_proposed(tmp_path: Path) -> None:
    """Named ones come first; the rest passes with a warning, or is left out if it singles out."""
    names = [f"c{i}" for i in range(12)] + ["age", "sex", "many"]
    rows = [[str(r % 3)] * 14 + [str(r // 6)] for r in range(180)]
    text, job = propose(tmp_path, as_csv(names, rows))
    assert {"age", "sex", "many"} <= set(job.quasi)
    assert "UNPROTECTED: 5 columns" in text
    assert re.sub(r"\s+#\s+", " ", text).count("passes UNPROTECTED") == 5


def test_the_lattice_stays_small(tmp_path: Path) -> None:
    rows = [[f"{r % 30:010d}"] * 10 for r in range(300)]
    text, job = propose(tmp_path, as_csv([f"c{i}" for i in range(10)], rows))
    assert "fewer levels than it could have" in re.sub(r"\s+#\s+", " ", text)
    assert len(job.quasi) == 10


# hierarchies


def test_widths_are_round_and_each_divides_the_next() -> None:
    assert round_widths(Decimal(73), whole=True) == (5, 10, 20)
    assert round_widths(Decimal(16000), whole=True) == (1000, 5000)
    assert round_widths(Decimal("1.6"), whole=False) == (Decimal("0.1"), Decimal("0.5"))
    assert round_widths(Decimal(9), whole=True) == (2,)
    assert round_widths(Decimal(0), whole=True) == ()
    assert round_widths(Decimal("1e200"), whole=False) == ()


@given(st.decimals(min_value="1e-40", max_value="1e40", allow_nan=False), st.booleans())
def test_widths_nest(span: Decimal, whole: bool) -> None:
    widths = round_widths(span, whole=whole)
    assert widths
    assert all(wide % narrow == 0 for narrow, wide in pairwise(widths))


def test_a_few_huge_values_do_not_stretch_the_widths() -> None:
    counted = [(Decimal(i), 1) for i in range(100)] + [(Decimal(10**9), 1)]
    assert spread(counted) < 100


@pytest.mark.parametrize(
    ("cells", "spec"),
    [
        ([f"{i % 12 + 1:02d}/{i % 28 + 1:02d}/1999" for i in range(84)], "%m/%d/%Y"),
        ([f"{i % 28 + 1}.{i % 12 + 1}.1999" for i in range(84)], "%d.%m.%Y"),
        ([f"1999-{i % 12 + 1:02d}-{i % 28 + 1:02d}" for i in range(84)], "%Y-%m-%d"),
        ([f"1999{i % 12 + 1:02d}{i % 28 + 1:02d}" for i in range(84)], "%Y%m%d"),
    ],
)
def test_dates_of_one_format(tmp_path: Path, cells: list[str], spec: str) -> None:
    assert column(tmp_path, "birth", cells)[1].hierarchy == Dates(spec, ("month", "year"))


def test_ambiguous_or_impossible_dates_are_only_suppressed(tmp_path: Path) -> None:
    either = [f"{i % 12 + 1:02d}/{i % 11 + 1:02d}/1999" for i in range(60)]
    said, spec = column(tmp_path, "birth", either)
    assert spec.hierarchy == Suppress()
    assert "%d/%m/%Y and %m/%d/%Y can both read" in said
    impossible = ["1999-02-31", *[f"1999-01-{i % 28 + 1:02d}" for i in range(60)]]
    said, spec = column(tmp_path, "birth", impossible)
    assert spec.hierarchy == Suppress()
    assert "not every value can be read" in said


def test_codes_numbers_and_missing_values(tmp_path: Path) -> None:
    zips = [f"{i % 6:05d}" for i in range(60)]
    assert column(tmp_path, "zip", zips)[1].hierarchy == Mask("right")
    assert column(tmp_path, "zip", [f"1000{i % 6}" for i in range(60)])[1].hierarchy == Mask(
        "right"
    )
    ages = ["" if i % 10 == 0 else str(i % 40 - 20) for i in range(400)]
    said, spec = column(tmp_path, "age", ages)
    assert isinstance(spec.hierarchy, Intervals)
    assert "40 missing (a category of their own)" in said
    assert column(tmp_path, "sex", ["f", "m"] * 30)[1].hierarchy == Suppress()


def test_decimal_commas_are_proposed_only_when_they_cannot_be_thousands(tmp_path: Path) -> None:
    heights = [f"1,{i % 40 + 50}" for i in range(400)]
    said, spec = column(tmp_path, "height", heights)
    assert isinstance(spec.hierarchy, Intervals)
    assert spec.hierarchy.decimal_comma
    assert "with a decimal comma" in said
    either = [f"1,{i % 40 + 500}" for i in range(400)]
    assert column(tmp_path, "height", either)[1].hierarchy == Suppress()


# objectives, reading options, kinds of tables


def test_small_tables_require_nothing(tmp_path: Path) -> None:
    text, job = propose(tmp_path, "sex\n" + "f\nm\n" * 24)
    assert job.require == {}
    assert "# require: {k: 5}" in text
    assert propose(tmp_path, "sex\n" + "f\nm\n" * 25)[1].require == {"k": Decimal(5)}


def test_reading_options_are_written_only_where_they_were_given(tmp_path: Path) -> None:
    text, job = propose(tmp_path, "sex;age\nf;NA\nm;7\n")
    assert "\ntable: t.csv\n" in text
    assert job.source.delimiter is None
    (tmp_path / "l.csv").write_text("é\t1\nf\t?\n", encoding="latin-1")
    source = TableSource(
        tmp_path / "l.csv",
        delimiter="\t",
        encoding="latin-1",
        names=("sex", "no: 2"),
        missing=("?", "n/a"),
    )
    text, job = accepted(tmp_path, source, "l.csv")
    assert (job.source.delimiter, job.source.encoding) == ("\t", "latin-1")
    assert job.source.names == ("sex", "no: 2")
    assert job.source.missing == ("", "?", "n/a")


def test_parquet_columns_without_text_are_left_out(tmp_path: Path) -> None:
    rows = 60
    table = pa.table(
        {
            "tags": pa.array([[i] for i in range(rows)]),
            "wait": pa.array(range(rows), pa.duration("s")),
            "sex": pa.array(["f", "m"] * 30),
            "when": pa.array([i % 7 * 86_400 for i in range(rows)], pa.timestamp("s")),
        }
    )
    pq.write_table(table, tmp_path / "t.parquet")
    _, job = accepted(tmp_path, TableSource(tmp_path / "t.parquet"), "t.parquet")
    assert [c.name for c in job.columns if Role.IDENTIFIER in c.roles] == ["tags", "wait"]
    assert job.quasi == ("sex", "when")
    pq.write_table(table.select(["tags"]), tmp_path / "t.parquet")
    with pytest.raises(TableError, match="no column of the table has a plain text form"):
        propose_job(TableSource(tmp_path / "t.parquet"), table_text="t.parquet")


def test_frames_get_a_job_too(tmp_path: Path) -> None:
    frame = pd.DataFrame({"age": range(60), "sex": ["f", "m"] * 30, "wage": [0.5, None] * 30})
    text = propose_job(TableSource(frame), table_text="frame.csv")
    job = parse_job(read_yaml(text, "job").data, base=tmp_path, table=frame)
    with open_bench(job) as bench:
        assert bench.table.rows() == 60


def test_a_name_that_no_job_can_hold_is_refused(tmp_path: Path) -> None:
    with pytest.raises(JobError, match="rename it in the table"):
        propose(tmp_path, "<<,sex\n1,f\n")
