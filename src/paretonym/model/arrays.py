"""Names for the arrays that travel through the house, by what their entries are."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

Array = npt.NDArray[Any]  # of a kind that is said where it is used, or of several
Flags = npt.NDArray[np.bool_]
Ints = npt.NDArray[np.int64]  # counts, sizes, places
Codes = npt.NDArray[np.int32]  # values of a column by their number
AnyInts = npt.NDArray[np.integer]
Bits = npt.NDArray[np.uint64]  # words of flags
Floats = npt.NDArray[np.float64]
Pairs = Ints  # [swaps, 2]: the row of a member, the row of another

Int = Any  # one integer, Python's or numpy's: compiled code does not mind
