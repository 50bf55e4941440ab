"""A job's text is changed where it was asked for, and nowhere else."""

from __future__ import annotations

from collections.abc import Callable
from copy import deepcopy
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.support.written_yaml import KEYS, Place, Writer, data, mappings

from paretonym.errors import JobError
from paretonym.jobfile import edits as job_edits
from paretonym.jobfile.edits import Change, edited, said_of
from paretonym.jobfile.layout import YamlLayout, layout_of
from paretonym.jobfile.loading import job_from_text
from paretonym.jobfile.yaml import read_yaml
from paretonym.model.job import Job
from paretonym.model.source import TableSource
from paretonym.proposal.proposing import propose_job


def read(text: str) -> Any:
    return read_yaml(text.removeprefix("\ufeff"), "job.yaml").data


def places(value: Any, path: Place = ()) -> list[Place]:
    """Every place in the data, the whole first."""
    found = [path]
    steps = value.items() if isinstance(value, dict) else enumerate(value)
    for step, inside in () if isinstance(value, str) else steps:
        found += places(inside, (*path, step))
    return found


def at(value: Any, path: Place) -> Any:
    for step in path:
        value = value[step]
    return value


def reference(value: Any, change: Change) -> Any:
    """The change made by plain Python."""
    value = deepcopy(value)
    *parents, last = change.path
    holder = value
    for step in parents:
        holder = holder.setdefault(step, {}) if isinstance(holder, dict) else holder[step]
    if change.remove:
        del holder[last]
    elif isinstance(holder, list) and last == len(holder):
        holder.append(change.value)
    else:
        holder[last] = change.value
    return value


@st.composite
def cases(draw: Any) -> tuple[dict[str, Any], Writer, Change]:
    value = draw(mappings())
    writer = Writer(draw, draw(st.sampled_from(["\n", "\r\n"])))
    writer.document(value)
    kind = draw(st.sampled_from(["replace", "remove", "add", "deep"]))
    every = places(value)
    if kind in ("replace", "remove"):
        path = draw(st.sampled_from(every[1:]))
        return (
            value,
            writer,
            Change(path, None if kind == "remove" else draw(data()), kind == "remove"),
        )
    holders = [path for path in every if not isinstance(at(value, path), str)]
    holder = draw(st.sampled_from(holders))
    inside = at(value, holder)
    if isinstance(inside, list):
        return value, writer, Change((*holder, len(inside)), draw(data()))
    # what a job refuses as a key is refused as a change, too
    known = st.text(max_size=3).filter(lambda key: "\0" not in key and key != "<<")
    new = draw(known.filter(lambda key: key not in inside))
    more = (draw(KEYS),) if kind == "deep" else ()
    return value, writer, Change((*holder, new, *more), draw(data()))


@settings(max_examples=150)
@given(cases())
def test_only_what_was_asked_for_changes(case: tuple[dict[str, Any], Writer, Change]) -> None:
    value, writer, change = case
    old = writer.text
    assert read(old) == value  # the writer is right
    new = edited(old, [change])
    assert read(new) == reference(value, change)
    for owner, comment in writer.comments:
        if owner[: len(change.path)] != change.path:
            assert comment in new
    assert ("\r" in new) == ("\r" in old)
    assert new.count("\n") - new.count("\r\n") in (0, new.count("\n"))
    start, end = around(writer, value, change)
    assert new.startswith(old[:start])
    assert new.endswith(old[end:])


def around(writer: Writer, value: Any, change: Change) -> tuple[int, int]:
    """The slice of the old text that a change may touch."""
    spans, path = writer.spans, change.path
    existing = path in spans
    while path not in spans and path[:-1] not in spans and len(path) > 1:
        path = path[:-1]
    holder = path[:-1]
    inside = at(value, holder)
    siblings = list(inside) if isinstance(inside, dict) else list(range(len(inside)))
    if existing and not change.remove:
        return spans[path]
    if existing:
        number = siblings.index(path[-1])
        before = (*holder, siblings[number - 1]) if number else None
        after = (*holder, siblings[number + 1]) if number + 1 < len(siblings) else None
        outer = spans.get(holder, (0, len(writer.text)))
        start = spans[before][1] if before else outer[0]
        return start, spans[after][0] if after else line_end(writer.text, spans[path][1]) + 2
    start = spans[(*holder, siblings[-1])][1] if siblings else spans[holder][0]
    end = start if siblings else spans[holder][1]
    return start, line_end(writer.text, end) if holder in writer.blocks else end


