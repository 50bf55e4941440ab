"""`paretonym group protect`: swaps that mask where a job's groups stand out."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from fractions import Fraction

import numpy as np

from paretonym.errors import InfeasibleError, JobError
from paretonym.groups.attack import GroupAttack
from paretonym.groups.attackers import RuleModel
from paretonym.groups.flow import refuse_without_solver
from paretonym.groups.harmonise import harmonise, recoded, sources_of
from paretonym.groups.protection import (
    By,
    GroupProtection,
    Protected,
    ProtectionStage,
    ProtectionTask,
    check_areas,
    protect_by_evolution,
    protect_by_flow,
)
from paretonym.groups.records import MEMBERS, SEEN, Column, distinct
from paretonym.groups.signals import AreaTable, RegionSignals, find_signals
from paretonym.groups.swapping import Region
from paretonym.groups.traits import traits_of
from paretonym.kernels.distance import Traits
from paretonym.model.arrays import Flags, Ints, Pairs
from paretonym.model.group import GroupSpec
from paretonym.model.job import Job
from paretonym.model.protect import Against, KeptMargin, Method, ProtectSpec
from paretonym.model.swap import NO_REGION, Areas
from paretonym.pipeline.attacking import attack_found, fuzzy_model
from paretonym.pipeline.fronts import default_threads
from paretonym.pipeline.group_rows import UNTOUCHED, Rows, influences, read_rows
from paretonym.pipeline.grouping import Found, agreed, signals_of
from paretonym.search import Progress, Silent

_SWAPPING = 103  # a stream of randomness, apart from those of attacks


@dataclass(frozen=True, eq=False, slots=True)
class Protection:
    """All groups of a job, and the table before and after."""

    groups: tuple[GroupProtection, ...]
    found: tuple[Found, ...]  # the same groups
    before: Rows
    after: Rows
    columns: tuple[str, ...]  # exchanged

    @property
    def pairs(self) -> Pairs:
        return np.concatenate([np.empty((0, 2), np.int64), *(g.pairs for g in self.groups)])


def protect_groups(
    job: Job,
    *,
    against: Against | None = None,
    method: Method | None = None,
    threads: int | None = None,
    progress: Progress | None = None,
) -> Protection:
    """One group after the other; what was masked for one is not undone by the next."""
    refuse_without_solver()
    specs = _protected(job, against, method)
    found = {one.spec.name: one for one in signals_of(job)}
    work = _Work(job, specs, threads or default_threads(), progress or Silent())
    work.progress.start("protecting", 0)
    try:
        groups = tuple(work.group(found[spec.name], spec) for spec in specs)
    finally:
        work.progress.finish()
    own = tuple(found[spec.name] for spec in specs)
    return Protection(groups, own, work.before, work.rows, specs[0].parameter)


def standing(rows: Rows, spec: GroupSpec, member: Flags) -> Areas:
    """What the technique finds in every region that is judged, less what is to be ignored."""
    found = replace(spec, outliers=replace(spec.outliers, keep=()))
    signals = find_signals(rows.records(spec.places, rows.flags[spec.name, SEEN], member), found)
    kind = spec.outliers.signal
    return {
        NO_REGION if region.region is None else region.region: region.judged[kind].outliers
        for region in signals.regions
    }


def left_standing(made: Protection, group: GroupProtection) -> dict[By, tuple[str, ...]]:
    """Areas that stand out when all groups are done: by the attributes, and by a model's word."""
    own = made.before.flags[group.spec.name, MEMBERS]
    members: dict[By, Flags] = {"attributes": own}
    members.update((stage.by, stage.member) for stage in group.stages)
    return {by: _areas(standing(made.after, group.spec, m)) for by, m in members.items()}


def refuse_undone(made: Protection) -> None:
    """What one group's swaps masked must not stand out again by another's."""
    for group in made.groups:
        protect, left = group.spec.protect or ProtectSpec(), left_standing(made, group)
        for stage in group.stages:
            old = set(_areas(standing(made.before, group.spec, stage.member)))
            now = set(left[stage.by])
            share = Fraction(len(old & now), max(len(old), 1))
            if share > protect.remaining or (protect.new_outliers == "forbid" and now - old):
                raise InfeasibleError(
                    f"group {group.spec.name}: when all groups are done {len(now)} areas stand "
                    f"out ({', '.join(sorted(now))}); change the order of the groups, or protect "
                    f"them in jobs of their own"
                )


def _areas(found: Areas) -> tuple[str, ...]:
    return tuple(area for areas in found.values() for area in areas)


