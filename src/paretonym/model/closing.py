"""Things that hold something open: `with` closes them."""

from __future__ import annotations

from types import TracebackType
from typing import Self


class Closing:
    """A base for what has a `close()`: leaving a `with` block calls it, whatever happened."""

    __slots__ = ()

    def close(self) -> None:
        """What to give back; overridden."""

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()
