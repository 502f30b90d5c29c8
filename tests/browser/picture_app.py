"""A page with three pictures of one table, for the tests of the picture component."""

import numpy as np
import pandas as pd
import streamlit as st

from figures import theme
from figures.drawing import marks
from figures.drawing.handle import Handle, with_handle
from figures.recording import Recording
from mlcore.spine.errors import ParamError
from ui import selection
from ui.components.picture import picture

N, K, STEPS = 240, 3, 12
CENTERS = np.array([[38.0, 18.5], [49.0, 18.8], [47.0, 14.5]])
NAMES = ("Adelie", "Chinstrap", "Gentoo")


def drawn_points(spread: float) -> tuple[np.ndarray, np.ndarray]:
    """Points around three centers, and the center of each."""
    rng = np.random.default_rng(7)
    labels = rng.integers(K, size=N)
    return CENTERS[labels] + rng.normal(size=(N, 2)) * (2.2 * spread, 0.9 * spread), labels


def regions_figure(X, labels):
    """The nearest center everywhere, fading far from the data, and the rows on it."""
    (x0, y0), (x1, y1) = X.min(axis=0) - 1, X.max(axis=0) + 1
    x, y = np.linspace(x0, x1, 160), np.linspace(y0, y1, 120)
    cells = np.stack(np.meshgrid(x, y), axis=-1)
    d = np.linalg.norm((cells[..., None, :] - CENTERS) / (2.2, 0.9), axis=-1)
    nearest = np.sort(d, axis=-1)
    sure = np.clip((nearest[..., 1] - nearest[..., 0]) / 3, 0.15, 1) * np.exp(-nearest[..., 0] / 6)
    wrong = labels != np.argmin(np.linalg.norm((X[:, None] - CENTERS) / (2.2, 0.9), axis=2), axis=1)
    rows = np.arange(N)
    return theme.figure(
        marks.regions(x, y, d.argmin(axis=-1), sure),
        *(
            marks.points(*X[labels == k].T, klass=k, rows=rows[labels == k], name=NAMES[k])
            for k in range(K)
        ),
        marks.rings(*X[wrong].T, rows=rows[wrong], name=f"Errors ({wrong.sum()})"),
        xaxis={"title": {"text": "Bill length (mm)"}, "range": (x[0], x[-1])},
        yaxis={"title": {"text": "Bill depth (mm)"}, "range": (y[0], y[-1])},
    )


def clusters_figure(X, centers, labels):
    """All rows in one trace, because the player moves them between clusters."""
    look = {
        "color": [theme.class_color(k) for k in labels],
        "symbol": [theme.class_symbol(k) for k in labels],
    }
    everything = marks.points(*X.T, rows=np.arange(N), name="rows", marker=look, showlegend=False)
    cross = {"symbol": "x", "size": 13, "color": theme.LIGHT.text}
    middle = marks.points(*centers.T, name="centers", marker=cross)
    return theme.figure(
        everything,
        middle,
        *(marks.legend_entry(f"cluster {k + 1}", k) for k in range(K)),
        xaxis={"title": {"text": "Bill length (mm)"}, "range": (28, 60)},
        yaxis={"title": {"text": "Bill depth (mm)"}, "range": (10.5, 23)},
    )


def lloyd(X) -> Recording:
    """Lloyd's algorithm from a bad start, step by step."""
    centers, frames, inertia = X[:K] + 0.0, [], []
    for _ in range(STEPS):
        d = np.linalg.norm(X[:, None] - centers, axis=2)
        labels = d.argmin(axis=1)
        frames.append({0: {"class": labels}, 1: {"x": centers[:, 0], "y": centers[:, 1]}})
        inertia.append((d.min(axis=1) ** 2).sum())
        centers = np.array([X[labels == k].mean(axis=0) for k in range(K)])
    said = [f"Inertia {v:.1f}: each center moved to the mean of its rows." for v in inertia]
    return Recording(frames, np.array(inertia), said, np.arange(1, STEPS + 1), label="inertia")


def confusion_figure(labels):
    """Counts in cells that carry their rows."""
    predicted = np.where(np.arange(N) % 13 == 0, (labels + 1) % K, labels)
    cell = [
        [np.flatnonzero((labels == i) & (predicted == j)).tolist() for j in range(K)]
        for i in range(K)
    ]
    counts = np.array([[len(rows) for rows in line] for line in cell])
    shares = counts / counts.sum(axis=1, keepdims=True)
    bare = {"showline": False, "ticks": "", "showgrid": False}
    heat = theme.go.Heatmap(
        x=NAMES,
        y=NAMES,
        z=shares,
        zmin=0,
        zmax=1,
        colorscale=theme.SHARES,
        showscale=False,
        xgap=3,
        ygap=3,
        text=counts,
        texttemplate="<b>%{text}</b>",
        textfont={"size": 15},
    )
    return theme.figure(
        marks.numbered(heat, cell),
        yaxis=bare | {"autorange": "reversed", "title": {"text": "True"}},
        xaxis=bare | {"title": {"text": "Predicted"}},
    )


def refused() -> Recording:
    """A method whose steps cannot be played."""
    raise ParamError("There are no steps to play; the method is not iterative.")


def pictures() -> None:
    """The three pictures, and what changes them."""
    spread = st.slider("Spread", 0.5, 2.0, 1.0, step=0.1)
    stale = st.toggle("Stale")
    fails = st.toggle("Failing player")
    free = st.toggle("Free axes")
    along = st.toggle("Handle")
    st.text(f"let go: {st.session_state.get('let_go')}")
    if st.toggle("Notice"):
        st.info("Something above the pictures.")
    selection.about("blobs")
    X, labels = drawn_points(spread)
    left, right = st.columns((5, 3))
    with left, st.container(border=True):
        st.markdown("**Decision regions**")
        regions = regions_figure(X, labels)
        if free:
            regions.update_xaxes(range=None)
        if along:  # the lower edge
            at, y, says = np.arange(35.0, 56.0, 5.0), np.full(5, 14.0), tuple("abcde")
            with_handle(regions, Handle("Bill of row 1", at, y, at, says, 2))
        picture(
            regions,
            "regions",
            reading="Three species, 240 rows; most errors lie between Adelie and Chinstrap.",
            stale=stale,
            filename="blobs-regions-0123456789ab",
            moved=lambda value: st.session_state.update(let_go=value),
        )
    with right, st.container(border=True):
        st.markdown("**Confusion matrix**")
        picture(
            confusion_figure(labels),
            "confusion",
            reading="Most common error: Adelie taken for Chinstrap.",
            table=pd.DataFrame({"species": NAMES, "rows": np.bincount(labels)}),
            height=360,
        )
    with st.container(border=True):
        st.markdown("**Clusters**")
        final = lloyd(X).frames[-1]
        centers = np.column_stack([final[1]["x"], final[1]["y"]])
        event = picture(
            clusters_figure(X, centers, final[0]["class"]),
            "clusters",
            reading="Three clusters.",
            player=refused if fails else lambda: lloyd(X),
        )
    if event.step is not None:
        st.session_state.linked = event.step
    st.text(f"rows: {list(selection.selected())}")
    st.text(f"linked step: {st.session_state.get('linked')}")
    st.title("Pictures")  # below them: they begin near the upper edge


st.set_page_config(layout="wide")
# A page without pictures, by way of which somebody new comes to the other.
small = st.Page(lambda: st.title("Shared"), title="Shared", url_path="shared")
st.navigation([st.Page(pictures, default=True), small], position="hidden").run()
