"""Tables and points of how outliers before and after masking depend on alpha."""

from __future__ import annotations

from paretonym.papers.facts import NOTHING, PrintedTable
from paretonym.papers.page import DISC, DOT, RING, PanelFacts, Series
from paretonym.papers.protect.facts import AlphaRow, Left, ProtectFacts, RegionFacts
from paretonym.report.words import number, percent

_FIGURE = "Alpha of the technique: Chertov and Tavrov's (2017) open question"


def printed_alphas(facts: ProtectFacts) -> PrintedTable:
    count = len(facts.printed)
    return PrintedTable(
        "Chertov and Tavrov 2017, Table 3: its solutions at other alphas",
        "The same signals, judged at other alphas than the 1 % at which they were selected. "
        "Masked: neither area 5 nor area 29 stands out.",
        ("alpha", "outliers of a signal, mean", "solutions that stay masked"),
        tuple(
            (percent(one.alpha), f"{one.outliers:.2f}", f"{one.masked} of {count}")
            for one in facts.printed_alphas
        ),
    )


def alpha_tables(one: RegionFacts) -> PrintedTable:
    faults = [f" At {percent(row.alpha)}: {row.fault}." for row in one.alphas if row.fault]
    return PrintedTable(
        f"{one.title}: {one.name}, outliers by alpha",
        f"Numbers of areas that stand out, and in brackets how many of them were to be masked. "
        f"The job's alpha is {percent(one.alpha)}. Flow and published: their solutions at that "
        f"alpha (compatibility 0.5), judged at others. Own: at each alpha its own outliers are "
        f"masked by the flow; what that costs, what is left at that alpha, and what is left at "
        f"{percent(one.alphas[-1].alpha)}." + "".join(faults),
        ("alpha", "before", "flow", "published", "own: distortion", "swaps", "left",
         f"left at {percent(one.alphas[-1].alpha)}"),
        tuple(map(_row, one.alphas)),
    )  # fmt: skip


def _row(row: AlphaRow) -> tuple[str, ...]:
    judged = (percent(row.alpha), number(row.before), _left(row.masked), _left(row.evolved))
    own = row.own
    if own is None:
        return (*judged, *[NOTHING] * 4)
    costs = number(own.distortion), number(own.swaps)
    return (*judged, *costs, _left(own.left), _left(own.left_at_largest))


def _left(one: Left | None) -> str:
    return NOTHING if one is None else f"{one.all} ({one.old})"


def alpha_panels(facts: ProtectFacts) -> tuple[PanelFacts, ...]:
    return tuple(map(_panel, facts.every_region))


def _panel(one: RegionFacts) -> PanelFacts:
    def series(name: str, values: list[int | None], paint: str) -> Series:
        pairs = zip(one.alphas, values, strict=True)
        drawn = [(row.alpha * 100, float(value)) for row, value in pairs if value is not None]
        return Series(name, tuple(drawn), paint)

    def counts(found: list[Left | None]) -> list[int | None]:
        return [None if left is None else left.all for left in found]

    own = [None if row.own is None else row.own.left_at_largest for row in one.alphas]
    return PanelFacts(
        _FIGURE,
        f"{one.title}, {one.name}",
        "alpha, %",
        "areas that stand out",
        (
            series("before", [row.before for row in one.alphas], DISC),
            series(f"masked at {percent(one.alpha)}", counts([r.masked for r in one.alphas]), RING),
            series(f"masked there, seen at {percent(one.alphas[-1].alpha)}", counts(own), DOT),
        ),
        log_x=True,
    )
