"""Who may speak with the server (SAFETY line 26); the application behind it is a stand-in."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Coroutine, Iterable
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest

from paretonym.web.guard import HEADERS, MOST_JSON, Guard

HOST = "127.0.0.1:8765"
TOKEN = "a-token-of-this-run"  # noqa: S105
LIMIT = 1000


def run(work: Coroutine[Any, Any, None]) -> None:
    """In a thread of its own: a browser that other tests drive keeps a loop in this one."""
    with ThreadPoolExecutor(1) as threads:
        threads.submit(asyncio.run, work).result()


class Answer:
    def __init__(self, status: int, headers: dict[bytes, bytes], body: bytes) -> None:
        self.status, self.headers, self.body = status, headers, body


class Seen:
    """Counts what reaches the application."""

    def __init__(self) -> None:
        self.requests = 0

    async def __call__(self, _scope: Any, receive: Any, send: Any) -> None:
        while (message := await receive()).get("more_body"):
            pass
        self.requests += message["type"] != "http.disconnect"
        headers = [(b"content-type", b"text/plain"), (b"Cache-Control", b"public")]
        await send({"type": "http.response.start", "status": 200, "headers": headers})
        await send({"type": "http.response.body", "body": b"ok"})


def ask(
    path: str = "/api/state",
    *,
    seen: Seen | None = None,
    parts: Iterable[bytes] = (b"",),
    without: str = "",
    **headers: str,
) -> Answer:
    sent = {"host": HOST, "x-paretonym-token": TOKEN, **headers}
    raw = [(k.replace("_", "-").encode(), v.encode()) for k, v in sent.items() if k != without]
    scope = {"type": "http", "method": "POST", "path": path, "headers": raw}
    bodies = list(parts)
    out: list[Any] = []

    async def receive() -> dict[str, Any]:
        body = bodies.pop(0) if bodies else b""
        return {"type": "http.request", "body": body, "more_body": bool(bodies)}

    async def send(message: Any) -> None:
        out.append(message)

    guard = Guard(seen or Seen(), TOKEN, frozenset({HOST, "localhost:8765"}), upload_limit=LIMIT)
    run(guard(scope, receive, send))
    return Answer(out[0]["status"], dict(out[0]["headers"]), out[-1]["body"])


def test_the_own_page_with_the_token_passes() -> None:
    assert ask().status == 200
    assert ask(host="localhost:8765", origin="http://localhost:8765").status == 200
    assert ask(sec_fetch_site="same-origin").status == 200


@pytest.mark.parametrize(
    ("headers", "status"),
    [
        ({"host": "evil.example"}, 403),
        ({"host": "evil.example:8765"}, 403),
        ({"host": "127.0.0.1"}, 403),
        ({"host": "127.0.0.1:8766"}, 403),
        ({"host": "127.0.0.1:8765.evil.example"}, 403),
        ({"host": ""}, 403),
        ({"without": "host"}, 403),
        ({"origin": "http://evil.example"}, 403),
        ({"origin": "null"}, 403),
        ({"origin": "https://127.0.0.1:8765"}, 403),
        ({"origin": "http://localhost:8765"}, 403),
        ({"sec_fetch_site": "cross-site"}, 403),
        ({"sec_fetch_site": "same-site"}, 403),
        ({"without": "x-paretonym-token"}, 401),
        ({"x-paretonym-token": ""}, 401),
        ({"x-paretonym-token": TOKEN[:-1]}, 401),
        ({"x-paretonym-token": TOKEN + "x"}, 401),
        ({"x-paretonym-token": "é"}, 401),
        ({"content_length": "-1"}, 400),
        ({"content_length": "9" * 30}, 400),
        ({"content_length": "ten"}, 400),
    ],
)
def test_everybody_else_is_refused_before_the_application(
    headers: dict[str, str], status: int
) -> None:
    seen = Seen()
    answer = ask(seen=seen, **headers)
    assert answer.status == status
    assert seen.requests == 0
    told = json.loads(answer.body)
    assert told["message"]
    assert TOKEN not in answer.body.decode()


def test_a_header_that_stands_twice_is_refused() -> None:
    scope = {
        "type": "http", "path": "/api/state",
        "headers": [(b"host", HOST.encode()), (b"host", b"evil.example")],
    }  # fmt: skip
    out: list[Any] = []

    async def send(message: Any) -> None:
        out.append(message)

    guard = Guard(Seen(), TOKEN, frozenset({HOST}), upload_limit=LIMIT)
    run(guard(scope, lambda: asyncio.sleep(0), send))  # type: ignore[arg-type, return-value]
    assert out[0]["status"] == 400


def test_a_code_is_given_for_the_token_from_the_own_page_only() -> None:
    assert ask("/api/entry", without="x-paretonym-token").status == 200
    for headers in (
        {"host": "evil.example"},
        {"origin": "http://evil.example"},
        {"sec_fetch_site": "cross-site"},
    ):
        assert ask("/api/entry", without="x-paretonym-token", **headers).status == 403
    for path in ("/api/entry/", "/api/entry/x", "/api/entryx"):
        assert ask(path, without="x-paretonym-token").status == 401


def test_pages_without_data_need_no_token() -> None:
    assert ask("/", without="x-paretonym-token").status == 200
    assert ask("/", without="x-paretonym-token", host="evil.example").status == 403


def test_a_stated_length_above_the_limit_is_refused_unread() -> None:
    seen = Seen()
    answer = ask("/api/tables", seen=seen, content_length=str(LIMIT + 1))
    assert (answer.status, seen.requests) == (413, 0)
    assert answer.headers[b"connection"] == b"close"
    assert ask("/api/tables", content_length=str(LIMIT)).status == 200


def test_only_who_sends_a_table_is_told_how_to_open_a_larger_one() -> None:
    table = ask("/api/tables", content_length=str(LIMIT + 1))
    job = ask("/api/projects/x/edits", content_length=str(MOST_JSON + 1))
    assert (table.status, job.status) == (413, 413)
    assert b"larger table" in table.body
    assert b"table" not in job.body


def test_a_body_without_a_length_is_counted() -> None:
    half = b"x" * (LIMIT // 2)
    assert ask("/api/tables", parts=[half, half]).status == 200
    seen = Seen()
    assert ask("/api/tables", seen=seen, parts=[half, half, b"y"]).status == 413
    assert seen.requests == 0


def test_every_answer_carries_the_same_strict_headers() -> None:
    for answer in (ask(), ask(host="evil.example"), ask("/")):
        for name, value in HEADERS:
            assert answer.headers[name] == value
    policy = dict(HEADERS)[b"content-security-policy"].decode()
    assert "unsafe" not in policy
    assert "default-src 'none'" in policy


def test_web_sockets_are_closed() -> None:
    out: list[Any] = []

    async def send(message: Any) -> None:
        out.append(message)

    guard = Guard(Seen(), TOKEN, frozenset({HOST}), upload_limit=LIMIT)
    run(guard({"type": "websocket", "headers": []}, send, send))  # type: ignore[arg-type]
    assert out == [{"type": "websocket.close", "code": 1008}]