def attacked_again(
    job: Job,
    made: Protection,
    *,
    threads: int | None = None,
    progress: Progress | None = None,
) -> tuple[tuple[GroupAttack, ...], tuple[GroupAttack, ...]]:
    """The attacks on the table as it was and on the swapped one; the truth is that of before.

    The adversary learns from the same auxiliary file, so that the models are the same.
    """
    found = [one for one in made.found if one.harmonised is not None]
    seed = job.search.seed or 0
    before = attack_found(found, seed, threads=threads, progress=progress)
    moved = [_after(one, made.after) for one in found]
    return before, attack_found(moved, seed, threads=threads, progress=progress)


def _after(found: Found, rows: Rows) -> Found:
    """The group as an adversary meets it in the swapped table; controls were made before."""
    spec, both = found.spec, found.harmonised
    auxiliary = spec.auxiliary
    if auxiliary is None or both is None:
        raise AssertionError("only groups with an auxiliary file are attacked")
    seen, member = rows.flags[spec.name, SEEN], rows.flags[spec.name, MEMBERS]
    names = tuple(dict.fromkeys((*sources_of(auxiliary.main_recipes), *spec.places)))
    main = harmonise(
        rows.records(names, seen, member), auxiliary.main_recipes, attributes=spec.basic,
        places=spec.places, where=f"groups.{spec.name}",
    )  # fmt: skip
    quiet = replace(spec, attack=replace(spec.attack, controls=0))
    return replace(found, spec=quiet, harmonised=agreed(spec, auxiliary, main, both.auxiliary))


def _protected(job: Job, against: Against | None, method: Method | None) -> tuple[GroupSpec, ...]:
    """The groups to protect, with what the command line says instead of the job."""
    specs = [spec for spec in job.groups if spec.protect is not None]
    if not specs:
        raise JobError("no group says how it is to be protected; add protect: {} to one of them")
    made = []
    for spec in specs:
        where = f"groups.{spec.name}"
        if spec.parameter != specs[0].parameter:
            raise JobError(
                f"{where}.parameter: groups that are protected together exchange the same "
                f"columns; {specs[0].name} names others"
            )
        if spec.weight is not None:
            raise JobError(f"{where}.weight: swaps count records, not weights; leave it out")
        given = spec.protect or ProtectSpec()
        by = against or given.against
        if by in ("model", "both") and spec.auxiliary is None:
            raise JobError(f"{where}.auxiliary: this key is missing; a model is learnt from it")
        if by is None:  # what hides from one is still seen by the other
            by = "attributes" if spec.auxiliary is None else "both"
        way = method or given.method
        memetic = replace(given.memetic, improved=way == "improved")
        chosen = replace(given, against=by, method=way, memetic=memetic)
        made.append(replace(spec, protect=chosen))
    return tuple(made)


