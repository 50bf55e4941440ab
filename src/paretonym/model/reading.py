"""The bytes of files that a job names."""

from __future__ import annotations

import errno
import stat
from pathlib import Path


def read_file(path: Path) -> bytes:
    """The whole file. A device or a pipe, which might never end, is refused with an OSError."""
    mode = path.stat().st_mode
    if not stat.S_ISREG(mode) and not stat.S_ISDIR(mode):
        raise OSError(errno.EINVAL, "this is not a file")
    return path.read_bytes()
