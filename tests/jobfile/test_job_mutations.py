"""Whatever is done to a job, it is read or refused in words; nothing else is ever raised."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from paretonym.errors import HierarchyError, JobError
from paretonym.jobfile.loading import load_job, parse_job
from paretonym.model.job import Job


def outcome(read: Callable[[], Job]) -> tuple[Job | None, str]:
    """The job, or the words it was refused with."""
    try:
        return read(), ""
    except (JobError, HierarchyError) as error:
        return None, str(error)


VALID = """\
table: {path: people.csv, delimiter: ";", missing: ["?", NA]}
columns:
  age: {role: quasi, hierarchy: &h {intervals: [5, 10], origin: 0, bottom: 10, top: 90}}
  zip: {role: quasi, hierarchy: {mask: right}, weight: 2}
  birth: {role: quasi, format: "%d/%m/%y", partitions: {m: {date: month}, q: {date: quarter}}}
  grade: {role: quasi, hierarchy: {order: [a, b, c, d], groups_of: [2, 4]}}
  work: {role: [quasi, target], hierarchy: {groups: [{x: [1, 2], y: [3]}, {z: [x, y]}]}}
  pay: {role: quasi, hierarchy: *h}
  job: {role: sensitive}
  note: {role: insensitive, because: free of names}
objectives: [k, distinct_l(job), "max:s_l(job)"]
require: {k: 5}
suppression: {limit: 1%, rule: staircase}
epsilon: {k: 5, distinct_l(job): 1, "max:s_l(job)": 0.5}
search: {method: auto, seed: 1, budget: 60s}
"""
SCRAPS = st.one_of(
    st.sampled_from(["{", "}", "[", "]", ":", ": ", "\n", "  ", "\t", "&a ", "*h", "!x "]),
    st.sampled_from(["'", '"', "%", "0.01", "null", "<<: ", "- ", "? ", "---\n", "| ", "#", "\\"]),
    st.text(max_size=3),
)  # fmt: skip


@settings(max_examples=300, deadline=None)
@given(st.lists(st.tuples(st.integers(0, len(VALID)), st.integers(0, 30), SCRAPS), max_size=4))
def test_mutated_files_never_break_the_reader(
    tmp_path_factory: pytest.TempPathFactory, edits: list[tuple[int, int, str]]
) -> None:
    text = VALID
    for start, length, scrap in edits:
        text = text[:start] + scrap + text[start + length :]
    path = tmp_path_factory.getbasetemp() / "job.yaml"
    path.write_bytes(text.encode("utf-8", "surrogatepass"))
    job, refusal = outcome(lambda: load_job(path))
    assert refusal.startswith("job.yaml") if job is None else job.quasi and job.objectives


SCALARS = st.one_of(
    st.none(), st.booleans(), st.integers(), st.floats(), st.text(max_size=5), st.binary(max_size=2)
)
ANYTHING = st.recursive(
    SCALARS,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(SCALARS, inner, max_size=3),
    max_leaves=5,
)


def places(data: Any, where: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
    found = [where] if where else []
    if isinstance(data, dict | list):
        for key, value in data.items() if isinstance(data, dict) else enumerate(data):
            found += places(value, (*where, key))
    return found


def replaced(data: Any, where: tuple[Any, ...], value: Any) -> Any:
    if not where:
        return value
    copy = dict(data) if isinstance(data, dict) else list(data)
    copy[where[0]] = replaced(data[where[0]], where[1:], value)
    return copy


WHOLE: dict[str, Any] = {
    "table": {"path": "p.csv", "delimiter": ";", "names": ["a"], "missing": ["?"]},
    "columns": {
        "a": {"role": "quasi", "hierarchy": {"intervals": [5], "origin": 0, "top": 5}, "weight": 1},
        "b": {"role": ["quasi"], "format": "%Y", "partitions": {"p": {"date": ["month"]}}},
        "c": {"role": "quasi", "hierarchy": {"groups": [{"g": ["1"]}], "open_top": True}},
        "d": {"role": "quasi", "hierarchy": {"order": ["1", "2"], "groups_of": [2]}},
        "e": {"role": "quasi", "hierarchy": {"file": "dataset:adult/education.csv"}},
        "f": {"role": "insensitive", "because": "x"},
    },
    "objectives": ["k", "cm(a)"],
    "require": {"k": 5},
    "suppression": {"limit": "1%", "rule": "paper"},
    "epsilon": {"k": 5, "cm(a)": 0.1},
    "search": {"method": "auto", "seed": 1, "budget": "5,000 evaluations"},
}
GROUPS: dict[str, Any] = {
    "table": ["p.csv", "q.csv"],
    "groups": {
        "g": {
            "vital": "a = 1", "parameter": ["b"], "remove": ["a"], "basic": ["d"],
            "region": "c", "region_share": "1%", "smallest_area": 2, "weight": "w",
            "only": "e > 1",
            "outliers": {"alpha": "1%", "side": "upper", "keep": ["x"], "ignore": ["y"]},
            "variables": {"d": {"low": {"z": [1, 2]}, "one": {"is": [1]}}},
            "reference": {"table": "r.csv"},
            "auxiliary": {
                "table": {"path": ["s.csv"], "delimiter": ";"},
                "vital": "z = 1",
                "harmonise": {"both": {"d": {"range": [1, 2]}, "f": {"intervals": [1]}},
                              "main": {"h": {"from": ["i"], "map": {"1": "a"}, "rest": "b"}}},
            },
            "attack": {"population": 10, "replace": 5, "tournament": 2, "rcf": 1, "cut": 1},
        }
    },
}  # fmt: skip


@settings(max_examples=400, deadline=None)
@pytest.mark.parametrize("whole", [WHOLE, GROUPS], ids=["release", "groups"])
@given(data=st.data())
def test_mutated_data_never_breaks_the_reader(whole: dict[str, Any], data: st.DataObject) -> None:
    edits = st.lists(st.tuples(st.sampled_from(places(whole)), ANYTHING), min_size=1, max_size=3)
    mutated = whole
    for where, value in data.draw(edits):
        try:
            mutated = replaced(mutated, where, value)
        except (KeyError, IndexError, TypeError, ValueError):
            continue  # an earlier edit removed this place
    job, refusal = outcome(lambda: parse_job(mutated, base=Path("/nowhere")))
    assert refusal if job is None else re.fullmatch("[0-9a-f]{64}", job.digest)
