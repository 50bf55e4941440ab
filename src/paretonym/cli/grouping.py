"""`paretonym group`: where a group is, in the words of a terminal."""

from __future__ import annotations

from pathlib import Path
from typing import Any, get_args

from paretonym.cli.commands import Searching, announce_kernels, load_for
from paretonym.cli.show import Screen
from paretonym.errors import JobError, nearest
from paretonym.groups.attack import GroupAttack
from paretonym.groups.harmonise import Agreement
from paretonym.groups.signals import GroupSignals
from paretonym.jobfile.loading import load_job
from paretonym.model.protect import Against, Method
from paretonym.pipeline.assembly import Output
from paretonym.pipeline.attacking import FILES, attacks_of, write_attack
from paretonym.pipeline.grouping import Found, signals_of
from paretonym.pipeline.outputs import refuse_inputs
from paretonym.pipeline.protecting import protect_groups
from paretonym.pipeline.protecting_files import (
    judged,
    refuse_infeasible,
    refuse_place,
    write_protection,
)
from paretonym.pipeline.swapped import CAUTION
from paretonym.report.attack import comparison_table, findings, places_table
from paretonym.report.protect import ProtectFacts, protect_table
from paretonym.report.protect import findings as findings_of_protection
from paretonym.report.signals import signal_table
from paretonym.report.words import plural


def signal(screen: Screen, path: Path) -> None:
    found = signals_of(load_job(path))
    for one in found:
        _show(screen, one)
    screen.give({"groups": [one.to_json() for one in found]})


def attack(
    screen: Screen, path: Path, out: Path | None, *, seed: int | None, threads: int | None
) -> None:
    folder = out or Path(f"{path.stem}-attack")
    job = load_for(path, Searching(seed=seed, threads=threads))
    refuse_inputs(job, folder, FILES)
    announce_kernels(screen)
    attacks = attacks_of(job, threads=threads, progress=screen.progress())
    files = write_attack(attacks, folder)
    for one in attacks:
        _show_attack(screen, one)
    for spec in job.groups:
        if spec.auxiliary is None:
            screen.say(f"group {spec.name} has no auxiliary file, so that nobody attacked it")
    screen.say("wrote " + ", ".join(str(file) for file in files))
    screen.say("both files say where the groups are: keep them inside")
    screen.give({"groups": [one.to_json() for one in attacks]})


def _show_attack(screen: Screen, attack: GroupAttack) -> None:
    screen.say(f"group {attack.signals.name}")
    _say_harmonised(screen, attack.harmonised)
    screen.show(places_table(attack))
    screen.show(comparison_table(attack))
    for line in findings(attack):
        screen.show(line)
    for one in attack.attackers:
        if one.words:
            more = f" and {len(one.words) - 1:,} more" if len(one.words) > 1 else ""
            screen.show(f"The best rule: {one.words[0]}{more}.")
    for note in attack.notes:
        screen.say(f"note: {note}")


def protect(
    screen: Screen,
    path: Path,
    output: Output,
    *,
    against: str | None,
    method: str | None,
    seed: int | None,
    threads: int | None,
) -> None:
    job = load_for(path, Searching(seed=seed, threads=threads))
    refuse_place(job, output.folder)
    announce_kernels(screen)
    made = protect_groups(
        job, against=_chosen(against, Against, "--against"),
        method=_chosen(method, Method, "--method"), threads=threads, progress=screen.progress(),
    )  # fmt: skip
    refuse_infeasible(made)
    facts = judged(job, made, threads=threads, progress=screen.progress())
    written = write_protection(job, made, facts, output)
    for one in facts:
        _show_protection(screen, one)
    if written.publication is not None:
        checks = len(written.publication.verification.checks)
        screen.say(f"recomputed from the file: {checks} checks hold")
        screen.say(f"take care: {CAUTION}")
    else:
        screen.say(f"add swaps: {written.files[0]} to the job; front and release then use it")
    screen.say("wrote " + ", ".join(str(file) for file in written.files))
    screen.give({"groups": [one.to_json() for one in facts]})


def _chosen(value: str | None, known: Any, option: str) -> Any:
    words = list(get_args(known))
    if value is not None and value not in words:
        hint = nearest(value, words)
        raise JobError(f"{option}: there is no such choice{hint}; use {', '.join(words)}")
    return value


def _show_protection(screen: Screen, facts: ProtectFacts) -> None:
    screen.say(f"group {facts.group.spec.name}")
    screen.show(protect_table(facts))
    for line in findings_of_protection(facts):
        screen.show(line)


def _show(screen: Screen, found: Found) -> None:
    signals = found.signals
    rule = signals.rule
    members = plural(signals.members, "member", "members")
    weighted = ", weighted" if signals.weighted else ""
    screen.say(f"group {signals.name}: {members} among {signals.records:,} records{weighted}")
    for region in signals.regions:
        screen.show(signal_table(region, rule.signal))
    side = "above the rest" if rule.side == "upper" else "on either side"
    screen.say(
        f"outliers {side} by the modified Thompson tau technique, alpha {float(rule.alpha):.2%}"
    )
    if rule.keep or rule.ignore:
        screen.say(
            f"revised by hand: {plural(len(rule.keep), 'area', 'areas')} kept, "
            f"{plural(len(rule.ignore), 'area', 'areas')} ignored"
        )
    _say_left_out(screen, signals)
    if found.harmonised is not None:
        _say_harmonised(screen, found.harmonised)


def _say_left_out(screen: Screen, signals: GroupSignals) -> None:
    left = signals.left_out
    said = (
        (left.without_area, f"{left.without_area:,} records without an area"),
        (left.areas, f"{plural(left.areas, 'area', 'areas')} with too few records "
                     f"({left.area_records:,}, {left.area_members:,} of them members)"),
        (left.regions, f"{plural(left.regions, 'region', 'regions')} with too small a share "
                       f"({plural(left.region_members, 'member', 'members')})"),
    )  # fmt: skip
    listed = "; ".join(text for count, text in said if count)
    if listed:
        screen.say(f"left out: {listed}")


def _say_harmonised(screen: Screen, both: Agreement) -> None:
    for name, file in (("main", both.main), ("auxiliary", both.auxiliary)):
        screen.say(
            f"harmonised {name} file: {file.records.total:,} of {file.before:,} records, "
            f"{file.records.total_members:,} of {file.members_before:,} members, "
            f"{len(file.records.records):,} distinct combinations"
        )
    for note in both.notes:
        screen.say(f"  {note}")
