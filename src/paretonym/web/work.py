"""The process that does long work for the server; `tasks` starts it.

It runs the same pipelines as the commands, so that the same job gives the same numbers.
"""

from __future__ import annotations

import _thread
import json
import os
import signal
import sys
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, BinaryIO

from paretonym.errors import NO_MEMORY, CancelledError, ParetonymError, TableError, place_of
from paretonym.model.front import Front
from paretonym.model.job import Job
from paretonym.publishing.checker import Check
from paretonym.report.words import Basis
from paretonym.web.messages import CHANGED_INPUTS, RESULT, Ending, Kind, Request

_OFTEN = 0.1  # seconds between two messages about progress
_NOTHING = "stopped; nothing was kept"
_NO_SEARCH = "stopped before the search began; nothing was searched"
_GRACE = 10.0  # seconds to end in good order when the server is gone


@dataclass(slots=True)
class Stops:
    """Requests to stop: the first interrupts the work, unless it came too late for that."""

    is_late: bool = False

    def ask(self, *_: object) -> None:
        if not self.is_late:
            self.is_late = True  # a second one would break what is being kept after the first
            raise KeyboardInterrupt


@dataclass(slots=True)
class Teller:
    """Says on a pipe how far the work is; a `Progress` of every pipeline."""

    stream: BinaryIO
    stops: Stops = field(default_factory=Stops)
    what: str = ""
    total: int = 0
    done: int = 0
    told: float = 0.0
    _lock: threading.Lock = field(default_factory=threading.Lock)

    def start(self, what: str, total: int) -> None:
        self.what, self.total, self.done = what, total, 0
        self._progress()

    def advance(self, steps: int) -> None:
        self.done += steps
        if time.monotonic() - self.told > _OFTEN:
            self._progress()

    def finish(self) -> None:
        self._progress()

    def stage(self, what: str) -> None:
        """Work whose length is not known."""
        self.start(what, 0)

    def say(self, message: str) -> None:
        self.tell({"say": message})

    def tell(self, data: Mapping[str, Any]) -> None:
        with self._lock:
            self.stream.write(json.dumps(data).encode() + b"\n")
            self.stream.flush()

    def _progress(self) -> None:
        self.told = time.monotonic()
        self.tell({"progress": {"what": self.what, "done": self.done, "total": self.total}})


@dataclass(frozen=True, slots=True)
class _Searching:
    """The progress of a search, at whose end there is something that no stop may throw away."""

    teller: Teller

    def start(self, what: str, total: int) -> None:
        self.teller.start(what, total)

    def advance(self, steps: int) -> None:
        self.teller.advance(steps)

    def finish(self) -> None:
        self.teller.stops.is_late = True
        self.teller.finish()


def main() -> None:
    """Read one request, do it, say how it ended."""
    stdin, stdout = sys.stdin.fileno(), sys.stdout.buffer
    sys.stdout = sys.stderr  # nothing else may speak on the pipe
    line, rest = _first_line(stdin)
    request = Request.read(line)
    teller = Teller(stdout)
    signal.signal(signal.SIGINT, teller.stops.ask)
    signal.signal(signal.SIGTERM, lambda *_: _thread.interrupt_main())
    stop = threading.Thread(target=_await_stop, args=(stdin, rest), daemon=True)
    ending, message = _attempt(request, teller, stop.start)
    teller.tell({"end": ending, "message": message})


def _first_line(stdin: int) -> tuple[bytes, bytes]:
    """The line, and what came behind it.

    Python's own reader is not used: a thread that waits in it makes the process abort at its end.
    """
    data = bytearray()
    while b"\n" not in data and (part := os.read(stdin, 1 << 16)):
        data += part
    line, _, rest = bytes(data).partition(b"\n")
    return line, rest


def _await_stop(stdin: int, heard: bytes) -> None:
    """A line asks to stop; the end of the pipe says that the server is gone.

    Compiled code does not hear of it before it returns. A server that is there ends a process
    that takes too long; without one it ends itself.
    """
    heard = heard or os.read(stdin, 1)
    _thread.interrupt_main()
    while heard:
        heard = os.read(stdin, 1)
    time.sleep(_GRACE)
    os._exit(1)


def _attempt(
    request: Request, teller: Teller, listen: Callable[[], None]
) -> tuple[Ending, str | None]:
    """`listen` is called in here: the stop may have come before the work begins."""
    try:
        listen()
        WORK[request.kind](request, teller)
    except KeyboardInterrupt:
        return "cancelled", _NO_SEARCH if request.kind == "front" else _NOTHING
    except CancelledError as stopped:
        return "cancelled", str(stopped)
    except ParetonymError as error:
        return "failed", str(error)
    except MemoryError:
        return "failed", NO_MEMORY
    except OSError as error:
        return "failed", f"a file could not be used: {error.strerror or 'the system refused'}"
    except Exception as error:  # a defect; its own text could quote a cell
        return "failed", f"internal error, please report it: {place_of(error)}"
    return "done", None


def _job(request: Request) -> Job:
    from paretonym.jobfile.loading import job_from_text

    return job_from_text(request.text, name=request.name, base=Path(request.base))


def _keep(request: Request, result: Mapping[str, Any]) -> None:
    from paretonym.publishing.atomic import write_text

    text = json.dumps(result, ensure_ascii=False, allow_nan=False)
    write_text(Path(request.folder) / RESULT, text)


def _say_compiling(teller: Teller) -> None:
    from paretonym.kernels.jit import is_compiled

    if not is_compiled():
        teller.say("compiling kernels (first run only, about a minute) …")


