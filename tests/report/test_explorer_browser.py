"""The one-file page in a browser: what it shows, what it asks for, how it is used."""

from __future__ import annotations

import copy
import hashlib
import math
import random
import re

import pytest
from explorer_cases import BASIS, MEASURES, ROWS, encoded, front_view, measure
from tests.support.browsing import AXE, TORN_WORDS, new_context

from paretonym.report import words
from paretonym.report.explorer_page import explorer_html


@pytest.fixture(scope="module")
def files(tmp_path_factory):
    folder = tmp_path_factory.mktemp("explorer")
    made = {"plain": front_view(1500), "hostile": front_view(400, hostile=True)}
    made["single"] = front_view(1)
    made["single"]["points"]["values"]["s_k"] = encoded([math.nan], "<f8")
    made["wordy"] = front_view(1500)
    made["wordy"]["measures"][4] |= {"short": "discernibility"}
    for name, view in made.items():
        (folder / f"{name}.html").write_text(explorer_html(view), encoding="utf-8")
    return folder, made


@pytest.fixture
def visit(browser, files):
    """Opens a page; at the end it must have complained of nothing and asked for nothing."""
    folder, made = files
    contexts, complaints, asked = [], [], []

    def go(name="plain", address="", *, width=1440, bypass_csp=False):
        context = new_context(
            browser,
            viewport={"width": width, "height": 900},
            bypass_csp=bypass_csp,
            offline=True,
        )
        contexts.append(context)
        page = context.new_page()
        page.on("console", lambda message: complaints.append(message.text))
        page.on("pageerror", lambda error: complaints.append(str(error)))
        page.on("request", lambda request: asked.append(request.url.split("#")[0]))
        page.goto((folder / f"{name}.html").as_uri() + address)
        ready = "node" if address.startswith("#node?") else "drawn"
        page.wait_for_function(f"() => document.documentElement.dataset.{ready}")
        return page, made[name]

    yield go
    for context in contexts:
        context.close()
    assert complaints == []
    assert {url.rsplit("/", 1)[1] for url in asked} <= {f"{n}.html" for n in made}


def node_address(view, first, second=None):
    def query(index, levels, below):
        node = view["details"][str(index)]
        return f"{levels}={'.'.join(map(str, node['levels']))}&{below}={node['below']}"

    address = "#node?" + query(first, "levels", "below")
    return address if second is None else f"{address}&{query(second, 'other', 'other_below')}"


def shown(view, index):
    return [value["shown"] for value in view["details"][str(index)]["values"]]


def bar_numbers(page):
    """Objectives and suppressed rows first, then the others; here in the order of the measures."""
    return in_order(page.locator(".bar .chosen.selected").evaluate(NUMBERS))


NUMBERS = """line => Object.fromEntries([...line.querySelectorAll("dl > div")].map(
  one => [one.querySelector("dt").textContent, one.querySelector("dd").textContent]))"""


def in_order(numbers):
    return [numbers[words.short_name(name)] for name, *_ in MEASURES]


def row_cells(page, place):
    row = page.locator(f"table.grid [aria-rowindex='{place + 2}'] td")
    return row.all_text_contents()


# ---- words


def test_numbers_read_as_in_the_reports(visit):
    page, _ = visit()
    rng = random.Random(3)
    values = [0, 1, 2, 999, 1000, 12345, 10**12, 0.5, 2.5, 0.125, 2.25, 1234.5, 1235.5, 99.995]
    values += [1e-4, 9.9e-5, 1.2e-7, 0.00999, 0.1, 0.99999, 10**15, 1.2e19, 9.9999e17, 10**30]
    values += [round(10 ** rng.uniform(-6, 12), rng.randint(0, 6)) for _ in range(300)]
    values += [-value for value in values if value]
    # a GLM beyond any table differs in the sixteenth digit: the page multiplies by 100 / maximum
    cases = [(n, v) for n, *_ in MEASURES for v in values if n != "glm" or abs(v) < 1e15]
    said = page.evaluate(
        "([cases, measures, rows]) => cases.map(([name, value]) => "
        "Paretonym.shown(measures[name], value, rows))",
        [cases, {name: measure(name) for name, *_ in MEASURES}, ROWS],
    )
    wanted = [words.human(name, value, BASIS) for name, value in cases]
    differ = [(c, s, w) for c, s, w in zip(cases, said, wanted, strict=True) if s != w]
    assert differ == []
    extremes = "[Infinity, -Infinity, NaN].map(Paretonym.number)"
    assert page.evaluate(extremes) == [words.number(v) for v in (math.inf, -math.inf, math.nan)]


