"""Our figures say what Plotly's own say: the same calls give the same JSON."""

import json
from typing import Any

import numpy as np
import pandas as pd
import plotly.graph_objects as theirs
import pytest
from plotly.subplots import make_subplots

import figures.graph as ours
from figures.graph.text import written


def both(draw):
    """The JSON of what a function draws with ours, and with Plotly's own."""
    return [json.loads(draw(go).to_json()) for go in (ours, theirs)]


def bare(go, *traces, **layout):
    """A figure without the template that Plotly puts into its own."""
    return go.Figure(traces, {"template": {}} | layout)


def panels(go) -> Any:
    return ours.make_subplots if go is ours else make_subplots


VALUES = {
    "floats": np.array([0.5, np.nan, np.inf]),
    "small": np.array([1.5, 2.5], dtype=np.float32),
    "integers": np.array([1, -3, 200]),
    "large integers": np.array([2**40, 1]),
    "unsigned": np.array([1, 300], dtype=np.uint64),
    "bytes": np.array([[1, 2], [3, 4]], dtype=np.uint8),
    "bools": np.array([True, False]),
    "texts": np.array(["a", "NaN", "ä"]),
    "objects": np.array([1, None, "b", np.nan], dtype=object),
    "days": np.array(["2026-01-02", "2026-03-04"], dtype="datetime64[D]"),
    "series": pd.Series([1.0, 2.0]),
    "list": [1, 2.5, None, float("nan"), np.float32(0.1), np.int64(3)],
    "lists of lists": [[1, 2], [3, float("nan")]],
    "empty": np.array([]),
}


@pytest.mark.parametrize("name", VALUES)
def test_arrays_and_lists_are_written_as_plotly_writes_them(name):
    mine, other = both(lambda go: bare(go, go.Scatter(x=VALUES[name], customdata=VALUES[name])))
    assert mine["data"] == other["data"]


CALLS = {
    "words that lead on": lambda go: bare(
        go, go.Scatter(y=[1], marker_line_width=2, error_y_array=[1], marker={"size": 3})
    ).update_layout(xaxis_title_text="a", margin_t=3, paper_bgcolor="red"),
    "titles as texts": lambda go: bare(go, go.Heatmap(z=[[1]], colorbar={"title": "z"}), title="t"),
    "None takes away": lambda go: bare(
        go, go.Bar(y=[1], name="a", marker={"color": "red", "line": {"width": 1}})
    ).update_traces(name=None, marker={"color": None}),
    "groups are merged": lambda go: bare(go, go.Bar(y=[1], marker={"color": "red"}))
    .update_traces(marker={"opacity": 0.5}, selector={"type": "bar"})
    .update_traces(name="no", selector={"type": "scatter"})
    .for_each_trace(lambda trace: trace.update(text=["b"]), lambda trace: trace.name is None),
    "scales by name and by colours": lambda go: bare(
        go,
        go.Heatmap(z=[[1]], colorscale="Viridis"),
        go.Heatmap(z=[[1]], colorscale=["red", "blue"]),
        go.Heatmap(z=[[1]], colorscale=((0, "red"), (1.0, "blue"))),
    ),
    "axes that are there": lambda go: bare(go, xaxis2={"title": {"text": "b"}})
    .update_xaxes(showgrid=False)
    .update_yaxes({"range": np.array([0.0, 1.0])}),
    "annotations": lambda go: bare(go, annotations=[{"text": "a"}])
    .add_annotation(text="b", x=1)
    .update_layout(annotations=[{"x": 2}, {"y": 3}])
    .update_layout(annotations=[{}, {}, {"text": "c"}])
    .update_annotations(font_size=9, selector={"text": "c"})
    .update_annotations(font={"color": "red"}),
    "lines and bands": lambda go: bare(go, go.Scatter(y=[1]))
    .add_vline(x=1, line={"width": 1})
    .add_hline(y=2, line_width=1)
    .add_vrect(x0=0, x1=1, fillcolor="red", line_width=0)
    .add_hrect(y0=0, y1=1, layer="below")
    .add_shape(type="line", x0=0, x1=1, y0=0, y1=1),
    "buttons keep what they change as it is": lambda go: bare(
        go, updatemenus=[{"buttons": [{"label": "a", "args": [{"marker.size": [1], "x_y": 1}]}]}]
    ).update_layout(meta={"of_us": {"a_b": 1}}),
    "a trace is copied": lambda go: bare(go, *[go.Scatter(y=[1])] * 2)
    .add_traces([go.Bar(y=[1]), {"type": "scatter", "y": [2]}])
    .add_scatter(x=[1], uid="gone")
    .add_heatmap(z=[[1]])
    .add_bar(y=[3]),
    "spaces": lambda go: bare(go, go.Scatter3d(x=[1], y=[1], z=[1])).update_scenes(
        camera={"eye": {"x": 1.0}}, xaxis_title="a"
    ),
    "panels": lambda go: panels(go)(
        2, 3, shared_xaxes=True, shared_yaxes=True, horizontal_spacing=0.25, vertical_spacing=0.25,
        column_widths=[2, 1, 1], row_heights=[3, 1], subplot_titles=["a", "", "c"],
    )
    .add_trace(go.Scatter(y=[1]), row=2, col=3)
    .add_traces([go.Bar(y=[1]), go.Bar(y=[2])], rows=[1, 2], cols=[2, 1])
    .add_vline(x=1, col=2)
    .add_hline(y=1, row=2, line_width=1)
    .add_annotation(text="b", x=1, yref="y domain", row=2, col=3)
    .update_xaxes(title_text="x", row=2)
    .update_yaxes(visible=False, col=3)
    .update_xaxes(showgrid=False),
    "panels as usual": lambda go: panels(go)(rows=2, cols=2),
    "panels with titles": lambda go: panels(go)(2, 1, subplot_titles=("a", "b")),
}  # fmt: skip


