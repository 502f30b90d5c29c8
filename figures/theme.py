"""The look of every picture: colours, symbols and the template.

A view draws its figure once, in the light colours, with `figure(...)`. The dark picture is the
same figure with each light colour of `LIGHT` replaced by its namesake of `DARK` (`apply` here,
the picture component in the browser), so a view never asks which theme is on. It follows that

- a colour that must change with the theme is taken from `LIGHT`, as it stands or through `faded`;
- a colour that must not change (classes, scales of data) is anything else;
- what has to blend with the background is transparent (`faded`), never pre-mixed.
"""

from __future__ import annotations

import re
from dataclasses import asdict, dataclass
from functools import cache
from typing import Any

import plotly.graph_objects as plotly

import figures.graph as go

# Okabe and Ito (2008), yellow last because it is weak on white; grey stands in for black,
# which is the colour of text.
CLASS_COLORS = (
    "#0072B2",
    "#D55E00",
    "#009E73",
    "#CC79A7",
    "#E69F00",
    "#56B4E9",
    "#8A8F98",
    "#F0E442",
)
CLASS_SYMBOLS = (
    "circle",
    "diamond",
    "square",
    "triangle-up",
    "cross",
    "triangle-down",
    "x",
    "star",
)
CLASS_HATCHES = ("/", "x", ".")
NO_CLASS = "#8A8F98"  # noise and rows without a label, always drawn as small open circles
NO_CLASS_SYMBOL = "circle-open"

MARKER_SIZE = 8
TICK_SIZE = 12  # of the numbers on an axis, in pixels
BAND_STRENGTH = 0.12


@dataclass(frozen=True)
class Palette:
    """Colours that change between light and dark, as #RRGGBB; all different within a palette."""

    background: str
    second: str
    text: str
    quiet: str
    hairline: str
    grid: str
    accent: str
    on_accent: str
    halo: str


LIGHT = Palette(
    background="#FFFFFF",
    second="#F3F5F8",
    text="#131A26",
    quiet="#566070",
    hairline="#DDE2E9",
    grid="#E9ECF1",
    accent="#2E3F76",
    on_accent="#FDFDFE",
    halo="#FEFEFE",
)
DARK = Palette(
    background="#11151B",
    second="#1A2028",
    text="#E6EAF0",
    quiet="#A7B1BF",
    hairline="#2C3541",
    grid="#232B35",
    accent="#A9B8F0",
    on_accent="#10141B",
    halo="#D3DAE5",  # a dark one would make blue points on a blue region hard to see
)

# Plotly's button that uploads a picture to its maker's server stands in every mode bar by default.
CONFIG = {"displaylogo": False, "showSendToCloud": False, "plotlyServerURL": ""}

SHARE = "#5A6795"  # the full share in a table of counts; bears white text on light and dark
ON_SHARE = "white"
SEQUENTIAL = "Viridis"
# Of marks on a picture that SEQUENTIAL fills: it is the same on dark, so they are as well.
INK, RIM = "#121922", "#FCFCFD"
DIVERGING = ((0.0, CLASS_COLORS[0]), (0.5, LIGHT.background), (1.0, CLASS_COLORS[1]))
SHARES = ((0.0, LIGHT.background), (1.0, SHARE))


def class_color(k: int) -> str:
    """The colour of class `k`; -1 is no class."""
    return NO_CLASS if k < 0 else CLASS_COLORS[k % len(CLASS_COLORS)]


