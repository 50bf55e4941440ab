"""A first row that is somebody's record is never taken for names."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.cli.calling import call
from tests.safety.cases import refused
from tests.support.proposing import accepted, propose

from paretonym.errors import TableError
from paretonym.model.source import TableSource
from paretonym.proposal.proposing import propose_job

RECORDS = "".join(
    f"Person {i},19{i % 60 + 10}-02-03,{'HIV' if i % 4 else 'flu'}\n" for i in range(80)
)
FIRST = "Zebulon Q. Featherstone,1931-02-03,HIV\n"


def source(folder: Path, text: str, **options: object) -> TableSource:
    (folder / "t.csv").write_text(text, encoding="utf-8")
    return TableSource(folder / "t.csv", **options)  # type: ignore[arg-type]


def test_a_record_in_place_of_names_is_refused_without_a_cell(tmp_path: Path) -> None:
    """A date above dates and a diagnosis that others have: two of three cells."""
    with pytest.raises(TableError) as refusal:
        propose_job(source(tmp_path, FIRST + RECORDS), table_text="t.csv")
    assert "2 of 3 cells" in str(refusal.value)
    assert not any(cell in str(refusal.value) for cell in ("Zebulon", "1931", "HIV"))


def test_cells_are_compared_without_the_blank_that_a_name_loses(tmp_path: Path) -> None:
    rows = "".join(
        f"{20 + i % 50}, {'yes' if i % 3 else 'no'}, {'f' if i % 2 else 'm'}\n" for i in range(90)
    )
    with pytest.raises(TableError, match="first row"):
        propose_job(source(tmp_path, "34, yes, f\n" + rows), table_text="t.csv")


@pytest.mark.parametrize("header", ["1,2,3", "sex,2019,2020", "sex,group,x"])
def test_names_that_only_look_odd_are_names(tmp_path: Path, header: str) -> None:
    """Counted columns and years follow each other, as no record does."""
    rows = "".join(f"{'f' if i % 2 else 'm'},{i % 5},{i % 7}\n" for i in range(60))
    _, job = propose(tmp_path, f"{header}\n{rows}")
    assert [c.name for c in job.columns] == header.split(",")


def test_the_first_row_may_be_named_numbered_or_insisted_upon(tmp_path: Path) -> None:
    given = source(tmp_path, FIRST + RECORDS)
    text = propose_job(given, table_text="t.csv", header=False)
    assert "names: [column_1, column_2, column_3]" in text
    assert "Zebulon" not in text
    assert '  "1931-02-03":' in propose_job(given, table_text="t.csv", header=True)
    named = source(tmp_path, FIRST + RECORDS, names=("name", "birth", "diagnosis"))
    _, job = accepted(tmp_path, named, "t.csv")
    assert job.source.names == ("name", "birth", "diagnosis")


def test_init_says_how_to_go_on(tmp_path: Path) -> None:
    table = tmp_path / "t.csv"
    table.write_text(FIRST + RECORDS, encoding="utf-8")
    job = tmp_path / "job.yaml"
    refused(call("init", table, "-o", job), 2, "--names", "--no-header", "--header")
    assert not job.exists()
    made = call("init", table, "-o", job, "--no-header")
    assert made.code == 0, made
    assert call("check", job, "--json").json["rows"] == 81  # nobody was lost to the header