@pytest.mark.parametrize("name", CALLS)
def test_the_same_calls_draw_the_same(name):
    mine, other = both(CALLS[name])
    other["layout"].pop("template", None)
    mine["layout"].pop("template", None)
    assert _rounded(mine) == _rounded(other)


def _rounded(tree):
    """Without empty groups, which Plotly keeps here and there; sums in another order differ."""
    if isinstance(tree, dict):
        pairs = {key: _rounded(value) for key, value in tree.items()}
        return {key: value for key, value in pairs.items() if value != {}}
    if isinstance(tree, list):
        return [_rounded(value) for value in tree]
    return round(tree, 12) if isinstance(tree, float) else tree


def test_a_figure_is_read_as_plotlys_own():
    drawn = bare(
        ours,
        ours.Scatter(x=["a"], marker={"size": 4}),
        annotations=[{"text": "n"}],
        yaxis={"range": [0, 1]},
    )
    (trace,), layout = drawn.data, drawn.layout
    assert (trace.x, trace.marker.size, trace["marker.size"], trace.name) == (("a",), 4, 4, None)
    assert (trace.marker.line.width, trace.xaxis) == (None, None)
    assert (layout.yaxis.range, layout.xaxis.title.text, layout.shapes) == ((0, 1), None, ())
    assert [note.text for note in layout.annotations] == ["n"]


def test_a_group_that_was_empty_is_there_once_something_is_set_in_it():
    drawn = bare(ours, ours.Scatter())
    first, second = drawn.layout.xaxis.title, drawn.layout.xaxis.title
    assert "xaxis" not in drawn.layout
    first.text = "a"
    second.font.size = 3
    drawn.data[0].marker.color = "red"
    assert drawn.layout.to_plotly_json()["xaxis"] == {"title": {"text": "a", "font": {"size": 3}}}
    assert drawn.data[0].marker.color == "red"


def test_no_two_figures_share_a_group():
    style = {"color": "red"}
    trace = ours.Scatter(marker=style)
    one, other = bare(ours, trace, xaxis=style), bare(ours, trace, xaxis=style)
    one.data[0].marker.color = "blue"
    one.layout.xaxis.color = "blue"
    assert (trace.marker.color, style) == ("red", {"color": "red"})
    assert other.data[0].marker.color == other.layout.xaxis.color == "red"


def test_a_line_with_words_is_refused():
    with pytest.raises(TypeError, match="takes no annotation"):
        bare(ours).add_vline(x=1, annotation_text="a")


def test_what_is_no_number_is_null_and_names_are_left_alone():
    assert written({"a": [float("inf"), 1.0], "b": "NaN"}) == '{"a":[null,1.0],"b":"NaN"}'
