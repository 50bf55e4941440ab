"""Releases that hold pass; every seeded fault is caught."""

from __future__ import annotations

import contextlib
import gzip
import hashlib
import json
import shutil
import stat

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from release_cases import (
    DECADES,
    PLAN,
    ROWS,
    VALUES,
    edit_json,
    input_csv,
    input_table,
    release,
    released_table,
)

from paretonym.errors import JobError, OutputError, TableError, VerificationError
from paretonym.model.plan import Plan, sealed
from paretonym.model.source import TableSource
from paretonym.publishing import verify
from paretonym.publishing.manifest import InternalManifest, PublicManifest, public_count
from paretonym.publishing.step_checks import THRESHOLD
from paretonym.publishing.verify import read_internal, read_public


@pytest.fixture
def source(tmp_path):
    (tmp_path / "in").mkdir()
    return input_csv(tmp_path / "in")


@pytest.fixture(params=["csv", "parquet"])
def folder(request, tmp_path, source):
    release(tmp_path / "out", source, format=request.param)
    return tmp_path / "out"


@pytest.fixture
def csv_folder(tmp_path, source):
    release(tmp_path / "out", source)
    return tmp_path / "out"


def failed(folder, **options):
    verification = verify(folder, **options)
    assert not verification.ok
    return {check.name for check in verification.failures}


def rehash(folder):
    """Make the manifests agree with a changed data file, as a faulty engine would."""
    (data,) = folder.glob("data.*")
    digest = hashlib.sha256(data.read_bytes()).hexdigest()
    edit_json(folder / "manifest.json", lambda m: m["data"].update(sha256=digest))
    public = hashlib.sha256((folder / "manifest.json").read_bytes()).hexdigest()
    inner = folder / "internal" / "manifest.json"
    if inner.exists():
        edit_json(inner, lambda m: m["files"].update({data.name: digest, "manifest.json": public}))


def change(folder, old, new, *, count=1):
    path = folder / "data.csv"
    text = path.read_text()
    assert old in text
    path.write_text(text.replace(old, new, count))
    rehash(folder)


def test_a_true_release_passes_for_its_maker_and_for_a_recipient(folder, source):
    verification = verify(folder, against=TableSource(source))
    assert verification.ok
    assert verification.internal_checked
    assert verification.stated == ("sf",)
    alone = verify(folder)
    assert alone.ok
    assert set(alone.stated) == {name for name in VALUES if name.startswith("worst_group")} | {"sf"}
    shutil.rmtree(folder / "internal")
    public = verify(folder)
    assert public.ok
    assert not public.internal_checked
    assert {check.name for check in public.checks} == {
        "sha256", "columns", "k", "rows", "classes", "distinct_l(illness)",
    }  # fmt: skip


def test_the_folder_is_complete_and_private_where_it_must_be(folder):
    modes = {
        str(path.relative_to(folder)): stat.S_IMODE(path.stat().st_mode)
        for path in folder.rglob("*")
    }
    data = "data.csv" if (folder / "data.csv").exists() else "data.parquet"
    assert modes == {
        data: 0o644,
        "manifest.json": 0o644,
        "report.html": 0o644,
        "internal": 0o700,
        "internal/manifest.json": 0o600,
        "internal/plan.json": 0o600,
        "internal/report.html": 0o600,
    }
    assert [path.name for path in folder.parent.iterdir() if path.name.startswith(".")] == []


def test_the_public_files_hold_no_secret(folder):
    public = (folder / "manifest.json").read_text() + (folder / "report.html").read_text()
    for secret in (
        "424242",
        b"\x01\x02secret".hex(),
        "f" * 64,
        "j" * 64,
        "20s",
        "1010",
        "glm",
        "Anna",
    ):
        assert secret not in public
    manifest = json.loads((folder / "manifest.json").read_text())
    assert manifest["suppressed_rows"] == "<k"
    assert manifest["rows"] == 8
    for word in ("anonymous", "safe", "compliant"):
        assert word not in public
    internal = json.loads((folder / "internal" / "manifest.json").read_text())
    assert internal["shuffle_key"] == b"\x01\x02secret".hex()
    assert internal["stated"] == ["sf"]
    assert "glm" in internal["recomputed"]


def test_manifests_survive_a_round_trip(folder):
    public = read_public(folder)
    assert PublicManifest.from_json(public.to_json()) == public
    internal, plan = read_internal(folder)
    assert InternalManifest.from_json(internal.to_json()) == internal
    assert plan == PLAN


def test_small_counts_are_hidden_and_zero_stays():
    assert [public_count(n, 5) for n in (0, 1, 4, 5)] == [0, "<k", "<k", 5]


# seeded faults in a finished release


