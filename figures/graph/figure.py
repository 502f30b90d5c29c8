"""A figure: its traces and its layout, changed in the words of `plotly.graph_objects.Figure`."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any, Self

from figures.graph.node import Node, is_group, own_pairs
from figures.graph.text import written
from figures.graph.traces import Bar, Heatmap, Scatter, Trace, copied

# Row and column, from 1: its axes "xaxis2", "yaxis2".
Cells = dict[tuple[int, int], tuple[str, str]]
Chosen = Mapping[str, Any] | Callable[[Any], bool] | None


class Figure:
    """Traces on axes. Every method that changes it returns it; traces and dicts are copied."""

    def __init__(self, data: Any = (), layout: Any = None, *, cells: Cells | None = None) -> None:
        if isinstance(data, Figure):
            data, layout, cells = data.data, data.layout, data.cells
        self.data = (data,) if is_group(data) else data or ()
        self.layout = Node({}).update(layout)
        self.cells = cells or {}

    @property
    def data(self) -> tuple[Trace, ...]:
        """The traces, in the order in which they are drawn."""
        return tuple(self._traces)

    @data.setter
    def data(self, traces: Iterable[Any]) -> None:
        self._traces = [copied(trace) for trace in traces]

    def to_plotly_json(self) -> dict[str, Any]:
        """A copy as dicts, lists and arrays."""
        return {
            "data": [trace.to_plotly_json() for trace in self._traces],
            "layout": self.layout.to_plotly_json(),
        }

    to_dict = to_plotly_json

    def to_json(self) -> str:
        """As plotly.js takes it; `uid` of a trace is for us alone."""
        data = [{k: v for k, v in trace._props.items() if k != "uid"} for trace in self._traces]
        return written({"data": data, "layout": self.layout._props})

    def add_trace(self, trace: Any, row: int | None = None, col: int | None = None) -> Self:
        """One more trace, in a panel where there are several."""
        mine = copied(trace)
        if row is not None and col is not None:
            x, y = self.cells[row, col]
            mine.update(xaxis=_short(x), yaxis=_short(y))
        self._traces.append(mine)
        return self

    def add_traces(self, data: Iterable[Any], rows: Any = None, cols: Any = None) -> Self:
        """Several traces, all in one panel or each in its own."""
        traces = [data] if isinstance(data, Trace | dict) else list(data)
        rows, cols = (
            it if isinstance(it, list | tuple) else [it] * len(traces) for it in (rows, cols)
        )
        for trace, row, col in zip(traces, rows, cols, strict=True):
            self.add_trace(trace, row, col)
        return self

    def add_scatter(self, *, row: int | None = None, col: int | None = None, **props: Any) -> Self:
        """One more `Scatter`."""
        return self.add_trace(Scatter(**props), row, col)

    def add_bar(self, *, row: int | None = None, col: int | None = None, **props: Any) -> Self:
        """One more `Bar`."""
        return self.add_trace(Bar(**props), row, col)

    def add_heatmap(self, *, row: int | None = None, col: int | None = None, **props: Any) -> Self:
        """One more `Heatmap`."""
        return self.add_trace(Heatmap(**props), row, col)

    def add_annotation(
        self, arg: Any = None, *, row: int | None = None, col: int | None = None, **props: Any
    ) -> Self:
        """One more annotation; of a panel it stands on its axes or their domain."""
        return self._listed("annotations", Node({}).update(arg, **props), row, col)

    def add_shape(
        self, arg: Any = None, *, row: int | None = None, col: int | None = None, **props: Any
    ) -> Self:
        """One more shape, placed in the same way."""
        return self._listed("shapes", Node({}).update(arg, **props), row, col)

    def add_vline(self, x: Any, row: Any = "all", col: Any = "all", **style: Any) -> Self:
        """A line at x, from edge to edge of the panels that have traces."""
        ends = {"x0": x, "x1": x, "y0": 0, "y1": 1, "yref": "domain"}
        return self._across({"type": "line"} | ends, row, col, style)

    def add_hline(self, y: Any, row: Any = "all", col: Any = "all", **style: Any) -> Self:
        """A line at y, in the same way."""
        ends = {"x0": 0, "x1": 1, "y0": y, "y1": y, "xref": "domain"}
        return self._across({"type": "line"} | ends, row, col, style)

    def add_vrect(self, x0: Any, x1: Any, row: Any = "all", col: Any = "all", **style: Any) -> Self:
        """A band between two x, in the same way."""
        ends = {"x0": x0, "x1": x1, "y0": 0, "y1": 1, "yref": "domain"}
        return self._across({"type": "rect"} | ends, row, col, style)

    def add_hrect(self, y0: Any, y1: Any, row: Any = "all", col: Any = "all", **style: Any) -> Self:
        """A band between two y, in the same way."""
        ends = {"x0": 0, "x1": 1, "y0": y0, "y1": y1, "xref": "domain"}
        return self._across({"type": "rect"} | ends, row, col, style)

    def update_layout(self, arg: Any = None, overwrite: bool = False, **props: Any) -> Self:
        """Change the layout."""
        self.layout.update(arg, overwrite, **props)
        return self

    def update_xaxes(
        self, arg: Any = None, *, row: int | None = None, col: int | None = None, **props: Any
    ) -> Self:
        """Change the x axes that there are, or those of a row or column of panels."""
        return self._update_axes("xaxis", 0, row, col, arg, props)

    def update_yaxes(
        self, arg: Any = None, *, row: int | None = None, col: int | None = None, **props: Any
    ) -> Self:
        """Change the y axes in the same way."""
        return self._update_axes("yaxis", 1, row, col, arg, props)

    def update_scenes(self, arg: Any = None, **props: Any) -> Self:
        """Change the space in which traces stand."""
        for name in _numbered(self.layout, "scene"):
            self.layout[name].update(arg, **props)
        return self

    def update_annotations(self, arg: Any = None, selector: Chosen = None, **props: Any) -> Self:
        """Change the annotations, or those that are chosen."""
        for each in _chosen(self.layout.annotations, selector):
            each.update(arg, **props)
        return self

    def update_traces(self, arg: Any = None, selector: Chosen = None, **props: Any) -> Self:
        """Change the traces, or those that are chosen."""
        return self.for_each_trace(lambda trace: trace.update(arg, **props), selector)

    def for_each_trace(self, change: Callable[[Any], Any], selector: Chosen = None) -> Self:
        """Let a function change every trace, or those that are chosen."""
        for trace in _chosen(self._traces, selector):
            change(trace)
        return self

    def _listed(self, name: str, thing: Node, row: int | None, col: int | None) -> Self:
        if row is not None and col is not None:
            for letter, axis in zip("xy", self.cells[row, col], strict=True):
                on_domain = "domain" in (thing[f"{letter}ref"] or "")
                thing[f"{letter}ref"] = _short(axis) + (" domain" if on_domain else "")
        # One more without a copy of those that there are.
        self.layout._settled().setdefault(name, []).append(own_pairs(thing._props))
        return self

    def _across(self, ends: dict[str, Any], row: Any, col: Any, style: dict[str, Any]) -> Self:
        if any(key.startswith("annotation") for key in style):
            raise TypeError("A line or band takes no annotation; use `add_annotation` beside it.")
        for x, y in self._panels(row, col):
            shape: dict[str, Any] = {"xref": _short(x), "yref": _short(y)} | ends
            along = "xref" if ends.get("xref") else "yref"
            shape[along] = f"{_short(x if along == 'xref' else y)} domain"
            self.add_shape(**shape, **style)
        return self

    def _panels(self, row: Any, col: Any) -> list[tuple[str, str]]:
        """The axes of the panels that have traces, of a row and a column."""
        if not self.cells:
            return [("xaxis", "yaxis")]
        drawn = {(trace.xaxis or "x", trace.yaxis or "y") for trace in self._traces}
        return [
            axes
            for (r, c), axes in self.cells.items()
            if row in (r, "all", None) and col in (c, "all", None)
            if (_short(axes[0]), _short(axes[1])) in drawn
        ]

    def _update_axes(
        self, first: str, at: int, row: int | None, col: int | None, arg: Any, props: dict[str, Any]
    ) -> Self:
        names: Iterable[str] = _numbered(self.layout, first)
        if row is not None or col is not None:
            cells = self.cells.items()
            names = [axes[at] for (r, c), axes in cells if row in (r, None) and col in (c, None)]
        for name in names:
            self.layout[name].update(arg, **props)
        return self


def _numbered(layout: Node, first: str) -> list[str]:
    """The first of a kind, which is always there, and those with a number."""
    return [first, *(it for it in layout if it != first and it.rstrip("0123456789") == first)]


def _short(axis: str) -> str:
    """How traces name an axis: `xaxis2` is "x2"."""
    return axis.replace("axis", "")


def _chosen(things: Iterable[Any], selector: Chosen) -> Iterator[Any]:
    for thing in things:
        if selector is None or (
            selector(thing)
            if callable(selector)
            else all(thing[key] == value for key, value in selector.items())
        ):
            yield thing
