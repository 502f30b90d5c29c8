"""Figures as plain values, in the words of `plotly.graph_objects`, without its checks.

Plotly's own classes look every property up in a schema and copy what they get: three quarters of
the time of a page went there. These hold the same properties in dicts, and their JSON is the same
(`tests/figures/graph` compares, and a test draws every view and lets Plotly check it in full). So a
view is written as with Plotly, `import figures.graph as go`, with the names of its reference.
"""

from figures.graph.figure import Figure
from figures.graph.panels import make_subplots
from figures.graph.traces import (
    Bar,
    Contour,
    Heatmap,
    Image,
    Scatter,
    Scatter3d,
    Scattergl,
    Splom,
    Surface,
    Trace,
)

__all__ = [
    "Bar",
    "Contour",
    "Figure",
    "Heatmap",
    "Image",
    "Scatter",
    "Scatter3d",
    "Scattergl",
    "Splom",
    "Surface",
    "Trace",
    "make_subplots",
]
