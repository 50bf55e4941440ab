"""`paretonym group attack`: would an adversary find the groups of a job?"""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import cast, get_args

from paretonym.errors import JobError, missing
from paretonym.groups.attack import AttackInput, GroupAttack, attack, learn
from paretonym.groups.attackers import Attacker, RuleAttacker, RuleModel, described
from paretonym.groups.classifiers import EXTRA, BoostingAttacker, LogisticAttacker, installed
from paretonym.groups.harmonise import Agreement
from paretonym.model.fuzzy import Variable
from paretonym.model.group import AttackerName, GroupSpec
from paretonym.model.job import Job
from paretonym.pipeline.fronts import default_threads
from paretonym.pipeline.grouping import Found, signals_of
from paretonym.publishing.atomic import PRIVATE_FILE, make_folder, write_text
from paretonym.report.attack_page import attack_html
from paretonym.search import Progress, Silent

FILES = ("attack.json", "report.html")
_FEW = 10  # members that a rule stands on at least, or chance makes some


def attacks_of(
    job: Job, *, threads: int | None = None, progress: Progress | None = None
) -> tuple[GroupAttack, ...]:
    """Every group that has an auxiliary file; the same for a seed, whatever the threads."""
    if job.groups and not any(spec.auxiliary for spec in job.groups):
        raise JobError(
            f"groups.{job.groups[0].name}.auxiliary: this key is missing; an attack learns from "
            f"another file in which the group can be told, such as "
            f"auxiliary: {{table: other.csv, harmonise: {{age: {{range: [18, 45]}}}}}}"
        )
    for spec in job.groups:
        if spec.auxiliary is not None:
            _chosen(spec)  # told before files are read
    found = [one for one in signals_of(job) if one.harmonised is not None]
    return attack_found(found, job.search.seed or 0, threads=threads, progress=progress)


def attack_found(
    found: Sequence[Found],
    seed: int,
    *,
    threads: int | None = None,
    progress: Progress | None = None,
) -> tuple[GroupAttack, ...]:
    """Groups whose files are read and harmonised already."""
    threads, progress = threads or default_threads(), progress or Silent()
    attackers = [_attackers(one, _chosen(one.spec), threads) for one in found]
    steps = sum(
        (1 + one.spec.attack.controls) * sum(a.steps for a in own)
        for one, (_, own) in zip(found, attackers, strict=True)
    )
    progress.start("attacking", steps)
    try:
        return tuple(
            _attacked(one, *own, seed, progress) for one, own in zip(found, attackers, strict=True)
        )
    finally:
        progress.finish()


def _chosen(spec: GroupSpec) -> tuple[AttackerName, ...]:
    """Who attacks: as the job says, else everybody who is installed."""
    asked = spec.attack.attackers
    if installed():
        return asked or get_args(AttackerName)
    idle = [name for name in asked or () if name != "fuzzy"]
    if idle:
        need, them = ("needs", "it") if len(idle) == 1 else ("need", "them")
        raise JobError(
            f"groups.{spec.name}.attack.attackers: {' and '.join(idle)} {need} "
            f"{missing(['scikit-learn'], EXTRA)}, or leave {them} out"
        )
    return ("fuzzy",)


def _attackers(
    found: Found, names: Sequence[AttackerName], threads: int
) -> tuple[tuple[Variable, ...], list[Attacker]]:
    spec, both = found.spec, _both(found)
    if both.auxiliary.records.total_members == both.auxiliary.records.total:
        raise JobError(
            f"groups.{spec.name}.auxiliary: everybody who is left in the file belongs to the "
            f"group, so that nothing tells members from others; widen only or the ranges"
        )
    variables = described(both.auxiliary.records, both.main.attributes, spec.variables)
    made: dict[AttackerName, Attacker] = {
        "fuzzy": RuleAttacker(variables, spec.attack.evolution, threads),
        "logistic": LogisticAttacker(variables),
        "boosting": BoostingAttacker(variables),
    }
    return variables, [made[name] for name in names]


def fuzzy_model(found: Found, seed: int, threads: int, progress: Progress) -> RuleModel:
    """What the paper's adversary learns about a group; the same as in an attack."""
    _, (attacker,) = _attackers(found, ["fuzzy"], threads)
    model = learn(attacker, _both(found).auxiliary.records, (seed, found.number), progress.advance)
    return cast(RuleModel, model)  # of that attacker


def _both(found: Found) -> Agreement:
    if found.harmonised is None:
        raise AssertionError("only groups with an auxiliary file are attacked")
    return found.harmonised


def _attacked(
    found: Found,
    variables: tuple[Variable, ...],
    attackers: Sequence[Attacker],
    seed: int,
    progress: Progress,
) -> GroupAttack:
    both, spec = _both(found), found.spec
    auxiliary, released = both.auxiliary.records, both.main.records
    given = AttackInput(found.records, released, spec, found.signals)
    results = tuple(
        attack(
            attacker, auxiliary, released, given, variables,
            options=spec.attack, seed=(seed, found.number), progress=progress.advance,
        )
        for attacker in attackers
    )  # fmt: skip
    notes = tuple(_notes(spec, both, attackers))
    return GroupAttack(spec, found.signals, both, variables, results, notes)


def _notes(spec: GroupSpec, both: Agreement, attackers: Sequence[Attacker]) -> list[str]:
    notes = []
    names = [attacker.name for attacker in attackers]
    if spec.attack.attackers is None and not installed():
        notes.append(f"only the fuzzy rules were tried; others come with {EXTRA}")
    stood = spec.attack.evolution.support * both.auxiliary.records.total_members
    if "fuzzy" in names and stood < _FEW:
        notes.append(
            f"a rule is kept from {stood:.1f} members of the auxiliary file on (attack.support), "
            f"so that chance alone makes some; the control shows how many"
        )
    return notes


def write_attack(attacks: Sequence[GroupAttack], folder: Path) -> list[Path]:
    """Only for the publisher: both files say where the groups are."""
    data = {"groups": [one.to_json() for one in attacks]}
    texts = (
        json.dumps(data, ensure_ascii=False, indent=1, allow_nan=False) + "\n",
        attack_html(attacks),
    )
    make_folder(folder)
    for name, content in zip(FILES, texts, strict=True):
        write_text(folder / name, content, mode=PRIVATE_FILE)
    return [folder / name for name in FILES]
