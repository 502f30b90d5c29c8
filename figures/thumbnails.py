"""The small picture of a data set in a list, as SVG: no axes, some strokes in the usual colours."""

from __future__ import annotations

from collections import defaultdict

from figures.theme import CLASS_COLORS, NO_CLASS
from mlcore.data.glimpses import SCALE, Glimpse

WIDTH, HEIGHT, MARGIN = 120, 72, 5
TOP = len(SCALE) - 1
SHADES = 8  # of grey: squares of one shade are one path


def thumbnail(it: Glimpse) -> str:
    """The picture of a glimpse as one SVG document, good on light and on dark; empty for none."""
    drawn = {"points": _points, "line": _line, "bars": _bars, "pixels": _pixels}.get(it.picture)
    if drawn is None:
        return ""
    box, inner = drawn(it)
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {box[0]} {box[1]}" '
        f'width="{WIDTH}" height="{HEIGHT}">{inner}</svg>'
    )


def _places(it: Glimpse) -> list[tuple[int, int]]:
    """Where points lie in the picture."""
    wide, high = WIDTH - 2 * MARGIN, HEIGHT - 2 * MARGIN
    return [
        (MARGIN + round(x * wide), MARGIN + round((1 - y) * high))
        for x, y in zip(_shares(it.across), _shares(it.up), strict=True)
    ]


def _shares(letters: str) -> list[float]:
    """From 0 to 1, one a letter."""
    return [SCALE.index(letter) / TOP for letter in letters]


def _points(it: Glimpse) -> tuple[tuple[int, int], str]:
    """A dot is a line of no length with round ends: so all dots of a class are one path."""
    colors = [CLASS_COLORS[int(g)] for g in it.groups] or [NO_CLASS] * len(it.up)
    dots: dict[str, str] = defaultdict(str)
    for (x, y), color in zip(_places(it), colors, strict=True):
        dots[color] += f"M{x} {y}h0"
    paths = "".join(
        f'<path d="{d}" stroke="{color}" stroke-width="4.5" stroke-linecap="round" '
        'stroke-opacity="0.8"/>'
        for color, d in dots.items()
    )
    return (WIDTH, HEIGHT), paths


def _line(it: Glimpse) -> tuple[tuple[int, int], str]:
    places = " ".join(f"{x},{y}" for x, y in _places(it))
    line = f'<polyline points="{places}" fill="none" stroke="{NO_CLASS}" stroke-width="1.5"/>'
    return (WIDTH, HEIGHT), line


def _bars(it: Glimpse) -> tuple[tuple[int, int], str]:
    heights = [round(share * (HEIGHT - 2 * MARGIN)) for share in _shares(it.up)]
    step = (WIDTH - 2 * MARGIN) / len(heights)
    path = "".join(
        f"M{MARGIN + k * step:.1f} {HEIGHT - MARGIN}v-{h}h{step - 1:.1f}v{h}z"
        for k, h in enumerate(heights)
    )
    return (WIDTH, HEIGHT), f'<path d="{path}" fill="{NO_CLASS}"/>'


def _pixels(it: Glimpse) -> tuple[tuple[int, int], str]:
    """Unit squares, the darker the larger their number."""
    squares: dict[int, str] = defaultdict(str)
    for k, share in enumerate(_shares(it.up)):
        squares[round(share * SHADES)] += f"M{k % it.width} {k // it.width}h1v1h-1z"
    paths = "".join(
        f'<path d="{d}" fill="{NO_CLASS}" fill-opacity="{shade / SHADES}"/>'
        for shade, d in squares.items()
        if shade
    )
    crisp = f'<g shape-rendering="crispEdges">{paths}</g>'
    return (it.width, -(-len(it.up) // it.width)), crisp
