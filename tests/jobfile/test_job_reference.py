"""docs/job-reference.md is what the forms say, and what they say is complete and true."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import pytest
from docs.make_reference import (
    PAGE,
    accepts_of,
    default_text,
    key_of,
    left_out,
    places,
    reference,
    said,
    sections,
    whole_type,
)
from pydantic import Field, TypeAdapter
from pydantic.fields import FieldInfo

from paretonym.jobfile.forms import ALL_FORMS, JobForm
from paretonym.jobfile.keys import UNSET, key, percent
from paretonym.jobfile.swap_files import write_swaps
from paretonym.jobfile.texts import Form
from paretonym.jobfile.yaml import read_yaml
from paretonym.model.swap import Swaps

KNOWN = sections()
FIELDS = [
    pytest.param(field, key_of(name, field), id=f"{form.__name__}.{name}")
    for form in KNOWN
    for name, field in form.model_fields.items()
]


def parsed(field: FieldInfo, value: str, base: Path) -> object:
    """A value as YAML, read as its key alone would read it."""
    data = read_yaml(f"it: {value}", "example").data["it"]
    return TypeAdapter(whole_type(field)).validate_python(data, context=base)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "country.csv").write_text("a;*\n")
    write_swaps(Swaps(("area",), ((0, 1),), "0" * 64, 2), tmp_path / "swaps.json")
    return tmp_path


def test_the_page_is_what_the_forms_say() -> None:
    assert PAGE.read_text(encoding="utf-8") == reference(), "run: python docs/make_reference.py"


def test_every_form_of_a_job_is_listed() -> None:
    assert set(ALL_FORMS) <= set(KNOWN)
    titles = [found[0].title for found in KNOWN.values()]
    assert len(set(titles)) == len(titles)


@pytest.mark.parametrize(("field", "name"), FIELDS)
def test_every_key_is_described(field: FieldInfo, name: str) -> None:
    assert field.description, f"{name} has no description: use key(…) of jobfile/keys.py"
    assert field.examples, f"{name} has no example"
    assert accepts_of(field, KNOWN), f"nothing tells what {name} accepts"
    assert left_out(field).strip("`"), f"nothing tells what holds when {name} is left out"
    if field.is_required():
        assert not said(field, UNSET)


@pytest.mark.parametrize(("field", "name"), FIELDS)
def test_every_example_parses(field: FieldInfo, name: str, folder: Path) -> None:
    for example in field.examples or ():
        parsed(field, example, folder)


@pytest.mark.parametrize(("field", "name"), FIELDS)
def test_a_default_means_itself(field: FieldInfo, name: str, folder: Path) -> None:
    """Written into a job, the default of the page gives the default of the form."""
    if field.is_required() or said(field, UNSET) or not default_text(field):
        return
    assert left_out(field) == f"`{default_text(field)}`"
    assert parsed(field, default_text(field), folder) == field.default


def test_a_form_that_is_added_is_found() -> None:
    class Words(Form):
        """Texts of your own."""

        title: Annotated[str | None, key("shown first", "Patients", unset="none")] = None

    class Wider(JobForm):
        about: Annotated[Words, key("texts", "{title: Patients}")] = Words()
        notes: dict[str, Words] = Field(default_factory=dict)

    found = [place.path for place in places(Wider) if place.form is Words]
    assert found == ["about", "notes.NAME"]


@pytest.mark.parametrize(("share", "shown"), [(0.001, "0.1%"), (1.0, "100%"), (0.0, "0%")])
def test_percentages_as_a_job_writes_them(share: float, shown: str) -> None:
    assert percent(share) == shown
