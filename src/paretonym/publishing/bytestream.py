"""The bytes of a CSV file as pyarrow should see them: unpacked, in UTF-8, cut at safe places."""

from __future__ import annotations

import codecs
import gzip
import io
from pathlib import Path
from typing import BinaryIO, TextIO, cast

from paretonym.model.closing import Closing


def is_packed(path: Path) -> bool:
    return path.suffix.lower() == ".gz"


def open_bytes(path: Path) -> BinaryIO:
    return cast(BinaryIO, gzip.open(path)) if is_packed(path) else path.open("rb")


def open_text(path: Path, encoding: str) -> TextIO:
    """For the csv module: no line end translated, a byte-order mark dropped."""
    if codecs.lookup(encoding).name == "utf-8":
        encoding = "utf-8-sig"
    return io.TextIOWrapper(open_bytes(path), encoding=encoding, newline="")


class Utf8Blocks(Closing):
    """A readable stream that never cuts a block inside a line end.

    pyarrow drops a line feed at the start of a block when the block before ended with a
    carriage return, even inside a quoted cell. A carriage return is therefore held back and
    handed out with what follows it.
    """

    closed = False

    def __init__(self, path: Path, encoding: str) -> None:
        self._stream = open_bytes(path)
        utf8 = codecs.lookup(encoding).name == "utf-8"
        self._decoder = None if utf8 else codecs.getincrementaldecoder(encoding)()
        self._held = b""
        self._ended = False

    def read(self, size: int = -1) -> bytes:
        wanted = size if size > 0 else 1 << 20
        block = self._held
        while not self._ended and len(block) < min(2, wanted):
            block += self._more(wanted - len(block))
        self._held = b""
        if len(block) > wanted:  # another encoding may grow in UTF-8
            block, self._held = block[:wanted], block[wanted:]
        if block.endswith(b"\r") and len(block) > 1:
            block, self._held = block[:-1], b"\r" + self._held
        return block

    def _more(self, size: int) -> bytes:
        data = self._stream.read(size)
        self._ended = not data
        if self._decoder is None:
            return data
        return self._decoder.decode(data, final=self._ended).encode()

    def readable(self) -> bool:
        return True

    def close(self) -> None:
        self._stream.close()
        self.closed = True
