"""Swaps in a job: every command sees the swapped table, and the written file proves itself."""

from __future__ import annotations

import csv
import gzip
import json
from dataclasses import replace
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from tests.cli.calling import call, read_rows, write_csv
from tests.safety.cases import edit_json, edit_rows, refused, rehash
from tests.support.swapping import GROUPS, JOB, NAMES, by_hand, good_swaps, town, write

import paretonym as pn
from paretonym.errors import JobError, OutputError, VerificationError
from paretonym.jobfile.loading import parse_job
from paretonym.jobfile.swap_files import load_swaps, write_swaps
from paretonym.model.source import TableSource
from paretonym.model.swap import Swaps
from paretonym.pipeline.assembly import Output
from paretonym.pipeline.swapped import CAUTION, publish_swapped
from paretonym.publishing.step_checks import THRESHOLD


@pytest.fixture
def rows():
    return town()


@pytest.fixture
def swaps(tmp_path, rows) -> Swaps:
    made = good_swaps(tmp_path, rows)
    write_swaps(made, tmp_path / "swaps.json")
    return made


def job_file(folder: Path, **changes) -> Path:
    path = folder / "job.yaml"
    path.write_text(json.dumps({"table": "people.csv", **JOB, "swaps": "swaps.json", **changes}))
    return path


def without_seconds(front):
    data = front.to_json(with_seconds=False)
    data.pop("table", None)
    return data


def test_the_front_is_that_of_a_table_rewritten_by_hand(tmp_path, rows, swaps):
    write(tmp_path / "rewritten.csv", by_hand(rows, swaps.pairs))
    jobs = [
        parse_job({**JOB, **more}, base=tmp_path)
        for more in (
            {"table": "people.csv", "swaps": "swaps.json"},
            {"table": "rewritten.csv"},
            {"table": "people.csv"},
        )
    ]
    assert len({job.digest for job in jobs}) == 2
    made, wanted, plain = (pn.find_front(job, threads=1) for job in jobs)
    assert without_seconds(made) == without_seconds(wanted)
    assert without_seconds(made) != without_seconds(plain)
    assert made.table == swaps.fingerprint_after
    levels = made.entries[0].levels
    assert pn.score(jobs[0], levels) == pn.score(jobs[1], levels)


def test_a_checkpoint_of_the_unswapped_table_is_not_continued(tmp_path, swaps):
    plain = job_file(tmp_path, search={"method": "exact", "budget": "1 evaluation"})
    data = json.loads(plain.read_text())
    del data["swaps"]
    plain.write_text(json.dumps(data))
    call("front", plain, "-o", tmp_path / "front")
    assert list((tmp_path / "front").glob("*checkpoint*"))
    job_file(tmp_path, search={"method": "exact", "budget": "1 evaluation"})
    again = call("front", plain, "-o", tmp_path / "front", "--resume")
    assert again.code != 0
    assert "another job" in again.err


@pytest.mark.parametrize("kind", ["csv", "parquet"])
def test_a_release_is_verified_and_tampering_is_found(tmp_path, rows, swaps, kind):
    folder = tmp_path / "r"
    made = call("release", job_file(tmp_path), "--pick", "k>=2", "-o", folder, "--format", kind)
    assert made.code == 0, made.err
    assert pn.verify(folder, against=tmp_path / "people.csv").ok
    plan = json.loads((folder / "internal" / "plan.json").read_text())
    assert [next(iter(step)) for step in plan["steps"]][:2] == ["swap", "drop"]
    alone = call("verify", folder)
    assert (alone.code, "not checked: group 'army'" in alone.err) == (0, True)
    # against the rewritten table the swaps are made once more, which undoes them
    rewritten = write(tmp_path / "rewritten.csv", by_hand(rows, swaps.pairs))
    assert not pn.verify(folder, against=rewritten).ok


@pytest.fixture
def swapped(tmp_path, swaps):
    """A release without generalisation."""
    folder = tmp_path / "protected"
    publish_swapped(TableSource(tmp_path / "people.csv"), swaps, ["name", "job"], Output(folder))
    return folder


def refailed(folder: Path, table: Path, word: str) -> None:
    rehash(folder)
    result = pn.verify(folder, against=table)
    assert not result.ok
    assert any(word in check.name for check in result.failures), result.failures


