"""The page of an attack, its sentences and its figures."""

from __future__ import annotations

import io
from dataclasses import replace
from decimal import Decimal
from xml.etree import ElementTree

import pytest
from rich.console import Console
from tests.support.attacking import AREAS, MAIN, MAIN_NAMES, attacked
from tests.support.report_pages import assert_well_formed, links

from paretonym.groups import Adequacy, FuzzyValue, Variable
from paretonym.groups.attack import GroupAttack
from paretonym.groups.resampling import Interval
from paretonym.report.attack import (
    comparison,
    comparison_table,
    control_row,
    findings,
    places,
    places_table,
    ranked_areas,
    worst_of,
)
from paretonym.report.attack_page import attack_html
from paretonym.report.signal_figure import Signal, signals
from paretonym.report.variable_figure import curves, extent


@pytest.fixture(scope="module")
def found(tmp_path_factory) -> GroupAttack:
    return attacked(tmp_path_factory.mktemp("found"))


def page(*attacks: GroupAttack) -> str:
    made = attack_html(attacks)
    assert_well_formed(made)
    assert links(made) == []
    return made


def test_the_page_names_every_true_outlier(found):
    made = page(found)
    assert "1 of 1 places is recovered" in made
    assert '<th scope="row">f</th>' in made
    assert "Internal · do not publish" in made
    assert "on foot, night" in made


def test_two_groups_on_one_page(found, tmp_path):
    other = replace(found, signals=replace(found.signals, name="others"))
    made = page(found, other)
    assert made.index("“soldiers”") < made.index("“others”")


def test_without_rules(tmp_path):
    made = attacked(tmp_path, attack={"rcf": 1000, "support": "99%"})
    text = page(made)
    assert "No place is recovered" in text
    assert "What the fuzzy rules say" not in text
    assert "Fuzzy rules point at no area, so that 0 of 1 are recovered." in findings(made)[1]
    (place,) = places(made)
    assert (place.area, place.true, place.seen_by) == ("f", True, ())


def test_without_a_control(tmp_path):
    made = attacked(tmp_path, attack={"controls": 0})
    assert "labels permuted, mean" not in page(made)
    assert findings(made)[1].endswith("There was no control.")


def test_one_area(tmp_path):
    made = attacked(tmp_path, main=[row for row in MAIN if row[0] == "f"])
    text = page(made)
    assert "No area stands out" in text
    assert "outliers need at least 3 areas; the region has 1" in text
    assert ranked_areas(made) == "the 0 outliers of 1 area"
    assert places(made) == []


def test_weights(tmp_path):
    rows = [(*row, "1.5") for row in MAIN]
    made = attacked(tmp_path, main=rows, names=(*MAIN_NAMES, "w"), weight="w")
    assert ", weighted" in page(made)
    assert places(made)[0].members == 135


def test_regions_are_told_with_the_area(tmp_path):
    rows = [(*row, "north") for row in MAIN] + [(*row, "south") for row in MAIN]
    made = attacked(tmp_path, main=rows, names=(*MAIN_NAMES, "land"), region="land")
    assert [place.label for place in places(made)] == ["f (north)", "f (south)"]
    assert "bootstrap over 2 regions" in page(made)


def test_a_table_too_large_for_the_bayes_test(found):
    """What is not computed is a dash, not a number."""
    (one,) = found.attackers
    huge = replace(one.regions[0], adequacy=Adequacy(5, 5, 5, 9000))
    large = replace(found, attackers=(replace(one, regions=(huge,)),))
    assert ("–", "not computed") in comparison(large.attackers[0])
    assert "not computed" in page(large)


def test_findings_are_sentences(found):
    lines = findings(found)
    assert lines[0] == "1 area stands out among 7 by the quantity of the group."
    assert lines[1].startswith(
        "Fuzzy rules point at 1 area; 1 of them is true (100 %, 95 % interval"
    )
    assert "Fear most: fuzzy rules, which give away f." in lines
    assert lines[-1].startswith("1 true outlier is few")


def test_the_worst_adversary_is_the_one_with_the_largest_j(found):
    (one,) = found.attackers
    weak = replace(one, name="logistic", regions=(
        replace(one.regions[0], adequacy=Adequacy(0, 1, 1, 5), outliers=("a",)),))  # fmt: skip
    both = replace(found, attackers=(weak, one))
    assert worst_of(both) is one
    assert (
        worst_of(replace(found, attackers=(weak, replace(one, name="boosting")))).name == "boosting"
    )
    assert [(p.area, p.true, p.seen_by) for p in places(both)] == [
        ("a", False, ("logistic",)), ("f", True, ("fuzzy",)),
    ]  # fmt: skip


def test_figures_stand_under_their_headings(found):
    (one,) = found.attackers
    shown = replace(one, intervals={**one.intervals, "pa": Interval(0.5, 1.0)})
    cells = comparison(shown)
    assert [cell for cell, _ in cells[:4]] == ["1", "0", "0", "6"]
    assert cells[4] == ("1", "0.5–1")
    assert control_row(one.control)[:4] == ("0", "0", "1", "6")


