"""What a person sees on the terminal: messages and progress on stderr, results on stdout."""

from __future__ import annotations

import json
import sys
import time
from dataclasses import dataclass, field
from typing import Any

_WAIT = 1.0  # seconds of work before a progress bar appears


@dataclass(slots=True)
class Screen:
    """How one command speaks: `quiet` says only errors, `json` one object on stdout."""

    json: bool = False
    quiet: bool = False

    def say(self, message: str) -> None:
        """A line about what is going on, for people."""
        if not self.quiet:
            print(_safe(message), file=sys.stderr)

    def show(self, thing: object) -> None:
        """A result for people: text or a rich table; silent when JSON is asked for."""
        if self.json or self.quiet:
            return
        from rich.console import Console

        width = None if sys.stdout.isatty() else 110
        text = isinstance(thing, str)
        console = Console(width=width, highlight=False, soft_wrap=text, emoji=False)
        console.print(_safe(thing) if isinstance(thing, str) else thing, markup=False)

    def give(self, data: dict[str, Any]) -> None:
        """The result for programs."""
        if self.json:
            print(json.dumps(data, allow_nan=False), flush=True)  # explore goes on after it

    def progress(self) -> Bar:
        return Bar(shown=not self.quiet and sys.stderr.isatty())


def _safe(message: str) -> str:
    """A name in it could steer the terminal."""
    from paretonym.report.words import printable_lines

    return printable_lines(message)


@dataclass(slots=True)
class Bar:
    """A progress bar that appears only when the work takes a while."""

    shown: bool
    what: str = ""
    total: int = 0
    done: int = 0
    started: float = 0.0
    drawn: Any = field(default=None)
    task: Any = field(default=None)

    def start(self, what: str, total: int) -> None:
        self.what, self.total, self.done, self.started = what, total, 0, time.monotonic()

    def advance(self, steps: int) -> None:
        self.done += steps
        if not self.shown or time.monotonic() - self.started < _WAIT:
            return
        if self.drawn is None:
            from rich.console import Console
            from rich.progress import Progress

            self.drawn = Progress(console=Console(stderr=True), transient=True)
            self.drawn.start()
            self.task = self.drawn.add_task(self.what, total=self.total or None)
        self.drawn.update(self.task, completed=self.done)

    def finish(self) -> None:
        if self.drawn is not None:
            self.drawn.stop()
            self.drawn = None