def mended(data) -> None:
    """What somebody would do who knows how plans are made."""
    step = data["steps"][0]["swap"]
    data["table"]["fingerprint"] = Swaps.from_json(step).fingerprint_after


def test_a_release_of_swaps_alone(tmp_path, rows, swaps, swapped):
    wanted = [[row[NAMES.index(n)] for n in NAMES if n not in ("name", "job")]
              for row in by_hand(rows, swaps.pairs)]  # fmt: skip
    released = read_rows(swapped / "data.csv")
    assert sorted(released[1:]) == sorted(wanted)
    made = pn.verify(swapped, against=tmp_path / "people.csv")
    assert made.ok
    assert THRESHOLD not in {check.name for check in made.checks}  # it would be 0
    assert load_swaps(swapped / "internal" / "plan.json") == swaps
    inside = (swapped / "internal" / "report.html").read_text()
    assert CAUTION.split(".")[0] in inside
    assert "areas that stand out now" in inside
    public = (swapped / "report.html").read_text()
    assert "Values of area and district were exchanged between similar records" in public
    assert "No single person is protected" in public


def test_a_tampered_pair_fails(tmp_path, swapped):
    def change(data):
        pair = data["steps"][0]["swap"]["pairs"][0]
        used = {row for one in data["steps"][0]["swap"]["pairs"] for row in one}
        pair[1] = next(row for row in range(200) if row not in used)

    edit_json(swapped / "internal" / "plan.json", change)
    rehash(swapped)
    with pytest.raises(JobError, match="damaged"):
        pn.verify(swapped, against=tmp_path / "people.csv")
    edit_json(swapped / "internal" / "plan.json", mended)
    refailed(swapped, tmp_path / "people.csv", "no recoded input row")


def test_a_lost_pair_fails(tmp_path, swapped):
    def change(data):
        del data["steps"][0]["swap"]["pairs"][0]
        mended(data)

    edit_json(swapped / "internal" / "plan.json", change)
    refailed(swapped, tmp_path / "people.csv", "no recoded input row")


@pytest.mark.parametrize("key", ["outliers_before", "outliers_after"])
def test_a_tampered_promise_fails(tmp_path, swapped, key):
    def change(data):
        data["steps"][0]["swap"]["groups"][0][key] = {"": ["07"]}

    edit_json(swapped / "internal" / "plan.json", change)
    refailed(swapped, tmp_path / "people.csv", "group 'army'")


def test_a_tampered_cell_fails(tmp_path, swapped):
    def change(rows):
        place = rows[0].index("area")
        rows[1][place] = "00" if rows[1][place] != "00" else "01"

    edit_rows(swapped, change)
    refailed(swapped, tmp_path / "people.csv", "no recoded input row")


def test_a_public_word_of_the_exchange_cannot_be_taken_out(tmp_path, swapped):
    def change(data):
        for column in data["columns"]:
            column.pop("exchanged_between_records", None)

    edit_json(swapped / "manifest.json", change)
    refailed(swapped, tmp_path / "people.csv", "columns, roles")


def test_swaps_that_do_not_reach_their_promise_leave_nothing_behind(tmp_path, swaps):
    weak = replace(swaps, pairs=swaps.pairs[:1])
    with pytest.raises(VerificationError, match="stand out"):
        publish_swapped(
            TableSource(tmp_path / "people.csv"), weak, ["name"], Output(tmp_path / "p")
        )
    assert not (tmp_path / "p").exists()


def test_nothing_of_the_swaps_is_public(tmp_path, swaps, swapped):
    raw = [name for row in read_rows(tmp_path / "people.csv") for name in row if "Person" in name]
    for file in ("manifest.json", "report.html", "data.csv"):
        text = (swapped / file).read_text()
        assert not [name for name in raw if name in text], file
        if file != "data.csv":
            assert not any(f"{a}, {b}" in text or f"[{a},{b}]" in text for a, b in swaps.pairs)
            assert "soldier" not in text
            assert "army" not in text
            assert "outliers" not in text
            assert swaps.fingerprint not in text
            assert swaps.fingerprint_after not in text
    modes = {p.stat().st_mode & 0o777 for p in (swapped / "internal").iterdir()}
    assert modes == {0o600}
    assert (tmp_path / "swaps.json").stat().st_mode & 0o777 == 0o600


