"""A proposed job passes the checks as it is, gives its reasons, and names no rare value."""

from __future__ import annotations

import re
from decimal import Decimal
from pathlib import Path

import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st
from tests.support.proposing import accepted, as_csv, column, propose, role_of

from paretonym import datasets
from paretonym.errors import JobError, TableError
from paretonym.jobfile.loading import parse_job
from paretonym.jobfile.yaml import read_yaml
from paretonym.model.hierarchy import Groups, Intervals, Suppress
from paretonym.model.job import Limit, SearchOptions
from paretonym.model.schema import Role
from paretonym.model.source import TableSource
from paretonym.pipeline.open_job import open_job
from paretonym.proposal.proposing import propose_job
from paretonym.proposal.text import quoted
from paretonym.proposal.words import hint_of, words_of

SHARED = Path(__file__).parents[3] / "shared" / "data"
ACS = SHARED / "acs2018" / "person_wy.csv.gz"
KDD = SHARED / "kdd_census_income" / "train.csv.gz"


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
    assert (
        "# guess: 72 whole numbers, 1 of 30,162 rows alone with theirs; the name says 'age'" in text
    )
    specs = {c.name: c.hierarchy for c in job.columns}
    assert specs["race"] == Groups(
        ((("Black", ("Black",)), ("White", ("White",))),), other="other values"
    )
    assert "Rows alone by two columns that an outsider may know" in text


@pytest.mark.skipif(not SHARED.is_dir(), reason="the shared tables are not here")
@pytest.mark.parametrize(
    "path",
    sorted([*SHARED.glob("sdc/*.csv"), *SHARED.glob("acs*/*.gz"), *SHARED.glob("adult/adult.csv")]),
    ids=lambda path: f"{path.parent.name}/{path.name}",
)
def test_the_shared_tables_are_accepted(tmp_path: Path, path: Path) -> None:
    accepted(tmp_path, TableSource(path), str(path))


@pytest.mark.skipif(not KDD.is_file(), reason="the shared census is not here")
def test_a_large_table_without_a_header_is_accepted(tmp_path: Path) -> None:
    names = tuple(f"c{i}" for i in range(42))
    accepted(tmp_path, TableSource(KDD, names=names, missing=(" ?",)), str(KDD))


@pytest.mark.skipif(not ACS.is_file(), reason="the shared survey is not here")
def test_roles_of_forty_survey_columns(tmp_path: Path) -> None:
    text, job = accepted(tmp_path, TableSource(ACS), str(ACS))
    roles = {c.name: c.roles for c in job.columns}
    assert roles["SERIALNO"] == {Role.IDENTIFIER}
    assert roles["PWGTP"] == {Role.WEIGHT}
    assert len(job.quasi) == 10
    assert "LEFT OUT: 21 columns" in text


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


@pytest.mark.slow
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
    # some of these names read like cells
    accepted(folder, TableSource(folder / "t.csv", delimiter=","), "t.csv", header=True)


@given(st.text(st.characters(exclude_categories=["Cs"]), min_size=1))
def test_a_quoted_text_reads_back(text: str) -> None:
    assert read_yaml(f"[{quoted(text)}]", "job").data == [text]


def test_no_rare_value_of_the_table_is_written(tmp_path: Path) -> None:
    """Tokens in cells of every kind; the comments and hierarchies hold none of them."""
    rows = [
        f"{f'canary{i}' if i < 20 else 'plain'},71{i % 30:03d}77,2031-{i % 12 + 1:02d}-17,"
        f"tok{i},{i}.5519,Zyx{i % 2}"
        for i in range(90)
    ]
    text, _ = propose(tmp_path, "town,zip,birth,note,dose,disease\n" + "\n".join(rows) + "\n")
    for token in ("canary", "71", "2031", "tok", "5519", "Zyx"):
        assert token not in text


# hostile tables

HOSTILE = [
    '"',
    "'",
    "a: b",
    "- c",
    "x\ny",
    "x\r\ny",
    "\u202egnp.x",
    "\u2067\u2066",
    "[red]",
    "{z: 1}",
    "#",
    "&",
    "\x1b[31m",
]


def test_hostile_names_of_columns(tmp_path: Path) -> None:
    """In keys, in comments about pairs, and in objectives; marks that turn text are escaped."""
    rows = [[f"{(i * (c + 3)) % 11}" for c in range(len(HOSTILE))] for i in range(120)]
    text, job = propose(tmp_path, as_csv(HOSTILE, rows), delimiter=",")
    assert [c.name for c in job.columns] == HOSTILE
    assert text.isascii()
    assert "\x1b" not in text
    income = [f"income {name}" for name in HOSTILE]
    _, job = propose(tmp_path, as_csv(income, rows), delimiter=",")
    assert job.objectives[2].startswith("distinct_l(")


