"""Work that is asked to stop: whatever the moment, what a search found is kept."""

from __future__ import annotations

import io
import json
import signal
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from tests.cli.calling import JOB, NAMES, ROWS, write_csv

from paretonym.pipeline import open_job as opened
from paretonym.views import front_views
from paretonym.web import work
from paretonym.web.messages import RESULT, Request

STOPPED = ("cancelled", "stopped; what was found so far is shown and is not exact")
NO_SEARCH = ("cancelled", "stopped before the search began; nothing was searched")


def stop_twice() -> None:
    signal.raise_signal(signal.SIGINT)
    signal.raise_signal(signal.SIGINT)


def stopping(before: Callable[..., Any]) -> Callable[..., Any]:
    def stopped(*given: Any, **named: Any) -> Any:
        stop_twice()
        return before(*given, **named)

    return stopped


@pytest.fixture
def teller() -> Iterator[work.Teller]:
    made = work.Teller(io.BytesIO())
    before = signal.signal(signal.SIGINT, made.stops.ask)
    yield made
    signal.signal(signal.SIGINT, before)


@pytest.fixture
def request_(tmp_path: Path) -> Request:
    write_csv(tmp_path / "people.csv", NAMES, ROWS)
    folder = tmp_path / "task"
    folder.mkdir()
    return Request("front", json.dumps(JOB), "people.yaml", str(tmp_path), str(folder))


def kept(request: Request) -> Any:
    return json.loads((Path(request.folder) / RESULT).read_text())


def test_a_stop_after_the_search_throws_nothing_away(
    request_: Request, teller: work.Teller, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The search was complete when the stop came, so its front is."""
    monkeypatch.setattr(front_views, "front_view", stopping(front_views.front_view))
    assert work._attempt(request_, teller, lambda: None) == ("done", None)
    assert kept(request_)["exact"]
    assert (request_.out / "front.json").exists()


@pytest.mark.parametrize("moment", ["advance", "finish"])
def test_two_stops_during_the_search_keep_what_was_found(
    request_: Request, teller: work.Teller, monkeypatch: pytest.MonkeyPatch, moment: str
) -> None:
    monkeypatch.setattr(work._Searching, moment, stopping(getattr(work._Searching, moment)))
    assert work._attempt(request_, teller, lambda: None) == STOPPED
    assert not kept(request_)["exact"]
    assert kept(request_)["front_count"] > 0


def test_a_stop_before_the_search_says_that_nothing_was_searched(
    request_: Request, teller: work.Teller, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(opened, "open_job", stopping(opened.open_job))
    assert work._attempt(request_, teller, lambda: None) == NO_SEARCH
    assert not (Path(request_.folder) / RESULT).exists()


def test_a_stop_that_waits_for_the_work_is_no_crash(request_: Request, teller: work.Teller) -> None:
    assert work._attempt(request_, teller, stop_twice) == NO_SEARCH