def line_end(text: str, place: int) -> int:
    return min(
        (i for i in (text.find("\r", place), text.find("\n", place)) if i >= 0), default=len(text)
    )


JOB = """\
# made by hand
table: people.csv  # beside this file

columns:
  # years
  age: {role: quasi, hierarchy: {intervals: [5, 10]}}  # known
  zip:
    role: quasi  # known as well
    # from the right
    hierarchy: {mask: right}

  job: {role: sensitive}

objectives: [k, glm]  # two
require: {}
"""


def changed(*changes: Change, text: str = JOB) -> tuple[list[str], list[str]]:
    """The lines that went and the lines that came."""
    old, new = text.splitlines(), edited(text, changes).splitlines()
    return [line for line in old if line not in new], [line for line in new if line not in old]


def test_a_value_is_replaced_on_its_line() -> None:
    gone, came = changed(Change(("columns", "age", "role"), "sensitive"))
    assert gone == ["  age: {role: quasi, hierarchy: {intervals: [5, 10]}}  # known"]
    assert came == ["  age: {role: sensitive, hierarchy: {intervals: [5, 10]}}  # known"]


def test_a_key_joins_its_mapping() -> None:
    """In braces, in a block before the blank line behind it, in nothing, and at the end."""
    text = edited(
        JOB,
        [
            Change(("columns", "job", "because"), "it's new"),
            Change(("columns", "zip", "weight"), 2),
            Change(("require", "k"), 5),
            Change(("suppression", "limit"), "1%"),
        ],
    )
    assert '  job: {role: sensitive, because: "it\'s new"}\n' in text
    assert "    hierarchy: {mask: right}\n    weight: 2\n\n  job:" in text
    assert text.endswith("require: {k: 5}\nsuppression: {limit: 1%}\n")


def test_a_removed_key_takes_its_line_and_no_other() -> None:
    gone, came = changed(Change(("columns", "zip", "hierarchy"), remove=True))
    assert (gone, came) == (["    hierarchy: {mask: right}"], [])
    gone, came = changed(Change(("columns", "age", "hierarchy"), remove=True))
    assert came == ["  age: {role: quasi}  # known"]
    assert edited(JOB, [Change(("search", "seed"), remove=True)]) == JOB  # nothing is there


def test_adding_and_removing_in_turn_does_not_grow_the_text() -> None:
    text = JOB.replace("require: {}", "\nrequire: {}")
    add, remove = Change(("search", "seed"), 1), Change(("search",), remove=True)
    assert edited(text, [add, remove, add, remove]) == text


def test_items_are_replaced_appended_and_removed() -> None:
    changes = [
        Change(("objectives", 2), "distinct_l(job)"),
        Change(("objectives", 0), "suppressed"),
        Change(("objectives", 1), remove=True),
    ]
    assert changed(*changes)[1] == ["objectives: [suppressed, distinct_l(job)]  # two"]


def test_long_values_are_wrapped_and_read_back() -> None:
    groups = {f"group {i}": [f"value {i}-{j}" for j in range(20)] for i in range(6)}
    text = edited(JOB, [Change(("columns", "zip", "hierarchy"), {"groups": groups})])
    assert max(map(len, text.splitlines())) < 100
    assert read(text)["columns"]["zip"]["hierarchy"] == {"groups": groups}


@pytest.mark.parametrize("value", [True, 3, 0.5, 1e-7, Decimal("2.50"), 1e20])
def test_numbers_are_written_without_exponents(value: Any) -> None:
    text = edited("a: b\n", [Change(("a",), value)])
    written = text.removeprefix("a: ").strip()
    assert written == "true" if value is True else Decimal(written) == Decimal(str(value))
    assert "e" not in written or value is True