def test_shares_read_as_in_the_reports(visit):
    page, _ = visit()
    shares = [0, 1, 1e-9, -1e-9, 0.0001, 0.00125, 0.1, 0.09995, 0.125, 0.99999, 12.5, -0.5, 0.0625]
    shares += [0.9994, 0.9995, 0.9997, 0.99995, 0.999999, 1.0003, 1.00001, -0.9997, -1]
    assert page.evaluate("s => s.map(Paretonym.percent)", shares) == list(
        map(words.percent, shares)
    )


# ---- Front


def test_the_front_room_says_what_is_drawn(visit):
    page, view = visit()
    text = page.locator(".room-head").inner_text()
    assert (
        f"All 1,500 candidates looked at are drawn; {view['front_count']} are on the front" in text
    )
    assert "The front is complete for these hierarchies and objectives." in text


def ring_place(page):
    ring = page.locator(".rings .selected")
    return {axis: float(ring.get_attribute(f"c{axis}")) for axis in "xy"}


def test_a_click_on_a_point_shows_its_numbers(visit):
    page, view = visit()
    page.locator("table.grid [aria-rowindex='2']").click()
    first = bar_numbers(page)
    assert first == shown(view, 0)
    place = ring_place(page)
    page.get_by_role("button", name="k ≥ 50").click()
    assert bar_numbers(page) != first
    page.locator(".scatter").click(position=place)
    assert bar_numbers(page) == first
    levels = ".".join(map(str, view["details"]["0"]["levels"]))
    page.wait_for_function("part => location.hash.includes(part)", arg=f"levels={levels}")


def test_hovering_shows_every_measure(visit):
    page, view = visit()
    page.locator("table.grid [aria-rowindex='2']").click()
    page.locator(".scatter").hover(position=ring_place(page))
    page.locator(".tip").wait_for(state="visible")
    assert page.locator(".tip dd").all_text_contents() == shown(view, 0)


def test_bounds_filter_and_stay_in_the_address(visit):
    page, view = visit()
    page.get_by_label("k ≥").fill("50")
    page.wait_for_function("() => location.hash.includes('bound_k=50')")
    kept = int(page.locator(".meet b").inner_text())
    assert 0 < kept < view["front_count"]
    assert page.locator("table.grid").get_attribute("aria-rowcount") == str(kept + 1)
    page.locator("table.grid th button").first.click()
    assert int(row_cells(page, 0)[0]) >= 50
    again, _ = visit(address="#" + page.url.split("#")[1])
    assert again.get_by_label("k ≥").input_value() == "50"
    assert int(again.locator(".meet b").inner_text()) == kept
    again.get_by_role("button", name="Clear bounds and levels").click()
    assert int(again.locator(".meet b").inner_text()) == view["front_count"]


def test_the_table_sorts_and_says_so(visit):
    page, _ = visit()
    head = page.locator("table.grid th").nth(1)
    head.get_by_role("button").click()
    assert head.get_attribute("aria-sort") == "ascending"
    up = float(row_cells(page, 0)[1].split()[0])
    head.get_by_role("button").click()
    assert head.get_attribute("aria-sort") == "descending"
    assert float(row_cells(page, 0)[1].split()[0]) > up
    assert page.locator("table.grid th[aria-sort]").count() == 1


def test_all_candidates_scroll_without_being_in_the_page(visit):
    page, _ = visit()
    page.get_by_label("all candidates, not only the front").check()
    assert page.locator("table.grid").get_attribute("aria-rowcount") == "1501"
    assert page.locator("table.grid tr[aria-rowindex]").count() < 60
    page.locator("table.grid").focus()
    page.keyboard.press("End")
    assert page.locator("table.grid tr.active").get_attribute("aria-rowindex") == "1501"