def test_tables_for_the_terminal_render(found):
    console = Console(width=110, record=True, file=io.StringIO())
    console.print(places_table(found))
    console.print(comparison_table(found))
    said = console.export_text()
    assert "recovered" in said
    assert "An interval without width says that all areas agree" in " ".join(said.split())


def test_many_places_are_cut_on_the_terminal_only(found):
    (region,) = found.signals.regions
    many = tuple(f"a{number:03}" for number in range(60))
    judged = {kind: replace(one, outliers=many) for kind, one in region.judged.items()}
    large = replace(region, areas=many, quantity=(1.0,) * 60, concentration=(0.1,) * 60,
                    records=(10,) * 60, judged=judged)  # fmt: skip
    (one,) = found.attackers
    none = Adequacy(tp=0, fp=0, fn=60, tn=0)
    seen = replace(one.regions[0], areas=many, quantity=(1.0,) * 60, crisp=(1.0,) * 60,
                   concentration=(0.1,) * 60, outliers=(), adequacy=none)  # fmt: skip
    made = replace(found, signals=replace(found.signals, regions=(large,)),
                   attackers=(replace(one, regions=(seen,)),))  # fmt: skip
    assert places_table(made).caption == "40 of 60 areas shown; the report has all."
    text = page(made)
    assert all(f'<th scope="row">{area}</th>' in text for area in many)


def svg(text: str) -> list[ElementTree.Element]:
    """Its elements; fails where it is not well-formed or holds a figure that is none."""
    assert "nan" not in text
    assert "inf" not in text
    return list(ElementTree.fromstring(text).iter())  # noqa: S314


def names_of(elements: list[ElementTree.Element]) -> list[str]:
    return [element.text or "" for element in elements if element.tag == "text"]


@pytest.mark.parametrize("values", [[0.0], [5.0], [0.0, 0.0, 0.0], [1e-9, 0.0], [1e12, 1.0]])
def test_signals_of_any_values(values):
    areas = [f"a{place}" for place in range(len(values))]
    elements = svg(signals(areas, [Signal("true", values, areas[:1], strong=True)], label="x"))
    assert sum(element.tag == "rect" for element in elements) == len(values)
    assert set(areas) <= set(names_of(elements))


def test_many_areas_are_all_drawn():
    """300 bars in each of two rows; names where there is room, and a title on every bar."""
    areas = [f"area {place}" for place in range(300)]
    rows = [Signal("true", range(300), ["area 299"]), Signal("restored", [0.0] * 300, [])]
    elements = svg(signals(areas, rows, label="x"))
    titles = [element.text or "" for element in elements if element.tag == "title"]
    assert sum(element.tag == "rect" for element in elements) == 600
    assert all(any(title.startswith(f"{area}:") for title in titles) for area in areas)
    assert sum(title.endswith("stands out") for title in titles) == 2  # a bar and its wedge
    assert 100 <= len(names_of(elements)) <= 310


def test_names_in_figures_are_escaped_and_cut():
    area = "<b>&" + "x" * 60
    elements = svg(signals([area], [Signal("<i>", [1.0], [area])], label='"<'))
    assert "<i>" in names_of(elements)
    assert any(name.endswith("…") for name in names_of(elements))


WORDS = Variable(
    "age",
    (
        FuzzyValue("young", "z", ("20", "40")),
        FuzzyValue("old", "s", ("40", "60")),
        FuzzyValue("retired", "is", ("65",)),
    ),
)


def test_curves_of_numbers_only():
    """Two curves, each with its sample in the legend; `retired` has none."""
    elements = svg(curves(WORDS, Decimal(18), Decimal(90)))
    strokes = [e for e in elements if e.tag == "path" and e.get("stroke-width") == "1.8"]
    assert len(strokes) == 4
    assert {"young", "old"} <= set(names_of(elements))
    assert "retired" not in names_of(elements)


def test_codes_have_no_curve():
    codes = Variable("sex", (FuzzyValue("male", "is", ("1",)),))
    assert not codes.numeric
    elements = svg(curves(codes, Decimal(0), Decimal(1)))
    assert not [e for e in elements if e.get("stroke-width") == "1.8"]


def test_the_legend_stays_inside():
    """Seven names, of which two fit on a line."""
    long = Variable("age", tuple(FuzzyValue(f"a rather long name {n}", "z", ("1", "2"))
                                 for n in range(7)))  # fmt: skip
    elements = svg(curves(long, Decimal(0), Decimal(3)))
    width = float(elements[0].get("width", 0))
    named = [e for e in elements if e.tag == "text" and (e.text or "").startswith("a rather")]
    assert len(named) == 7
    assert len({e.get("y") for e in named}) == 4
    assert all(float(e.get("x", 0)) + 6.0 * len(e.text or "") < width for e in named)


@pytest.mark.parametrize(("numbers", "ends"), [([], None), ([3, 3], None), ([5, 1, 3], (1, 5))])
def test_the_extent_of_a_figure(numbers, ends):
    assert extent([Decimal(number) for number in numbers]) == ends


def test_words_of_the_rules_are_explained(found):
    text = page(found)
    assert "<b>on foot</b> one of foot" in text
    assert len(AREAS) == 7