def test_line_ends_and_the_mark_of_an_editor_stay() -> None:
    text = "\ufeff" + JOB.replace("\n", "\r\n")
    groups = {f"group {i}": [f"value {i}-{j}" for j in range(20)] for i in range(6)}
    new = edited(text, [Change(("columns", "zip", "hierarchy"), {"groups": groups})])
    assert new.startswith("\ufeff# made by hand\r\n")
    assert new.count("\n") == new.count("\r\n") > text.count("\n")


def test_a_text_without_values_gets_its_first() -> None:
    assert edited("", [Change(("table",), "a.csv")]) == "table: a.csv\n"
    assert edited("# soon", [Change(("a", "b", 0), "c")]) == "# soon\na: {b: [c]}\n"
    assert edited("columns:\n# soon\n", [Change(("columns", "a", "role"), "quasi")]) == (
        "columns: {a: {role: quasi}}\n# soon\n"
    )
    assert read(edited("{a: , b: }", [Change(("c",), "d")])) == {"a": "", "b": "", "c": "d"}


def test_a_name_too_long_for_a_plain_key_is_marked_as_one() -> None:
    long = "x" * 2000
    for text in ("columns:\n  a: b\n", "columns: {a: b}\n"):
        new = edited(text, [Change(("columns", long, "role"), "quasi")])
        assert read(new) == {"columns": {"a": "b", long: {"role": "quasi"}}}
        assert read(edited(new, [Change(("columns", long), remove=True)])) == read(text)


ALIASED = """\
columns:
  a: &a
    role: quasi
    hierarchy: suppress
  b: *a
  c: {role: sensitive}
"""


@pytest.mark.parametrize(
    ("change", "line"),
    [
        (Change(("columns", "a", "role"), "sensitive"), 2),
        (Change(("columns", "a"), remove=True), 2),
        (Change(("columns",), {}), 2),
        (Change(("columns", "b", "role"), "sensitive"), 5),
    ],
)
def test_what_an_alias_repeats_is_not_changed_unseen(change: Change, line: int) -> None:
    with pytest.raises(JobError, match=rf"^the job, line {line}: columns.*alias \(\*\)"):
        edited(ALIASED, [change])


def test_an_alias_itself_and_its_neighbours_can_be_changed() -> None:
    assert changed(Change(("columns", "b"), {"role": "target"}), text=ALIASED)[1] == [
        "  b: {role: target}"
    ]
    assert changed(Change(("columns", "c", "role"), "weight"), text=ALIASED)[1] == [
        "  c: {role: weight}"
    ]


@pytest.mark.parametrize(
    ("text", "change", "says"),
    [
        ("a: !x b\n", Change(("a",), "c"), "tag"),
        ("a: {<<: b}\n", Change(("a",), "c"), "merge key"),
        ("a: b: c\n", Change(("a",), "c"), "line 1: not valid YAML"),
        ("a: b\n", Change(("a", "c"), "d"), "line 1: a: expected a mapping"),
        ("a: {b: c}\n", Change(("a", 0), "d"), "line 1: a: expected a list"),
        ("a: [b]\n", Change(("a", 2), "d"), "only 1 items"),
        ("a: [b]\n", Change(("a", 1), remove=True), "only 1 items"),
        ("a: b\n", Change(("c", 1), "d"), "first item"),
        ("a: b\n", Change((), "d"), "names a place"),
        ("a: b\n", Change(("a",)), "gives a value"),
        ("a: b\n", Change(("a",), float("nan")), "a job holds texts"),
        ("a: b\n", Change(("a",), "\ud800"), "a job holds texts"),
        ("a: b\n", Change(("<<",), "d"), "merge key"),
        ("a: b\n", Change(("a",), [[None]]), "a job holds texts"),
        ("a: &a b\n*a : c\n", Change(("a",), "d"), "line 2: an alias"),
        ("a: |+\n  b\n\n\n", Change(("c",), "d"), "by hand"),
    ],
)
def test_what_cannot_be_done_is_refused(text: str, change: Change, says: str) -> None:
    with pytest.raises(JobError, match=says):
        edited(text, [change])