def test_keys_alone_choose_a_point(visit):
    page, view = visit()
    page.locator("table.grid").focus()
    for _ in range(3):
        page.keyboard.press("ArrowDown")
    page.keyboard.press("Enter")
    assert bar_numbers(page) == shown(view, 3)
    assert page.locator("table.grid tr[aria-selected=true]").get_attribute("aria-rowindex") == "5"
    page.locator(".scatter").focus()
    page.keyboard.press("ArrowLeft")
    assert bar_numbers(page) != shown(view, 3)


def test_levels_filter_table_and_scatter(visit):
    page, view = visit()
    page.locator("fieldset", has_text="sex").get_by_label("1 any sex").check()
    page.wait_for_function("() => location.hash.includes('only_2=1')")
    kept = int(page.locator(".meet b").inner_text())
    assert 0 < kept < view["front_count"]
    chip = page.locator("fieldset", has_text="sex").locator(".level", has_text="any sex")
    assert int(chip.locator(".count").inner_text()) == kept
    assert all(
        "any sex" in cell
        for cell in page.locator("table.grid td:nth-child(10)").all_text_contents()
    )


def test_axes_swap_instead_of_showing_one_measure_twice(visit):
    page, _ = visit()
    page.get_by_label("Across").select_option("glm")
    assert page.get_by_label(re.compile("^Up ")).input_value() == "k"
    page.wait_for_function("() => location.hash.includes('x=glm')")


def test_zoom_and_reset(visit):
    page, _ = visit()
    page.get_by_role("button", name="k ≥ 5", exact=True).click()
    before = page.locator(".rings .selected").get_attribute("cx")
    page.get_by_role("button", name="Zoom in").click()
    page.wait_for_function(
        "old => document.querySelector('.rings .selected').getAttribute('cx') !== old", arg=before
    )
    page.get_by_role("button", name="Reset zoom").click()
    page.wait_for_function(
        "old => document.querySelector('.rings .selected').getAttribute('cx') === old", arg=before
    )


def test_comparing_two_points_from_the_front(visit):
    page, view = visit()
    rows = page.locator("table.grid tr[aria-rowindex]")
    rows.nth(1).click()
    page.get_by_role("button", name="Compare with…").click()
    rows.nth(2).click()
    assert in_order(page.locator(".bar .chosen.other").evaluate(NUMBERS)) == shown(view, 1)
    page.get_by_role("button", name="Open both").click()
    page.get_by_role("heading", name="Two candidates side by side").wait_for()
    assert node_address(view, 0, 1) in page.url
    page.go_back()
    page.locator(".bar .chosen.other").wait_for()


@pytest.mark.parametrize(("width", "height"), [(1440, 900), (1280, 720), (375, 812)])
def test_the_chosen_point_takes_one_line_and_leaves_the_picture_in_sight(visit, width, height):
    page, _ = visit(width=width)
    page.set_viewport_size({"width": width, "height": height})
    page.get_by_role("button", name="k ≥ 5", exact=True).click()
    bar = page.locator(".bar")
    assert bar.locator(".chosen > dl dt").all_text_contents() == [
        "k", "GLM", "ℓ of illness", "suppressed",
    ]  # fmt: skip
    assert not bar.locator(".levels").is_visible()
    assert bar.bounding_box()["height"] <= (66 if width > 1000 else 0.2 * height)
    if width > 1000:  # beside each other; on a narrow screen the picture is scrolled to
        page.evaluate("scrollTo(0, 0)")
        plot = page.locator(".scatter").bounding_box()
        assert plot["y"] + plot["height"] <= bar.bounding_box()["y"]
    bar.get_by_text("Levels and other measures").click()
    page.get_by_role("button", name="k ≥ 10", exact=True).click()
    assert bar.locator(".levels").is_visible()


def test_a_single_point_and_a_value_that_is_not_known(visit):
    page, _ = visit("single", "#front?x=s_k&y=glm")
    page.locator("table.grid [aria-rowindex='2']").click()
    assert bar_numbers(page)[4] == "not known"
    page.get_by_label("k ≥").fill("1000000")
    page.get_by_text("No point meets these bounds and levels.").wait_for()


# ---- Node


