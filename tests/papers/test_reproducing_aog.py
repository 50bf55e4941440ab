"""`reproduce aog`: the running example of attribute-oriented granulation against its figures and
the oracles.
"""

from __future__ import annotations

import json
import math
from pathlib import Path

import pytest
from tests.cli.calling import call, files_under
from tests.support.oracles import needs_oracles, oracle

from paretonym.papers import reproducing
from paretonym.papers.aog.facts import AogFacts, GranulationFacts, SecrecyFacts
from paretonym.papers.aog.tables import aog_tables
from paretonym.papers.facts import markdown

RUNS = 2


@pytest.fixture(scope="module")
def facts() -> AogFacts:
    found = reproducing.reproduce("aog", runs=RUNS, threads=1)
    assert isinstance(found, AogFacts)
    return found


def test_figure_1_is_the_bundled_table(facts: AogFacts) -> None:
    assert facts.figures[0].computed == facts.figures[0].printed
    assert len(facts.figures[0].computed) == 11


def test_figure_2_differs_in_the_writing_of_labels_only(facts: AogFacts) -> None:
    figure = facts.figures[1]
    assert [figure.header[place] for place in figure.differing] == ["birth", "height"]
    assert figure.has_same_groups
    assert figure.computed[0][2:4] == ("24***", "[160, 170)")


def test_figure_4_has_one_misprint(facts: AogFacts) -> None:
    """The ZIPs of the last five, in order: 26015, 26032, 26328, 26617, 26628."""
    figure = facts.figures[2]
    assert [figure.header[place] for place in figure.differing] == ["zip"]
    assert figure.has_same_groups
    different = [
        (ours, theirs)
        for mine, printed in zip(figure.computed, figure.printed, strict=True)
        for ours, theirs in zip(mine, printed, strict=True)
        if ours != theirs
    ]
    assert different == [("26328", "26617")] * 5


def test_section_3_2_is_as_printed(facts: AogFacts) -> None:
    printed, computed = facts.logic
    assert printed == computed
    assert computed.is_secure_for_all
    assert not computed.is_secure_for_u1


def test_section_4_3_is_as_printed_but_for_two_cuts(facts: AogFacts) -> None:
    """Figure 8's children of two cuts are those of one cut after seven bits."""
    printed, computed = facts.codes
    assert computed.second_parent == (0, 4, 5)
    assert computed.decoded == printed.decoded == (1, 3, 2)
    assert computed.offspring_decoded == printed.offspring_decoded == ((1, 0, 5), (0, 7, 2))
    assert computed.repaired == printed.repaired == ("01000000", "00001010")
    assert computed.offspring == printed.offspring
    assert computed.one_point == printed.one_point
    assert computed.two_points == ("1000111111", "0100100001")
    first, second = "0100111001", "1000100111"
    assert printed.two_points == (second[:7] + first[7:], first[:7] + second[7:])


@pytest.mark.parametrize(
    ("place", "minimal", "secure", "tests"),
    [(0, ((1, 2, 2), (2, 5, 1)), 38, 84), (1, ((2, 5, 1), (3, 4, 3)), 10, 112)],
)
def test_minimal_secure_granulations(facts, place, minimal, secure, tests) -> None:
    one = facts.examples[place]
    assert (one.nodes, one.secure, one.minimal) == (120, secure, minimal)
    assert one.tests["breadth_first"] == tests == one.nodes - secure + len(minimal)
    assert one.tests["incognito"] < tests
    assert sum(g.is_secure for g in one.granulations) == secure


@pytest.mark.parametrize(
    ("place", "domain", "code", "product"),
    [
        (0, "observed", (1, 2, 2), 0.33403),
        (0, "full", (1, 2, 2), 0.38364),
        (1, "observed", (2, 5, 1), 0.22391),
        (1, "full", (2, 5, 1), 0.19676),
    ],
)
def test_best_secure_granulations(facts, place, domain, code, product) -> None:
    """And the largest of all is the identity, which is insecure."""
    one: SecrecyFacts = facts.examples[place]
    best, identity = one.best(domain)[0], one.best(domain, secure=False)[0]
    assert (best.code, round(best.product(domain), 5)) == (code, product)
    assert (identity.code, identity.is_secure) == ((0, 0, 0), False)


def test_the_proof_agrees_with_all_120(facts: AogFacts) -> None:
    for one in facts.examples:
        best = one.best("observed")[0]
        assert one.optimum.code == best.code
        assert one.optimum.product == pytest.approx(best.product("observed"), abs=1e-12)
        assert one.optimum.evaluations <= one.secure


def test_domains_have_the_stated_sizes(facts: AogFacts) -> None:
    assert facts.domains == {"observed": (11, 11, 11), "full": (731, 100_000, 100)}


