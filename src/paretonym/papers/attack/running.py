"""Tavrov and Chertov 2016, the attack: its printed figures, and the attack on generated and on real
people.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from paretonym import datasets
from paretonym.groups.attack import GroupAttack
from paretonym.groups.outliers import tau, thompson_tau
from paretonym.groups.rules import Rule, in_words, most_general
from paretonym.jobfile.loading import parse_job
from paretonym.model.job import Job
from paretonym.model.source import TableSource
from paretonym.papers.attack import published as published
from paretonym.papers.attack.facts import (
    AttackFacts,
    OutlierCase,
    PrintedRule,
    SeedFacts,
    SplitFacts,
    StatesFacts,
    SurveyFile,
    TauFacts,
)
from paretonym.papers.attack.parts import Part, bundled
from paretonym.papers.attack.survey_files import (
    FILES,
    HI,
    HI_2015,
    ID,
    NE,
    NH,
    NM,
    RI,
    STATES,
    WY,
    find_files,
)
from paretonym.pipeline.attacking import attacks_of
from paretonym.search import Progress, Silent
from paretonym.version import __version__

ROWS = 60_000  # of a generated population
CONTROLS = 19  # on real files: with the attack itself, one in twenty
_SEED_STEPS, _SPLIT_STEPS = 30, 350  # of progress; about as long as they take


@dataclass(frozen=True, slots=True)
class Split:
    """Which files an adversary learns from, and which are attacked."""

    key: str
    auxiliary: tuple[SurveyFile, ...]
    target: tuple[SurveyFile, ...]


SPLITS = (
    Split("a", (HI_2015, RI, WY), (NE, NM, ID, NH)),
    Split("b", (HI_2015, NE, NM), (ID, NH, RI, WY, HI)),
)


def reproduce_attack(
    *,
    runs: int,
    seed: int,
    threads: int,
    progress: Progress | None = None,
    acs: Path | None = None,
) -> AttackFacts:
    """Everything printed, then run i on the populations of seed + i, then the survey's files."""
    progress = progress or Silent()
    files = find_files(acs)
    splits = [one for one in SPLITS if all(f in files for f in (*one.auxiliary, *one.target))]
    progress.start("reproducing", _SEED_STEPS * runs + _SPLIT_STEPS * len(splits))
    try:
        seeds = tuple(
            _generated(one, threads, Part(progress, _SEED_STEPS))
            for one in range(seed, seed + runs)
        )
        made = tuple(
            _surveyed(split, files, seed, threads, Part(progress, _SPLIT_STEPS)) for split in splits
        )
    finally:
        progress.finish()
    return AttackFacts(
        software=__version__,
        runs=runs,
        seed=seed,
        outliers=tuple(_outliers()),
        tau=_tau(),
        states=_states(),
        rules=_rules(),
        seeds=seeds,
        files=FILES,
        missing=tuple(one.name for one in FILES if one not in files),
        splits=made,
    )


def _outliers() -> Iterator[OutlierCase]:
    for number, (signal, printed) in enumerate(published.SIGNALS, start=1):
        found = (place + 1 for place in thompson_tau(signal, published.ALPHA))
        yield OutlierCase(number, signal, printed, tuple(found))


def _tau() -> TauFacts:
    from scipy.special import stdtrit  # loaded only where groups are looked at

    values = len(published.SIGNALS[0][0])
    t = float(stdtrit(values - 2, 1 - published.ALPHA / 2))
    return TauFacts(values, published.ALPHA, t, tau(values, published.ALPHA))


def _states() -> tuple[StatesFacts, ...]:
    return (
        StatesFacts(
            6, "census of 2000", published.TABLE_6, published.TOTAL_6,
            published.MATRIX_6, published.TESTS_6,
        ),
        StatesFacts(
            7, "survey of 2013", published.TABLE_7, published.TOTAL_7,
            published.MATRIX_7, published.TESTS_7,
        ),
    )  # fmt: skip


def _rules() -> tuple[PrintedRule, ...]:
    general = most_general(published.RULES)
    return tuple(
        PrintedRule(rule, in_words(rule, published.VARIABLES), rule in general, _fits(rule))
        for rule in published.RULES
    )


def _fits(rule: Rule, digit: float = 0.001) -> bool:
    """Eq. 14 and 16: coverage follows from support and RCF, and support less coverage is DF."""
    share = published.AUXILIARY_MEMBERS / published.AUXILIARY_RECORDS
    df = rule.support * (1 - share * (1 + 1 / rule.rcf))
    return abs(df - rule.df) <= digit  # half a digit of either figure


def _generated(seed: int, threads: int, progress: Progress) -> SeedFacts:
    """The attack of the paper and one control; both tables hold other people and other bases."""
    (found,) = attacks_of(generated_job(seed), threads=threads, progress=progress)
    (one,) = found.attackers
    (control,) = one.control
    return SeedFacts(seed, one.adequacy, len(one.rules), control.adequacy, control.rules)


def generated_job(seed: int) -> Job:
    """The bundled job on the populations of 2 · seed and 2 · seed + 1."""
    data, group, base = bundled("groups/bases.yaml")
    group["attack"] |= {"attackers": ["fuzzy"], "controls": "1"}
    data["search"] = {"seed": str(seed)}
    job = parse_job(data, base=base, table=datasets.bases(ROWS, 2 * seed))
    return _learning_from(job, TableSource(datasets.bases(ROWS, 2 * seed + 1)))


def _learning_from(job: Job, source: TableSource) -> Job:
    (group,) = job.groups
    if group.auxiliary is None:
        raise AssertionError("the bundled job names an auxiliary file")
    changed = replace(group.auxiliary, sources=(source,))
    return replace(job, groups=(replace(group, auxiliary=changed),))


def _surveyed(
    split: Split, files: Mapping[SurveyFile, Path], seed: int, threads: int, progress: Progress
) -> SplitFacts:
    job = survey_job(split, files, seed)
    (found,) = attacks_of(job, threads=threads, progress=progress)
    return _split(split, found)


def survey_job(split: Split, files: Mapping[SurveyFile, Path], seed: int) -> Job:
    """The bundled job on other files."""
    data, group, base = bundled("groups/acs.yaml")
    data["table"] = _paths(split.target, files)
    group["auxiliary"]["table"] = _paths(split.auxiliary, files)
    group["attack"] |= {"controls": str(CONTROLS)}
    data["search"] = {"seed": str(seed)}
    return parse_job(data, base=base)


def _paths(wanted: Sequence[SurveyFile], files: Mapping[SurveyFile, Path]) -> list[str]:
    return [str(files[one]) for one in wanted]


def _split(split: Split, found: GroupAttack) -> SplitFacts:
    learnt, seen = found.harmonised.auxiliary.records, found.harmonised.main.records
    regions = [region.region for region in found.signals.regions]
    return SplitFacts(
        key=split.key,
        auxiliary=tuple(one.place for one in split.auxiliary),
        target=tuple(one.place for one in split.target),
        learnt_from=(learnt.total, learnt.total_members),
        looked_at=(seen.total, seen.total_members),
        states={region: STATES.get(region, region or "") for region in regions},
        sites=found.spec.sites or 0,
        signals=found.signals,
        attackers=found.attackers,
        notes=found.notes,
    )