def test_the_node_room_shows_the_details(visit):
    page, view = visit()
    page.locator("table.grid [aria-rowindex='2']").click()
    page.get_by_role("button", name="Open in Node").click()
    page.get_by_role("heading", name="One candidate").wait_for()
    node = view["details"]["0"]
    table = page.get_by_role("region", name="All measures")
    assert table.locator("td").all_text_contents() == shown(view, 0)
    worst = node["privacy"][0]["worst"]
    text = page.locator(".node-room").inner_text()
    assert f"Worst off: {words.number(worst['people'])} people" in text
    assert f"with {words.number(worst['value'])}." in text
    assert "Rows are shown only in the app, because a file gets passed around." in text
    lost = page.get_by_role("region", name="Rows lost by age").locator("tbody tr")
    assert lost.first.inner_text().startswith("(missing)")
    assert page.locator("figure").count() == page.locator("figure details table").count() == 3


def test_columns_that_pass_through_stand_beside_the_others(visit):
    _, made = visit()
    page, view = visit(address=node_address(made, 0))
    section = page.locator(".node-section", has_text="Before and after")
    names = [one["column"] for one in view["details"]["0"]["distributions"]]
    assert section.locator("h3").all_text_contents() == names
    assert names[-1] == "came by"
    left = section.get_by_text("Not compared:").inner_text()
    assert left.endswith("(it has 1,234 values, more than 1,000).")


def test_a_column_at_two_levels_has_a_panel_for_each_candidate(visit):
    _, made = visit()
    page, view = visit(address=node_address(made, 0, 2))
    heads = page.locator(".node-section", has_text="Before and after").locator("h3")
    first, second = (view["details"][i]["losses"] for i in "02")
    said = []
    for one, other in zip(first, second, strict=True):
        same = one["level"] == other["level"]
        said += [one["column"] + whose for whose in ([""] if same else [", first", ", second"])]
    assert heads.all_text_contents() == [*said, "came by"]
    assert len(said) > len(first)


def test_before_and_after_says_what_shifts_a_column(visit):
    """Coarsening is told by the numbers of values, rows left out by the shift."""
    _, made = visit()
    page, _ = visit(address=node_address(made, 0))
    panels = page.locator(".node-section", has_text="Before and after").locator(".panel > p")
    said = panels.all_text_contents()
    assert said[0] == (
        "Quasi-identifier; 590 values → 11. "
        "Shift caused by rows left out, at this level of detail: 2.13 %."
    )
    assert said[-1] == "Passed through; 590 values → 0. Shift caused by rows left out: –."


def test_two_nodes_mark_the_better_side(visit):
    _, made = visit()
    page, view = visit(address=node_address(made, 0, 2))
    rows = page.get_by_role("region", name="All measures side by side").locator("tbody tr")
    for value, row in zip(
        zip(shown(view, 0), shown(view, 2), strict=True), rows.all(), strict=True
    ):
        cells = [
            cell.replace(" (better)", "").replace(" ✓", "")
            for cell in row.locator("td").all_text_contents()
        ]
        assert cells == list(value)
    first = rows.first.locator("td").all_text_contents()
    k = [view["details"][str(i)]["values"][0]["value"] for i in (0, 2)]
    assert "better" in first[0 if k[0] > k[1] else 1]
    # row 0, column 2 of eight columns, and the other way round
    text = page.locator(".node-room").inner_text()
    assert "first over second 2, second over first 16. The second is ahead." in text


def test_a_point_without_details_shows_what_is_known(visit):
    page, view = visit(address="#front?all=1&sort=k&down=1")
    last = view["picks"][1]["index"]
    assert str(last) not in view["details"]
    page.get_by_role("button", name="k ≥ 5", exact=True).click()
    numbers = bar_numbers(page)
    page.get_by_role("button", name="Open in Node").click()
    page.get_by_role("alert").filter(has_text="holds the details of 8 points").wait_for()
    assert (
        page.get_by_role("region", name="All measures").locator("td").all_text_contents() == numbers
    )


LIVE_ROOM = """([view, address]) => {
  const file = Paretonym.fileSource(view);
  const both = {property: "k", says: "people in the own class", a_over_b: 5, b_over_a: 9,
    better_a: 1, better_b: 1200, equal: 30};
  const source = {...file, live: true,
    compare: (a, b) => file.compare(a, b).then(found => ({...found, spread: [both]})),
    preview: (levels) => levels[0] === view.details[0].levels[0]
      ? Promise.resolve({columns: ["age"], rows: [["<b>40</b>"], [null]], released: 9})
      : Promise.reject(new Error("no rows today"))};
  const context = {source, address: new URLSearchParams(address), set() {}, go() {}, say() {}};
  window.leave = Paretonym.rooms.node.open(document.getElementById("room"), context);
}"""


