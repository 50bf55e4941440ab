"""`paretonym secure`: what the rules leave, in the words of a terminal."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from paretonym.cli.commands import Searching, announce_kernels, load_for, say_idle_rules
from paretonym.cli.levels import parse_levels
from paretonym.cli.show import Screen
from paretonym.decide import pick as pick_from
from paretonym.errors import JobError, nearest
from paretonym.model.candidate import Candidate
from paretonym.pipeline.fronts import default_threads
from paretonym.pipeline.open_job import OpenJob, open_job
from paretonym.pipeline.securing import WAYS, Secured, Ways, secure_of
from paretonym.report.terminal import front_table
from paretonym.report.words import Basis, human, plural


def secure(
    screen: Screen,
    path: Path,
    *,
    levels: str | None,
    pick: str | None,
    search: str | None,
    searching: Searching,
) -> None:
    way = _way(search)
    threads = searching.threads or default_threads()
    with open_job(load_for(path, searching)) as opened:
        say_idle_rules(screen, opened)
        announce_kernels(screen)
        found = secure_of(
            opened,
            way=way,
            levels=None if levels is None else parse_levels(levels),
            threads=threads,
            progress=screen.progress(),
        )
        _say_exposure(screen, opened, found)
        if opened.require:
            screen.say("requirements of the job play no part here; front and release keep to them")
    screen.show(front_table(found.as_front(), named="minimal secure granulation"))
    _say_rest(screen, found)
    picked = None if pick is None else pick_from(found.as_front(), pick)
    if picked is not None:
        chosen = ",".join(f"{column}={level}" for column, level in picked.levels.items())
        screen.say(f"picked: paretonym release {path} --levels {chosen} -o DIR")
    screen.give(found.to_json() | ({} if picked is None else {"picked": dict(picked.levels)}))


def _way(search: str | None) -> Ways | None:
    if search is None:
        return None
    for way in WAYS:
        if way == search:
            return way
    hint = nearest(search, list(WAYS))
    raise JobError(f"--search: there is no such search{hint}; use {', '.join(WAYS)}")


def _say_exposure(screen: Screen, opened: OpenJob, found: Secured) -> None:
    exposed, finest = found.exposed, opened.lattice.named(opened.lattice.finest)
    where = "as the table is" if dict(exposed.levels) == finest else f"at {_levels(exposed.levels)}"
    screen.say(
        f"{where}, a secret is certain about {plural(exposed.people, 'person', 'people')} of "
        f"{found.rows:,}"
    )
    for number, (secret, people) in enumerate(
        zip(opened.secrets, exposed.by_rule, strict=True), start=1
    ):
        about = "" if secret.condition is None else f", for {secret.condition}"
        screen.say(f"  rule {number} ({secret.text}{about}): {people:,}")


def _say_rest(screen: Screen, found: Secured) -> None:
    tests = ", ".join(
        f"{count:,} by {name.replace('_', '-')}" for name, count in found.tests.items()
    )
    screen.say(f"security tests: {tests}; {found.nodes:,} granulations in all")
    best, optimum = found.optimum
    screen.say(
        f"best security times quality under the rules, proven with {optimum.evaluations:,} "
        f"evaluations: {_entry(best)}"
    )
    entry, genetic = found.genetic
    if genetic.benefit:
        share = genetic.benefit / optimum.benefit
        screen.say(
            f"the published genetic algorithm found {share:.1%} of that with "
            f"{genetic.evaluations:,} evaluations: {_levels(entry.levels)}"
        )
    else:
        screen.say("the published genetic algorithm found no secure granulation")
    screen.say(
        "secure means that nobody can be certain; worst risk says how sure somebody can still be"
    )


def _entry(entry: Candidate) -> str:
    basis = Basis(0, 0.0)
    values = ", ".join(f"{name} = {human(name, v, basis)}" for name, v in entry.values.items())
    return f"{values}; levels {_levels(entry.levels)}"


def _levels(levels: Mapping[str, int]) -> str:
    return ", ".join(f"{column}={level}" for column, level in levels.items())
