"""Open tables and opened jobs that the server keeps, so that a click is answered at once."""

from __future__ import annotations

import threading
import time
from collections import OrderedDict
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Generic, Protocol, TypeVar


class Closable(Protocol):
    def close(self) -> None: ...


Thing = TypeVar("Thing", bound=Closable)


@dataclass(slots=True)
class _Kept(Generic[Thing]):
    lock: threading.Lock = field(default_factory=threading.Lock)
    thing: Thing | None = None
    users: int = 0


class Shelf(Generic[Thing]):
    """At most `most` open things; the one that was not used for longest goes first.

    One thread at a time uses a thing; two threads that ask for it open it once.
    """

    def __init__(self, most: int) -> None:
        self._most = most
        self._lock = threading.Lock()
        self._kept: OrderedDict[str, _Kept[Thing]] = OrderedDict()

    @contextmanager
    def using(self, key: str, make: Callable[[], Thing]) -> Iterator[Thing]:
        with self._lock:
            kept = self._kept.setdefault(key, _Kept())
            self._kept.move_to_end(key)
            kept.users += 1
            self._drop_oldest()
        try:
            with kept.lock:
                if kept.thing is None:
                    kept.thing = make()
                yield kept.thing
        finally:
            with self._lock:
                kept.users -= 1
                if kept.thing is None and not kept.users:
                    self._kept.pop(key, None)

    def _drop_oldest(self) -> None:
        idle = [key for key, kept in self._kept.items() if not kept.users]
        for key in idle[: max(0, len(self._kept) - self._most)]:
            thing = self._kept.pop(key).thing
            if thing is not None:
                thing.close()

    def drop(self, named: str) -> None:
        """Close what is not in use and has this in its key."""
        with self._lock:
            found = [k for k, kept in self._kept.items() if named in k and not kept.users]
            things = [self._kept.pop(key).thing for key in found]
        for thing in things:
            if thing is not None:
                thing.close()

    def close(self, seconds: float) -> None:
        """What is still in use after so many seconds is left to the end of the process."""
        with self._lock:
            kept, self._kept = self._kept, OrderedDict()
        end = time.monotonic() + seconds
        for one in kept.values():
            if not one.lock.acquire(timeout=max(0.0, end - time.monotonic())):
                continue
            if one.thing is not None:
                one.thing.close()
            one.lock.release()
