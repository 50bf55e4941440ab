"""Progress of long work; the command line and the web draw it, the searches only report."""

from __future__ import annotations

from typing import Protocol


class Progress(Protocol):
    """Is told how far long work is."""

    def start(self, what: str, total: int) -> None: ...

    def advance(self, steps: int) -> None: ...

    def finish(self) -> None: ...


class Silent:
    """No progress shown."""

    def start(self, what: str, total: int) -> None:
        pass

    def advance(self, steps: int) -> None:
        pass

    def finish(self) -> None:
        pass
