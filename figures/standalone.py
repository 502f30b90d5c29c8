"""A page that stands alone: text and live pictures in one file that needs no server and no network.

Everything in it is made by `tag`, which escapes whatever is not `Html` already: foreign text cannot
become markup. A policy in the page refuses scripts without its nonce, and all requests.
"""

from __future__ import annotations

import json
import math
from functools import cache
from html import escape
from pathlib import Path
from typing import Any

import plotly

from figures.theme import browser_theme
from figures.view import View
from mlcore.spine.wording import rough

HERE = Path(__file__)
MOST_LINES = 200  # of the numbers below a picture; the dashboard gives all of them
HEIGHT = 420  # pixels of a picture that has no height of its own
POLICY = "default-src 'none'; img-src data: blob:; style-src 'unsafe-inline'; script-src "


class Html(str):
    """Text that is HTML already."""


def html(value: Any) -> Html:
    """The value as HTML; foreign text letter by letter."""
    return value if isinstance(value, Html) else Html(escape(str(value)))


def tag(name: str, *inside: Any, **attributes: Any) -> Html:
    """An element; an attribute called `class_` is written `class`."""
    attributes_text = "".join(
        f' {key.rstrip("_")}="{escape(str(v))}"' for key, v in attributes.items()
    )
    return Html(f"<{name}{attributes_text}>{''.join(html(part) for part in inside)}</{name}>")


def table(columns: dict[str, list[Any]]) -> Html:
    """Columns of equal length; numbers at the right, in three digits."""
    numeric = {
        name: any(isinstance(v, int | float) for v in values) for name, values in columns.items()
    }
    head = tag("tr", *(tag("th", name, **_side(numeric[name])) for name in columns))
    lines = [
        tag("tr", *(tag("td", cell_text(v), **_side(numeric[n])) for n, v in zip(columns, cells)))
        for cells in zip(*columns.values(), strict=True)
    ]
    return tag("div", tag("table", tag("thead", head), tag("tbody", *lines)), class_="table")


def _side(is_number: bool) -> dict[str, str]:
    return {"class_": "number"} if is_number else {}


def cell_text(value: Any, spread: float | None = None) -> str:
    """A number as roughly as its standard deviation allows, a dash where there is none."""
    if isinstance(value, float):
        return rough(value, spread) if math.isfinite(value) else "\u2013"
    return "" if value is None else str(value)


def card(view: View) -> Html:
    """A picture with its heading, its reading, and its numbers to be unfolded."""
    layout: Any = view.figure.layout
    figure = json.loads(view.figure.to_json() or "")
    columns = {c.name: _plain(c.values[:MOST_LINES]) for c in view.table}
    lines = len(view.table[0].values) if view.table else 0
    more = f", the first {MOST_LINES} of {lines} lines" if lines > MOST_LINES else ""
    return tag(
        "figure",
        tag("h3", view.title, tag("small", view.note)),
        *(tag("p", sentence) for sentence in view.problems),
        tag("div", class_="picture", style=f"height: {int(layout.height or HEIGHT)}px"),
        tag("script", _script_text(figure), type="application/json"),
        tag("figcaption", view.reading),
        tag("details", tag("summary", f"Numbers{more}"), table(columns)) if columns else "",
    )


def document(title: str, *inside: Any, mark: str) -> str:
    """The whole page. `mark` is text that no author of its content can foresee, such as a digest:
    only scripts that carry it are run."""
    theme = {key: browser_theme()[key] for key in ("config", "template", "light", "dark")}
    head = (
        Html('<meta charset="utf-8">'),
        Html('<meta name="viewport" content="width=device-width, initial-scale=1">'),
        Html(
            '<meta http-equiv="Content-Security-Policy" content="'
            # Pictures of many points are drawn by WebGL, whose programs are compiled from text.
            f"{POLICY}'nonce-{escape(mark)}' 'unsafe-eval'\">"
        ),
        tag("title", title),
        tag("style", Html(_colours(theme) + _text("css"))),
    )
    body = (
        tag("main", *inside),
        tag("script", _script_text(theme), type="application/json", id="theme"),
        tag("script", Html(plotly_js()), nonce=mark),
        tag("script", Html(ink_js() + _text("js")), type="module", nonce=mark),
    )
    return f'<!doctype html>\n<html lang="en">{tag("head", *head)}{tag("body", *body)}</html>\n'


@cache
def plotly_js() -> str:
    """The text of plotly.js, from the installed package."""
    return (Path(plotly.__path__[0]) / "package_data" / "plotly.min.js").read_text("utf-8")


@cache
def ink_js() -> str:
    """What writes into the cells of a heatmap in the ink that is read there."""
    return HERE.with_name("browser").joinpath("ink.js").read_text("utf-8")


def _script_text(value: Any) -> Html:
    """JSON that can stand in a script element: nothing in it ends the element."""
    return Html(json.dumps(value).replace("<", "\\u003c"))


def _colours(theme: dict[str, Any]) -> str:
    """The palettes as variables of the style sheet."""

    def named(palette: dict[str, str]) -> str:
        return " ".join(f"--{name.replace('_', '-')}: {c};" for name, c in palette.items())

    dark = f"@media (prefers-color-scheme: dark) {{ :root {{ {named(theme['dark'])} }} }}\n"
    return f":root {{ {named(theme['light'])} }}\n{dark}"


def _text(ending: str) -> str:
    return HERE.with_suffix(f".{ending}").read_text("utf-8")


def _plain(values: Any) -> list[Any]:
    return values.tolist() if hasattr(values, "tolist") else list(values)
