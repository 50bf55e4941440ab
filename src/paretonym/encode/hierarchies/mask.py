"""Masking: hide one more character at each level."""

from __future__ import annotations

from collections.abc import Sequence

from paretonym.encode.hierarchies.draft import Draft, Level
from paretonym.errors import HierarchyError
from paretonym.model.granulation import STAR
from paretonym.model.hierarchy import Mask

LONGEST = 100  # one level a character: beyond this, masking is not what the user wants


def draft_mask(spec: Mask, column: str, values: Sequence[str]) -> Draft:
    """Level i hides i characters; the last hides all of them and is `*`.

    Values of different length are first padded with blanks on the masked side to the longest
    length, so that the same positions are hidden in all of them. A block is a run of kept
    characters of one fixed length, hence levels nest; the padding is left out of the label,
    which cannot make two labels equal because all kept runs of a level are equally long.
    """
    longest = max(map(len, values), default=0)
    if longest > LONGEST:
        raise HierarchyError(
            f"column '{column}': masking makes a level for each character, and the longest value "
            f"has {longest} (at most {LONGEST} are allowed); use a hierarchy file instead"
        )
    levels = [
        Level(f"{hidden} masked", tuple(masked(value, longest, hidden, spec) for value in values))
        for hidden in range(1, longest)
    ]
    if longest:
        levels.append(Level(STAR, (STAR,) * len(values)))
    return Draft(leaves=tuple(values), levels=tuple(levels))


def masked(value: str, length: int, hidden: int, spec: Mask) -> str:
    """The label of a value padded to `length` with `hidden` characters replaced."""
    if spec.side == "right":
        return value.ljust(length)[: length - hidden].rstrip(" ") + STAR * hidden
    return STAR * hidden + value.rjust(length)[hidden:].lstrip(" ")