def test_parquet_frames_and_packed_text(tmp_path, rows, swaps):
    """The same swaps whatever the table comes in; types are kept."""
    columns = dict(zip(NAMES, zip(*rows, strict=True), strict=True))
    frame = pa.table(columns).set_column(1, "age", pa.array([int(r[1]) for r in rows], pa.int16()))
    pq.write_table(frame, tmp_path / "people.parquet")
    packed = tmp_path / "packed.csv.gz"
    packed.write_bytes(gzip.compress((tmp_path / "people.csv").read_bytes()))
    semicolons = tmp_path / "semicolons.csv"
    with semicolons.open("w", newline="", encoding="latin-1") as stream:
        csv.writer(stream, delimiter=";").writerows(rows)
    sources = (
        TableSource(tmp_path / "people.parquet"),
        TableSource(frame),
        TableSource(packed),
        TableSource(semicolons, delimiter=";", encoding="latin-1", names=NAMES),
    )
    for number, source in enumerate(sources):
        from paretonym.tables import open_table

        with open_table(source) as table:
            own = replace(swaps, fingerprint=table.fingerprint)
        output = Output(tmp_path / f"out{number}", "parquet")
        made = publish_swapped(source, own, ["name", "job"], output)
        assert made.verification.ok
        released = pq.read_table(output.folder / "data.parquet")
        assert released.schema.field("age").type == (pa.int16() if number < 2 else pa.string())
        assert pn.verify(output.folder, against=source.data).ok


def test_a_plan_with_swaps_fits_no_later_file(tmp_path, swapped):
    refused(
        call("apply", swapped, tmp_path / "people.csv", "-o", tmp_path / "later"), 2, "row numbers"
    )
    assert not (tmp_path / "later").exists()


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"swaps": "nowhere.json"}, "no such file"),
        ({"swaps": "people.csv"}, "no swaps can be read"),
        ({"swaps": ["a"]}, "swaps"),
        ({"columns": {**JOB["columns"], "area": {"role": "identifier"}}}, "which the job drops"),
        ({"table": ["people.csv", "before.csv"], "groups": GROUPS}, "one file"),
        ({"table": "after.csv"}, "another table"),
    ],
)
def test_swaps_that_do_not_fit_the_job_are_refused(tmp_path, swaps, changes, said):
    refused(call("check", job_file(tmp_path, **changes)), 2, said)


def test_a_table_that_changed_since_is_refused(tmp_path, rows, swaps):
    write(tmp_path / "people.csv", [*rows[1:], rows[0]])
    refused(call("front", job_file(tmp_path), "-o", tmp_path / "f"), 2, "changed since")


def test_damaged_swaps_are_told_with_everything_else(tmp_path, swaps):
    edit_json(tmp_path / "swaps.json", lambda data: data["pairs"].append([0, 0]))
    result = call("check", job_file(tmp_path, suppression={"limit": "0.01"}))
    refused(result, 2, "2 problems", "damaged", "limit")


def test_swaps_alone_refuse_what_makes_no_sense(tmp_path, swaps):
    source, output = TableSource(tmp_path / "people.csv"), Output(tmp_path / "p")
    with pytest.raises(JobError, match="no column 'jobs'"):
        publish_swapped(source, swaps, ["jobs"], output)
    with pytest.raises(JobError, match="exchanged"):
        publish_swapped(source, swaps, ["area"], output)
    with pytest.raises(OutputError):
        publish_swapped(source, swaps, ["name"], Output(tmp_path))
    assert not (tmp_path / "p").exists()


def test_one_row_and_no_swap_is_still_a_release(tmp_path):
    """Zero quasi-identifiers: one class, k is the number of rows."""
    from paretonym.tables import open_table

    path = write_csv(tmp_path / "one.csv", ("area", "who"), [("x", "me")])
    with open_table(TableSource(path)) as table:
        swaps = Swaps(("area",), (), table.fingerprint, 1)
    made = publish_swapped(TableSource(path), swaps, [], Output(tmp_path / "one"))
    assert made.public.promises == {"k": 1, "rows": 1, "classes": 1}
    assert not any(column.exchanged for column in made.public.columns)
