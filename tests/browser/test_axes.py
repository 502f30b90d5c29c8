"""What the module of axes says of a figure: axes side by side, lines of a legend, room above."""

from __future__ import annotations

from pathlib import Path

import pytest
from playwright.sync_api import Page

from ui.components import picture as component

pytestmark = pytest.mark.browser


def in_axes(page: Page, call: str, figure: dict) -> int:
    """What `call`, a function of the module of axes, says of a figure."""
    source = (Path(component.__file__).parent / "browser" / "axes.js").read_text()
    code = f"""async ([source, figure]) => (await import(
        'data:text/javascript,' + encodeURIComponent(source))).{call}"""
    return page.evaluate(code, [source, figure])


def test_maps_side_by_side_are_counted(page):
    """Three of them are drawn wider than a phone; two with another below are not."""
    page.goto("about:blank")
    beside = {f"xaxis{k or ''}": {"domain": [k / 3, k / 3 + 0.3]} for k in range(3)}
    below = {"xaxis": {}, "xaxis2": {"domain": [0, 1]}, "xaxis3": {"domain": [0.5, 1]}}
    counts = [
        in_axes(page, "columnsOfAxes(figure)", {"layout": one | {"yaxis": {"domain": [0.7, 1]}}})
        for one in (beside, below)
    ]
    assert counts == [3, 2]


def test_what_is_written_above_the_axes_is_clear_of_the_legend(page):
    page.goto("about:blank")
    above = {"y": 1, "yref": "paper", "yanchor": "bottom", "text": "edge"}
    tops = [
        in_axes(page, "keepClear(figure, 2) ?? figure.margin?.t", {"annotations": [note], **more})
        for note, more in (
            (above, {}), (above, {"margin": {"t": 112}}), (above | {"y": 0.5}, {}),
        )
    ]  # fmt: skip
    assert tops == [2 * 19 + 34, 112, None]


def test_lines_of_a_legend_are_counted_as_plotly_sets_them(page):
    """By Plotly on a phone: two columns of names of three letters, one of long ones."""
    page.goto("about:blank")

    def lines(*names: str, **layout) -> int:
        data = [{"name": name, "legendgroup": name} for name in names]
        figure = {"data": [*data, *data[:1]], "layout": layout}
        return in_axes(page, "linesOfLegend(figure, 310)", figure)

    assert lines(*"0123456789", "Errors (42)") == 6
    assert lines("found", "promised by the probabilities", "Chow's rule", "cheapest here") == 4
    assert lines("setosa", "a name of twenty") == 1
    assert lines("one") == lines("one", "two", showlegend=False) == 0
    assert lines("one", showlegend=True) == 1
