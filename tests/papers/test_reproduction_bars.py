"""Bars of how often values lie between which ends."""

from __future__ import annotations

from paretonym.papers.bars import BarsFacts, counted, draw_bars


def test_values_are_counted_between_whole_ends() -> None:
    assert counted(()) == ()
    assert counted((14.0, 14.0)) == (("14", 2),)
    assert counted((3.0, 4.0, 4.0, 6.0)) == (("3", 1), ("4", 2), ("5", 0), ("6", 1))
    found = counted(tuple(float(value) for value in range(100, 200)))
    assert [name for name, _ in found] == [str(start) for start in range(100, 200, 10)]
    assert {count for _, count in found} == {10}


def test_a_drawing_names_its_bars() -> None:
    drawing = draw_bars(BarsFacts("figure", "title", "metric", "solutions", (("3", 1), ("4", 2))))
    assert drawing.startswith("<svg")
    assert "<title>from 4: 2</title>" in drawing
    assert drawing.count("<rect") == 2
