"""The bytes of a CSV file: compression, encoding, byte-order mark, delimiter, physical lines."""

from __future__ import annotations

import codecs
import gzip
import io
import zlib
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO, cast

from paretonym.errors import EncodingError, TableError

CHUNK = 1 << 20
DELIMITERS = (",", ";", "\t")
GZIP_MAGIC = b"\x1f\x8b"
BOM = "\ufeff"


@dataclass(frozen=True, slots=True)
class CsvFile:
    """A CSV file and how its bytes become text."""

    path: Path
    encoding: str  # the codec's canonical name
    gzipped: bool

    @property
    def name(self) -> str:
        return self.path.name

    @property
    def is_utf8(self) -> bool:
        return self.encoding in ("utf-8", "utf-8-sig", "ascii")

    @contextmanager
    def bytes(self) -> Iterator[BinaryIO]:
        """The uncompressed bytes."""
        try:
            with self.path.open("rb") as raw:
                yield cast(BinaryIO, gzip.GzipFile(fileobj=raw)) if self.gzipped else raw
        except (gzip.BadGzipFile, EOFError, zlib.error):
            raise TableError(
                f"{self.name}: the gzip file is damaged or cut short; fetch it again"
            ) from None
        except OSError as error:
            reason = error.strerror or "input error"
            raise TableError(f"{self.name}: cannot be read ({reason})") from None

    def lines(self) -> Iterator[str]:
        """Physical lines with their ends; NUL and undecodable bytes are errors."""
        with self.bytes() as stream:
            text = io.TextIOWrapper(stream, encoding=self.encoding, newline="")
            number = 0
            try:
                for line in text:
                    number += 1
                    if "\0" in line:
                        raise EncodingError(
                            f"{self.name}, line {number}: holds a NUL byte; the file is damaged or "
                            f"in another encoding (state it as `encoding:`)"
                        )
                    if number == 1:
                        line = line.removeprefix(BOM)
                    if line:
                        yield line
            except UnicodeError:
                raise self.undecodable() from None

    def undecodable(self) -> TableError:
        """The error that names the line of the first byte that is not text."""
        decoder = codecs.getincrementaldecoder(self.encoding)()
        breaks = _LineBreaks()
        with self.bytes() as stream:
            while True:
                chunk = stream.read(CHUNK)
                state = decoder.getstate()
                try:
                    breaks.feed(decoder.decode(chunk, final=not chunk))
                except UnicodeError as error:
                    start = getattr(error, "start", 0)
                    bad = getattr(error, "object", b"")
                    decoder.setstate((b"", state[1]))
                    with suppress(UnicodeError):  # a codec that cannot even begin
                        breaks.feed(decoder.decode(bad[:start]))
                    break
                if not chunk:
                    break
        return EncodingError(
            f"{self.name}, line {breaks.lines}: holds bytes that are not {self.encoding}; "
            f"state the file's `encoding:` (latin-1, cp1252, utf-16 …)"
        )


class _LineBreaks:
    """Counts physical lines over chunks: CR, LF and CR LF each end one."""

    def __init__(self) -> None:
        self.lines = 1  # the line that the next character belongs to
        self._after_return = False

    def feed(self, text: str) -> None:
        if not text:
            return
        joined = "\r" + text if self._after_return else text
        pairs = joined.count("\r\n")
        breaks = joined.count("\r") + joined.count("\n") - pairs
        self.lines += breaks - self._after_return
        self._after_return = text.endswith("\r")


def find_csv(path: Path, encoding: str) -> CsvFile:
    """Check that the file is there and its encoding is one."""
    try:
        codec = codecs.lookup(encoding).name
        "".encode(codec)  # refuses codecs that do not make text
        codecs.getincrementaldecoder(codec)
    except (LookupError, ValueError):
        raise TableError(
            f"{path.name}: the encoding '{encoding}' is not known; use utf-8, latin-1, cp1252 …"
        ) from None
    try:
        with path.open("rb") as stream:
            gzipped = stream.read(2) == GZIP_MAGIC
    except OSError as error:
        raise TableError(f"{path}: cannot be read ({error.strerror})") from None
    return CsvFile(path, codec, gzipped)


def find_delimiter(file: CsvFile, given: str | None) -> str:
    """The delimiter asked for, or the most frequent candidate outside quotes in the first row."""
    if given is not None:
        if len(given) != 1 or not given.isascii() or given in '"\r\n\0':
            raise TableError(f"{file.name}: a delimiter must be one ASCII character, not a quote")
        return given
    counts = dict.fromkeys(DELIMITERS, 0)
    quoted = False
    for line in file.lines():
        pieces = line.split('"')
        for index, piece in enumerate(pieces):
            if index:
                quoted = not quoted
            if not quoted:
                for candidate in DELIMITERS:
                    counts[candidate] += piece.count(candidate)
        if not quoted:
            break
    return max(DELIMITERS, key=lambda candidate: counts[candidate])
