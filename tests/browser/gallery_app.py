"""Pictures of every kind the views draw, one a tab, so that all but the first start hidden."""

import numpy as np
import plotly.graph_objects as go
import streamlit as st

from figures import theme
from figures.drawing import marks
from figures.graph import make_subplots
from figures.recording import Recording
from ui.components.picture import picture

rng = np.random.default_rng(3)
X = rng.normal(size=(300, 4))
rows = np.arange(300)
many = rng.normal(size=(4_000, 2))
words = np.array(["low", "middle", "high"])[rng.integers(3, size=300)]


def titled(fig: go.Figure) -> go.Figure:
    """Axes with titles, as every view has them."""
    return fig.update_xaxes(title_text="first").update_yaxes(title_text="second")


def thousand_points() -> Recording:
    """A thousand points that change class and place in each of forty steps."""
    frames = [
        {0: {"class": rng.integers(5, size=1000), "x": rng.normal(size=1000)}} for _ in range(40)
    ]
    return Recording(frames, np.exp(-np.arange(40) / 9), [f"Step {k}" for k in range(40)],
                     np.arange(40))  # fmt: skip


equal = marks.equal_axes(titled(theme.figure(marks.points(X[:, 0], X[:, 1], rows=rows))))
equal.update_xaxes(range=(-12, 12)).update_yaxes(range=(-2, 2))
log = titled(theme.figure(marks.points(np.exp(X[:, 0]), X[:, 1], rows=rows)))
log.update_xaxes(type="log", range=(-1, 1))
pair = make_subplots(cols=2, shared_yaxes=True).update_layout(template=theme.TEMPLATE)
pair.add_traces([marks.points(X[:, 0], X[:, 1], rows=rows)], rows=1, cols=1)
pair.add_traces([marks.points(X[:, 2], X[:, 1], klass=1, rows=rows)], rows=1, cols=2)
stacked = make_subplots(rows=3).update_layout(template=theme.TEMPLATE, height=600)
stacked.add_traces([go.Scatter(x=rows, y=X[:, j]) for j in range(3)], rows=[1, 2, 3], cols=[1] * 3)
solid = go.Scatter3d(x=X[:, 0], y=X[:, 1], z=X[:, 2], mode="markers")
moving = marks.points(X[:, 0].repeat(4)[:1000], X[:, 1].repeat(4)[:1000])

columns = [{"label": f"x{j}", "values": X[:, j]} for j in range(4)]
matrix = go.Splom(dimensions=columns[:3], marker_color=theme.class_color(0))
walk = go.Scatter(x=np.array("2020-01-01", "M8[D]") + rows, y=X[:, 0].cumsum(), name="walk")
products = go.Heatmap(z=X[:20] @ X[:20].T, colorscale=theme.DIVERGING, zmid=0)

share = np.append(np.linspace(0, 1, 21), np.nan)
written = [[f"{s:.2f}" if s == s else "none" for s in share]]
shares = go.Heatmap(z=[share], zmin=0, zmax=1, colorscale=theme.SHARES, text=written,
                    texttemplate="%{text}")  # fmt: skip

heads = ["female for<br>missing values"] * 6
above = theme.figure(go.Heatmap(z=X[:5] @ X[:6].T), meta={"least": 754, "high": True})
above.update_xaxes(tickvals=list(range(6)), ticktext=heads, side="top")

FIGURES = {
    "equal": equal,
    "webgl": titled(theme.figure(marks.points(*many.T, rows=np.arange(len(many))))),
    "log": log,
    "words": titled(theme.figure(go.Box(x=words, y=X[:, 0]))).update_xaxes(range=(-0.5, 2.5)),
    "dates": theme.figure(walk),
    "pair": pair,
    "solid": theme.figure(marks.numbered(solid, rows)),
    "matrix": theme.figure(marks.numbered(matrix, rows)),
    "lines": theme.figure(go.Parcoords(dimensions=columns)),
    "histogram": titled(theme.figure(go.Histogram(x=X[:, 0], name="count"))),
    "heat": titled(theme.figure(products)),
    "empty": theme.figure(),
    "stacked": stacked,
    "shares": theme.figure(shares),
    "heads": above,
}

for tab, (name, fig) in zip(st.tabs([*FIGURES, "moving"]), (FIGURES | {"moving": None}).items()):
    with tab:
        if fig is None:
            fixed = titled(theme.figure(moving)).update_xaxes(range=(-4, 4))
            picture(fixed, name, player=thousand_points())
        else:
            said = f"The picture called {name}."
            picture(fig, name, reading=said, height=fig.layout.height or 420)
