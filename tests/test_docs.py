"""The documentation is complete and true: what it shows exists, and its examples run."""

from __future__ import annotations

import re
import shlex
import shutil
import tomllib
from collections.abc import Iterable, Iterator
from pathlib import Path

import pytest
from typer.main import get_command

import paretonym as pn
from paretonym.cli.main import app
from paretonym.measures import known_measures, registry
from paretonym.model.front import Direction
from paretonym.model.measure_catalog import BUILT_IN
from paretonym.model.measure_info import DIRECTION_WORDS, MeasureInfo, Unit

ROOT = Path(__file__).parent.parent
PAGES = [*sorted(ROOT.glob("*.md")), *sorted((ROOT / "docs").rglob("*.md"))]
TOP = get_command(app).commands  # type: ignore[attr-defined]
COMMANDS = {  # `group signal` is a command of its own
    f"{name} {inner}".strip(): command
    for name, found in TOP.items()
    for inner, command in getattr(found, "commands", {"": found}).items()
}
HELPERS = {"source", "mkdir", "cp", "cd"}  # of the shell, in runnable blocks

MEASURE_HEADINGS = ["Definition", "Direction and range", "By hand", "When it misleads",
                    "Pair it with", "How it is checked"]  # fmt: skip

_FENCE = re.compile(r"^```([^\n]*)\n(.*?)^```$", re.DOTALL | re.MULTILINE)
_LINK = re.compile(r"(?<!!)\[[^\]]+\]\(([^)\s]+)\)")


def page(path: Path) -> str:
    return path.read_text(encoding="utf-8")


def blocks(path: Path, info: str) -> list[str]:
    """Fenced blocks with this info string, such as `sh run`."""
    return [body for found, body in _FENCE.findall(page(path)) if found.strip() == info]


def runnable_lines(path: Path) -> list[str]:
    return [line for body in blocks(path, "sh run") for line in body.splitlines() if line.strip()]