class _Work:
    """The table as it stands while group after group is protected."""

    def __init__(
        self, job: Job, specs: Sequence[GroupSpec], threads: int, progress: Progress
    ) -> None:
        self.before = self.rows = read_rows(job, specs)
        self.progress = progress
        self._job, self._threads = job, threads
        self._done = 0  # regions so far, each of which draws from a stream of its own
        self._earlier: list[Flags] = []  # who later swaps leave in place

    def group(self, found: Found, spec: GroupSpec) -> GroupProtection:
        protect = spec.protect or ProtectSpec()
        ways: dict[Against | None, tuple[By, ...]] = {
            "attributes": ("attributes",), "model": ("model",), "both": ("attributes", "model"),
        }  # fmt: skip
        stages = []
        for by in ways[protect.against]:
            model = self._model(found) if by == "model" else None
            member = self._members(spec, model)
            stage = self._stage(spec, protect, ProtectionStage(by, (), member, model))
            self.rows = self.rows.swapped(stage.pairs, spec.parameter)
            self._earlier += [member, self.rows.flags[spec.name, SEEN]]
            stages.append(stage)
        return GroupProtection(spec, tuple(stages))

    def _model(self, found: Found) -> RuleModel:
        seed = self._job.search.seed or 0
        return fuzzy_model(found, seed, self._threads, self.progress)

    def _members(self, spec: GroupSpec, model: RuleModel | None) -> Flags:
        """Who is in the group: by the vital columns, or as the evolved rules take people for."""
        seen, auxiliary = self.rows.flags[spec.name, SEEN], spec.auxiliary
        if model is None or auxiliary is None:
            return self.rows.flags[spec.name, MEMBERS]
        records = self.rows.records(sources_of(auxiliary.main_recipes), seen, seen)
        made, kept, _ = recoded(records, auxiliary.main_recipes, f"groups.{spec.name}")
        member = np.zeros(self.rows.count, np.bool_)
        member[np.flatnonzero(seen)] = model.grade(made).crisp & kept
        return member

    def _stage(
        self, spec: GroupSpec, protect: ProtectSpec, begun: ProtectionStage
    ) -> ProtectionStage:
        """Margins that may change a little are left free, and kept where they change too much."""
        kept = [margin for margin in protect.keep_margins if not margin.within]
        while True:
            tasks = self._tasks(spec, protect, begun.member, kept)
            stage = replace(begun, regions=tuple(self._region(spec, task) for task in tasks))
            broken = [margin for margin in protect.keep_margins if margin not in kept
                      and self._changed(spec, margin, stage) > margin.within]  # fmt: skip
            if not broken:
                return stage
            kept += broken

    def _changed(self, spec: GroupSpec, margin: KeptMargin, stage: ProtectionStage) -> int:
        """The most that a count of these columns with the areas is off, since the beginning."""
        names = tuple(dict.fromkeys((*spec.places, *margin.columns)))
        after = self.rows.swapped(stage.pairs, spec.parameter)
        both = [Column(self.before.columns[name].values,
                       np.concatenate([rows.columns[name].codes for rows in (self.before, after)]))
                for name in names]  # fmt: skip
        first, cell = distinct(both, 2 * self.rows.count)
        old, new = np.split(cell, 2)
        counts = [np.bincount(part, minlength=len(first)) for part in (old, new)]
        return int(np.abs(counts[1] - counts[0]).max(initial=0))

    def _region(self, spec: GroupSpec, task: ProtectionTask) -> Protected:
        advance = self.progress.advance
        try:
            if task.spec.method == "flow":
                return protect_by_flow(task, threads=self._threads, progress=advance)
            draw = np.random.default_rng([self._job.search.seed or 0, self._done, _SWAPPING])
            self._done += 1
            return protect_by_evolution(task, draw=draw, threads=self._threads, progress=advance)
        except InfeasibleError as error:
            raise InfeasibleError(f"group {spec.name}, {error}") from None

    def _tasks(
        self, spec: GroupSpec, protect: ProtectSpec, member: Flags, kept: Sequence[KeptMargin]
    ) -> list[ProtectionTask]:
        seen = self.rows.flags[spec.name, SEEN]
        records = self.rows.records(spec.places, seen, member)
        signals = find_signals(records, spec)
        table = AreaTable.of(records, spec)
        check_areas(protect, {area: None for _, area in table.labels}, f"groups.{spec.name}")
        numbers = np.flatnonzero(seen)
        traits = traits_of(self.rows.columns, influences(spec, protect))
        kind = self._kinds(spec, kept)
        nobody = np.zeros(self.rows.count, np.bool_)
        fixed = self.rows.flags.get((spec.name, UNTOUCHED), nobody)
        tasks = []
        for region in signals.regions:
            outliers = _to_mask(region, spec)
            if not outliers:
                continue
            place = {(region.region, area): n for n, area in enumerate(region.areas)}
            area_of = np.array([place.get(label, -1) for label in (*table.labels, (None, ""))])
            area = area_of[table.of_combination]
            rows = numbers[area >= 0]
            made = Region(
                region.areas, area[area >= 0], member[rows], rows, _at(traits, rows),
                kind[rows], fixed[rows],
            )  # fmt: skip
            task = ProtectionTask(region.region, made, spec.outliers, protect, outliers)
            _refuse_low(spec, task)
            tasks.append(task)
        return tasks

    def _kinds(self, spec: GroupSpec, kept: Sequence[KeptMargin]) -> Ints:
        """Pairs agree in what must stay: earlier groups, and margins with the areas."""
        parts: list[Ints] = [flags.astype(np.int64) for flags in self._earlier]
        for margin in kept:
            parts += [self.rows.columns[name].codes.astype(np.int64)
                      for name in margin.columns if name not in spec.places]  # fmt: skip
        kind = np.zeros(self.rows.count, np.int64)
        for part in parts:
            kind = np.unique(kind * (int(part.max(initial=0)) + 1) + part, return_inverse=True)[1]
        return kind


def _at(traits: Traits, rows: Ints) -> Traits:
    return Traits(traits.codes[rows], traits.weights, traits.numbers[rows], traits.importance)


def _to_mask(region: RegionSignals, spec: GroupSpec) -> tuple[str, ...]:
    """Outliers; an area that is kept as one by hand has nothing to lose below the middle."""
    kind = spec.outliers.signal
    judged, signal = region.judged[kind], region.signal(kind)
    middle = float(np.median(signal))
    return tuple(
        area
        for area, value in zip(region.areas, signal, strict=True)
        if area in judged.outliers and (area in judged.found or value > middle)
    )


def _refuse_low(spec: GroupSpec, task: ProtectionTask) -> None:
    """Swaps take members out of areas; an area with too few would need the opposite."""
    signal = task.judged(task.region.signal)
    middle = float(np.median(signal))
    low = sum(signal[place] < middle for place in task.places)
    if low:
        raise JobError(
            f"groups.{spec.name}.outliers.side: areas that stand out by having few members: {low}; "
            f"protect lowers those that have many, so write side: upper"
        )
