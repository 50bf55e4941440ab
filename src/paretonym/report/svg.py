"""A small plotter: scatters and bars as inline SVG that needs no script and no font file.

Colours are from the Okabe–Ito set, which people with any colour vision can tell apart, and
the shapes differ as well, so that a grey print says the same.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from html import escape

from paretonym.report.scale import Axis, make_axis

BLUE, ORANGE, CLOUD, INK, GRID = "#0072B2", "#D55E00", "#9AA5B1", "#1F2933", "#E4E7EB"
_FONT = 'font-family="system-ui, sans-serif"'
Point = tuple[float, float]


@dataclass(frozen=True, slots=True)
class Marker:
    """One highlighted point and the words that a reader gets on pointing at it."""

    x: float
    y: float
    title: str = ""
    strong: bool = True


@dataclass(frozen=True, slots=True)
class Bar:
    label: str
    value: float
    shown: str
    title: str = ""


@dataclass(frozen=True, slots=True)
class Frame:
    """The plotting area inside a drawing."""

    width: int
    height: int
    left: int
    right: int = 18
    top: int = 16
    bottom: int = 52

    def x(self, axis: Axis, value: float) -> float:
        return self.left + axis.share(value) * (self.width - self.left - self.right)

    def y(self, axis: Axis, value: float) -> float:
        return self.base - axis.share(value) * (self.base - self.top)

    @property
    def base(self) -> int:
        return self.height - self.bottom

    @property
    def edge(self) -> int:
        return self.width - self.right


@dataclass(slots=True)
class Canvas:
    """Collects elements; every text that comes in is escaped here."""

    width: int
    height: int
    label: str
    items: list[str] = field(default_factory=list)

    def text(
        self, x: float, y: float, words: str, *, anchor: str = "middle", extra: str = ""
    ) -> None:
        self.items.append(
            f'<text x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}"{extra}>{escape(words)}</text>'
        )

    def line(self, x1: float, y1: float, x2: float, y2: float, colour: str = GRID) -> None:
        self.items.append(
            f'<path d="M{x1:.1f} {y1:.1f}L{x2:.1f} {y2:.1f}" stroke="{colour}" fill="none"/>'
        )

    def titled(self, shape: str, title: str, close: str) -> None:
        hint = f"<title>{escape(title)}</title>" if title else ""
        self.items.append(f"{shape}>{hint}</{close}>")

    def render(self) -> str:
        return (
            f'<svg viewBox="0 0 {self.width} {self.height}" width="{self.width}" '
            f'height="{self.height}" role="img" aria-label="{escape(self.label)}" {_FONT} '
            f'font-size="12" fill="{INK}">{"".join(self.items)}</svg>'
        )


def scatter(
    *,
    x_axis: Axis,
    y_axis: Axis,
    x_label: str,
    y_label: str,
    markers: Sequence[Marker],
    cloud: Iterable[Point] = (),
    steps: Sequence[Point] = (),
    label: str,
    width: int = 540,
    height: int = 360,
) -> str:
    """Highlighted points over a grey cloud, with a step line along the best ones."""
    canvas = Canvas(width, height, label)
    widest = max((len(name) for _, name in y_axis.ticks), default=1)
    frame = Frame(width, height, left=34 + 7 * widest)
    axes(canvas, frame, x_axis, y_axis, x_label, y_label)
    _cloud(canvas, frame, x_axis, y_axis, cloud)
    if len(steps) > 1:
        path = "L".join(f"{frame.x(x_axis, x):.1f} {frame.y(y_axis, y):.1f}" for x, y in steps)
        canvas.items.append(f'<path d="M{path}" stroke="{BLUE}" stroke-width="1.6" fill="none"/>')
    _markers(canvas, frame, x_axis, y_axis, markers)
    return canvas.render()


def axes(
    canvas: Canvas, frame: Frame, x_axis: Axis, y_axis: Axis, x_label: str, y_label: str
) -> None:
    for value, name in y_axis.ticks:
        y = frame.y(y_axis, value)
        canvas.line(frame.left, y, frame.edge, y)
        canvas.text(frame.left - 8, y + 4, name, anchor="end")
    for value, name in x_axis.ticks:
        x = frame.x(x_axis, value)
        canvas.line(x, frame.base, x, frame.base + 5, CLOUD)
        canvas.text(x, frame.base + 20, name)
    canvas.line(frame.left, frame.base, frame.edge, frame.base, INK)
    middle = (frame.top + frame.base) / 2
    log_x, log_y = (" (log scale)" if axis.log else "" for axis in (x_axis, y_axis))
    canvas.text((frame.left + frame.edge) / 2, frame.height - 10, x_label + log_x, extra=_BOLD)
    turn = f' transform="rotate(-90 14 {middle:.1f})"{_BOLD}'
    canvas.text(14, middle, y_label + log_y, extra=turn)


_BOLD = ' font-weight="600"'


def _cloud(
    canvas: Canvas, frame: Frame, x_axis: Axis, y_axis: Axis, cloud: Iterable[Point]
) -> None:
    # points that fall on one pixel are drawn once; one path keeps the file small
    places = {(round(frame.x(x_axis, x)), round(frame.y(y_axis, y))): None for x, y in cloud}
    if places:
        path = "".join(f"M{x} {y}h0" for x, y in places)
        canvas.items.append(
            f'<path d="{path}" stroke="{CLOUD}" stroke-width="3" stroke-linecap="round" '
            f'opacity="0.55" fill="none"/>'
        )


def _markers(
    canvas: Canvas, frame: Frame, x_axis: Axis, y_axis: Axis, markers: Sequence[Marker]
) -> None:
    # the strong ones last, on top
    seen: dict[tuple[str, str], Marker] = {}
    for marker in sorted(markers, key=lambda m: m.strong):
        place = f"{frame.x(x_axis, marker.x):.1f}", f"{frame.y(y_axis, marker.y):.1f}"
        seen.pop(place, None)
        seen[place] = marker
    for (x, y), marker in seen.items():
        paint = (
            f'r="4.2" fill="{BLUE}" stroke="#fff"'
            if marker.strong
            else f'r="3" fill="#fff" stroke="{ORANGE}" stroke-width="1.2"'
        )
        canvas.titled(f'<circle cx="{x}" cy="{y}" {paint}', marker.title, "circle")


def columns(
    bars: Sequence[Bar],
    *,
    x_label: str,
    y_label: str,
    label: str,
    width: int = 600,
    height: int = 300,
) -> str:
    """A histogram: one upright bar for each bin, in the order given."""
    canvas = Canvas(width, height, label)
    axis = make_axis([bar.value for bar in bars], from_zero=True)
    widest = max((len(name) for _, name in axis.ticks), default=1)
    turned = max((len(bar.label) for bar in bars), default=0) * 7 > (width - 90) / max(len(bars), 1)
    frame = Frame(width, height, left=34 + 7 * widest, bottom=86 if turned else 52)
    bins = Axis(0.0, float(max(len(bars), 1)), ())
    axes(canvas, frame, bins, axis, x_label, y_label)
    pitch = (frame.edge - frame.left) / max(len(bars), 1)
    for index, bar in enumerate(bars):
        x, y = frame.left + pitch * index, frame.y(axis, bar.value)
        middle = x + pitch / 2
        wide = min(pitch * 0.76, 72.0)
        shape = (
            f'<rect x="{middle - wide / 2:.1f}" y="{y:.1f}" width="{wide:.1f}" '
            f'height="{max(frame.base - y, 0):.1f}" fill="{BLUE}"'
        )
        canvas.titled(shape, bar.title, "rect")
        if turned:
            turn = f' transform="rotate(-45 {middle:.1f} {frame.base + 14})"'
            canvas.text(middle, frame.base + 14, bar.label, anchor="end", extra=turn)
        else:
            canvas.text(middle, frame.base + 18, bar.label)
    return canvas.render()


def rows(
    bars: Sequence[Bar], *, label: str, longest: float, whole: bool = False, width: int = 600
) -> str:
    """Bars that lie: a name, a bar and its value on each line.

    A value of `longest` takes all the room; `whole` shades it, as what a share is part of.
    """
    pitch, name_width, value_width = 26, 190, 130
    canvas = Canvas(width, pitch * len(bars) + 8, label)
    room = width - name_width - value_width
    for index, bar in enumerate(bars):
        y = pitch * index + 6
        share = min(max(bar.value / longest, 0.0), 1.0)
        canvas.text(name_width - 10, y + 14, shortened(bar.label, 26), anchor="end")
        if whole:
            canvas.items.append(
                f'<rect x="{name_width}" y="{y}" width="{room}" height="18" fill="{GRID}"/>'
            )
        shape = (
            f'<rect x="{name_width}" y="{y}" width="{share * room:.1f}" height="18" fill="{BLUE}"'
        )
        canvas.titled(shape, bar.title or bar.label, "rect")
        canvas.text(name_width + room + 10, y + 14, bar.shown, anchor="start")
    return canvas.render()


def shortened(text: str, most: int) -> str:
    return text if len(text) <= most else text[: most - 1] + "…"