def class_symbol(k: int) -> str:
    """The symbol of class `k`; -1 is no class. The first 64 pairs with the colour all differ."""
    n = len(CLASS_SYMBOLS)
    return NO_CLASS_SYMBOL if k < 0 else CLASS_SYMBOLS[(k + k // n) % n]


def class_hatch(k: int) -> dict[str, Any]:
    """The pattern of a filled shape of class `k`: none for as many classes as there are colours.

    Classes of the same colour differ by it, for filled shapes have no symbol.
    """
    if k < (n := len(CLASS_COLORS)):
        return {}
    shape = CLASS_HATCHES[(k // n - 1) % len(CLASS_HATCHES)]
    return {"shape": shape, "fillmode": "overlay", "size": 6, "solidity": 0.2}


def faded(color: str, strength: float) -> str:
    """`color` (#RRGGBB) at this opacity, so that it mixes with whatever background there is."""
    r, g, b = (int(color[i : i + 2], 16) for i in (1, 3, 5))
    return f"rgba({r},{g},{b},{strength:g})"


def faint_marks(size: float, opacity: float, **more: Any) -> dict[str, Any]:
    """Small marks in the background: without a halo, which on dark would outshine them all."""
    return {"size": size, "opacity": opacity, "line": {"width": 0}} | more


def band(color: str) -> str:
    """The fill of an interval around a line of this colour."""
    return faded(color, BAND_STRENGTH)


def figure(*traces: Any, **layout: Any) -> go.Figure:
    """A figure without any template, whatever Plotly takes for its default.

    The browser holds the MLScope template and puts it in; `apply` does so for other uses.
    """
    return go.Figure(traces, {"template": NO_TEMPLATE} | layout)


def apply(fig: go.Figure, dark: bool = False) -> plotly.Figure:
    """The figure as Plotly's own, checked in full, with the MLScope template in light or dark
    colours; `fig` is left as it is."""
    drawn = fig.to_plotly_json()
    # Checked once: recoloured before, not after, Plotly makes a figure and a template of it.
    themed = plotly.Figure(_recoloured(drawn) if dark else drawn)
    return themed.update_layout(template=_dark_template() if dark else TEMPLATE)


def browser_theme() -> dict[str, Any]:
    """What the picture component needs to recolour figures and to draw classes."""
    return {
        "config": CONFIG,
        "template": TEMPLATE.to_plotly_json(),
        "light": asdict(LIGHT),
        "dark": asdict(DARK),
        "colors": CLASS_COLORS,
        "symbols": CLASS_SYMBOLS,
        "noClass": {"color": NO_CLASS, "symbol": NO_CLASS_SYMBOL},
    }


_SWAP = dict(zip(asdict(LIGHT).values(), asdict(DARK).values(), strict=True))
_RGBA = re.compile(r"rgba\((\d+), ?(\d+), ?(\d+), ?([\d.]+)\)")


def _recoloured(it: Any) -> Any:
    """A copy with every light colour of the palette replaced by the dark one."""
    if isinstance(it, dict):
        return {k: _recoloured(v) for k, v in it.items()}
    if isinstance(it, list | tuple):
        return [_recoloured(v) for v in it]
    return _dark_color(it) if isinstance(it, str) else it


def _dark_color(text: str) -> str:
    if match := _RGBA.fullmatch(text):
        r, g, b = (int(part) for part in match.groups()[:3])
        dark = _SWAP.get(f"#{r:02X}{g:02X}{b:02X}")
        return text if dark is None else faded(dark, float(match[4]))
    return _SWAP.get(text.upper(), text)


def _template() -> plotly.layout.Template:
    """The MLScope template, in light colours."""
    marker = {"size": MARKER_SIZE, "line": {"width": 1, "color": LIGHT.halo}}
    marker |= {"colorbar": _colorbar()}
    faint = {"marker": {"opacity": 0.15}}
    marks = {"marker": marker, "line": {"width": 2}, "unselected": faint}
    bars = {"marker": {"line": {"width": 0}}, "unselected": faint}
    return plotly.layout.Template(
        layout=_layout(),
        data={
            "scatter": [marks],
            "scattergl": [marks],
            "scatter3d": [{"marker": {"size": 4, "line": {"width": 0}, "colorbar": _colorbar()}}],
            "scatterpolar": [marks],
            "splom": [{"marker": marker | {"size": 5}, "unselected": faint}],
            "bar": [bars],
            "histogram": [bars],
            "box": [{"marker": {"size": 6}, "line": {"width": 1.5}, "unselected": faint}],
            "violin": [{"marker": {"size": 6}, "line": {"width": 1.5}, "unselected": faint}],
            "heatmap": [{"colorbar": _colorbar(), "colorscale": SEQUENTIAL}],
            "contour": [{"colorbar": _colorbar(), "colorscale": SEQUENTIAL}],
            "surface": [{"colorbar": _colorbar(), "colorscale": SEQUENTIAL}],
        },
    )


@cache
def _dark_template() -> plotly.layout.Template:
    return plotly.layout.Template(_recoloured(TEMPLATE.to_plotly_json()))


def _layout() -> dict[str, Any]:
    quiet = {"size": TICK_SIZE, "color": LIGHT.quiet}
    axis = _axis(quiet)
    scene_axis = {
        "backgroundcolor": "rgba(0,0,0,0)",
        "gridcolor": LIGHT.grid,
        "tickfont": quiet,
    }
    return {
        "paper_bgcolor": "rgba(0,0,0,0)",
        "plot_bgcolor": "rgba(0,0,0,0)",
        "font": {"family": FONT, "size": 13, "color": LIGHT.text},
        "colorway": CLASS_COLORS,
        "colorscale": {
            "sequential": SEQUENTIAL,
            "sequentialminus": SEQUENTIAL,
            "diverging": DIVERGING,
        },
        "coloraxis": {"colorbar": _colorbar()},
        "margin": {"l": 8, "r": 8, "t": 8, "b": 8},
        "xaxis": axis,
        "yaxis": axis,
        "scene": {"xaxis": scene_axis, "yaxis": scene_axis, "zaxis": scene_axis},
        "legend": {
            "orientation": "h",
            "x": 0,
            "xanchor": "left",
            # Above the axes Plotly draws one that just fills a line over the rows, and any over the
            # titles of pictures that stand side by side.
            "yref": "container",
            "y": 0.99,
            "yanchor": "top",
            "itemsizing": "constant",
            "traceorder": "normal",  # else stacked bars are named from the last to the first
            "bgcolor": "rgba(0,0,0,0)",
        },
        "hovermode": "closest",
        "hoverlabel": {
            "bgcolor": LIGHT.second,
            "bordercolor": LIGHT.hairline,
            "font": {"family": FONT, "size": 13, "color": LIGHT.text},
            "align": "left",
        },
        "modebar": {
            "bgcolor": faded(LIGHT.background, 0.8),
            "color": LIGHT.quiet,
            "activecolor": LIGHT.accent,
        },
        "newselection": {"line": {"color": LIGHT.accent, "width": 1.5, "dash": "dot"}},
        "annotationdefaults": {
            "font": quiet,
            "showarrow": False,
            "arrowcolor": LIGHT.quiet,
        },
        "shapedefaults": {"line": {"color": LIGHT.quiet, "width": 1}},
        "bargap": 0.15,
    }


def _axis(quiet: dict[str, Any]) -> dict[str, Any]:
    return {
        "automargin": True,
        "autotickangles": [0, 90],  # slanted names lie on one another
        "showgrid": True,
        "gridcolor": LIGHT.grid,
        "gridwidth": 1,
        "showline": True,
        "linecolor": LIGHT.hairline,
        "linewidth": 1,
        "zeroline": False,
        "ticks": "outside",
        "ticklen": 5,
        "tickcolor": LIGHT.hairline,
        "tickfont": quiet,
        "title": {"font": {"size": 13, "color": LIGHT.quiet}, "standoff": 8},
    }


def _colorbar() -> dict[str, Any]:
    return {
        "thickness": 12,
        "outlinewidth": 0,
        "ticks": "outside",
        "ticklen": 4,
        "tickcolor": LIGHT.hairline,
        "tickfont": {"size": TICK_SIZE, "color": LIGHT.quiet},
        "title": {"font": {"size": TICK_SIZE, "color": LIGHT.quiet}},
    }


FONT = '"Source Sans", "Source Sans Pro", system-ui, sans-serif'  # what Streamlit serves
TEMPLATE = _template()
# As Plotly writes it where it checks what it is given.
NO_TEMPLATE = plotly.Figure(layout={"template": plotly.layout.Template()}).layout.to_plotly_json()[
    "template"
]
