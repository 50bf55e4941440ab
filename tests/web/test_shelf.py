"""Open tables that the server keeps: opened once, closed when others need the room."""

from __future__ import annotations

import threading

import pytest

from paretonym.web.open_tables import Shelf


class Thing:
    def __init__(self, name: str) -> None:
        self.name, self.closed = name, False

    def close(self) -> None:
        self.closed = True


def test_what_was_used_longest_ago_is_closed_first() -> None:
    shelf: Shelf[Thing] = Shelf(2)
    with shelf.using("a", lambda: Thing("a")) as a, shelf.using("b", lambda: Thing("b")) as b:
        pass
    with shelf.using("a", lambda: Thing("new")) as again:
        assert again is a
    with shelf.using("c", lambda: Thing("c")) as c:
        assert (a.closed, b.closed) == (False, True)
    shelf.close(1)
    assert a.closed
    assert c.closed


def test_what_is_in_use_stays_open() -> None:
    shelf: Shelf[Thing] = Shelf(1)
    with shelf.using("a", lambda: Thing("a")) as a:
        with shelf.using("b", lambda: Thing("b")):
            assert not a.closed
        with shelf.using("c", lambda: Thing("c")):
            assert not a.closed


def test_closing_does_not_wait_for_what_is_in_use_without_end() -> None:
    shelf: Shelf[Thing] = Shelf(2)
    with shelf.using("b", lambda: Thing("b")) as b:
        pass
    with shelf.using("a", lambda: Thing("a")) as a:
        shelf.close(0.01)
        assert (a.closed, b.closed) == (False, True)


def test_a_failure_to_open_is_told_and_tried_again() -> None:
    shelf: Shelf[Thing] = Shelf(1)

    def fails() -> Thing:
        raise ValueError

    with pytest.raises(ValueError), shelf.using("a", fails):  # noqa: PT011
        pass
    with shelf.using("a", lambda: Thing("a")) as a:
        assert a.name == "a"


def test_two_threads_that_ask_open_it_once() -> None:
    shelf: Shelf[Thing] = Shelf(2)
    made: list[Thing] = []

    def make() -> Thing:
        made.append(Thing("a"))
        return made[-1]

    def use() -> None:
        with shelf.using("a", make):
            pass

    threads = [threading.Thread(target=use) for _ in range(20)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(made) == 1