def test_a_wrong_k_in_the_manifest(folder):
    edit_json(folder / "manifest.json", lambda m: m["promises"].update(k=3))
    rehash(folder)
    assert "k" in failed(folder)
    shutil.rmtree(folder / "internal")
    assert failed(folder) == {"k"}


@pytest.mark.parametrize("name", sorted(set(VALUES) - {"sf"}))
def test_any_wrong_value_in_the_internal_manifest(folder, source, name):
    wrong = VALUES[name] + 1
    edit_json(folder / "internal" / "manifest.json", lambda m: m["values"].update({name: wrong}))
    assert name in failed(folder, against=TableSource(source))


def test_a_dropped_missing_category(csv_folder, source):
    path = csv_folder / "data.csv"
    kept = [line for line in path.read_text().splitlines() if not line.startswith(",")]
    path.write_text("\n".join(kept) + "\n")
    rehash(csv_folder)
    assert {"rows", "classes", "released + suppressed"} <= failed(csv_folder)
    assert "classes released only in part" not in failed(csv_folder, against=TableSource(source))


def test_a_filled_missing_category(csv_folder, source):
    change(csv_folder, "\n,*,", "\n20s,*,", count=2)
    assert {"classes", "s_k"} <= failed(csv_folder)
    found = failed(csv_folder, against=TableSource(source))
    assert "released rows that are no recoded input row" in found


def test_a_leaked_identifier_column(csv_folder, source):
    lines = (csv_folder / "data.csv").read_text().splitlines()
    lines = [
        f"{line},{name}" for line, name in zip(lines, ["name", *(r[0] for r in ROWS)], strict=False)
    ]
    (csv_folder / "data.csv").write_text("\n".join(lines) + "\n")
    rehash(csv_folder)
    assert "columns" in failed(csv_folder)
    assert "released columns" in failed(csv_folder, against=TableSource(source))


def test_a_leaked_identifier_value(csv_folder, source):
    change(csv_folder, "flu", "flu (anna abel)")
    found = verify(csv_folder, against=TableSource(source))
    (leak,) = [c for c in found.failures if c.name == "cells that carry a dropped identifier"]
    assert leak.note.startswith("column 'illness': 1 cells. ")
    assert "may_match" in leak.note
    assert "anna" not in str(found).lower()


def test_a_tampered_cell(csv_folder, source):
    text = (csv_folder / "data.csv").read_text()
    (csv_folder / "data.csv").write_text(text.replace("cold", "mumps", 1))
    assert {"sha256", "sha256 of data.csv"} <= failed(csv_folder)
    rehash(csv_folder)
    found = failed(csv_folder, against=TableSource(source))
    assert "released rows that are no recoded input row" in found


def test_a_swapped_label(csv_folder, source):
    """Two rows of different classes change places: every public count stays the same."""
    change(csv_folder, "20s,*,cold", "30s,*,cold")
    change(csv_folder, "30s,*,flu", "20s,*,flu")
    found = failed(csv_folder, against=TableSource(source))
    assert "released rows that are no recoded input row" in found


def test_a_label_the_plan_does_not_have(csv_folder):
    change(csv_folder, "20s", "21", count=3)
    assert "cells of age that are no label of the plan" in failed(csv_folder)


def test_an_extra_row(csv_folder, source):
    with (csv_folder / "data.csv").open("a") as stream:
        stream.write("20s,*,flu\n")
    rehash(csv_folder)
    assert {"rows", "s_k"} <= failed(csv_folder)
    assert "rows in" in failed(csv_folder, against=TableSource(source))


@pytest.mark.parametrize("keep", [0, 1, 20, 60])
def test_a_truncated_file(folder, keep):
    (data,) = folder.glob("data.*")
    data.write_bytes(data.read_bytes()[:keep])
    assert "sha256" in failed(folder)
    rehash(folder)
    assert failed(folder)


def test_a_lost_header_does_not_show_cells(csv_folder, source):
    path = csv_folder / "data.csv"
    path.write_text(path.read_text().split("\n", 1)[1])
    rehash(csv_folder)
    shutil.rmtree(csv_folder / "internal")
    edit_json(csv_folder / "manifest.json", lambda m: m.update(columns=[]))
    found = verify(csv_folder)
    assert not found.ok
    assert "20s" not in str(found)


def test_a_missing_data_file(csv_folder):
    (csv_folder / "data.csv").unlink()
    assert failed(csv_folder) == {"data.csv"}


def test_a_changed_hash_or_plan(csv_folder):
    edit_json(
        csv_folder / "internal" / "plan.json", lambda p: p["steps"][1]["recode"].update(domain=9)
    )
    assert {"glm", "sha256 of internal/plan.json"} <= failed(csv_folder)