@pytest.mark.parametrize("second", [None, 2])
def test_a_measure_says_which_way_is_better_and_who_is_counted(visit, second):
    """The mean over all rows and the mean of the released are different numbers."""
    _, made = visit()
    page, _ = visit(address=node_address(made, 0, second))
    names = page.get_by_role("region", name="All measures").locator("tbody th")
    said = dict(zip((name for name, *_ in MEASURES), names.all_inner_texts(), strict=True))
    assert said["k"].endswith("more is better")
    assert said["glm"].endswith("less is better")
    assert said["s_k"].endswith("more is better; a row left out counts 0")
    assert "better" not in said["secure"]
    assert "the mean of the released is" in page.locator("#room").inner_text()


def bars_of(page, column):
    """Label of each group, and of its bars the kind, the width in pixels and the number."""
    rows = page.get_by_role("region", name=f"Rows lost by {column}").locator("tbody tr")
    return rows.evaluate_all(
        """rows => rows.map(row => [row.querySelector("bdi, .missing").textContent,
          [...row.querySelectorAll(".pair")].map(pair => [
            pair.querySelector(".fill").className, pair.querySelector(".fill").offsetWidth,
            pair.querySelector(".amount").textContent])])"""
    )


@pytest.mark.parametrize("width", [1440, 375])
def test_bars_of_lost_rows_share_one_scale_and_are_wide_enough(visit, width):
    """20 % of one column is twice as long as 10 % of another."""
    _, made = visit()
    page, _ = visit(address=node_address(made, 0), width=width)
    (missing, *_), sexes = bars_of(page, "age"), dict(bars_of(page, "sex"))
    assert missing[0] == "(missing)"
    (_, long, said), (_, short, _) = missing[1][0], sexes["m"][0]
    assert said == "20.0 %"
    assert long == pytest.approx(2 * short, abs=2)
    tracks = page.locator(".node-section", has_text="Who lost rows").locator(".track")
    assert min(tracks.evaluate_all("all => all.map(one => one.offsetWidth)")) >= 90


def test_two_candidates_stand_beside_each_other_in_every_group(visit):
    _, made = visit()
    page, view = visit(address=node_address(made, 0, 2))
    section = page.locator(".node-section", has_text="Who lost rows")
    assert section.locator("h3").all_text_contents() == ["age", "sex"]
    bars = dict(bars_of(page, "sex"))["f"]
    assert [kind for kind, *_ in bars] == ["fill after", "fill second"]
    lost = [view["details"][i]["lost"][1]["rows"][0]["lost"] for i in "02"]
    assert [said for *_, said in bars] == [words.percent(number / 100) for number in lost]
    assert f"{lost[0]} and {lost[1]} of 100 rows" in section.inner_text()


def test_with_a_server_rows_are_shown_and_errors_stay_in_place(visit):
    page, view = visit()
    levels = view["details"]["0"]["levels"]
    other = next(i for i, n in view["details"].items() if n["levels"][0] != levels[0])
    address = node_address(view, 0, other).removeprefix("#node?")
    page.evaluate(LIVE_ROOM, [view, address])
    page.get_by_text("2 rows of 9 released, as they would be written.").wait_for()
    assert page.get_by_role("region", name="Preview").locator("td").all_text_contents() == [
        "<b>40</b>",
        "(missing)",
    ]
    page.get_by_role("alert").filter(has_text="no rows today").wait_for()
    said = (
        "the first is better for 1 person, the second for 1,200 people, and for 30 people they "
        "are equal. Spread index: first over second 5, second over first 9. The second is ahead."
    )
    assert said in page.locator(".node-room").inner_text()
    assert page.evaluate("[...document.querySelectorAll('.plot')].every(echarts.getInstanceByDom)")
    page.evaluate("leave()")
    assert not page.evaluate(
        "[...document.querySelectorAll('.plot')].some(echarts.getInstanceByDom)"
    )


def test_an_unknown_point_is_an_error_in_place(visit):
    page, _ = visit(address="#node?levels=0.0.0.0.0.0&below=x")
    page.get_by_role("alert").filter(has_text="knows no such point").wait_for()
    page.get_by_role("link", name="Front").click()
    page.locator(".front-room").wait_for()


