"""docs/job-file.md describes every key, and its examples are jobs that load."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any, get_args

import pytest

from paretonym.app.job import parse_job
from paretonym.app.job_models import ALL_FORMS, BUILDERS, Form
from paretonym.app.job_yaml import read_yaml
from paretonym.app.swap_files import write_swaps
from paretonym.model.fuzzy import FuzzyKind
from paretonym.model.schema import Role
from paretonym.model.swap import Swaps

PAGE = (Path(__file__).parents[2] / "docs" / "job-file.md").read_text(encoding="utf-8")
EXAMPLES = re.findall(r"```yaml\n(.*?)```", PAGE, re.DOTALL)
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


def section_of(form: type[Form]) -> str:
    """The part of the page under the heading that describes the form."""
    builder = next((name for name, known in BUILDERS.items() if known is form), None)
    headings = {"JobForm": "", "TableForm": "`table`", "ColumnForm": "`columns`",
                "SuppressionForm": "`suppression`", "SearchForm": "`search`",
                "SecretForm": "`confidential`", "SecurityForm": "`security`",
                "GeneticForm": "`security`", "GroupForm": "`groups` of people",
                "OutliersForm": "`outliers`", "AuxiliaryForm": "`auxiliary`",
                "RecipeForm": "`harmonise`", "ReferenceForm": "`reference`",
                "AttackForm": "`attack`", "ProtectForm": "`protect`",
                "ThresholdForm": "`protect`", "MemeticForm": "`protect`"}  # fmt: skip
    wanted = f"`{builder}`" if builder else headings[form.__name__]
    if not wanted:
        return "\n".join(re.findall(r"^## .*", PAGE, re.MULTILINE))
    parts = re.split(r"^(?=##+ )", PAGE, flags=re.MULTILINE)
    return next(part for part in parts if wanted in part.partition("\n")[0])


@pytest.mark.parametrize(("form", "key"), KEYS, ids=lambda part: getattr(part, "__name__", part))
def test_every_key_is_described(form: type[Form], key: str) -> None:
    missing = f"{form.__name__}.{key} is not described in its section of docs/job-file.md"
    assert re.search(rf"`{key}\b", section_of(form)), missing


@pytest.mark.parametrize("kind", get_args(FuzzyKind))
def test_every_kind_of_fuzzy_value_is_described(kind: str) -> None:
    section = PAGE.split("### `variables`")[1].split("###")[0]
    assert f"| `{kind}` |" in section
    assert f"{{{kind}: [" in section


@pytest.mark.parametrize("key", [*ALL_FORMS[0].known_keys(), *BUILDERS])
def test_every_top_level_key_and_builder_has_an_example(key: str) -> None:
    assert any(re.search(rf"\b{key}: ", example) or f"{key}:\n" in example for example in EXAMPLES)


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