def test_a_changed_hierarchy_digest(csv_folder):
    edit_json(csv_folder / "manifest.json", lambda m: m["columns"][0].update(hierarchy="c" * 64))
    assert "columns, roles and hierarchies equal the plan's" in failed(csv_folder)


def test_a_quasi_identifier_declared_harmless(csv_folder):
    """Hiding a quasi-identifier from the public check is seen when the plan is there."""
    edit_json(csv_folder / "manifest.json", lambda m: m["columns"][1].update(roles=["insensitive"]))
    assert "columns, roles and hierarchies equal the plan's" in failed(csv_folder)


@pytest.mark.parametrize(
    ("content", "error"),
    [
        (None, JobError),
        ("{", VerificationError),
        ("[]", JobError),
        ('{"format": "other/1"}', JobError),
        ('{"format": "paretonym-manifest/1", "kind": "public"}', VerificationError),
        ('{"format": "paretonym-manifest/1", "kind": "internal"}', JobError),
        ("[" * 100_000, VerificationError),
    ],
)
def test_odd_manifests_get_one_clear_message(csv_folder, content, error):
    path = csv_folder / "manifest.json"
    path.unlink() if content is None else path.write_text(content)
    with pytest.raises(error):
        verify(csv_folder)


PARTS = ("data", "columns", "promises", "suppressed_rows", "formula_cells")


@pytest.mark.parametrize("part", PARTS)
@pytest.mark.parametrize("value", [None, 1, "x", [], {"x": "y"}])
def test_damaged_parts_never_pass(csv_folder, part, value):
    edit_json(csv_folder / "manifest.json", lambda m: m.update({part: value}))
    with contextlib.suppress(VerificationError):
        assert not verify(csv_folder).ok


@pytest.mark.parametrize("number", [float("nan"), float("inf"), -float("inf")])
@pytest.mark.parametrize("kind", ["manifest.json", "internal/manifest.json"])
def test_a_manifest_promises_finite_numbers(csv_folder, kind, number):
    """Python's JSON reads NaN and Infinity, which no file can be held against."""
    held = "values" if "/" in kind else "promises"
    edit_json(csv_folder / kind, lambda m: m[held].update(k=number))
    with pytest.raises(VerificationError, match="damaged"):
        verify(csv_folder)


def test_a_manifest_cannot_point_elsewhere(csv_folder):
    edit_json(csv_folder / "manifest.json", lambda m: m["data"].update(file="../in/input.csv"))
    with pytest.raises(VerificationError):
        verify(csv_folder)


def test_half_an_internal_folder_is_an_error(csv_folder, source):
    (csv_folder / "internal" / "plan.json").unlink()
    with pytest.raises(VerificationError, match="incomplete"):
        verify(csv_folder)
    shutil.rmtree(csv_folder / "internal")
    with pytest.raises(JobError, match="internal"):
        verify(csv_folder, against=TableSource(source))


def test_another_table_is_told_apart(csv_folder, tmp_path):
    with pytest.raises(TableError, match="no table"):
        verify(csv_folder, against=TableSource(tmp_path / "nowhere.csv"))
    other = tmp_path / "other.csv"
    other.write_text("name,age\nx,1\n")
    with pytest.raises(TableError, match="lacks 2"):
        verify(csv_folder, against=TableSource(other))


# faults of an engine, caught before anything is put in place


def nothing_left(tmp_path):
    return [path.name for path in tmp_path.iterdir()] == ["in"]


@pytest.mark.parametrize("name", sorted(set(VALUES) - {"sf"}))
def test_publish_refuses_every_wrong_number(tmp_path, source, name):
    with pytest.raises(VerificationError, match="Nothing was released"):
        release(tmp_path / "out", source, values={**VALUES, name: VALUES[name] + 1})
    assert nothing_left(tmp_path)


def test_publish_refuses_rows_that_should_be_gone(tmp_path, source):
    rows = [(DECADES[age], "*", illness) for _, age, _, illness in ROWS]
    table = pa.table(
        {
            n: pa.array(c)
            for n, c in zip(("age", "zip", "illness"), zip(*rows, strict=True), strict=True)
        }
    )
    values = {"k": 1, "suppressed": 0}
    with pytest.raises(VerificationError, match=THRESHOLD):
        release(tmp_path / "out", source, table, values=values, suppressed=0, classes=4)
    assert nothing_left(tmp_path)


def test_a_threshold_is_no_requirement(csv_folder):
    """The plan leaves out groups under 2 rows, and nobody asked for a k."""
    made = {check.name: check.promised for check in verify(csv_folder).checks}
    assert made[THRESHOLD] == f"at least {PLAN.suppress.below}"
    assert "required: k" not in made


