"""The kinds of traces, each with the properties of its page in Plotly's reference."""

from __future__ import annotations

from typing import Any, ClassVar

from figures.graph.node import GROUPS, Node, merge


class Trace(Node):
    """What is drawn on one pair of axes; `Scatter(x=..., marker_size=5)`."""

    __slots__ = ()
    _groups = GROUPS - {"xaxis", "yaxis", "scene", "legend"}  # a trace names those of the layout
    kind: ClassVar[str] = "scatter"

    def __init__(self, arg: Any = None, /, **props: Any) -> None:
        super().__init__({"type": self.kind})
        self.update(arg, **props)


class Scatter(Trace):
    """Marks, lines and words at points."""

    __slots__ = ()
    kind = "scatter"


class Scattergl(Trace):
    """The same for many points, by WebGL."""

    __slots__ = ()
    kind = "scattergl"


class Scatter3d(Trace):
    """Points in space."""

    __slots__ = ()
    kind = "scatter3d"


class Bar(Trace):
    """Bars, upright or lying."""

    __slots__ = ()
    kind = "bar"


class Heatmap(Trace):
    """Cells with a colour each."""

    __slots__ = ()
    kind = "heatmap"


class Contour(Trace):
    """Lines of equal height."""

    __slots__ = ()
    kind = "contour"


class Surface(Trace):
    """A height over a plane, in space."""

    __slots__ = ()
    kind = "surface"


class Splom(Trace):
    """Every pair of columns as points."""

    __slots__ = ()
    kind = "splom"


class Image(Trace):
    """Pixels with a colour each."""

    __slots__ = ()
    kind = "image"


KINDS = {cls.kind: cls for cls in Trace.__subclasses__()}


def copied(trace: Any) -> Trace:
    """A trace of its own for a figure, from one in any form; of Plotly's own too, of any kind."""
    props = trace if isinstance(trace, dict) else trace.to_plotly_json()
    made = KINDS.get(props.get("type", Scatter.kind), Trace)()
    merge(made._props, props)
    return made
