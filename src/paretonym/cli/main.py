"""`paretonym`: every command parses its options, calls a pipeline and shows what came back.

Heavy modules are imported inside the commands, so that `--help` answers at once.
"""

from __future__ import annotations

import gc
import signal
import sys
from io import TextIOWrapper
from pathlib import Path
from typing import Annotated

import typer

from paretonym.cli.show import Screen
from paretonym.errors import NO_MEMORY, ParetonymError, place_of
from paretonym.version import __version__

app = typer.Typer(
    help="Release tables of personal records: every privacy/utility trade-off, and proof of what "
    "was written.",
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    add_completion=False,
    rich_markup_mode=None,
)

group = typer.Typer(
    help="Groups of people: where they are, and whether they can be found.",
    no_args_is_help=True,
    rich_markup_mode=None,
)
app.add_typer(group, name="group")

JobPath = Annotated[Path, typer.Argument(metavar="JOB", help="The job file (YAML).")]
Json = Annotated[bool, typer.Option("--json", help="One JSON object on stdout, nothing else.")]
Quiet = Annotated[bool, typer.Option("--quiet", "-q", help="Only errors.")]
Seed = Annotated[int | None, typer.Option("--seed", min=0, help="Overrides search.seed.")]
Threads = Annotated[
    int | None, typer.Option("--threads", min=1, help="Compute threads (results do not change).")
]
Method = Annotated[
    str | None,
    typer.Option("--method", help="auto, exhaustive, exact, evolve or pbg-ea; overrides the job."),
]
Budget = Annotated[
    str | None,
    typer.Option("--budget", help='60s, 10min or "5000 evaluations"; overrides search.budget.'),
]
Format = Annotated[str, typer.Option("--format", help="csv or parquet.")]
Neutralise = Annotated[
    bool, typer.Option("--neutralise", help="Quote CSV cells that spreadsheets take for formulas.")
]


def _version(wanted: bool) -> None:  # noqa: FBT001
    if wanted:
        typer.echo(f"paretonym {__version__}")
        raise typer.Exit


@app.callback()
def _root(
    _show_version: Annotated[  # noqa: FBT002
        bool, typer.Option("--version", callback=_version, is_eager=True, help="Show the version.")
    ] = False,
) -> None:
    pass


@app.command()
def init(
    table: Annotated[str, typer.Argument(metavar="TABLE", help="CSV (also .gz) or Parquet.")],
    out: Annotated[Path, typer.Option("-o", "--out", help="The job file to write.")] = Path(
        "job.yaml"
    ),
    delimiter: Annotated[
        str | None, typer.Option(help="The character between cells; else found.")
    ] = None,
    encoding: Annotated[str, typer.Option(help="The encoding of a CSV.")] = "utf-8",
    names: Annotated[
        str | None, typer.Option(help="Names of the columns, 'a,b,c', for a CSV without a header.")
    ] = None,
    header: Annotated[
        bool | None,
        typer.Option(help="The first row holds the names, or is a record; else judged."),
    ] = None,
    missing: Annotated[
        list[str] | None, typer.Option(help="A text that stands for a missing value; repeatable.")
    ] = None,
    json: Json = False,  # noqa: FBT002
    quiet: Quiet = False,  # noqa: FBT002
    seed: Seed = None,
) -> None:
    """Look at a table, propose roles and hierarchies, write a commented job file."""
    from paretonym.cli import proposing

    source = proposing.source_of(
        table, delimiter=delimiter, encoding=encoding, names=names, missing=missing or ()
    )
    proposing.init(Screen(json, quiet), source, out, seed, header=header)


@app.command()
def check(
    job: JobPath,
    json: Json = False,  # noqa: FBT002
    quiet: Quiet = False,  # noqa: FBT002
) -> None:
    """Validate a job, its hierarchies and its data; every problem at once, nothing written."""
    from paretonym.cli import commands

    commands.check(Screen(json, quiet), job)


@app.command()
def front(
    job: JobPath,
    out: Annotated[
        Path | None, typer.Option("-o", "--out", help="Folder for front.csv, front.json, report.")
    ] = None,
    json: Json = False,  # noqa: FBT002
    quiet: Quiet = False,  # noqa: FBT002
    seed: Seed = None,
    method: Method = None,
    budget: Budget = None,
    resume: Annotated[  # noqa: FBT002
        bool, typer.Option("--resume", help="Go on where an interrupted search was.")
    ] = False,
    threads: Threads = None,
) -> None:
    """Find the best trade-offs between the job's objectives."""
    from paretonym.cli import commands

    searching = commands.Searching(seed, method, budget, threads)
    commands.front(Screen(json, quiet), job, out, searching, resume=resume)


@app.command()
def score(
    job: JobPath,
    levels: Annotated[str, typer.Option("--levels", help="age=1,zip=0,… for every quasi column.")],
    suppress_below: Annotated[
        int | None, typer.Option("--suppress-below", min=1, help="Leave out smaller classes.")
    ] = None,
    json: Json = False,  # noqa: FBT002
    quiet: Quiet = False,  # noqa: FBT002
) -> None:
    """Every measure of one node."""
    from paretonym.cli import commands

    commands.score(Screen(json, quiet), job, levels, suppress_below)


