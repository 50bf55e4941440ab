"""A plan: the ordered, frozen steps that turn a table into a release.

It is written beside every release (internal, because it names the raw values) and can be
applied to a later file of the same shape.
"""

from __future__ import annotations

import hashlib
import json
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction
from typing import Any

from paretonym.errors import JobError
from paretonym.model.job import About
from paretonym.model.reading_back import refuse_unknown, said_of, writer_of
from paretonym.model.schema import Column, Role, Schema
from paretonym.model.secret import Secrecy
from paretonym.model.source import TableSource
from paretonym.model.steps import STEPS, Drop, Recode, Step, Suppress, Swap, require_order
from paretonym.model.swap import Swaps
from paretonym.version import __version__

FAMILY = "paretonym-plan/"
PLAN_FORMAT = f"{FAMILY}2"
DIGEST = "digest"  # the key of a plan that says what all the others hold
_PARTS = (
    "format", "software", "table", "salt", "about", "missing", "confidential", "quality_over",
    "columns", "steps", DIGEST,
)  # fmt: skip
_TABLE_PARTS = ("fingerprint", "rows", "delimiter", "encoding", "names", "swapped_from")
_COLUMN_PARTS = ("name", "roles", "weight", "because", "may_match")


@dataclass(frozen=True, slots=True)
class Plan:
    """What is done to a table, step by step, and what has to be known of that table."""

    schema: Schema
    missing: tuple[str, ...]
    steps: tuple[Step, ...]  # in the order in which they are made
    fingerprint: str  # of the table the plan was made on; with swaps, of the swapped one
    rows: int
    delimiter: str | None = None  # how that table was read; a later one is read the same way
    encoding: str = "utf-8"
    names: tuple[str, ...] | None = None
    salt: str = ""  # keeps the public digests of hierarchies from confirming guessed values
    secrecy: Secrecy = field(default_factory=Secrecy)  # what nobody may learn from the release
    observed: bool = False  # quality is over the values that occur, not over those declared
    about: About = field(default_factory=About)  # for the reports of later files; decides nothing

    @property
    def swaps(self) -> Swaps | None:
        return next((step.swaps for step in self.steps if isinstance(step, Swap)), None)

    @property
    def recodes(self) -> tuple[Recode, ...]:
        """One for each quasi-identifier, in the schema's order."""
        return tuple(step for step in self.steps if isinstance(step, Recode))

    @property
    def suppress(self) -> Suppress:
        return next(step for step in self.steps if isinstance(step, Suppress))

    def says(self) -> tuple[str, ...]:
        """The steps in words, in their order."""
        return tuple(step.says() for step in self.steps)

    def source(self, given: TableSource) -> TableSource:
        """Another table of the same shape: what it leaves open is read as this plan's own was."""
        return TableSource(
            given.data,
            given.delimiter or self.delimiter,
            self.encoding if given.encoding == "utf-8" else given.encoding,
            given.names or self.names,
            self.missing,
        )

    def public_digest(self, recode: Recode) -> str:
        return hashlib.sha256(f"{self.salt}{recode.hierarchy}".encode()).hexdigest()

    def to_json(self) -> dict[str, Any]:
        """Everything, with a digest by which whoever reads it sees that nothing was edited."""
        return sealed(self._said())

    def _said(self) -> dict[str, Any]:
        return {
            "format": PLAN_FORMAT,
            "software": {"name": "paretonym", "version": __version__},
            "table": {
                "fingerprint": self.fingerprint,
                "rows": self.rows,
                "delimiter": self.delimiter,
                "encoding": self.encoding,
                "names": None if self.names is None else list(self.names),
                **({} if self.swaps is None else {"swapped_from": self.swaps.fingerprint}),
            },
            "salt": self.salt,
            **({} if not self.about.to_json() else {"about": self.about.to_json()}),
            "missing": list(self.missing),
            "confidential": self.secrecy.to_json() if self.secrecy.secrets else None,
            "quality_over": "observed" if self.observed else "declared",
            "columns": [_column_to_json(column) for column in self.schema.columns],
            "steps": [{step.kind: step.to_json()} for step in self.steps],
        }

    @classmethod
    def from_json(cls, data: Mapping[str, Any], *, written_by: str | None = None) -> Plan:
        """The plan again; `written_by` is the version that a plan without one was written by."""
        _refuse_other_format(data, written_by)
        _refuse_edited(data, written_by)
        _refuse_newer(data, writer_of(data) or written_by)
        try:
            return _plan_from_json(data)
        except (KeyError, TypeError, ValueError, AttributeError, ZeroDivisionError):
            raise JobError("the plan is damaged: a part of it is missing or malformed") from None