def anchors(path: Path) -> set[str]:
    """GitHub's names of the headings."""
    text = _FENCE.sub("", page(path))
    heads = re.findall(r"^#+ (.+)$", text, re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", head.lower()).replace(" ", "-") for head in heads}


def named(path: Path) -> str:
    return str(path.relative_to(ROOT))


def section(text: str, title: str) -> str:
    """The part of a page under a second-level heading."""
    match = re.search(rf"^## {re.escape(title)}$(.*?)(?=^## |\Z)", text, re.DOTALL | re.MULTILINE)
    return match[1] if match else ""


@pytest.mark.parametrize("name", sorted(COMMANDS))
def test_every_command_and_option_is_documented(name: str) -> None:
    text = page(ROOT / "docs" / "commands.md")
    own, shared = section(text, name), section(text, "Options of every command")
    assert own, f"docs/commands.md has no section '{name}'"
    for parameter in COMMANDS[name].params:
        if parameter.param_type_name == "argument":
            continue
        for flag in (*parameter.opts, *parameter.secondary_opts):
            where = own if parameter.name in {"out", "threads"} else own + shared
            assert f"`{flag}" in where, f"{name} {flag} is not in docs/commands.md"


def test_documented_options_exist() -> None:
    text = page(ROOT / "docs" / "commands.md")
    known = {"--version", "--help"}
    parameters = [p for command in COMMANDS.values() for p in command.params]
    known |= {flag for p in parameters for flag in (*p.opts, *p.secondary_opts)}
    assert set(re.findall(r"(?<![\w-])--[a-z][a-z-]*", text)) <= known


def test_every_measure_has_a_page_and_no_page_is_left_over() -> None:
    pages = {path.stem for path in (ROOT / "docs" / "measures").glob("*.md")}
    assert pages == set(known_measures())
    text = page(ROOT / "docs" / "measures.md")
    assert set(re.findall(r"\(measures/(\w+)\.md\)", text)) == pages


def told_of_measures(text: str) -> dict[str, tuple[str, ...]]:
    """The table's rows by measure: better, unit and class-wise."""
    lines = re.findall(r"^\| \[`([^`]+)`\][^|]*\|(.+)\|$", text, re.MULTILINE)
    return {name: tuple(cell.strip() for cell in rest.split("|"))[1:4] for name, rest in lines}


def known_of_measures(infos: Iterable[MeasureInfo]) -> dict[str, tuple[str, ...]]:
    def better(info: MeasureInfo) -> str:
        if info.direction is None:
            return "you say"
        return "yes" if info.unit is Unit.FLAG else DIRECTION_WORDS[info.direction].better

    return {
        info.name + "(X)" * info.takes_column: (
            better(info),
            info.unit.in_words,
            "yes" if info.class_wise else "no",
        )
        for info in infos
    }


def test_the_table_of_measures_is_current() -> None:
    text = page(ROOT / "docs" / "measures.md")
    assert told_of_measures(text) == known_of_measures(BUILT_IN)
    new = MeasureInfo(name="unheard_of", direction=Direction.MIN, unit=Unit.SHARE)
    assert told_of_measures(text) != known_of_measures([*BUILT_IN, new])
    row = "| [`unheard_of`](measures/unheard_of.md) | words | less | share, 0 to 1 | no | no |\n"
    assert told_of_measures(text + row) == known_of_measures([*BUILT_IN, new])


@pytest.mark.parametrize("name", known_measures())
def test_a_measure_page_says_everything(name: str) -> None:
    path = ROOT / "docs" / "measures" / f"{name}.md"
    text = page(path)
    assert re.findall(r"^## (.+)$", text, re.MULTILINE) == MEASURE_HEADINGS
    assert re.match(rf"# `{name}[`(]", text)
    assert all(section(text, heading).strip() for heading in MEASURE_HEADINGS)
    (example,) = blocks(path, "python run")
    asserted = re.findall(rf'assert .*values\["{name}["(]', example)
    assert asserted, "the example must assert the measure's value"


@pytest.mark.parametrize("path", PAGES, ids=named)
def test_relative_links_resolve(path: Path) -> None:
    for target in _LINK.findall(_FENCE.sub("", page(path))):
        if re.match(r"[a-z]+:", target):
            continue
        file, _, anchor = target.partition("#")
        found = (path.parent / file).resolve() if file else path
        assert found.exists(), f"{named(path)}: {target}"
        if anchor:
            assert anchor in anchors(found), f"{named(path)}: {target}"


@pytest.mark.parametrize("path", PAGES, ids=named)
def test_runnable_commands_parse(path: Path) -> None:
    targets = set(re.findall(r"^(\w+):", page(ROOT / "Makefile"), re.MULTILINE))
    for line in runnable_lines(path):
        program, *words = shlex.split(line)
        if program == "make":
            assert set(words) <= targets, line
        elif program == "paretonym":
            count = 1 if words[0] in COMMANDS else 2
            name = " ".join(words[:count])
            COMMANDS[name].make_context(name, words[count:])
        else:
            assert program in HELPERS, line


@pytest.fixture
def people(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A folder with the example tables, as the README's walk-through sets it up."""
    for name in ("people*", "clinic*", "ten*", "bases.yaml"):
        for file in (ROOT / "examples").glob(name):
            shutil.copy(file, tmp_path)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(registry, "_REGISTRY", dict(registry._REGISTRY))
    return tmp_path


@pytest.mark.slow
def test_the_walk_through_runs(people: Path, capfd: pytest.CaptureFixture[str]) -> None:
    """Every `paretonym` line of the README, in its order."""
    lines = [line for line in runnable_lines(ROOT / "README.md") if line.startswith("paretonym ")]
    assert {shlex.split(line)[1] for line in lines} == {
        "init", "check", "front", "release", "verify", "apply", "secure", "group",
    }  # fmt: skip
    for line in lines:
        app(shlex.split(line)[1:], standalone_mode=False)
    said = capfd.readouterr()
    readme = page(ROOT / "README.md")
    for shown in (
        "ok: 600 rows", "picked k = 6", "drift: 0 rows with unknown values",
        "as the table is", "picked ql", "secure: nobody can be certain",
    ):  # fmt: skip
        wanted = next(line for line in readme.splitlines() if line.startswith(shown))
        assert wanted in said.err, wanted
    for shown in ("Fuzzy rules point", "1,865 swaps", "The swaps distort", "Fuzzy rules: 8"):
        wanted = next(line for line in readme.splitlines() if line.startswith(shown))
        assert wanted in said.out, wanted
    assert pn.verify(people / "release", against=people / "people.csv").ok
    assert pn.verify(people / "clinic-release", against=people / "clinic.csv").ok


def test_the_guide_to_choosing_shows_what_commands_say(
    people: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    """Every line that docs/choosing.md shows comes from the commands that it runs."""
    path = ROOT / "docs" / "choosing.md"
    for line in runnable_lines(path):
        app(shlex.split(line)[1:], standalone_mode=False)
    said = capfd.readouterr()
    printed = {line.strip() for line in (said.out + said.err).splitlines()}
    shown = [line.strip() for body in blocks(path, "text") for line in body.splitlines()]
    assert len(shown) > 10
    assert [line for line in shown if line not in printed] == []


def test_the_guide_to_choosing_picks_as_it_says(people: Path) -> None:
    text = page(ROOT / "docs" / "choosing.md")
    front = pn.find_front(pn.load_job("people.yaml"))
    told = re.findall(r'`--pick "?([^"`]+)"?` \| k = (\d+)', text)
    assert len(told) == 5
    for how, smallest in told:
        assert pn.pick(front, how).values["k"] == int(smallest), how
    (required,) = blocks(ROOT / "docs" / "choosing.md", "yaml")
    (people / "strict.yaml").write_text((people / "people.yaml").read_text() + required)
    left = len(pn.find_front(pn.load_job("strict.yaml")).entries)
    assert f"Here {left} points are left" in text


def test_the_proposal_for_the_example_passes_check(people: Path) -> None:
    app(["init", "people.csv", "-q"], standalone_mode=False)
    app(["check", "job.yaml", "-q"], standalone_mode=False)


def test_a_recipient_can_verify_the_public_files(people: Path) -> None:
    made = pn.release(pn.load_job("people.yaml"), pick="k>=5", out="release")
    handed = people / "handed"
    handed.mkdir()
    for name in ("data.csv", "manifest.json", "report.html"):
        shutil.copy(made.folder / name, handed)
    found = pn.verify(handed)
    assert found.ok
    assert not found.internal_checked
    assert made.public.promises["k"] == 6


@pytest.mark.parametrize("path", [p for p in PAGES if blocks(p, "python run")], ids=named)
@pytest.mark.usefixtures("people")
def test_python_examples_run(path: Path) -> None:
    for body in blocks(path, "python run"):
        exec(compile(body, named(path), "exec"), {"__name__": "__example__"})  # noqa: S102


@pytest.mark.parametrize(
    ("example", "bundled"),
    [("adult.yaml", "adult/job.yaml"), ("acs.yaml", "groups/acs.yaml"),
     ("bases.yaml", "groups/bases.yaml")],
)  # fmt: skip
def test_an_example_is_the_bundled_job(example: str, bundled: str) -> None:
    link = ROOT / "examples" / example
    assert link.is_symlink()
    assert link.resolve() == (ROOT / "src/paretonym/datasets" / bundled).resolve()


def test_the_staircase_example_by_hand() -> None:
    """docs/measures.md: classes of 1, 1, 1, 2, 3, 5 rows."""
    import numpy as np

    from paretonym.measures.plain import thresholds

    size = np.array([1, 1, 1, 2, 3, 5])
    nobody = np.zeros(6, np.bool_)
    by_limit = {0: [1], 3: [1, 2], 5: [1, 2, 3], 12: [1, 2, 3, 5]}
    for limit, steps in by_limit.items():
        assert thresholds(size, nobody, limit=limit, rule="staircase") == steps
        assert thresholds(size, nobody, limit=limit, rule="paper") == steps[-1:]
        assert thresholds(size, nobody, limit=limit, rule="required") == [1]
    assert thresholds(size, size < 2, limit=0, rule="required") == []
    assert thresholds(size, size < 2, limit=12, rule="required") == [2]
    assert thresholds(size, size < 4, limit=5, rule="required") == []
    assert thresholds(size, size < 4, limit=12, rule="required") == [5]


def test_the_house_is_drawn_as_it_stands() -> None:
    """Layers, rooms, modules and contracts of docs/architecture.md."""
    source = ROOT / "src" / "paretonym"
    told = section(page(ROOT / "docs" / "architecture.md"), "The house")
    ((_, drawing),) = _FENCE.findall(told)
    rooms = r"  (\w+(?: \| \w+)*)(?: |$)"
    drawn = [set(re.match(rooms, line)[1].split(" | ")) for line in drawing.splitlines()]
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    contracts = project["tool"]["importlinter"]["contracts"]
    layers = [set(re.findall(r"paretonym\.(\w+)", layer)) for layer in contracts[0]["layers"]]
    assert drawn == layers
    first, second = told.split("| contract | why |")
    assert len(re.findall(r"^\| (?!-)", second, re.MULTILINE)) == len(contracts)
    rows = re.findall(r"^\| `(\w+)/` \| (.+) \|$", first, re.MULTILINE)
    folders = {p.name for p in source.iterdir() if p.is_dir() and not p.name.startswith("_")}
    assert {room for room, _ in rows} == folders
    for room, what in rows:
        for name in re.findall(r"`([a-z_]+)/?`", what):
            inside = [*(source / room).rglob(name), *(source / room).rglob(f"{name}.py")]
            assert inside or name in COMMANDS or name in folders, f"{room}: {name}"


@pytest.mark.parametrize("name", ["docs/architecture.md", "CONTRIBUTING.md"])
def test_modules_that_are_named_exist(name: str) -> None:
    folders = ("src", "tests", "docs", "benchmarks")
    files = [str(file.relative_to(ROOT)) for f in folders for file in (ROOT / f).rglob("*.*")]
    named = re.findall(r"`([\w/.]+/\w+\.\w+|\w+\.(?:py|js))`", page(ROOT / name))
    missing = {n for n in named if not any(f"/{file}".endswith(f"/{n}") for file in files)}
    assert not {n for n in missing if "NAME" not in n}


def test_papers_are_cited_by_name() -> None:
    """By authors and year or by title: a number says nothing to whoever reads it."""
    number = re.compile(r"\bpapers? 00\d\b|\(00\d[,)]", re.IGNORECASE)
    kinds = (".py", ".md", ".html", ".js", ".yaml")
    folders = ("src", "docs", "tests", "benchmarks", "examples")
    files = [f for name in folders for f in (ROOT / name).rglob("*") if f.suffix in kinds]
    assert [named(file) for file in [*PAGES, *files] if number.search(page(file))] == []
