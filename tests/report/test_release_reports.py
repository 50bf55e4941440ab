from __future__ import annotations

import re
from dataclasses import replace

import pytest
from report_cases import (
    CANARY,
    FORBIDDEN,
    internal_manifest,
    public_manifest,
    release_extra,
    verification,
)
from tests.support.report_pages import assert_well_formed, dangling, links

from paretonym.model.job import About
from paretonym.publishing import Check, Verification
from paretonym.publishing.manifest import DataFile, Detail, ReleasedColumn
from paretonym.report import ReleaseExtra, internal_release_html, public_release_html
from paretonym.report.release_bars import class_size_bars, group_column
from paretonym.report.release_extra import ColumnChange
from paretonym.report.release_facts import internal_facts, public_facts
from paretonym.report.release_words import SECTIONS

PUBLIC, INTERNAL = public_manifest(), internal_manifest()
MADE = verification(PUBLIC, INTERNAL)


def public_page() -> str:
    return public_release_html(PUBLIC, MADE.public_checks)


def internal_page(extra: ReleaseExtra | None = None) -> str:
    return internal_release_html(PUBLIC, INTERNAL, MADE, extra=extra or release_extra())


def test_what_the_public_is_told():
    facts = public_facts(PUBLIC, MADE.public_checks)
    assert [(p.name, p.promised, p.result) for p in facts.promises] == [
        ("k", "5", "holds"),
        ("rows", "97", "holds"),
        ("classes", "8", "holds"),
        ("distinct_l(illness)", "2", "holds"),
    ]
    assert facts.failures == 0
    assert facts.suppressed == "<k (fewer than 5)"
    assert [c.done for c in facts.columns] == [
        "values grouped: level 1, “first digit”",
        "values kept apart (level 0)",
        "as in the source",
    ]
    assert (facts.quasi, facts.grouped, facts.kept) == (("age", "zip"), ("age",), ("zip",))
    assert (facts.sensitive, facts.passed, facts.with_l) == (("illness",), (), ("illness",))
    assert facts.promises[0].repeat == (
        "count the rows of each combination of age and zip; take the smallest count"
    )


def test_a_promise_without_a_check_is_not_kept():
    facts = public_facts(PUBLIC, [c for c in MADE.public_checks if c.name != "k"])
    assert facts.promises[0].result == "not recomputed"
    assert facts.failures == 1
    assert "every one holds" not in public_release_html(PUBLIC, ())


def test_a_check_of_another_number_does_not_count():
    other = [Check("k", 4, 4, holds=True) if c.name == "k" else c for c in MADE.public_checks]
    assert not public_facts(PUBLIC, other).promises[0].holds


def test_a_failed_check_is_told():
    failed = tuple(replace(c, recomputed=3, holds=c.name != "k") for c in MADE.public_checks)
    page = public_release_html(PUBLIC, failed)
    assert "does not hold" in page
    assert "every one holds" not in page


@pytest.mark.parametrize("page", [public_page(), internal_page(), internal_page(ReleaseExtra())])
def test_pages_are_whole_and_keep_to_themselves(page):
    assert_well_formed(page)
    assert links(page) == []
    assert not [word for word in FORBIDDEN if word in page.lower()]
    assert "recomputed from the file" in page.lower()
    assert "<script" not in page
    assert dangling(page) == []
    places = [page.index(f'<h2 id="{anchor}">') for anchor in SECTIONS]
    assert places == sorted(places)
    assert [section.number for section in SECTIONS.values()] == list(range(1, 9))


def test_both_pages_tell_what_the_publisher_says():
    about = About(
        "Visits", "To teach.\nTwice.", "The Office", "a@b.example", "CC0", "Office (2026)"
    )
    inside = internal_release_html(PUBLIC, INTERNAL, MADE, extra=release_extra(), about=about)
    for page in (public_release_html(PUBLIC, MADE.public_checks, about=about), inside):
        assert all(said in page for said in (about.title, about.purpose, about.publisher))
        assert all(said in page for said in (about.contact, about.licence, about.cite))
        assert "stated no" not in page
    assert public_page().count("The publisher stated no") == 2


@pytest.mark.parametrize(("suppressed", "listed"), [("<k", True), (25, True), (0, False)])
def test_suppression_is_a_method_only_where_rows_were_left_out(suppressed, listed):
    manifest = public_manifest(suppressed=suppressed)
    page = public_release_html(manifest, verification(manifest, INTERNAL).public_checks)
    assert ("<b>Suppression.</b>" in page) == listed
    assert ("No row was left out." in page) != listed