def test_adult_under_three_rules(facts: AogFacts) -> None:
    """No run is better than the proof, which takes less than 5 % of the nodes."""
    adult = facts.adult
    assert (adult.nodes, adult.secure, len(adult.minimal)) == (17_920, 157, 40)
    assert adult.tests["breadth_first"] == 17_920 - 157 + 40
    assert adult.optimum.code == (6, 2, 3, 1, 1, 0, 4, 0)
    assert round(adult.optimum.product, 5) == 0.32472
    assert adult.optimum.evaluations + adult.tests["incognito"] < 0.05 * adult.nodes
    assert [run.seed for run in adult.runs] == [1, 2]
    assert all(0 < run.product <= adult.optimum.product + 1e-12 for run in adult.runs)
    assert all(run.evaluations < 0.1 * adult.nodes for run in adult.runs)


@needs_oracles
def test_the_oracles_of_the_table(facts: AogFacts) -> None:
    logic = facts.logic[1]

    def people(groups: list[list[int]]) -> tuple[tuple[str, ...], ...]:
        return tuple(tuple(f"u{one}" for one in group) for group in groups)

    expected = oracle("aog_ind")["expected"]
    assert logic.ind == people(expected["ind"])
    assert logic.ind_of["height"] == people(expected["ind_pi3"])
    expected = oracle("aog_secure")["expected"]
    assert logic.is_secure_for_all == expected["health2_all_secure"]
    assert logic.is_secure_for_u1 == expected["health1_u1_secure"]
    expected = oracle("aog_microagg")["expected"]
    births, zips, heights = (
        list(dict.fromkeys(row[place] for row in facts.figures[2].computed)) for place in (1, 2, 3)
    )
    assert births == expected["dob_median"]
    assert [int(value) for value in zips] == expected["zip_median"]
    assert [int(value) for value in heights] == expected["height_mean"]
    printed = dict.fromkeys(int(row[2]) for row in facts.figures[2].printed)
    assert list(printed) == expected["zip_median_printed"]


@needs_oracles
def test_the_oracle_of_the_codes(facts: AogFacts) -> None:
    case, found = oracle("aog_ga_code"), facts.codes[1]
    assert list(found.offspring) == case["inputs"]["offspring"]
    assert list(found.decoded) == case["expected"]["decoded"]
    assert [list(c) for c in found.offspring_decoded] == case["expected"]["offspring_decoded"]
    assert list(found.repaired) == case["expected"]["repaired"]


CASES = [(0, "h2"), (1, "h012")]


@needs_oracles
@pytest.mark.parametrize(("place", "name"), CASES)
def test_the_oracles_of_the_searches(facts: AogFacts, place: int, name: str) -> None:
    one, expected = facts.examples[place], oracle(f"aog_minimal_{name}")["expected"]
    assert [list(code) for code in one.minimal] == expected["search_output_order"]
    assert one.secure == expected["n_secure"]
    assert one.tests["breadth_first"] == expected["security_tests"]


@needs_oracles
@pytest.mark.parametrize("domain", ["observed", "full"])
@pytest.mark.parametrize(("place", "name"), CASES)
def test_the_oracles_of_all_120(facts: AogFacts, place: int, name: str, domain: str) -> None:
    one, expected = facts.examples[place], oracle(f"aog_sf_ql_{name}_{domain}")["expected"]
    found = {g.code: g for g in one.granulations}
    assert len(expected["table"]) == len(found) == 120
    for row in expected["table"]:
        assert_same(found[tuple(row["code"])], row, domain)
    assert_same(one.best(domain)[0], expected["best_secure"], domain)
    assert_same(one.best(domain, secure=False)[0], expected["optimum"], domain)


def assert_same(found: GranulationFacts, row: dict, domain: str) -> None:
    assert list(found.code) == row["code"]
    mine = (found.sf, found.ql[domain], found.product(domain))
    for value, wanted in zip(mine, (row["sf"], row["ql"], row["obj"]), strict=True):
        assert math.isclose(value, wanted, rel_tol=0, abs_tol=1e-9)


def test_the_documentation_shows_the_tables_of_the_command(facts: AogFacts) -> None:
    """All but the last, which is about twenty runs."""
    page = Path(__file__).parents[2] / "docs" / "reproduction.md"
    *certain, by_chance = aog_tables(facts)
    text = page.read_text(encoding="utf-8")
    for table in certain:
        assert markdown([table]) in text
    assert by_chance.title in text


def test_the_command_writes_what_the_facts_say(tmp_path: Path, facts: AogFacts) -> None:
    """One seed and number of runs, one result, whatever the number of threads."""
    out = tmp_path / "out"
    result = call("reproduce", "aog", "--runs", RUNS, "--threads", 2, "--json", "-q", "-o", out)
    assert (result.code, result.err) == (0, "")
    written = files_under(out)
    assert sorted(written) == sorted(reproducing.FILES)
    expected = json.loads(json.dumps(facts.to_json()))
    assert result.json == json.loads(written["reproduction.json"]) == expected
    assert [len(one["granulations"]) for one in expected["secrecies"]] == [120, 120, 0]
    text = reproducing.markdown_of("aog", facts)
    assert written["reproduction.md"].decode() == text
