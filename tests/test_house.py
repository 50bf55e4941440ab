"""The rooms of the house: how many modules they hold."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

SOURCE = Path(__file__).parents[1] / "src" / "paretonym"
MOST = 30


def test_no_room_is_crowded() -> None:
    """A room with more modules than a reader can keep in mind gets rooms within it."""
    modules = Counter(path.parent for path in SOURCE.rglob("*.py") if path.name != "__init__.py")
    crowded = {str(room.relative_to(SOURCE)): n for room, n in modules.items() if n > MOST}
    assert crowded == {}