def test_knowing_any_sensitive_column_is_enough_to_tell_rows_apart():
    columns = (*PUBLIC.columns, ReleasedColumn("income", ("sensitive",)))
    page = public_release_html(public_manifest(columns=columns), MADE.public_checks)
    assert "An outsider who already knows illness or income</b> of a person" in page
    assert "What the outsider may want to learn: illness and income." in page


def test_columns_of_stars_and_levels_without_names_are_told_as_such():
    columns = (
        ReleasedColumn("job", ("quasi",), 2, "*", "d" * 64),
        ReleasedColumn("country", ("quasi",), 2, "level 2 of 3", "d" * 64),
        ReleasedColumn("age", ("quasi",), 1, "width 5", "d" * 64),
        ReleasedColumn("income", ("quasi",), 3, "*", "d" * 64, written="mean"),
    )
    manifest = public_manifest(columns=columns)
    facts = public_facts(manifest, MADE.public_checks)
    assert [c.done for c in facts.columns] == [
        "every value replaced by *",
        "values grouped: level 2 of 3 of its hierarchy",
        "values grouped: level 1, “width 5”",
        "values grouped: level 3, “*”; each group written as the mean of its rows in this file",
    ]
    assert (facts.blank, facts.grouped) == (("job",), ("country", "age", "income"))
    page = public_release_html(manifest, MADE.public_checks)
    assert "job tells nothing any more: every value was replaced by *." in page
    assert "Detail was given up in country, age and income:" in page
    inside = internal_release_html(manifest, INTERNAL, MADE, extra=release_extra())
    assert all("In job every value was replaced by *." in text for text in (page, inside))


def test_detail_before_and_after_as_the_publisher_states_it():
    detail = {"age": Detail(2, lost=35, step=5), "zip": Detail(3, lost=0), "sex": Detail(2)}
    manifest = public_manifest(detail=detail)
    facts = public_facts(manifest, MADE.public_checks)
    assert [(d.column, d.lost_before, d.lost_after, d.values) for d in facts.detail] == [
        ("age", "0 %", "about 35 %", "2"),
        ("zip", "0 %", "0 %", "3"),
        ("sex", "0 %", "not stated: too few values", "2"),
    ]
    page = public_release_html(manifest, MADE.public_checks)
    assert "Detail lost after (stated)" in page
    assert "cannot be recomputed from this file" in page
    assert "states only how much detail was lost" in page
    assert "not stated for this file" not in page


def test_a_file_without_such_figures_says_so():
    assert "How much detail was lost is not stated for this file." in public_page()
    assert "The page claims nothing beyond these numbers." in public_page()


def swapped_only():
    """The manifest of a release of swaps alone: no key columns, k is the number of rows."""
    return public_manifest(
        columns=(
            ReleasedColumn("area", ("insensitive",), exchanged=True),
            ReleasedColumn("age", ("insensitive",)),
        ),
        promises={"k": 97, "rows": 97, "classes": 1},
        suppressed=0,
    )


def test_swaps_alone_promise_nothing_about_persons_and_say_so():
    manifest = swapped_only()
    inside = internal_manifest(input_rows=97, suppressed=0, values={"k": 97}, levels={})
    made = verification(manifest, inside)
    facts = public_facts(manifest, made.public_checks)
    assert (facts.quasi, facts.passed, facts.exchanged) == ((), ("area", "age"), ("area",))
    assert facts.promises[0].long == "all rows as one class (k without key columns)"
    assert facts.promises[0].repeat == "count the rows of the file: without key columns this is k"
    for page in (
        public_release_html(manifest, made.public_checks),
        internal_release_html(manifest, inside, made, extra=ReleaseExtra()),
    ):
        assert "No single person is protected" in page
        assert "its number of rows, 97, and says nothing" in page
        assert "smallest class (k)" not in page.lower()


def test_the_public_page_holds_nothing_internal():
    """Checks that only insiders can make may be handed in by mistake; they are not listed."""
    slipped = (*MADE.checks, Check("worst_risk", CANARY, CANARY, holds=True, note=CANARY))
    page = public_release_html(PUBLIC, slipped)
    secrets = (CANARY, "424242", INTERNAL.shuffle_key, INTERNAL.job_digest, "mean class size",
               "re-identification", "highest risk", "Loss", "exhaustive")  # fmt: skip
    assert [text for text in secrets if text and text in page] == []
    assert "&lt;k" in page
    assert "paretonym verify DIR" in page


def test_the_internal_page_tells_everything_but_the_key():
    page = internal_page()
    assert CANARY in page  # the control of the test above
    assert "424242" in page
    assert INTERNAL.job_digest in page
    assert INTERNAL.shuffle_key not in page
    assert "shuffled with a secret key" in page