def steps_of(
    schema: Schema, recodes: Sequence[Recode], suppress: Suppress, *, swaps: Swaps | None = None
) -> tuple[Step, ...]:
    """The steps of a release: exchange records, leave columns out, recode, leave rows out."""
    first = () if swaps is None else (Swap(swaps),)
    return (*first, Drop(schema.dropped), *recodes, suppress)


def is_plan(data: object) -> bool:
    """A plan of any version, as against other files."""
    return isinstance(data, Mapping) and str(data.get("format")).startswith(FAMILY)


def sealed(said: Mapping[str, Any]) -> dict[str, Any]:
    """What a plan says with the digest of it; a digest that stands there is replaced."""
    return {**said, DIGEST: _digest(said)}


def _digest(data: Mapping[str, Any]) -> str:
    """SHA-256 over everything but the digest, as JSON in one spelling: layout does not count."""
    said = {key: value for key, value in data.items() if key != DIGEST}
    spelled = json.dumps(said, sort_keys=True, separators=(",", ":"))
    return hashlib.sha256(spelled.encode("ascii")).hexdigest()


def _refuse_other_format(data: Mapping[str, Any], written_by: str | None) -> None:
    if data.get("format") == PLAN_FORMAT:
        return
    version = str(data.get("format")).removeprefix(FAMILY)
    if not is_plan(data) or not (version.isascii() and version.isdigit()):
        raise JobError(f"this is not a plan of the format {PLAN_FORMAT}")
    writer = writer_of(data) or written_by
    if int(version[:9]) > int(PLAN_FORMAT.removeprefix(FAMILY)):
        remedy = "use that version or a later one"
    else:
        remedy = "release again with this version and use the plan.json of that release"
    raise JobError(
        f"the plan has the format {FAMILY}{version[:9]}, and this version reads {PLAN_FORMAT}; it "
        f"was written by {said_of(writer)}: {remedy}"
    )


def _refuse_newer(data: Mapping[str, Any], version: str | None) -> None:
    """Whatever this version does not know could be something that has to be done."""
    refuse_unknown("the plan holds", data, _PARTS, version)
    for part, known in (("table", _TABLE_PARTS), ("columns", _COLUMN_PARTS)):
        found = data.get(part)
        for each in found if isinstance(found, list) else [found]:
            if isinstance(each, dict):
                refuse_unknown(f"the part '{part}' of the plan holds", each, known, version)
    steps = data.get("steps")
    for step in steps if isinstance(steps, list) else ():
        if isinstance(step, dict):
            refuse_unknown("the plan has a step", step, STEPS, version)
            for kind, body in step.items():
                if isinstance(body, dict) and (parts := STEPS[kind].parts):
                    said = f"the step '{kind}' of the plan holds"
                    refuse_unknown(said, body, parts, version)


def _refuse_edited(data: Mapping[str, Any], written_by: str | None) -> None:
    """Notices a change; it is no signature, because who edits can compute the digest anew."""
    if DIGEST not in data:
        by = "an earlier version of paretonym" if written_by is None else f"paretonym {written_by}"
        raise JobError(
            f"the plan carries no digest: it was written by {by}, before plans had one, or the "
            f"digest was taken out, so that nothing tells whether the plan is as it was written; "
            f"release again with this version and use the plan.json of that release"
        )
    if data[DIGEST] != _digest(data):
        raise JobError(
            "the plan was changed after it was written, because its digest does not fit; take the "
            "untouched plan.json of the release, or change the job and release again"
        )


