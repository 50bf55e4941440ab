from __future__ import annotations

import io
import subprocess
import sys

from report_cases import ELL, GLM, K, entry, front, random_front, three_points
from rich.console import Console

from paretonym.model.candidate import Candidate, Counts, SuppressBelow
from paretonym.model.front import Direction, Objective
from paretonym.publishing import Check
from paretonym.report.terminal import checks_table, front_plot, front_table


def shown(table, width=120) -> str:
    stream = io.StringIO()
    Console(file=stream, width=width).print(table)
    return stream.getvalue()


def test_a_short_front_is_shown_whole():
    text = shown(front_table(three_points()))
    assert "3 points; complete for these hierarchies and objectives." in text
    assert "25.0 %" in text


def test_a_long_front_says_that_it_is_thinned():
    table = front_table(random_front(), max_rows=7)
    assert table.row_count == 7
    assert "7 of 50 points, evenly spread" in shown(table)


def test_names_are_neither_markup_nor_control_codes():
    name = "[red]x[/red]\x1b[31m"
    objective = Objective(f"distinct_l({name})", Direction.MAX)
    made = Candidate({name: 1}, (SuppressBelow(2),), Counts(), {"k": 5, objective.name: 2})
    text = shown(front_table(front([made], (K, objective))))
    assert "[red]x[/red]" in text
    assert "\x1b" not in text
    assert "\x1b" not in front_plot(front([made], (K, objective)), 60, 10)


def test_the_plot_fits_and_names_its_axes():
    lines = front_plot(random_front(), 70, 18).splitlines()
    assert len(lines) == 18
    assert max(map(len, lines)) <= 70
    assert lines[0].startswith("information loss (GLM)")
    assert "smallest class (k) (log scale)" in lines[-1]


def test_the_plot_marks_each_point():
    plain = front_plot(three_points(), 60, 12, plain=True)
    assert plain.count("*") == 3
    cut = plain.encode("ascii")
    assert cut


def test_odd_fronts_have_a_plot_or_none():
    assert front_plot(front([entry(0, 0, k=3)], (K,)), 60, 12) == ""
    assert front_plot(front([]), 60, 12) == ""
    equal = front(
        [entry(0, 0, k=3, glm=1.0, ell=1), entry(1, 0, k=3, glm=1.0, ell=1)], (K, GLM, ELL)
    )
    assert front_plot(equal, 60, 12).count("●") == 1
    huge = front([entry(0, 0, k=10**30, glm=1e40), entry(1, 0, k=1, glm=0.0)])
    assert front_plot(huge, 60, 12).count("●") == 2
    assert front_plot(huge, 1, 1)
    assert "0 points" in shown(front_table(front([])))


def test_checks_say_what_fails():
    text = shown(
        checks_table([Check("k", 5, 4, holds=False, note="why"), Check("rows", 9, 9, True)])
    )
    assert "fails: why" in text
    assert "holds" in text


def test_importing_the_reports_is_light():
    """Neither rich nor jinja2 is loaded before something is drawn."""
    code = (
        "import sys, paretonym.report, paretonym.report.terminal;"
        "print([m for m in ('rich', 'jinja2', 'pyarrow', 'matplotlib') if m in sys.modules])"
    )
    made = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert made.stdout.strip() == "[]"
