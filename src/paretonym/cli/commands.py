"""What the commands do once their options are parsed."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from paretonym.cli.levels import parse_levels
from paretonym.cli.show import Screen
from paretonym.errors import (
    CancelledError,
    InfeasibleError,
    JobError,
    NothingFoundError,
)
from paretonym.jobfile.digest import digest_of
from paretonym.jobfile.loading import load_job, parse_budget, parse_method
from paretonym.model.candidate import Candidate
from paretonym.model.front import Front
from paretonym.model.job import Job
from paretonym.model.measure_catalog import SECURE, WORST_RISK, K
from paretonym.model.schema import Role
from paretonym.model.source import TableSource
from paretonym.pipeline.applying import apply_plan, load_plan
from paretonym.pipeline.assembly import Output
from paretonym.pipeline.checkpoints import Checkpoints, begun_by
from paretonym.pipeline.fronts import (
    chosen_method,
    default_threads,
    expected,
    expected_memory,
    front_of,
    score_of,
)
from paretonym.pipeline.open_job import OpenJob, findable_by, open_job
from paretonym.pipeline.outputs import refuse_inputs
from paretonym.pipeline.releasing import Point, release_point
from paretonym.pipeline.shown_fronts import ShownFront
from paretonym.publishing import Publication, Verification, refuse_same_path
from paretonym.publishing import verify as verify_release
from paretonym.publishing.formulas import formula_of
from paretonym.report.facts import exactness
from paretonym.report.terminal import checks_table, front_plot, front_table
from paretonym.report.words import Basis, human, plural, shown_values
from paretonym.search import PROOFS, ChosenMethod
from paretonym.views.front_files import write_front


@dataclass(frozen=True, slots=True)
class Choice:
    """Which point of the front a release takes."""

    levels: str | None
    pick: str | None
    suppress_below: int | None


@dataclass(frozen=True, slots=True)
class ReleaseOptions:
    """Where and how a release is written."""

    folder: Path
    format: str
    neutralise: bool

    def output(self) -> Output:
        return Output(self.folder, self.format, neutralise=self.neutralise)


@dataclass(frozen=True, slots=True)
class Searching:
    """What the command line says of the search; None leaves it to the job."""

    seed: int | None = None
    method: str | None = None
    budget: str | None = None
    threads: int | None = None


def load_for(path: Path, searching: Searching) -> Job:
    """The job as if its file said what the command line says."""
    job = load_job(path)
    search = job.search
    if searching.seed is not None:
        search = replace(search, seed=searching.seed)
    if searching.method is not None:
        search = replace(search, method=parse_method(searching.method))
    if searching.budget is not None:
        search = replace(search, budget=parse_budget(searching.budget))
    if search == job.search:
        return job
    changed = replace(job, search=search)
    return replace(changed, digest=digest_of(changed))


def check(screen: Screen, path: Path) -> None:
    with open_job(load_job(path)) as opened:
        counts = {
            "rows": opened.histogram.rows,
            "combinations": opened.histogram.combinations,
            "nodes": opened.lattice.size,
            "limit": opened.limit,
        }
        levels = {g.column: g.levels for g in opened.lattice.granulations}
        say_unprotected(screen, opened)
    screen.say(
        f"ok: {counts['rows']:,} rows, {counts['combinations']:,} distinct combinations of "
        f"{len(levels)} quasi-identifiers, {counts['nodes']:,} nodes; at most "
        f"{counts['limit']:,} rows may be suppressed"
    )
    screen.give({"ok": True, **counts, "levels": levels})


def _announce(screen: Screen, opened: OpenJob, how: ChosenMethod, searching: Searching) -> None:
    announce_kernels(screen)
    threads = searching.threads
    if how.method == "exhaustive":
        what = str(expected(opened, threads=threads))
    else:
        until = f"at most {how.budget}" if how.budget else _NO_BUDGET[how.method]
        what = f"{until}; up to {expected_memory(opened, threads=threads) / 1e6:,.0f} MB"
    screen.say(f"{how.method} search ({how.why}): {what}")
    if how.method == "exhaustive":
        _say_idle_seed(screen, searching, "an exhaustive search uses no chance")


def _say_idle_seed(screen: Screen, searching: Searching, why: str) -> None:
    if searching.seed is not None:
        screen.say(f"--seed changes nothing here: {why}")


def announce_kernels(screen: Screen) -> None:
    from paretonym.kernels.jit import is_compiled

    if not is_compiled():
        screen.say("compiling kernels (first run only, about a minute) …")


_NO_BUDGET = {
    "exact": "until the front is proven",
    "evolve": "until nothing new is found for long",
    "pbg-ea": "25 nodes, 100 iterations",
}


def _search(
    screen: Screen,
    opened: OpenJob,
    searching: Searching,
    checkpoints: Checkpoints | None = None,
    *,
    resume: bool = False,
) -> Front:
    _announce(screen, opened, chosen_method(opened), searching)
    found = front_of(
        opened,
        threads=searching.threads,
        progress=screen.progress(),
        checkpoints=checkpoints,
        resume=resume,
    )
    screen.say(
        f"{len(found.entries):,} best trade-offs; {found.evaluated:,} of {found.nodes:,} nodes "
        f"evaluated in {found.seconds:.2f} s on {searching.threads or default_threads()} threads; "
        f"{exactness(found)}"
    )
    return found


def front(
    screen: Screen, path: Path, out: Path | None, searching: Searching, *, resume: bool
) -> None:
    folder = out or Path(f"{path.stem}-front")
    job = load_for(path, searching)
    if resume:
        job = begun_by(folder, job)
    refuse_inputs(job, folder)
    with open_job(job) as opened:
        checkpoints = Checkpoints(folder, opened, chosen_method(opened))
        if not resume:
            checkpoints.refuse_unfinished()
        try:
            found = _search(screen, opened, searching, checkpoints, resume=resume)
        except InfeasibleError as error:
            if not isinstance(error, NothingFoundError):
                checkpoints.remove()  # there is nothing to go on with
            raise
        files = write_front(found, opened, folder)
        shown = ShownFront.of(found, opened)
    _show_front(screen, found, job)
    screen.say("wrote " + ", ".join(str(file) for file in files))
    screen.give(shown.to_json())
    if found.interrupted:
        later = "; go on with --resume" if checkpoints.file.exists() else ""
        raise CancelledError(
            f"stopped; what was found so far is written and marked not exact{later}"
        )
    if found.method in PROOFS and not found.exact:
        screen.say("the proof is not complete; go on with --resume and a larger --budget")
    else:
        checkpoints.remove()


def _show_front(screen: Screen, found: Front, job: Job) -> None:
    weights = {c.name: c.weight for c in job.columns}
    screen.show(front_table(found, weights=weights))
    if len(found.objectives) > 1 and len(found.entries) > 1:
        screen.show(front_plot(found, weights=weights))


def score(screen: Screen, path: Path, levels: str, suppress_below: int | None) -> None:
    with open_job(load_job(path)) as opened:
        node = opened.lattice.node_of(parse_levels(levels))
        found = score_of(opened, node, suppress_below=suppress_below)
        basis = opened.basis
    screen.give(found.to_json())
    if not found.values:
        raise InfeasibleError(
            "this node has no release within the suppression limit that meets the requirements"
        )
    lines = [
        f"{name:40} {human(name, value, basis):>20}   {value:,}"
        for name, value in found.values.items()
    ]
    lines.append(f"{'classes':40} {found.classes:>20,}")
    screen.show("\n".join(lines))
    if not found.feasible:
        screen.say("this node does not meet the job's requirements; release refuses it")


def release(
    screen: Screen,
    path: Path,
    choice: Choice,
    written: ReleaseOptions,
    searching: Searching,
) -> None:
    if (choice.levels is None) == (choice.pick is None):
        raise JobError('give either --levels column=level,… or --pick, for example --pick "k>=5"')
    if choice.pick is not None and choice.suppress_below is not None:
        raise JobError("--suppress-below goes with --levels; a picked point has its own threshold")
    levels = None if choice.levels is None else parse_levels(choice.levels)
    point = Point(choice.pick, levels, choice.suppress_below)
    job = load_for(path, searching)
    output = written.output()
    if isinstance(job.source.data, Path):
        refuse_same_path(job.source.data, output.folder)
    with open_job(job) as opened:
        say_unprotected(screen, opened)
        if levels is not None:
            _say_idle_seed(screen, searching, "with --levels nothing is searched")
        made = release_point(
            opened,
            point,
            output=output,
            search=lambda: _search(screen, opened, searching),
            picked=lambda entry: screen.say(f"picked {_entry(entry, opened)}"),
        )
        basis = opened.basis
    _show_release(screen, made)
    screen.give(_release_json(made, basis))


def say_idle_rules(screen: Screen, opened: OpenJob) -> None:
    for said in opened.idle_rules():
        screen.say(f"TAKE CARE: confidential, {said}")


def say_unprotected(screen: Screen, opened: OpenJob) -> None:
    """Rules that keep nothing, and columns that stay as they are, of which no promise speaks."""
    say_idle_rules(screen, opened)
    names = opened.schema.names(Role.INSENSITIVE, Role.WEIGHT)
    if names:
        screen.say(
            f"passed through unchanged, so that no promise covers who knows them: "
            f"{', '.join(names)}"
        )
    telling = findable_by(opened.schema, opened.table)
    if telling:
        screen.say(
            f"TAKE CARE: sensitive and kept as they are, with values so rare that whoever knows "
            f"one may find its row: {', '.join(telling)}"
        )


def _entry(entry: Candidate, opened: OpenJob) -> str:
    basis = opened.basis
    values = ", ".join(f"{name} = {human(name, v, basis)}" for name, v in entry.values.items())
    levels = ", ".join(f"{column}={level}" for column, level in entry.levels.items())
    return f"{values}; {entry.suppressed:,} rows suppressed; levels {levels}"


def _show_release(screen: Screen, made: Publication) -> None:
    screen.show(checks_table(made.verification.public_checks))
    screen.say(
        f"wrote {made.folder}/: {made.public.data.name}, manifest.json and report.html are what "
        f"you hand on; internal/ stays with you. Every promise was recomputed from the file."
    )
    _say_unchecked(screen, made.verification)
    if made.public.promises[K.name] == 1:
        screen.say(
            "TAKE CARE: k = 1. At least one released person is alone with their combination of "
            "quasi-identifiers; choose coarser levels or require k before handing this on."
        )
    _say_secrets(screen, made.internal.values)


def _say_secrets(screen: Screen, values: Mapping[str, float]) -> None:
    """Security never stands alone: it says nothing of a secret that is merely very likely."""
    if not {SECURE.name, WORST_RISK.name} <= values.keys():
        return
    if not values[SECURE.name]:
        screen.say(
            "TAKE CARE: not secure. Somebody can be certain of what the job calls confidential; "
            "choose coarser levels or require: {secure: true} before handing this on."
        )
        return
    worst = human(WORST_RISK.name, values[WORST_RISK.name], Basis(0, 0.0))
    screen.say(
        f"secure: nobody can be certain of what the job calls confidential. Somebody can still be "
        f"{worst} sure of it (worst risk)."
    )


def _release_json(made: Publication, basis: Basis) -> dict[str, Any]:
    return {
        "folder": str(made.folder),
        "levels": dict(made.internal.levels),
        "suppress_below": made.internal.suppress_below,
        "suppressed": made.internal.suppressed,
        "values": dict(made.internal.values),
        "shown": shown_values(made.internal.values, basis),
        "verified": made.verification.ok,
        "recomputed": list(made.internal.recomputed),
        "stated": list(made.internal.stated),
        "unchecked": list(made.verification.unchecked),
    }


def apply(
    screen: Screen, plan: Path, table: Path, delimiter: str | None, written: ReleaseOptions
) -> None:
    frozen = load_plan(plan)
    made, drift = apply_plan(
        frozen, TableSource(table, delimiter=delimiter), output=written.output()
    )
    short = "now short of what the plan requires" if frozen.suppress.require else "now too small"
    for column, count in drift.new_values.items():
        screen.say(f"drift: column '{column}' has {count} new values, recoded by its rule")
    for column, count in drift.unknown_values.items():
        screen.say(f"drift: column '{column}' has {count} values the plan does not know")
    screen.say(
        f"drift: {drift.unknown_rows} rows with unknown values and {drift.small_rows} rows in "
        f"{drift.small_classes} classes {short} were suppressed; {drift.suppressed} of at "
        f"most {drift.limit} rows. The promise holds: k = {drift.k}"
    )
    _show_release(screen, made)
    screen.give({**_release_json(made, Basis(made.internal.input_rows)), "drift": drift.to_json()})


def verify(screen: Screen, folder: Path, against: Path | None) -> None:
    source = None if against is None else TableSource(against)
    result = verify_release(folder, against=source)
    screen.show(checks_table(result.checks))
    screen.give(_verification_json(result))
    if not result.ok:
        failed = ", ".join(check.name for check in result.failures)
        from paretonym.errors import VerificationError

        raise VerificationError(f"the files do not bear out what was promised: {failed}")
    if result.stated:
        _say_stated(screen, result)
    if result.unchecked:
        _say_unchecked(screen, result)
        screen.say("what these files can prove was recomputed and holds")
        return
    with_internal = "" if result.internal_checked else " (public files only)"
    screen.say(f"every promise was recomputed from the file and holds{with_internal}")


def _say_stated(screen: Screen, result: Verification) -> None:
    """How many numbers were taken as they stand, and whether the original table would help."""
    helped = sum(formula_of(name) is not None for name in result.stated)
    most = "them" if helped == len(result.stated) else f"{helped} of them"
    remedy = f"; --against the original table recomputes {most}" if helped else ""
    screen.say(
        f"{plural(len(result.stated), 'internal measure')} cannot be recomputed from these files "
        f"alone (--json names them{remedy})"
    )


def _say_unchecked(screen: Screen, result: Verification) -> None:
    """What the job required and nobody recomputed, with what would help."""
    if result.without_formula:
        screen.say(
            f"not checked: {', '.join(result.without_formula)}, required by the job; the checker "
            f"has no formula of its own for it, so that only the engine stands for it"
        )
    if result.needs_input:
        screen.say(
            f"not checked: {', '.join(result.needs_input)}, required by the job; it is not checked "
            f"without --against, because this takes what the file does not show: give the "
            f"original table"
        )


def _verification_json(result: Verification) -> dict[str, Any]:
    return {
        "ok": result.ok,
        "internal_checked": result.internal_checked,
        "checks": [check.to_json() for check in result.checks],
        "stated": list(result.stated),
        "unchecked": list(result.unchecked),
    }


def demo(screen: Screen, out: Path, threads: int | None) -> None:
    from paretonym import datasets
    from paretonym.publishing.atomic import make_folder, write_text

    make_folder(out)
    own = out / "adult.yaml"
    write_text(own, datasets.path("adult/job.yaml").read_text(encoding="utf-8"), mode=0o644)
    screen.say("UCI Adult: 30,162 people, eight quasi-identifiers, occupation is sensitive.")
    job = load_job(own)
    with open_job(job) as opened:
        found = _search(screen, opened, Searching(threads=threads))
        write_front(found, opened, out / "front")
        _show_front(screen, found, job)
        made = release_point(
            opened,
            Point("k>=5"),
            output=Output(out / "release"),
            found=found,
            picked=lambda entry: screen.say(f"picked k>=5: {_entry(entry, opened)}"),
        )
        shown, basis = ShownFront.of(found, opened), opened.basis
    _show_release(screen, made)
    screen.say(
        f"look at {out}/front/report.html and {out}/release/internal/report.html. Next: edit "
        f"{own} and run: paretonym front {own}; or start with your own table: "
        f"paretonym init people.csv"
    )
    screen.give({"front": shown.to_json(), "release": _release_json(made, basis)})