@app.command()
def release(
    job: JobPath,
    out: Annotated[Path, typer.Option("-o", "--out", help="Folder of the release.")],
    levels: Annotated[str | None, typer.Option("--levels", help="age=1,zip=0,…")] = None,
    pick: Annotated[
        str | None, typer.Option("--pick", help='"k>=5", knee, or "weights k=1 glm=2".')
    ] = None,
    suppress_below: Annotated[
        int | None, typer.Option("--suppress-below", min=1, help="With --levels.")
    ] = None,
    format: Format = "csv",  # noqa: A002
    neutralise: Neutralise = False,  # noqa: FBT002
    json: Json = False,  # noqa: FBT002
    quiet: Quiet = False,  # noqa: FBT002
    seed: Seed = None,
    method: Method = None,
    budget: Budget = None,
    threads: Threads = None,
) -> None:
    """Apply one point of the front, write it, and recompute every promise from the file."""
    from paretonym.cli import commands

    chosen = commands.Choice(levels, pick, suppress_below)
    written = commands.ReleaseOptions(out, format, neutralise)
    searching = commands.Searching(seed, method, budget, threads)
    commands.release(Screen(json, quiet), job, chosen, written, searching)


@app.command()
def secure(
    job: JobPath,
    levels: Annotated[
        str | None, typer.Option("--levels", help="Whom these levels expose: age=1,zip=0,…")
    ] = None,
    pick: Annotated[
        str | None, typer.Option("--pick", help='Of the minimal ones: "ql>=50%", knee, …')
    ] = None,
    search: Annotated[
        str | None, typer.Option("--search", help="incognito, breadth-first or both.")
    ] = None,
    json: Json = False,  # noqa: FBT002
    quiet: Quiet = False,  # noqa: FBT002
    seed: Seed = None,
    threads: Threads = None,
) -> None:
    """Every least distorting table that keeps the job's secrets, and the best under them."""
    from paretonym.cli import commands, securing

    searching = commands.Searching(seed=seed, threads=threads)
    securing.secure(
        Screen(json, quiet), job, levels=levels, pick=pick, search=search, searching=searching
    )


@group.command("signal")
def group_signal(
    job: JobPath,
    json: Json = False,  # noqa: FBT002
    quiet: Quiet = False,  # noqa: FBT002
) -> None:
    """How many of each group are in each area, and which areas stand out."""
    from paretonym.cli import grouping

    grouping.signal(Screen(json, quiet), job)


@group.command("attack")
def group_attack(
    job: JobPath,
    out: Annotated[
        Path | None, typer.Option("-o", "--out", help="Folder for attack.json and the report.")
    ] = None,
    json: Json = False,  # noqa: FBT002
    quiet: Quiet = False,  # noqa: FBT002
    seed: Seed = None,
    threads: Threads = None,
) -> None:
    """Whether somebody with another file finds the groups although their columns are gone."""
    from paretonym.cli import grouping

    grouping.attack(Screen(json, quiet), job, out, seed=seed, threads=threads)


@group.command("protect")
def group_protect(
    job: JobPath,
    out: Annotated[
        Path | None, typer.Option("-o", "--out", help="Folder of the protected file.")
    ] = None,
    against: Annotated[
        str | None, typer.Option("--against", help="attributes, model or both; overrides the job.")
    ] = None,
    method: Annotated[
        str | None, typer.Option("--method", help="flow, memetic or improved; overrides the job.")
    ] = None,
    format: Format = "csv",  # noqa: A002
    json: Json = False,  # noqa: FBT002
    quiet: Quiet = False,  # noqa: FBT002
    seed: Seed = None,
    threads: Threads = None,
) -> None:
    """Swap records between areas so that the groups stand out nowhere, at the least distortion."""
    from paretonym.cli import grouping
    from paretonym.pipeline.assembly import Output

    output = Output(out or Path(f"{job.stem}-protected"), format)
    grouping.protect(
        Screen(json, quiet), job, output,
        against=against, method=method, seed=seed, threads=threads,
    )  # fmt: skip


@app.command()
def apply(
    plan: Annotated[Path, typer.Argument(metavar="PLAN", help="plan.json, or a release folder.")],
    table: Annotated[Path, typer.Argument(metavar="TABLE", help="A later file of the same shape.")],
    out: Annotated[Path, typer.Option("-o", "--out", help="Folder of the release.")],
    delimiter: Annotated[str | None, typer.Option("--delimiter", help="Of the table.")] = None,
    format: Format = "csv",  # noqa: A002
    neutralise: Neutralise = False,  # noqa: FBT002
    json: Json = False,  # noqa: FBT002
    quiet: Quiet = False,  # noqa: FBT002
) -> None:
    """Put the same frozen recoding on a later file, and report what has drifted."""
    from paretonym.cli import commands

    written = commands.ReleaseOptions(out, format, neutralise)
    commands.apply(Screen(json, quiet), plan, table, delimiter, written)


