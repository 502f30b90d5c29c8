"""The theme: colours and symbols of classes, light and dark, nothing of Streamlit's template."""

from __future__ import annotations

import json
import re
import tomllib
from dataclasses import asdict
from pathlib import Path

import numpy as np
import plotly.graph_objects as go
import pytest
import streamlit  # noqa: F401 - importing it changes Plotly's default template

from figures import theme
from figures.drawing import marks

PLACEHOLDERS = re.compile(r"#0000[0-9a-f]{2}\b", re.IGNORECASE)  # Streamlit's, #000001 to #000036


def luminance(color: str) -> float:
    """Relative luminance of WCAG 2, from 0 (black) to 1 (white)."""
    parts = np.array([int(color[i : i + 2], 16) for i in (1, 3, 5)]) / 255
    linear = np.where(parts <= 0.04045, parts / 12.92, ((parts + 0.055) / 1.055) ** 2.4)
    return float(linear @ (0.2126, 0.7152, 0.0722))


def contrast(one: str, other: str) -> float:
    """Contrast ratio of WCAG 2."""
    dark, light = sorted((luminance(one), luminance(other)))
    return (light + 0.05) / (dark + 0.05)


def test_figures_are_free_of_streamlits_placeholder_colours():
    plain = go.Figure(go.Scatter(y=[1, 2])).to_json()
    assert PLACEHOLDERS.search(plain), "Streamlit no longer changes the default: drop this guard"
    ours = theme.figure(marks.points(np.arange(3.0), np.arange(3.0), klass=1), go.Bar(y=[1]))
    assert not PLACEHOLDERS.search(ours.to_json())
    assert not PLACEHOLDERS.search(theme.apply(go.Figure(go.Scatter(y=[1, 2]))).to_json())


def test_64_classes_look_different():
    fills = {(theme.class_color(k), theme.class_hatch(k).get("shape", "")) for k in range(32)}
    assert len(fills) == 32
    assert theme.class_hatch(-1) == {}
    looks = {(theme.class_color(k), theme.class_symbol(k)) for k in range(64)}
    assert len(looks) == 64
    assert (theme.class_color(-1), theme.class_symbol(-1)) not in looks


@pytest.mark.parametrize("palette", [theme.LIGHT, theme.DARK], ids=["light", "dark"])
def test_text_is_readable(palette):
    for ground in (palette.background, palette.second):
        assert contrast(palette.text, ground) > 7
        assert contrast(palette.quiet, ground) > 4.5
        assert contrast(palette.accent, ground) > 4.5
    assert contrast(palette.on_accent, palette.accent) > 4.5
    assert contrast("#FFFFFF", theme.SHARE) > 4.5


def test_the_page_around_a_picture_has_its_colours():
    config = tomllib.loads((Path(__file__).parents[2] / ".streamlit" / "config.toml").read_text())
    for name, palette in (("light", theme.LIGHT), ("dark", theme.DARK)):
        page = config["theme"][name]
        assert page["backgroundColor"] == palette.background
        assert page["secondaryBackgroundColor"] == palette.second
        assert page["textColor"] == palette.text
        assert page["primaryColor"] == palette.accent
        assert page["borderColor"] == palette.hairline
    assert tuple(config["theme"]["chartCategoricalColors"]) == theme.CLASS_COLORS


def test_no_two_light_colours_are_alike_so_each_has_one_dark_namesake():
    light = asdict(theme.LIGHT)
    fixed = {*theme.CLASS_COLORS, theme.SHARE, theme.NO_CLASS}
    assert len({*light.values()}) == len(light)
    assert not fixed & {*light.values()}


def test_dark_swaps_the_palette_and_leaves_the_classes():
    drawn = theme.figure(
        marks.points(np.arange(2.0), np.arange(2.0), klass=1),
        go.Scatter(y=[1, 2], line_color=theme.LIGHT.accent, fillcolor=theme.band("#2E3F76")),
        go.Heatmap(z=[[0, 1]], colorscale=theme.DIVERGING),
    )
    before = drawn.to_json()
    dark = theme.apply(drawn, dark=True)
    assert drawn.to_json() == before
    assert dark.data[0].marker.color == theme.class_color(1)
    assert dark.data[1].line.color == theme.DARK.accent
    assert dark.data[1].fillcolor == theme.faded(theme.DARK.accent, theme.BAND_STRENGTH)
    assert dark.data[2].colorscale[1] == (0.5, theme.DARK.background)
    assert dark.layout.template.layout.font.color == theme.DARK.text
    left = set(re.findall(r"#[0-9A-F]{6}", dark.to_json())) & set(asdict(theme.LIGHT).values())
    assert left == set()


def test_a_dark_figure_is_the_light_one_recoloured_and_checked_once(monkeypatch):
    drawn = theme.figure(go.Scatter(y=[1, 2], marker_color=theme.LIGHT.quiet), height=300)
    light = theme.apply(drawn).to_plotly_json()
    expected = json.loads(go.Figure(theme._recoloured(light)).to_json())
    made, whole = [], theme.plotly.Figure
    monkeypatch.setattr(theme.plotly, "Figure", lambda *of: made.append(1) or whole(*of))
    assert json.loads(theme.apply(drawn, dark=True).to_json()) == expected
    assert len(made) == 1


def test_points_carry_their_rows_and_few_bytes():
    x = np.linspace(0, 1, 1000)
    trace = marks.points(x, x, rows=np.arange(1000), klass=2, hollow=True)
    assert (trace.meta, trace.marker.symbol) == (marks.ROWS, "square-open")
    assert list(trace.customdata[:3]) == [0, 1, 2]
    assert trace.x.dtype == np.float32
    sent = len(theme.figure(trace).to_json()) - len(theme.figure().to_json())
    assert sent < 17_000  # as text it would be 42,000


def test_many_points_use_webgl():
    x = np.zeros(marks.WEBGL_ABOVE + 1)
    assert marks.points(x, x).type == "scattergl"
    assert marks.points(x[1:], x[1:]).type == "scatter"


def test_regions_run_from_nothing_to_full_strength_in_each_class():
    klass = np.array([[0, 0, 2, -1]])
    drawn = marks.regions(np.arange(4.0), np.zeros(1), klass, np.array([[0, 1, 0.5, 1]]))
    assert drawn.z.tolist() == [[0, 31, 2 * 32 + 16, 0]]
    assert drawn.z.dtype == np.uint8
    assert (drawn.zmin, drawn.zmax) == (0, 95)
    at = {round(stop * 95, 6): color for stop, color in drawn.colorscale}
    assert at[0] == theme.faded(theme.class_color(0), 0)
    assert at[31] == theme.faded(theme.class_color(0), marks.REGION_STRENGTH)
    assert at[64] == theme.faded(theme.class_color(2), 0)
    assert at[95] == theme.faded(theme.class_color(2), marks.REGION_STRENGTH)


def test_more_than_eight_classes_of_regions_need_two_bytes():
    levels = marks.region_levels(np.array([[9]]), np.array([[1.0]]))
    assert levels.tolist() == [[9 * 32 + 31]]
    assert levels.dtype == np.uint16


def test_nothing_is_sent_to_plotlys_maker():
    assert theme.CONFIG["showSendToCloud"] is False
    assert theme.CONFIG["plotlyServerURL"] == ""
    assert json.loads(json.dumps(theme.browser_theme()))["config"] == theme.CONFIG