NO_CANDIDATES = {
    "levels=5.2.0.0": "it names 4 levels, and 6 columns have levels here",
    "levels=0.0.9.0.0.0": "sex has no level 9; its last is 1",
    "levels=abc": "levels are numbers joined by dots",
    "levels=0.0.0.0.0.0&other=9": "it names 1 level, and 6 columns have levels here",
}


@pytest.mark.parametrize("query", NO_CANDIDATES)
def test_an_address_that_cannot_be_says_why_and_offers_the_way_back(visit, query):
    """Also in the app, which could not release it."""
    page, view = visit(address=f"#node?{query}")
    page.evaluate(LIVE_ROOM, [view, query])
    page.get_by_role("alert").filter(has_text=NO_CANDIDATES[query]).wait_for()
    assert page.locator("#room button").all_text_contents() == ["Choose in Front"]
    assert "undefined" not in page.locator("#room").inner_text()


def test_what_the_server_refuses_is_not_offered_for_release(visit):
    page, view = visit()
    page.evaluate(LIVE_ROOM, [view, "levels=0.0.0.0.0.0&below=99"])
    page.get_by_role("alert").wait_for()
    assert page.locator("#room button").all_text_contents() == ["Show in Front"]


def test_nonsense_in_the_address_is_passed_over(visit):
    page, view = visit(address="#front?x=nothing&y=&bound_k=abc&only_0=99&levels=a.b&sort=none")
    assert page.get_by_label("Across").input_value() == "k"
    assert int(page.locator(".meet b").inner_text()) == view["front_count"]


# ---- every page


def test_keys_turn_to_the_rooms_but_not_while_typing(visit):
    page, _ = visit()
    page.locator("table.grid [aria-rowindex='2']").click()
    page.wait_for_function("() => location.hash.includes('levels=')")
    chosen = page.url
    page.keyboard.press("3")
    page.get_by_role("heading", name="No point chosen").wait_for()
    page.keyboard.press("2")
    page.locator(".front-room").wait_for()
    assert page.url == chosen
    page.get_by_label("k ≥").press("3")
    page.keyboard.press("Control+3")
    page.wait_for_function("() => location.hash.includes('bound_k=3')")
    assert page.locator(".front-room").is_visible()
    assert page.locator("nav a").evaluate_all("all => all.map(one => one.ariaKeyShortcuts)") == [
        "2",
        "3",
    ]


def darkest_at_the_cut(page, region):
    """How dark the empty part of a list's last pixels is, 0 to 255, as a browser draws it."""
    box = region.bounding_box()
    shot = page.screenshot(
        clip={"x": box["x"] + 16, "y": box["y"] + box["height"] - 5, "width": 6, "height": 3}
    )
    return page.evaluate(
        """async bytes => {
          const image = await createImageBitmap(new Blob([new Uint8Array(bytes)]));
          const brush = new OffscreenCanvas(image.width, image.height).getContext("2d");
          brush.drawImage(image, 0, 0);
          const {data} = brush.getImageData(0, 0, image.width, image.height);
          return Math.min(...data.filter((_, place) => place % 4 === 0));
        }""",
        list(shot),
    )


def test_a_list_that_goes_on_below_says_so(visit):
    """A shadow at the cut edge, until the end is reached."""
    _, made = visit()
    page, _ = visit(address=node_address(made, 0), width=800)
    region = page.get_by_role("region", name="Before and after: age")
    region.scroll_into_view_if_needed()
    assert darkest_at_the_cut(page, region) < 235
    region.evaluate("list => { list.scrollTop = list.scrollHeight; }")
    assert darkest_at_the_cut(page, region) > 250


def test_hostile_names_are_text(visit):
    page, _ = visit("hostile")
    page.locator("table.grid [aria-rowindex='2']").click()
    page.get_by_role("button", name="Open in Node").click()
    page.locator(".node-room").wait_for()
    assert page.evaluate("window.broken") is None
    assert page.locator("#room img, #room script").count() == 0
    longest = page.evaluate(
        "Math.max(...[...document.querySelectorAll('bdi')].map(one => one.textContent.length))"
    )
    assert longest <= 120
    assert page.locator("bdi:not([dir=auto])").count() == 0
    assert page.evaluate("Paretonym.plain('a\\u202eb')") == "a\ufffdb"