def test_publish_refuses_an_unrecoded_column(tmp_path, source):
    raw = input_table().select(["age", "zip", "illness"]).slice(0, 8)
    with pytest.raises(VerificationError) as caught:
        release(tmp_path / "out", source, raw)
    assert "1010" not in str(caught.value)
    assert nothing_left(tmp_path)


def test_publish_refuses_a_changed_type(tmp_path):
    table = input_table().append_column("visits", pa.array(range(9), pa.int32()))
    columns = PLAN.to_json()
    columns["columns"].append(
        {"name": "visits", "roles": ["insensitive"], "weight": "1", "because": None}
    )
    plan = Plan.from_json(sealed(columns))
    same = released_table().append_column("visits", pa.array(range(8), pa.int32()))
    release(tmp_path / "out", table, same, plan=plan, format="parquet")
    wider = released_table().append_column("visits", pa.array(range(8), pa.int64()))
    with pytest.raises(VerificationError, match="type of visits"):
        release(tmp_path / "out", table, wider, plan=plan, format="parquet")
    assert verify(tmp_path / "out").ok  # the earlier release is still there
    release(tmp_path / "csv", table, same, plan=plan)


def test_a_failing_report_leaves_the_old_release(tmp_path, source, monkeypatch):
    release(tmp_path / "out", source)
    before = (tmp_path / "out" / "manifest.json").read_bytes()
    import release_cases

    def broken(reader, request, **_):
        def fail(*_):
            raise KeyboardInterrupt

        from paretonym.publishing import publish

        return publish(reader, request, public_report=fail, internal_report=fail)

    monkeypatch.setattr(release_cases, "publish", broken)
    with pytest.raises(KeyboardInterrupt):
        release_cases.release(tmp_path / "out", source, format="parquet")
    assert (tmp_path / "out" / "manifest.json").read_bytes() == before
    assert sorted(path.name for path in tmp_path.iterdir()) == ["in", "out"]


def test_the_input_folder_is_refused_as_output(source):
    with pytest.raises(OutputError, match="input table"):
        release(source.parent, source)
    with pytest.raises(OutputError, match="input table"):
        release(source, source)
    assert source.read_text().startswith("name,age")


def test_numbers_of_numpy_are_welcome_and_infinity_is_not(tmp_path, source):
    made = release(
        tmp_path / "out", source, values={"k": np.int64(2), "glm": np.float64(VALUES["glm"])}
    )
    assert type(made.internal.values["k"]) is int
    with pytest.raises(OutputError, match="'sf'"):
        release(tmp_path / "out", source, values={"k": 2, "sf": float("inf")})


def test_k_and_classes_come_from_the_file_when_the_engine_was_not_asked(tmp_path, source):
    made = release(tmp_path / "out", source, values={"glm": VALUES["glm"]}, classes=None)
    assert made.public.promises == {"k": 2, "rows": 8, "classes": 3}


def test_neutralised_formulas_are_known_to_the_checker(tmp_path):
    table = input_table()
    ill = table.column("illness").to_pylist()
    danger = [f"={cell}" if cell else cell for cell in ill]
    table = table.set_column(3, "illness", pa.array(danger))
    shown = released_table().set_column(2, "illness", pa.array(danger[:-1]))
    made = release(tmp_path / "out", table, shown, neutralise=True)
    assert made.public.formula_cells == {"illness": 7}
    assert "\n20s,*,'=flu\n" in (tmp_path / "out" / "data.csv").read_text()
    assert verify(tmp_path / "out", against=TableSource(table)).ok


def test_every_kind_of_input_can_be_compared(tmp_path, source, csv_folder):
    packed = tmp_path / "input.csv.gz"
    packed.write_bytes(gzip.compress(source.read_bytes()))
    semicolons = tmp_path / "semicolons.csv"
    semicolons.write_text("\ufeff" + source.read_text().replace(",", ";").replace("age", " age "))
    headerless = tmp_path / "headerless.csv"
    headerless.write_text(source.read_text().split("\n", 1)[1])
    parquet = tmp_path / "input.parquet"
    pq.write_table(input_table(), parquet)
    latin = tmp_path / "latin.csv"
    latin.write_bytes(source.read_text().replace("Boll", "Böll").encode("latin-1"))
    names = tuple(PLAN.schema.names())
    for table in (
        TableSource(packed),
        TableSource(semicolons),
        TableSource(headerless, names=names),
        TableSource(parquet),
        TableSource(latin, encoding="latin-1"),
        TableSource(input_table()),
    ):
        assert verify(csv_folder, against=table).ok


def test_frames_of_other_libraries_can_be_compared(csv_folder):
    pandas = pytest.importorskip("pandas")
    polars = pytest.importorskip("polars")
    columns = input_table().to_pydict()
    for frame in (pandas.DataFrame(columns), polars.DataFrame(columns)):
        assert verify(csv_folder, against=TableSource(frame)).ok