def test_an_entry_without_braces_leaves_an_empty_mapping() -> None:
    text = "table: x.csv\nobjectives: [k: 1, glm]  # two\n"
    change = Change(("objectives", 0, "k"), remove=True)
    assert edited(text, [change]) == "table: x.csv\nobjectives: [{}, glm]  # two\n"


@pytest.mark.parametrize("broken", ["a: [b\n", "a: {b: c\n", "a: b: c\n", "a: \0\n"])
def test_an_edit_that_would_make_no_yaml_is_refused_in_words(
    monkeypatch: pytest.MonkeyPatch, broken: str
) -> None:
    monkeypatch.setattr(job_edits._Edit, "text", lambda _: broken)
    for changes in ([Change(("a",), "d")], [Change(("a",), "d"), Change(("b",), "e")]):
        with pytest.raises(JobError, match=r"^a.* cannot be changed in place here; .* by hand"):
            edited("a: [b]\n", changes)


def test_a_text_is_laid_out_once_for_each_change(monkeypatch: pytest.MonkeyPatch) -> None:
    made: list[str] = []

    def counted(text: str) -> YamlLayout:
        made.append(text)
        return layout_of(text)

    monkeypatch.setattr(job_edits, "layout_of", counted)
    edited("a: 1\nb: 2\nc: 3\n", [Change((key,), 4) for key in "abc"])
    assert len(made) == len(set(made)) == 4


def test_labels_are_short_and_name_no_group() -> None:
    labels = {
        "age: role = quasi": Change(("columns", "age", "role"), "quasi"),
        "age: role = quasi, target": Change(("columns", "age", "role"), ["quasi", "target"]),
        "age: hierarchy = groups (2)": Change(
            ("columns", "age", "hierarchy"), {"groups": {"a": ["b"], "c": ["d"]}}
        ),
        "age: hierarchy = intervals 5, 10, top 80": Change(
            ("columns", "age", "hierarchy"), {"intervals": [5, 10], "top": 80}
        ),
        "age: weight removed": Change(("columns", "age", "weight"), remove=True),
        "objectives = k, distinct_l(job)": Change(("objectives",), ["k", "distinct_l(job)"]),
        "suppression: limit = 1%": Change(("suppression", "limit"), "1%"),
        "require: k = 5": Change(("require", "k"), 5),
        "objectives: item 2 = glm": Change(("objectives", 1), "glm"),
        "age: hierarchy = order (9), groups_of 3": Change(
            ("columns", "age", "hierarchy"), {"order": list("abcdefghi"), "groups_of": 3}
        ),
    }
    assert [said_of(change) for change in labels.values()] == list(labels)


EXAMPLES = Path(__file__).parents[2] / "examples"


def edits_of(data: dict[str, Any], job: Job) -> list[list[Change]]:
    """What a page would do to a job."""
    edits = [
        [Change(("objectives",), ["k", "glm", "suppressed"])],
        [Change(("require", "k"), "3")],
        [Change(("suppression", "rule"), "required")],
        [Change(("search", "seed"), "7"), Change(("search", "method"), "auto")],
    ]
    for name, column in list(data.get("columns", {}).items())[:4]:
        at = ("columns", name)
        edits.append([Change((*at, "because"), "said: so")])
        if "quasi" in column["role"]:
            edits.append([Change((*at, "weight"), "2.5")])
        if "hierarchy" in column and "format" not in column:
            edits.append([Change((*at, "hierarchy"), {"mask": "left"})])
            edits.append([Change((*at, "hierarchy"), "suppress")])
        used = {*column} & {"weight", "format", "write", "hierarchy", "partitions"}
        if len(job.quasi) > 1:
            edits.append(
                [Change((*at, "role"), "sensitive")]
                + [Change((*at, key), remove=True) for key in sorted(used)]
            )
    return edits


@pytest.mark.parametrize("path", sorted(EXAMPLES.glob("*.yaml")), ids=lambda path: path.stem)
def test_every_example_can_be_edited_and_still_loads(path: Path) -> None:
    check_edits(path.read_text(encoding="utf-8"), path.parent)


def test_a_proposal_can_be_edited_and_still_loads() -> None:
    text = propose_job(TableSource(EXAMPLES / "clinic.csv"), table_text="clinic.csv")
    check_edits(text, EXAMPLES)


