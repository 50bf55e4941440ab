"""pydantic's findings in the words of the job file: place, fault, remedy; one line each."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from pydantic import ValidationError

from paretonym.errors import Fault, JobError, nearest
from paretonym.jobfile.forms import AboutForm, ColumnForm, JobForm, SearchForm, SuppressionForm
from paretonym.jobfile.groups import form_at
from paretonym.jobfile.hierarchies import FORMS
from paretonym.jobfile.secrets import GeneticForm, SecretForm, SecurityForm
from paretonym.jobfile.tables import TableForm
from paretonym.jobfile.texts import TAG, Form, Problem, shown
from paretonym.jobfile.yaml import Where

# what to write where a mapping or a list is expected, or a key is missing
EXAMPLES: dict[str, str] = {
    "": "table: …, columns: …, objectives: …",
    "table": "people.csv or {path: people.csv, missing: ['?']}",
    "columns": "{age: {role: quasi, hierarchy: suppress}, …}",
    "objectives": "[k, glm]",
    "require": "{k: 5}",
    "suppression": "{limit: 1%}",
    "epsilon": "{k: 5, glm: 1000}",
    "confidential": "[{say: Health = 2}]",
    "say": "say: Health = 2",
    "security": "{at_risk: 50%}",
    "genetic": "{population: 50, generations: 100}",
    "groups": "{soldiers: {vital: job startswith '55', parameter: [area]}}",
    "vital": "vital: job startswith '55'",
    "parameter": "parameter: [area]",
    "outliers": "{alpha: 1%, side: upper}",
    "variables": "{age: {young: {pi: [7, 15, 23, 27]}}}",
    "auxiliary": "{table: other.csv, harmonise: {age: {range: [18, 45]}}}",
    "reference": "{table: last-year.csv}",
    "harmonise": "{age: {range: [18, 45]}, sex: {map: {'1': male}}}",
    "attack": "{population: 100, generations: 100}",
    "swaps": "protected/internal/swaps.json",
    "search": "{method: auto}",
    "role": "role: quasi; a column without a role stops the run",
    "partitions": "{month: {date: month}, …}",
    "missing": "['?', 'NA']",
    "names": "[age, zip]",
    "intervals": "[5, 10, 20]",
    "date": "[month, year]",
    "order": "[low, middle, high]",
    "groups_of": "[2, 4]",
}
# under a name that the job gives
NAMED: dict[str, str] = {
    "columns": "{role: quasi, hierarchy: suppress}",
    "groups": "{vital: job startswith '55', parameter: [area]}",
}


def missing_key(key: str) -> Problem:
    """A key at the top level that is needed."""
    return (key,), _fault("missing", (key,), (key,), {})


def problems_of(error: ValidationError, *, under: Where = ()) -> list[Problem]:
    """Every finding, each with its place in the job; what was read stands `under` a place."""
    found = []
    details = error.errors(include_url=False, include_input=False)
    for detail in details:
        tagged = (*under, *detail["loc"])
        inside = any((*under, *other["loc"][:-1])[: len(tagged)] == tagged for other in details)
        if detail["type"] == "too_short" and inside:
            continue  # entries that were refused are not counted, but they are there
        where = tuple(step for step in tagged if not str(step).startswith(TAG))
        if where and where[-1] == "[key]":
            where = where[:-1]
        found.append((where, _fault(detail["type"], tagged, where, detail.get("ctx", {}))))
    return found


def _fault(kind: str, tagged: Where, where: Where, context: Mapping[str, Any]) -> str:
    """Our own words for a kind of error; pydantic's could quote the input."""
    last = next((str(step) for step in reversed(where) if isinstance(step, str)), "")
    named = NAMED.get(str(where[0])) if len(where) == 2 else None
    example = named or EXAMPLES.get(last, "")
    remedy = f"; write {example}" if example else ""
    match kind:
        case "job":
            return str(context["text"])
        case "extra_forbidden":
            return _unknown_key(tagged, where)
        case "missing":
            return f"this key is missing{remedy}"
        case "string_type":
            return "expected a text"
        case "too_short":
            return f"nothing is listed{remedy}"
        case "too_long":
            return f"at most {context['max_length']} are allowed; leave some out"
        case "tuple_type" | "list_type":
            return f"expected a list{remedy}"
        case "model_type" | "dict_type" | "model_attributes_type":
            return f"expected a mapping{remedy}"
    return "not understood; see docs/job-file.md"


def _unknown_key(tagged: Where, where: Where) -> str:
    form = _form_at(tagged[:-1])
    key = str(where[-1])
    hint = nearest(key, form.known_keys())
    inside = any(key in builder.known_keys() for builder in FORMS.values())
    if form is ColumnForm and inside:
        return "unknown key; it belongs inside hierarchy: {…}"
    if form is JobForm and key in TableForm.known_keys():
        return "unknown key; it belongs inside table: {path: …}"
    return f"unknown key{hint or '; known are ' + ', '.join(form.known_keys())}"


def _form_at(tagged: Where) -> type[Form]:
    """The form whose keys stand at a place."""
    for step in reversed(tagged):
        if step in FORMS:
            return FORMS[str(step)]
    if tagged[:1] == ("groups",) and len(tagged) > 1:
        return form_at(tuple(step for step in tagged[2:] if not str(step).startswith(TAG)))
    forms: dict[Any, type[Form]] = {
        "table": TableForm,
        "columns": ColumnForm,
        "suppression": SuppressionForm,
        "search": SearchForm,
        "confidential": SecretForm,
        "about": AboutForm,
        "security": GeneticForm if "genetic" in tagged else SecurityForm,
    }
    return forms[tagged[0]] if tagged else JobForm


def place(where: Where) -> str:
    """`columns.age.hierarchy.intervals, item 2`"""
    steps = [shown(step) for step in where if isinstance(step, str)]
    items = [f"item {step + 1}" for step in where if isinstance(step, int)]
    return ", ".join([".".join(steps) or "the job", *items])


def job_error(
    problems: list[Problem], *, name: str = "", lines: Mapping[Where, int] | None = None
) -> JobError:
    """One error that lists every problem, in the order of the file where lines are known."""
    known = lines or {}
    told = {(_line(where, known), f"{place(where)}: {fault}"): where for where, fault in problems}
    found = sorted(told, key=lambda entry: entry[0])
    faults = [Fault(said, line or None, told[line, said]) for line, said in found]
    if len(faults) == 1:
        line = faults[0].line
        parts = [part for part in (name, f"line {line}" if line else "") if part]
        told_once = ": ".join([", ".join(parts), faults[0].message]).removeprefix(": ")
        return JobError(told_once, faults)
    head = f"{name or 'the job'}: {len(faults)} problems"
    said = [f"{f'line {one.line}: ' if one.line else ''}{one.message}" for one in faults]
    return JobError("\n  ".join([head, *said]), faults)


def _line(where: Where, lines: Mapping[Where, int]) -> int:
    """Of the key itself or of the nearest one around it; 0 when there is none."""
    for length in range(len(where), 0, -1):
        if where[:length] in lines:
            return lines[where[:length]]
    return 0