def find_front(request: Request, teller: Teller) -> None:
    """Once the search has begun, what it found is kept whenever the stop comes."""
    from paretonym.pipeline.fronts import chosen_method, front_of
    from paretonym.pipeline.open_job import open_job
    from paretonym.views.front_files import write_front
    from paretonym.views.front_views import front_view, inputs_digest

    teller.stage("reading the table")
    with open_job(_job(request)) as opened:
        _say_compiling(teller)
        how = chosen_method(opened)
        teller.say(f"{how.method} search: {how.why}")
        teller.tell({"inputs": inputs_digest(opened)})
        found = front_of(opened, progress=_Searching(teller))
        _keep(request, front_view(found, opened))
        teller.stage("writing what was found")
        write_front(found, opened, request.out)
    if found.interrupted:
        raise CancelledError("stopped; what was found so far is shown and is not exact")


def secure(request: Request, teller: Teller) -> None:
    from paretonym.pipeline.fronts import default_threads
    from paretonym.pipeline.open_job import open_job
    from paretonym.pipeline.securing import secure_of

    teller.stage("reading the table")
    with open_job(_job(request)) as opened:
        _say_compiling(teller)
        found = secure_of(opened, threads=default_threads(), progress=teller)
        rules = [
            {"say": secret.text, "for": secret.condition, "people": people}
            for secret, people in zip(opened.secrets, found.exposed.by_rule, strict=True)
        ]
        columns = [
            {"name": g.column, "levels": [p.name for p in g.partitions]}
            for g in opened.lattice.granulations
        ]
        _keep(request, {**found.to_json(), "rules": rules, "columns": columns})


def find_signals(request: Request, teller: Teller) -> None:
    from paretonym.pipeline.grouping import signals_of

    teller.stage("counting the groups")
    _keep(request, {"groups": [one.to_json() for one in signals_of(_job(request))]})


def attack(request: Request, teller: Teller) -> None:
    from paretonym.pipeline.attacking import attacks_of, write_attack
    from paretonym.report.attack import findings

    teller.stage("reading the tables")
    job = _job(request)
    _say_compiling(teller)
    attacks = attacks_of(job, progress=teller)
    write_attack(attacks, request.out)
    groups = [{**one.to_json(), "findings": list(findings(one))} for one in attacks]
    _keep(request, {"groups": groups})


def protect(request: Request, teller: Teller) -> None:
    from paretonym.pipeline.assembly import Output
    from paretonym.pipeline.protecting import protect_groups
    from paretonym.pipeline.protecting_files import judged, refuse_infeasible, write_protection
    from paretonym.report.protect import findings

    teller.stage("reading the tables")
    job = _job(request)
    _say_compiling(teller)
    made = protect_groups(job, progress=teller)
    refuse_infeasible(made)
    facts = judged(job, made, progress=teller)
    teller.stage("writing and recomputing")
    written = write_protection(job, made, facts, Output(request.out, request.format))
    checks = written.publication.verification.checks if written.publication else ()
    _keep(
        request,
        {
            "groups": [{**one.to_json(), "findings": list(findings(one))} for one in facts],
            "released": written.publication is not None,
            "checks": [one.to_json() for one in checks],
        },
    )


def release(request: Request, teller: Teller) -> None:
    from paretonym.model.schema import Role
    from paretonym.pipeline.assembly import Output
    from paretonym.pipeline.open_job import open_job
    from paretonym.pipeline.releasing import Point, release_point
    from paretonym.views.front_views import inputs_digest
    from paretonym.views.node_views import node_view

    teller.stage("reading the table")
    with open_job(_job(request)) as opened:
        basis, found = opened.basis, _found(request)
        if request.inputs not in (None, inputs_digest(opened)):
            raise TableError(CHANGED_INPUTS)
        node = opened.lattice.node_at(request.levels)
        teller.stage("writing the file and recomputing every promise from it")
        made = release_point(
            opened,
            Point(levels=opened.lattice.named(node), suppress_below=request.below),
            output=Output(request.out, request.format, neutralise=request.neutralise),
            found=found,
            watch=lambda checks: teller.tell({"checks": _told(checks, basis)}),
        )
        teller.stage("looking at who lost rows")
        view = node_view(opened, node, made.internal.suppress_below)
        through = opened.schema.names(Role.INSENSITIVE, Role.WEIGHT)
        columns = [
            {"name": g.column, "levels": [{"name": p.name} for p in g.partitions]}
            for g in opened.lattice.granulations
        ]
    _keep(
        request,
        {
            "file": made.public.data.name,
            "sha256": made.public.data.sha256,
            "checks": _told(made.verification.checks, basis),
            "stated": list(made.verification.stated),
            "unchecked": list(made.verification.unchecked),
            "node": view.to_json(),
            "columns": columns,
            "passed_through": list(through),
            "promises": dict(made.public.promises),
        },
    )


def _told(checks: Sequence[Check], basis: Basis) -> list[dict[str, Any]]:
    """Checks in the words of the reports, so that 0.47 reads 47.4 % here as well."""
    from paretonym.report.words import human, long_name

    def shown(name: str, value: float | str) -> str:
        return value if isinstance(value, str) else human(name, value, basis)

    return [
        {
            **one.to_json(),
            "name": long_name(one.name, basis),
            "promised": shown(one.name, one.promised),
            "recomputed": shown(one.name, one.recomputed),
        }
        for one in checks
    ]


def _found(request: Request) -> Front | None:
    """The front that the point was chosen from, as far as a report tells of it."""
    if not request.searched:
        return None
    return Front(**request.searched, objectives=(), entries=(), rows=0)


WORK: Mapping[Kind, Callable[[Request, Teller], None]] = {
    "front": find_front,
    "secure": secure,
    "signal": find_signals,
    "attack": attack,
    "protect": protect,
    "release": release,
}