def test_hostile_cells_that_are_frequent(tmp_path: Path) -> None:
    """They may become names of groups, and must read back."""
    for cell in ("<script>alert(1)</script>", '"', "a: [b", "=1+1", "null", "{", "- x", "é ü", "~"):
        rows = [[cell], ["b"], [cell], ["c"], [cell]] * 20
        _, job = propose(tmp_path, as_csv(["work"], rows), delimiter=",")
        assert job.columns[0].hierarchy == Groups((((cell, (cell,)),),), other="other")
    turned = [["\u202ex"], ["b"], ["\u202ex"], ["c"], ["\u202ex"]] * 20
    text, job = propose(tmp_path, as_csv(["work"], turned), delimiter=",")
    assert job.columns[0].hierarchy == Suppress()
    assert "\u202e" not in text


@pytest.mark.slow
def test_three_hundred_columns(tmp_path: Path) -> None:
    rows = [[str((i + c) % 3) for c in range(300)] for i in range(60)]
    text, job = propose(tmp_path, as_csv([f"c{c}" for c in range(300)], rows))
    assert len(job.quasi) == 10
    assert "LEFT OUT: 290 columns" in text
    assert "Pairs not counted, to keep this quick: 44,784." in text  # of 300 columns but of 12


def test_the_smallest_tables(tmp_path: Path) -> None:
    for table in ("x\n1\n", "x,y\n1,a\n", 'x\n""\n""\n', "x,y\n,\n,\n", "x\na\na\n"):
        propose(tmp_path, table, delimiter=",")


def test_huge_cells(tmp_path: Path) -> None:
    huge = "h" * 1_000_000
    rows = [[huge + str(i % 3), str(i % 4)] for i in range(60)]
    text, _ = propose(tmp_path, as_csv(["note", "sex"], rows))
    assert "hhh" not in text
    assert len(text) < 10_000


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
    """Named ones come first; what finds no place does not pass unprotected but is left out."""
    names = [f"c{i}" for i in range(12)] + ["age", "sex", "many"]
    rows = [[str(r % 3)] * 14 + [str(r // 6)] for r in range(180)]
    text, job = propose(tmp_path, as_csv(names, rows))
    assert {"age", "sex", "many"} <= set(job.quasi)
    assert "LEFT OUT: 5 columns" in text
    assert sum(Role.OMITTED in column.roles for column in job.columns) == 5


def test_the_lattice_stays_small(tmp_path: Path) -> None:
    rows = [[f"{r % 30:010d}"] * 10 for r in range(300)]
    text, job = propose(tmp_path, as_csv([f"c{i}" for i in range(10)], rows))
    assert "fewer levels than it could have" in re.sub(r"\s+#\s+", " ", text)
    assert len(job.quasi) == 10


# objectives, reading options, kinds of tables


def test_small_tables_require_nothing(tmp_path: Path) -> None:
    text, job = propose(tmp_path, "sex\n" + "f\nm\n" * 24)
    assert job.require == {}
    assert "# require: {k: 5}" in text
    assert propose(tmp_path, "sex\n" + "f\nm\n" * 25)[1].require == {"k": Decimal(5)}


def test_reading_options_are_written_where_they_were_given_or_found(tmp_path: Path) -> None:
    text, job = propose(tmp_path, "sex,age\nf,NA\nm,7\n")
    assert "\ntable: t.csv\n" in text
    assert job.source.delimiter is None
    text, job = propose(tmp_path, "sex;age\nf;NA\nm;7\n")
    assert job.source.delimiter == ";"
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
            "key": pa.array([b"x", b"y"] * 30),
            "sex": pa.array(["f", "m"] * 30),
            "when": pa.array([i % 7 * 86_400 for i in range(rows)], pa.timestamp("s")),
        }
    )
    pq.write_table(table, tmp_path / "t.parquet")
    _, job = accepted(tmp_path, TableSource(tmp_path / "t.parquet"), "t.parquet")
    assert [c.name for c in job.columns if Role.OMITTED in c.roles] == ["tags", "wait", "key"]
    assert job.quasi == ("sex", "when")
    pq.write_table(table.select(["tags"]), tmp_path / "t.parquet")
    with pytest.raises(TableError, match="no column of the table has a plain text form"):
        propose_job(TableSource(tmp_path / "t.parquet"), table_text="t.parquet")


def test_frames_get_a_job_too(tmp_path: Path) -> None:
    frame = pd.DataFrame({"age": range(60), "sex": ["f", "m"] * 30, "wage": [0.5, None] * 30})
    text = propose_job(TableSource(frame), table_text="frame.csv")
    job = parse_job(read_yaml(text, "job").data, base=tmp_path, table=frame)
    with open_job(job) as opened:
        assert opened.table.rows() == 60


def test_a_name_that_no_job_can_hold_is_refused(tmp_path: Path) -> None:
    with pytest.raises(JobError, match="rename it in the table"):
        propose(tmp_path, "<<,sex\n1,f\n")
