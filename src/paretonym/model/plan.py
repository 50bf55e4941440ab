"""A plan: the ordered, frozen steps that turn a table into a release.

It is written beside every release (internal, because it names the raw values) and can be
applied to a later file of the same shape.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from paretonym.errors import JobError
from paretonym.model.bound import Bound, bounds_from_json, bounds_to_json
from paretonym.model.hierarchy import HierarchySpec, rule_from_json, rule_to_json
from paretonym.model.job import About
from paretonym.model.schema import Column, Role, Schema
from paretonym.model.secret import Secrecy
from paretonym.model.source import TableSource
from paretonym.model.swap import Swaps
from paretonym.model.writing import WriteAs, WrittenStatistics, pairs
from paretonym.version import __version__

PLAN_FORMAT = "paretonym-plan/1"
DIGEST = "digest"  # the key of a plan that says what all the others hold

# what a value gets that no released row can show; rows that carry it are always suppressed
UNLISTED = "(not in the plan)"


@dataclass(frozen=True, slots=True)
class Recode:
    """Replace each value of a quasi-identifier by the text of its block at one level.

    The text is the block's label, or with `written` a statistic of the block's released rows.
    """

    column: str
    level: int
    partition: str
    labels: Mapping[str | None, str | None]  # text of a value -> what is shown; None is missing
    leaves: Mapping[str | None, int]  # what is shown -> values of the domain under it
    domain: int
    hierarchy: str  # digest of the Granulation
    rule: HierarchySpec | None = None  # how values that did not occur would be labelled, if known
    written: WrittenStatistics | None = None  # None: blocks are shown by their labels

    @property
    def write(self) -> WriteAs:
        return "label" if self.written is None else self.written.way

    def shown(self, label: str | None) -> str | None:
        """What stands in the release for the block of this label."""
        return label if self.written is None else self.written.texts.get(label, UNLISTED)

    @property
    def changes_nothing(self) -> bool:
        """Every value keeps its own text, so that a typed column may pass as it is."""
        return all(value == label for value, label in self.labels.items())


@dataclass(frozen=True, slots=True)
class Suppress:
    """Drop the rows of every class that is too small or violates a class-wise requirement."""

    below: int  # classes with fewer rows than this are dropped
    require: tuple[Bound, ...] = ()  # those that a single class can violate, beside k
    limit_rows: int = 0


@dataclass(frozen=True, slots=True)
class Plan:
    """Steps in the order they are applied: swap, drop columns, recode, suppress."""

    schema: Schema
    missing: tuple[str, ...]
    recodes: tuple[Recode, ...]  # one for each quasi-identifier, in the schema's order
    suppress: Suppress
    fingerprint: str  # of the table the plan was made on; with swaps, of the swapped one
    rows: int
    delimiter: str | None = None  # how that table was read; a later one is read the same way
    encoding: str = "utf-8"
    names: tuple[str, ...] | None = None
    salt: str = ""  # keeps the public digests of hierarchies from confirming guessed values
    secrecy: Secrecy = field(default_factory=Secrecy)  # what nobody may learn from the release
    observed: bool = False  # quality is over the values that occur, not over those declared
    swaps: Swaps | None = None  # made before anything else
    about: About = field(default_factory=About)  # for the reports of later files; decides nothing

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
            "steps": [
                *([] if self.swaps is None else [{"swap": self.swaps.to_json()}]),
                {"drop": list(self.schema.dropped)},
                *({"recode": _recode_to_json(recode)} for recode in self.recodes),
                {
                    "suppress": {
                        "below": self.suppress.below,
                        "require": bounds_to_json(self.suppress.require),
                        "limit_rows": self.suppress.limit_rows,
                    }
                },
            ],
        }

    @classmethod
    def from_json(cls, data: Mapping[str, Any], *, written_by: str | None = None) -> Plan:
        """The plan again; `written_by` is the version that a plan without one was written by."""
        if data.get("format") != PLAN_FORMAT:
            raise JobError(f"this is not a plan of the format {PLAN_FORMAT}")
        _refuse_edited(data, written_by)
        try:
            return _plan_from_json(data)
        except (KeyError, TypeError, ValueError, AttributeError, ZeroDivisionError):
            raise JobError("the plan is damaged: a part of it is missing or malformed") from None


def sealed(said: Mapping[str, Any]) -> dict[str, Any]:
    """What a plan says with the digest of it; a digest that stands there is replaced."""
    return {**said, DIGEST: _digest(said)}


def _digest(data: Mapping[str, Any]) -> str:
    """SHA-256 over everything but the digest, as JSON in one spelling: layout does not count."""
    said = {key: value for key, value in data.items() if key != DIGEST}
    spelled = json.dumps(said, sort_keys=True, separators=(",", ":"))
    return hashlib.sha256(spelled.encode("ascii")).hexdigest()


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


def _recode_to_json(recode: Recode) -> dict[str, Any]:
    return {
        "column": recode.column,
        "level": recode.level,
        "partition": recode.partition,
        "labels": [[value, label] for value, label in recode.labels.items()],
        "leaves": [[label, count] for label, count in recode.leaves.items()],
        "domain": recode.domain,
        "hierarchy": recode.hierarchy,
        "rule": rule_to_json(recode.rule),
        "written": None if recode.written is None else recode.written.to_json(),
    }


def _plan_from_json(data: Mapping[str, Any]) -> Plan:
    from fractions import Fraction

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
    steps = list(data["steps"])
    swaps = Swaps.from_json(steps.pop(0)["swap"]) if "swap" in steps[0] else None
    recodes = tuple(_recode_from_json(step["recode"]) for step in steps[1:-1])
    schema = Schema(columns)
    _check_swaps(swaps, schema, data["table"])
    # a lost step must never pass for a plan that does less
    if list(steps[0]["drop"]) != list(schema.dropped):
        raise ValueError("the drop step does not name the columns that are left out")
    if tuple(recode.column for recode in recodes) != schema.quasi:
        raise ValueError("not exactly one recode for each quasi-identifier")
    last = steps[-1]["suppress"]
    require = bounds_from_json(last["require"])
    suppress = Suppress(int(last["below"]), require, int(last["limit_rows"]))
    missing, table = data["missing"], data["table"]
    if not isinstance(missing, list) or not all(isinstance(text, str) for text in missing):
        raise TypeError("missing must be a list of texts")
    quality = data.get("quality_over", "declared")
    if quality not in ("declared", "observed"):
        raise ValueError("quality is over another domain")
    return Plan(
        schema=schema,
        missing=tuple(missing),
        recodes=recodes,
        suppress=suppress,
        fingerprint=table["fingerprint"],
        rows=int(table["rows"]),
        delimiter=table["delimiter"],
        encoding=str(table["encoding"]),
        names=None if table["names"] is None else tuple(table["names"]),
        salt=str(data["salt"]),
        secrecy=_secrecy_from_json(data.get("confidential"), schema, suppress),
        observed=quality == "observed",
        swaps=swaps,
        about=About.from_json(data.get("about", {})),
    )


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


def _recode_from_json(data: Mapping[str, Any]) -> Recode:
    return Recode(
        column=data["column"],
        level=int(data["level"]),
        partition=data["partition"],
        labels=pairs(data["labels"]),
        leaves={text: int(count) for text, count in pairs(data["leaves"]).items()},
        domain=int(data["domain"]),
        hierarchy=data["hierarchy"],
        rule=rule_from_json(data["rule"]),
        written=None
        if data.get("written") is None
        else WrittenStatistics.from_json(data["written"]),
    )