def check_edits(text: str, base: Path) -> None:
    data, job = read(text), job_from_text(text, name="job.yaml", base=base)
    comments = [line for line in text.splitlines() if line.lstrip().startswith("#")]
    for changes in edits_of(data, job):
        new, refused = outcome(lambda changes=changes: edited(text, changes))  # type: ignore[misc]
        if refused is not None:
            assert "alias (*)" in str(refused)
            assert " &" in text
            continue
        wanted = data
        for change in changes:
            wanted = reference(wanted, change)
        assert read(new) == wanted
        said = new.replace("edited since; the guess was:", "guess:")  # of what was changed
        assert [line for line in said.splitlines() if line in comments] == comments
        _, refused = outcome(lambda new=new: job_from_text(new, name="job.yaml", base=base))  # type: ignore[misc]
        touched = {change.path[:2] for change in changes}
        for fault in () if refused is None else refused.faults:  # a measure or a rule elsewhere
            assert fault.line is not None
            assert not any(fault.path[: len(place)] == place for place in touched)


def outcome(work: Callable[[], Any]) -> tuple[Any, JobError | None]:
    try:
        return work(), None
    except JobError as error:
        return None, error


SCRAPS = st.one_of(
    st.sampled_from(["{", "}", "[", "]", ":", ": ", "\n", "  ", "\t", "&a ", "*a", "*a : ", "!x "]),
    st.sampled_from(["'", '"', "%", "null", "<<: ", "- ", "? ", "---\n", "...\n", "| ", ">-\n"]),
    st.sampled_from(
        ["#", " # ", "\\", ",", ", ", "\r\n", "\r", "- - ", "\x85", "\u2028", "\ufeff"]
    ),
)
HOSTILE = JOB + ALIASED.replace("columns:", "more:")


@settings(max_examples=200)
@given(
    st.lists(st.tuples(st.integers(0, len(HOSTILE)), st.integers(0, 9), SCRAPS), max_size=3),
    st.sampled_from([path for path in places(read(HOSTILE)) if path]),
    st.sampled_from(["replace", "remove", "add"]),
)
def test_whatever_the_text_is_it_is_changed_or_refused_in_words(
    scraps: list[tuple[int, int, str]], path: Place, kind: str
) -> None:
    text = HOSTILE
    for start, length, scrap in scraps:
        text = text[:start] + scrap + text[start + length :]
    path = (*path, "new") if kind == "add" else path
    change = Change(path, None if kind == "remove" else ["x", {"y": "z"}], kind == "remove")
    new, refused = outcome(lambda: edited(text, [change]))
    assert refused is not None or isinstance(read(new), dict)


def test_a_guess_that_somebody_changed_is_no_guess_any_more() -> None:
    text = (
        "# guess: of the whole file\n\n"
        "table: a.csv\n"
        "columns:\n"
        "  # guess: 9 codes; kept\n  #   as it is.\n"
        "  a: {role: sensitive}\n"
        "\n"
        "  # guess: 2 texts.\n"
        "  b: {role: quasi, hierarchy: suppress}\n"
        "# Compared. guess: the usual ones.\n"
        "objectives: [k, glm]\n"
    )
    once = edited(text, [Change(("columns", "a", "role"), "insensitive")])
    decided = text.replace("guess: 9", "edited since; the guess was: 9")
    assert once == decided.replace("sensitive", "insensitive")
    again = edited(once, [Change(("columns", "a", "because"), "asked")])
    assert again.count("the guess was") == 1
    other = edited(text, [Change(("objectives", 1), "suppressed")])
    assert other.count("the guess was") == 1
    assert "# Compared. edited since; the guess was: the usual ones." in other
    assert "guess was" not in edited(text, [Change(("columns", "a"), remove=True)])


def test_a_text_that_looks_like_a_marked_guess_is_a_text() -> None:
    text = "about:\n  purpose: |\n    one\n    # guess: two\nobjectives: [k]\n"
    assert edited(text, [Change(("objectives", 0), "glm")]) == text.replace("[k]", "[glm]")
