"""Who may speak with the server: this machine's browser, with the token, and nobody else.

A page of another site can make a browser send requests to 127.0.0.1, and a name can be made to
point there. So every request must name this host, come from this origin, and every one for data
must carry the token in a header, which no other site can add.
"""

from __future__ import annotations

import asyncio
import contextlib
import hmac
import json
from collections.abc import Awaitable, Callable, Iterable, MutableMapping
from dataclasses import dataclass
from typing import Any

Message = MutableMapping[str, Any]
Scope = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[Message]]
Send = Callable[[Message], Awaitable[None]]
Application = Callable[[Scope, Receive, Send], Awaitable[None]]

TOKEN_HEADER = b"x-paretonym-token"
UPLOADS = "/api/tables"
ENTRY = "/api/entry"  # where a page without the token gives a code for it
DECIDING = (b"host", b"origin", b"sec-fetch-site", b"content-length", TOKEN_HEADER)
MOST_JSON = 4_000_000  # bytes of any other request
STOPPING = "the explorer is being stopped"

HEADERS = (
    (
        b"content-security-policy",
        b"default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data: blob:; "
        b"connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
    ),
    (b"x-content-type-options", b"nosniff"),
    (b"x-frame-options", b"DENY"),
    (b"referrer-policy", b"no-referrer"),
    (b"cross-origin-opener-policy", b"same-origin"),
    (b"cross-origin-resource-policy", b"same-origin"),
    (b"permissions-policy", b"camera=(), geolocation=(), microphone=()"),
    (b"cache-control", b"no-store"),
)


@dataclass(slots=True)
class _Body:
    """A body without a stated length is counted while it comes, and ends where it is too large."""

    stream: Receive
    limit: int
    seen: int = 0

    @property
    def is_too_large(self) -> bool:
        return self.seen > self.limit

    async def receive(self) -> Message:
        message = await self.stream()
        self.seen += len(message.get("body", b""))
        return {"type": "http.disconnect"} if self.is_too_large else message


@dataclass(slots=True)
class Guard:
    """Stands before the application; refuses before anything of a request is looked at."""

    application: Application
    token: str
    hosts: frozenset[str]  # "127.0.0.1:8765"
    upload_limit: int

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self._beside(scope, receive, send)
            return
        limit = self.upload_limit if scope["path"] == UPLOADS else MOST_JSON
        refusal = self._refusal(scope, limit)
        if refusal is not None:
            await _refuse(send, *refusal)
            return
        body = _Body(receive, limit)
        is_answered = False

        async def guarded(message: Message) -> None:
            nonlocal is_answered
            if body.is_too_large:
                return  # what the application makes of half a body does not matter
            if message["type"] == "http.response.start":
                is_answered = True
                message["headers"] = [*_without(message["headers"]), *HEADERS]
            await send(message)

        try:
            # a defect was answered already; what is written about it could quote a cell
            with contextlib.suppress(Exception):
                await self.application(scope, body.receive, guarded)
        except asyncio.CancelledError:  # the server ends and has waited long enough
            if not is_answered:
                await _refuse(send, 503, STOPPING)
            raise
        if body.is_too_large:
            await _refuse(send, 413, _too_large(scope["path"], limit))
        elif not is_answered:
            await _refuse(send, 500, "internal error, please report it")

    async def _beside(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Starting and ending pass; there are no web sockets here."""
        if scope["type"] == "lifespan":
            await self.application(scope, receive, send)
        else:
            await send({"type": "websocket.close", "code": 1008})

    def _refusal(self, scope: Scope, limit: int) -> tuple[int, str] | None:
        headers = _single(scope["headers"])
        if headers is None:
            return 400, "a header stands twice"
        host = headers.get(b"host", b"").decode("latin-1").lower()
        if host not in self.hosts:
            return 403, "this address is not served here; open the one that the terminal shows"
        origin = headers.get(b"origin")
        if origin is not None and origin.decode("latin-1").lower() != f"http://{host}":
            return 403, "a page of another origin asked for this"
        if headers.get(b"sec-fetch-site", b"none") not in (b"none", b"same-origin"):
            return 403, "a page of another site asked for this"
        needs_token = scope["path"].startswith("/api/") and scope["path"] != ENTRY
        if needs_token and not self._knows(headers.get(TOKEN_HEADER, b"")):
            return 401, "the token is missing or wrong; open the address that the terminal shows"
        length = headers.get(b"content-length", b"0")
        if not length.isdigit() or len(length) > 18:
            return 400, "the length of the request is not a number"
        if int(length) > limit:
            return 413, _too_large(scope["path"], limit)
        return None

    def _knows(self, token: bytes) -> bool:
        return hmac.compare_digest(token, self.token.encode())


def _too_large(path: str, limit: int) -> str:
    said = f"more than {limit:,} bytes are not taken here"
    if path == UPLOADS:
        return f"{said}; for a larger table start `paretonym explore` with its path"
    return f"{said}; put long lists of values into hierarchy files"


def _single(headers: Iterable[tuple[bytes, bytes]]) -> dict[bytes, bytes] | None:
    """None when a header that decides something stands twice."""
    found: dict[bytes, bytes] = {}
    for name, value in headers:
        if name in found and name in DECIDING:
            return None
        found[name] = value
    return found


def _without(headers: Iterable[tuple[bytes, bytes]]) -> list[tuple[bytes, bytes]]:
    ours = {name for name, _ in HEADERS}
    return [(name, value) for name, value in headers if name.lower() not in ours]


async def _refuse(send: Send, status: int, message: str) -> None:
    body = json.dumps({"message": message, "where": None}).encode()
    headers = [
        (b"content-type", b"application/json"),
        (b"content-length", str(len(body)).encode()),
        (b"connection", b"close"),  # what is still being sent is not read
        *HEADERS,
    ]
    await send({"type": "http.response.start", "status": status, "headers": headers})
    await send({"type": "http.response.body", "body": body})