def test_internal_facts():
    facts = internal_facts(PUBLIC, INTERNAL, MADE, release_extra())
    assert facts.ok
    assert facts.balanced
    assert facts.stated == (("security: doubt that is left about secrets", "50.0 %"),)
    assert [(bar.label, bar.shown) for bar in facts.losses] == [
        ("age", "37.0 %"),
        ("zip", "3.00 %"),
    ]
    assert facts.formula_cells == (("illness", 2),)


def test_rows_that_do_not_add_up_are_a_failure():
    lost = replace(INTERNAL, suppressed=2)
    assert not internal_facts(PUBLIC, lost, MADE, release_extra()).balanced
    page = internal_release_html(PUBLIC, lost, MADE, extra=release_extra())
    assert "100 in ≠ 97 out + 2 suppressed" in page
    assert "Do not publish." in page


def test_a_verification_without_checks_is_no_success():
    page = internal_release_html(PUBLIC, INTERNAL, Verification((), True), extra=release_extra())
    assert "checks hold" not in page


def test_who_lost_rows_the_largest_share_first():
    facts = group_column("x", [("a", 5, 1000), ("b", 2, 4), (None, 1, 4), ("c", 0, 9)])
    assert [(g.label, g.share) for g in facts.groups] == [
        ("b", 0.5),
        ("(missing)", 0.25),
        ("a", 0.005),
    ]


def test_bars_of_all_columns_have_one_scale():
    """Half of the canary's rows were lost, three of ten without a ZIP code."""
    page = internal_page()
    widths = re.findall(r'width="([0-9.]+)" height="18" fill="#\w+"><title>([^:]+): \d+ of', page)
    assert {name: float(width) for width, name in widths} == {
        CANARY: 280.0, "cold": pytest.approx(280 / 18, abs=0.1), "(missing)": 168.0
    }  # fmt: skip


def test_columns_that_are_not_broken_down_are_named():
    columns = (
        *PUBLIC.columns, ReleasedColumn("visit", ("insensitive",)), ReleasedColumn("w", ("weight",))
    )  # fmt: skip
    facts = internal_facts(public_manifest(columns=columns), INTERNAL, MADE, release_extra())
    assert facts.undivided == (
        ("too many values to show one by one", ("age",)),
        ("passed through, so not counted in classes", ("visit", "w")),
    )
    assert "Not broken down: age (too many values to show one by one)." in internal_page()


def test_many_groups_are_summed_up():
    facts = group_column("x", [(f"v{i}", 1, i + 1) for i in range(20)])
    assert (len(facts.groups), facts.left_out, facts.left_out_lost) == (15, 5, 5)


def test_class_sizes_one_by_one_or_in_round_bins():
    assert [(b.label, b.value) for b in class_size_bars([(7, 1), (5, 3)])] == [
        ("5", 3),
        ("6", 0),
        ("7", 1),
    ]
    # the first bin starts at k, not below it
    bars = class_size_bars([(6, 3), (8, 2), (12, 2), (420, 1)])
    assert [(b.label, b.value) for b in bars] == [
        ("6–9", 5),
        ("10–19", 2),
        ("20–49", 0),
        ("50–99", 0),
        ("100–199", 0),
        ("200–499", 1),
    ]
    assert class_size_bars([]) == ()


def test_names_from_the_data_are_escaped():
    evil = "<script>alert(1)</script>"
    columns = (ReleasedColumn(evil, ("quasi",), 1, evil, "d" * 64), ReleasedColumn(evil + "2", ()))
    manifest = public_manifest(
        columns=columns,
        data=DataFile("data.csv", "a" * 64, "csv", missing=(evil,), neutralised=True),
        promises={"k": 2, "rows": 9, "classes": 3, f"distinct_l({evil})": 2},
        formula_cells={evil: "<k"},
    )
    internal = internal_manifest(formula_cells={evil: 1}, accepted=(evil,), files={evil: "e" * 64})
    extra = release_extra(
        changes=(ColumnChange(evil, 2, 1, 0.5, loss=0.5),),
        suppressed_by_group={evil: [(evil, 1, 2)]},
        notes=(evil,),
        before={evil: 1},
        dropped=(evil,),
        omitted=(evil,),
        reasons=((evil, evil),),
    )
    about = About(*[evil] * 6)
    made = verification(manifest, internal)
    for page in (
        public_release_html(manifest, made.public_checks, about=about),
        internal_release_html(manifest, internal, made, extra=extra, about=about),
    ):
        assert_well_formed(page)
        assert "<script" not in page
        assert "&lt;script&gt;" in page