@app.command()
def verify(
    folder: Annotated[Path, typer.Argument(metavar="DIR", help="A release folder.")],
    against: Annotated[
        Path | None, typer.Option("--against", help="The original table, to compare row by row.")
    ] = None,
    json: Json = False,  # noqa: FBT002
    quiet: Quiet = False,  # noqa: FBT002
) -> None:
    """Recompute a release's promises from its files alone; a recipient can run it."""
    from paretonym.cli import commands

    commands.verify(Screen(json, quiet), folder, against)


@app.command()
def demo(
    out: Annotated[Path, typer.Option("-o", "--out", help="Folder to leave behind.")] = Path(
        "demo-out"
    ),
    json: Json = False,  # noqa: FBT002
    quiet: Quiet = False,  # noqa: FBT002
    threads: Threads = None,
) -> None:
    """The whole story on the bundled Adult table."""
    from paretonym.cli import commands

    commands.demo(Screen(json, quiet), out, threads)


@app.command()
def explore(
    opened: Annotated[
        Path | None,
        typer.Argument(metavar="[JOB|TABLE]", help="A job (.yaml) or a table; none to upload one."),
    ] = None,
    out: Annotated[
        Path | None,
        typer.Option(
            "-o", "--out", help="Folder for uploads and results; a temporary one if none."
        ),
    ] = None,
    port: Annotated[
        int | None, typer.Option("--port", min=1, max=65535, help="A free one when left out.")
    ] = None,
    browser: Annotated[  # noqa: FBT002
        bool, typer.Option("--browser/--no-browser", help="Open the page in the browser.")
    ] = True,
    upload_limit: Annotated[
        int, typer.Option("--upload-limit", min=1, help="Megabytes that may be uploaded.")
    ] = 1000,
    json: Json = False,  # noqa: FBT002
    quiet: Quiet = False,  # noqa: FBT002
) -> None:
    """Explore in the browser: columns, front, single nodes, secrets, groups, release."""
    from paretonym.cli import exploring

    exploring.explore(
        Screen(json, quiet), opened, folder=out, port=port, browser=browser, megabytes=upload_limit
    )


@app.command()
def reproduce(
    paper: Annotated[str, typer.Argument(metavar="PAPER", help="pbg, aog, attack or protect.")],
    out: Annotated[Path | None, typer.Option("-o", "--out", help="Folder to write.")] = None,
    runs: Annotated[
        int | None, typer.Option("--runs", min=1, help="Of each search; 20, and 10 for protect.")
    ] = None,
    json: Json = False,  # noqa: FBT002
    quiet: Quiet = False,  # noqa: FBT002
    seed: Annotated[
        int, typer.Option("--seed", min=0, help="Of the first run; the next ones count on.")
    ] = 1,
    threads: Threads = None,
    acs: Annotated[
        Path | None,
        typer.Option(
            "--acs",
            metavar="FOLDER",
            help="Survey files for attack and protect; the folder acs, if any, when left out.",
        ),
    ] = None,
) -> None:
    """A paper's tables and figures, computed again from the bundled tables."""
    from paretonym.cli import reproducing

    screen = Screen(json, quiet)
    reproducing.reproduce(screen, paper, out, runs=runs, seed=seed, threads=threads, acs=acs)


_INTERRUPTED = 130  # what typer makes of Ctrl-C; ours are 0, 1 and 2


def run() -> None:
    """Errors become one message and an exit code, never a traceback."""
    signal.signal(signal.SIGTERM, _stop)
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, TextIOWrapper):  # a terminal that lacks a sign shows a stand-in
            stream.reconfigure(errors="replace")
    gc.disable()  # a command is short-lived, and collecting while modules load takes time
    try:
        app()
    except ParetonymError as error:
        _fail(str(error), error.exit_code)
    except KeyboardInterrupt:
        _fail("stopped", 1)
    except SystemExit as end:
        if end.code == _INTERRUPTED:
            _fail("stopped", 1)
        raise
    except BrokenPipeError:
        sys.stderr.close()
        sys.exit(1)
    except MemoryError:
        _fail(NO_MEMORY, 2)
    except OSError as error:
        _fail(f"{error.filename or 'a file'}: {error.strerror or 'the system refused'}", 2)
    except Exception as error:  # a defect; its own text could quote a cell
        _fail(f"internal error, please report it: {place_of(error)}", 2)


def main() -> None:
    """The command: from here on a further Ctrl-C finds nothing that it could stop halfway."""
    try:
        run()
    finally:
        for name in ("SIGINT", "SIGTERM", "SIGHUP"):
            if hasattr(signal, name):
                signal.signal(getattr(signal, name), signal.SIG_IGN)


def _stop(number: int, _frame: object) -> None:
    """Asked to end: leave through every `finally`, so that no temporary file stays."""
    sys.exit(128 + number)


def _fail(message: str, code: int) -> None:
    from paretonym.report.words import printable_lines  # a name in it could steer the terminal

    print(f"paretonym: {printable_lines(message)}", file=sys.stderr)
    sys.exit(code)