def _column_to_json(column: Column) -> dict[str, Any]:
    return {
        "name": column.name,
        "roles": sorted(str(role) for role in column.roles),
        "weight": str(column.weight),
        "because": column.because,
        "may_match": column.may_match,
    }


def _plan_from_json(data: Mapping[str, Any]) -> Plan:
    columns = tuple(
        Column(
            c["name"],
            frozenset(map(Role, c["roles"])),
            Fraction(c["weight"]),
            c["because"],
            c.get("may_match"),
        )
        for c in data["columns"]
    )
    schema = Schema(columns)
    steps = tuple(map(_step_from_json, data["steps"]))
    _check_steps(steps, schema)
    missing, table = data["missing"], data["table"]
    if not isinstance(missing, list) or not all(isinstance(text, str) for text in missing):
        raise TypeError("missing must be a list of texts")
    quality = data.get("quality_over", "declared")
    if quality not in ("declared", "observed"):
        raise ValueError("quality is over another domain")
    plan = Plan(
        schema=schema,
        missing=tuple(missing),
        steps=steps,
        fingerprint=table["fingerprint"],
        rows=int(table["rows"]),
        delimiter=table["delimiter"],
        encoding=str(table["encoding"]),
        names=None if table["names"] is None else tuple(table["names"]),
        salt=_text(data["salt"]),
        observed=quality == "observed",
        about=About.from_json(data.get("about", {})),
    )
    _check_swaps(plan.swaps, schema, table)
    secrecy = _secrecy_from_json(data.get("confidential"), schema, plan.suppress)
    return replace(plan, secrecy=secrecy)


def _text(value: Any) -> str:
    """A text that can be written down; a lone half of a sign cannot, and is a ValueError."""
    if not isinstance(value, str):
        raise TypeError("not a text")
    return value.encode().decode()


def _step_from_json(data: Any) -> Step:
    [(kind, body)] = data.items()
    return STEPS[kind].from_json(body)


def _check_steps(steps: Sequence[Step], schema: Schema) -> None:
    """A lost step, or one in another place, must never pass for a plan that does less."""
    require_order(steps)
    kinds = Counter(type(step) for step in steps)
    if (kinds[Drop], kinds[Suppress]) != (1, 1) or kinds[Swap] > 1:
        raise ValueError("a step is lost, or stands twice")
    if any(step.columns != schema.dropped for step in steps if isinstance(step, Drop)):
        raise ValueError("the drop step does not name the columns that are left out")
    if tuple(step.column for step in steps if isinstance(step, Recode)) != schema.quasi:
        raise ValueError("not exactly one recode for each quasi-identifier")


def _check_swaps(swaps: Swaps | None, schema: Schema, table: Mapping[str, Any]) -> None:
    """A lost or foreign swap step must never pass for a plan that does less."""
    if table.get("swapped_from") != (None if swaps is None else swaps.fingerprint):
        raise ValueError("the swap step is lost, or belongs to another table")
    if swaps is None:
        return
    swaps.check_columns(kept=schema.kept, every=schema.names())
    if (swaps.fingerprint_after, swaps.rows) != (table["fingerprint"], table["rows"]):
        raise ValueError("the plan was made on another table than the swapped one")


def _secrecy_from_json(data: Any, schema: Schema, suppress: Suppress) -> Secrecy:
    """Plans of tables without rules, and those of earlier versions, have none."""
    if data is None:
        return Secrecy()
    secrecy = Secrecy.from_json(data)
    shown = [name for name in schema.kept if name not in schema.quasi]
    secrecy.check_columns(shown=shown, every=schema.names())
    if not secrecy.secrets or suppress.limit_rows:
        raise ValueError("rules hold for everybody, so that nothing is suppressed")
    return secrecy
