"""docs/job-file.md explains every key by example, and its examples are jobs that load."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any, get_args

import pytest
from docs.make_reference import anchor, sections

from paretonym.jobfile.forms import ALL_FORMS, ColumnForm, Form, JobForm
from paretonym.jobfile.groups import GroupForm
from paretonym.jobfile.loading import parse_job
from paretonym.jobfile.swap_files import write_swaps
from paretonym.jobfile.yaml import read_yaml
from paretonym.model.fuzzy import FuzzyKind
from paretonym.model.schema import Role
from paretonym.model.swap import Swaps

PAGE = (Path(__file__).parents[2] / "docs" / "job-file.md").read_text(encoding="utf-8")
EXAMPLES = re.findall(r"```yaml\n(.*?)```", PAGE, re.DOTALL)
SPREAD = (JobForm, ColumnForm, GroupForm)  # their keys have sections of their own
KEYS = [(form, key) for form in ALL_FORMS for key in form.known_keys()]

# whatever an example leaves out
REST: dict[str, Any] = {
    "table": "people.csv",
    "columns": {
        "age": {"role": "quasi", "hierarchy": "suppress"},
        "occupation": {"role": "sensitive"},
    },
    "objectives": ["k"],
}


@pytest.mark.parametrize(("form", "key"), KEYS, ids=lambda part: getattr(part, "__name__", part))
def test_every_key_has_an_example(form: type[Form], key: str) -> None:
    """Inside the part that its form's section of the reference is linked from."""
    section = anchor(sections()[form][0].title)
    parts = re.split(r"^(?=##+ )", PAGE, flags=re.MULTILINE)
    explained = [part for part in parts if f"(job-reference.md#{section})" in part]
    shown = PAGE if form in SPREAD else "".join(explained)
    examples = "".join(re.findall(r"```yaml\n(.*?)```", shown, re.DOTALL))
    missing = f"docs/job-file.md has no example of {form.__name__}.{key}"
    assert re.search(rf"(?<![\w-]){key}:", examples), missing


@pytest.mark.parametrize("kind", get_args(FuzzyKind))
def test_every_kind_of_fuzzy_value_is_described(kind: str) -> None:
    section = PAGE.split("### `variables`")[1].split("###")[0]
    assert f"| `{kind}` |" in section
    assert f"{{{kind}: [" in section


@pytest.mark.parametrize("word", [role.value for role in Role])
def test_roles_and_keys_of_later_versions_are_named(word: str) -> None:
    assert f"`{word}`" in PAGE


@pytest.mark.parametrize("example", EXAMPLES)
def test_examples_load(example: str, tmp_path: Path) -> None:
    for name in ("country.csv", "season.csv"):
        (tmp_path / name).write_text("a;*\n")
    write_swaps(Swaps(("area",), ((0, 1),), "0" * 64, 2), tmp_path / "swaps.json")
    data = read_yaml(example, "example").data
    rest = {"table": REST["table"]} if "groups" in data else REST
    assert parse_job({**rest, **data}, base=tmp_path).digest
