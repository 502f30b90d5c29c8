"""A handle on a curve: moved in the browser among places whose answers were computed ahead."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

import figures.graph as go


class Handle(NamedTuple):
    """Where it may stand, and what is said there; `ui/components/picture` lets people move it."""

    label: str  # what it moves
    x: np.ndarray  # (n,) along the axis, from left to right; dates too
    y: np.ndarray  # (n,)
    values: np.ndarray  # (n,) what is set where it is let go
    says: tuple[str, ...]  # (n,)
    at: int  # its place now


def with_handle(fig: go.Figure, handle: Handle | None) -> go.Figure:
    """The figure, which carries the handle; as a file it is a picture without one."""
    if handle is None:
        return fig
    return fig.update_layout(meta={"handle": {n: _plain(v) for n, v in handle._asdict().items()}})


def has_handle(fig: go.Figure) -> bool:
    """Whether something of the figure may be moved."""
    return "handle" in (fig.layout.meta or {})


def _plain(value: Any) -> Any:
    """Lists instead of arrays, which Plotly would pack; dates as they are written on an axis."""
    if not isinstance(value, np.ndarray):
        return value
    return (value.astype(str) if value.dtype.kind == "M" else value).tolist()