@pytest.mark.parametrize("width", [1440, 800, 375])
@pytest.mark.parametrize("name", ["plain", "hostile"])
def test_nothing_sticks_out(visit, width, name):
    page, view = visit(name, width=width)
    wide = "document.documentElement.scrollWidth <= document.documentElement.clientWidth"
    assert page.evaluate(wide)
    page, _ = visit(name, node_address(view, 0, 1), width=width)
    assert page.evaluate(wide)


WIDE_PREVIEW = """(view) => {
  const columns = ["workclass", "education", "occupation", "race", "sex", "salary-class"];
  const row = ["Private", "University", "Professional", "White", "Female", "more than 50,000"];
  const source = {...Paretonym.fileSource(view), live: true,
    preview: () => Promise.resolve({columns, rows: [row, row], released: 2})};
  const address = new URLSearchParams(location.hash.split("?")[1]);
  const context = {source, address, set() {}, go() {}, say() {}};
  Paretonym.rooms.node.open(document.getElementById("room"), context);
}"""


@pytest.mark.parametrize("width", [1440, 1280, 800, 375])
def test_no_word_is_torn_apart(visit, width):
    page, view = visit("wordy", width=width)
    assert page.evaluate(TORN_WORDS, "#room") == []
    page.locator("table.grid [aria-rowindex='2']").click()
    assert page.evaluate(TORN_WORDS, ".bar") == []
    page, _ = visit("wordy", node_address(view, 0, 1), width=width)
    assert page.evaluate(TORN_WORDS, "#room") == []
    page.evaluate(WIDE_PREVIEW, view)
    page.get_by_role("region", name="Preview").first.wait_for()
    assert page.evaluate(TORN_WORDS, "#room") == []


AXE_RUN = """axe.run(document, {
  runOnly: ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"],
  resultTypes: ["violations"],
})"""


@pytest.mark.parametrize("room", ["front", "choose", "node", "both"])
def test_no_serious_fault_of_accessibility(visit, files, room):
    readme = (AXE.parent / "README.md").read_text(encoding="utf-8")
    assert hashlib.sha256(AXE.read_bytes()).hexdigest() in readme
    view = files[1]["hostile"]
    addresses = {"node": node_address(view, 0), "both": node_address(view, 0, 1)}
    page, _ = visit("hostile", addresses.get(room, ""), bypass_csp=True)
    if room == "front":
        page.get_by_label("k ≥").fill("2")
        page.locator("table.grid [aria-rowindex='2']").click()
    if room == "choose":
        page.get_by_role("link", name="Node").click()
        page.get_by_role("heading", name="No point chosen").wait_for()
    page.evaluate(AXE.read_text(encoding="utf-8"))
    found = [
        (fault["id"], [node["html"][:120] for node in fault["nodes"][:3]])
        for fault in page.evaluate(AXE_RUN)["violations"]
        if fault["impact"] in {"serious", "critical"}
    ]
    assert found == []


def test_the_page_says_nothing_that_no_file_can_hold(visit):
    page, view = visit(address="")
    page.goto(page.url.split("#")[0] + node_address(view, 0))
    page.locator(".node-room").wait_for()
    text = page.locator("body").inner_text()
    assert not re.search(r"\b(anonymous|safe|compliant)\b", text, re.IGNORECASE)


def test_a_row_is_counted_once_where_one_candidate_alone_names_its_value(visit):
    """The last value stands among the others of the second candidate: so it does for both."""
    page, made = visit()
    view = copy.deepcopy(made)
    second = view["details"]["2"]["distributions"][-1]
    hidden = second["bars"].pop()
    second["others"]["values"] += 1
    for part in ("before", "after"):
        second["others"][part] += hidden[part]
    address = node_address(view, 0, 2).removeprefix("#node?")
    page.evaluate(LIVE_ROOM, [view, address])
    panel = page.get_by_role("region", name="Before and after: came by")
    panel.wait_for()
    cells = panel.locator("tr").last.inner_text().split()
    # 33 rows of 7 others and the 40 of the hidden value; 20 of those are left in both
    assert cells == ["8", "other", "values", "73", "20", "20"]
