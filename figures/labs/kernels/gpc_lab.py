"""A latent function with its band, and the probabilities that are made of it in three ways."""

from __future__ import annotations

import numpy as np

import figures.graph as go
from figures.drawing import marks
from figures.drawing.bands import between
from figures.drawing.traces import line, named_line
from figures.lab import picture, plot
from figures.numbers.whitening import ellipses
from figures.theme import CLASS_COLORS, LIGHT
from figures.view import TableColumn, View
from mlcore.labs.kernels.gpc_lab import PLACES, Squashed, Weights
from mlcore.spine.wording import count, fixed, rough

WHOLE = [PLACES[0] - 2, PLACES[-1] + 2]  # of the axis of places: room for its last number
CLASSES = ("class 0", "class 1")
WAYS = ("squashed mean (plug-in)", "mean of the squashed (averaged)", "draws of a Markov chain")
LEVELS = np.exp(-np.array([2.0, 0.5]))  # of a normal density two and one deviations off its peak


def pictures(s: Squashed) -> tuple[View, ...]:
    """The probabilities first, then what they are made of."""
    note = f"{count(len(s.x), 'row')} between 5 and 65"
    views = (
        picture("Probability of class 1", s, draw, reading, table, note=note),
        picture("Latent function", s, draw_latent, latent_reading, latent_table),
    )
    if s.weights is None:
        return views
    title = "Intercept and slope"
    return (*views, picture(title, s, draw_weights, weights_reading, weights_table, note=note))


def draw(s: Squashed) -> go.Figure:
    """Three curves over the truth; the rows at 0 and 1."""
    fig = plot(
        _truth(s.truth_probability),
        line(PLACES, s.plug_in, 3, "plug-in"),
        line(PLACES, s.averaged, 2, "averaged"),
        line(PLACES, s.drawn, 4, "draws"),
        *(
            marks.points(
                s.x[s.y == k], s.y[s.y == k].astype(float), klass=k, name=name,
                marker={"size": 7, "opacity": 0.7},
            )
            for k, name in enumerate(CLASSES)
        ),
        x="Place",
        y="Probability of class 1",
    )  # fmt: skip
    named_line(fig, "rows end", x=65)
    return fig.update_yaxes(range=[-0.06, 1.06]).update_xaxes(range=WHOLE).update_layout(height=400)


def _truth(values: np.ndarray) -> go.Scatter:
    style = {"color": LIGHT.quiet, "dash": "dot"}
    return go.Scatter(x=PLACES, y=values, mode="lines", name="truth", line=style)


def reading(s: Squashed) -> str:
    """Where the two differ most, and the loss of all on new rows."""
    at = int((np.abs(s.plug_in - 0.5) - np.abs(s.averaged - 0.5)).argmax())
    plug_in, averaged, drawn = (rough(float(loss)) for loss in s.losses)
    return (
        f"At {PLACES[at]:g} the squashed mean says {fixed(float(s.plug_in[at]))}, the average "
        f"{fixed(float(s.averaged[at]))} and the draws {fixed(float(s.drawn[at]))}. On new rows "
        f"from everywhere they lose {plug_in}, {averaged} and {drawn} nats a row; the true "
        f"probabilities {rough(s.least)}."
    )


def table(s: Squashed) -> tuple[TableColumn, ...]:
    """One line a place."""
    three = zip(WAYS, (s.plug_in, s.averaged, s.drawn), strict=True)
    return (
        TableColumn("place", PLACES),
        TableColumn("truth", s.truth_probability),
        *(TableColumn(name, values) for name, values in three),
    )


def draw_latent(s: Squashed) -> go.Figure:
    """Mean and two deviations by Laplace, as lines those of the draws."""
    low, high = _ends(s.drawn_latent, s.drawn_deviation)
    fig = plot(
        between(PLACES, *_ends(s.latent, s.deviation), "band", CLASS_COLORS[2]),
        _truth(s.truth),
        line(PLACES, s.latent, 2, "Laplace"),
        line(PLACES, s.drawn_latent, 4, "draws"),
        line(PLACES, low, 4, "", opacity=0.6),
        line(PLACES, high, 4, "", opacity=0.6),
        x="Place",
        y="Latent function",
    )
    return named_line(fig, "rows end", x=65).update_xaxes(range=WHOLE)


def _ends(mean: np.ndarray, deviation: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    return mean - 2 * deviation, mean + 2 * deviation


def latent_reading(s: Squashed) -> str:
    """How large the function is by either."""
    laplace, drawn = (float(np.abs(mean).mean()) for mean in (s.latent, s.drawn_latent))
    return (
        "Band and outer lines are two standard deviations either way. On average over the places "
        f"the mean lies {rough(laplace)} from zero by Laplace and {rough(drawn)} by the draws."
    )


def latent_table(s: Squashed) -> tuple[TableColumn, ...]:
    """One line a place."""
    return (
        TableColumn("place", PLACES),
        TableColumn("truth", s.truth),
        TableColumn("mean by Laplace", s.latent),
        TableColumn("standard deviation by Laplace", s.deviation),
        TableColumn("mean of the draws", s.drawn_latent),
        TableColumn("standard deviation of the draws", s.drawn_deviation),
    )


def draw_weights(s: Squashed) -> go.Figure:
    """One and two deviations of two weights before and after the rows; Newton's way to the mode."""
    w = _weights_of(s)
    before = _outline(np.zeros(2), w.prior**2 * np.eye(2))
    after = _outline(w.mode, w.covariance)
    fig = plot(
        _posterior(w),
        line(before[:, 0], before[:, 1], 4, "prior"),
        line(after[:, 0], after[:, 1], 2, "Laplace"),
        line(w.path[:, 0], w.path[:, 1], 3, "Newton").update(
            mode="lines+markers", marker={"size": 7}
        ),
        x="Intercept: latent function at 35",
        y="Slope: its rise from 35 to 65",
    )
    across, up = (_range(w, k) for k in range(2))
    return fig.update_xaxes(range=across).update_yaxes(range=up).update_layout(height=400)


def _weights_of(s: Squashed) -> Weights:
    assert s.weights is not None  # only then is there such a picture
    return s.weights


def _outline(mean: np.ndarray, covariance: np.ndarray) -> np.ndarray:
    """Both ellipses as one line with a gap, (123, 2)."""
    one, two = ellipses(mean, covariance)
    return np.vstack([one, np.full((1, 2), np.nan), two])


def _posterior(w: Weights) -> go.Contour:
    """The density itself, at the levels that a normal one has at one and two deviations."""
    low, high = (float(level) for level in LEVELS)
    return go.Contour(
        x=w.intercepts, y=w.slopes, z=w.density, name="posterior", showscale=False,
        contours={"coloring": "none", "start": low, "end": high, "size": high - low},
        line={"color": LIGHT.text, "width": 2, "smoothing": 0}, hoverinfo="skip",
    )  # fmt: skip


def _range(w: Weights, k: int) -> list[float]:
    """The posterior, the way to it, and one deviation of the prior unless it is far wider."""
    off = 3.5 * float(np.sqrt(w.covariance[k, k]))
    ends = [*w.path[:, k], w.mode[k] - off, w.mode[k] + off, -1.1 * w.prior, 1.1 * w.prior]
    return [float(min(ends)), float(max(ends))]


def weights_reading(s: Squashed) -> str:
    """That both are one method, and how many steps it took."""
    w = _weights_of(s)
    intercept, slope = (rough(float(value)) for value in w.mode)
    apart = max(np.abs(s.latent - w.latent).max(), np.abs(s.deviation - w.deviation).max())
    differ = "less than 1e-6" if apart < 1e-6 else f"{rough(float(apart))} at most"
    return (
        f"Bayesian logistic regression has its mode at intercept {intercept} and slope {slope}, "
        f"after {count(len(w.path) - 1, 'step')} of Newton's method on two numbers. The Gaussian "
        f"process sought {len(s.x)} latent values instead; mean and deviation of the latent "
        f"function by the two differ by {differ}. The outlines are one and two deviations of the "
        "prior and of Laplace, and the posterior itself at the same heights below its peak."
    )


def weights_table(s: Squashed) -> tuple[TableColumn, ...]:
    """One line a step of Newton's method."""
    w = _weights_of(s)
    return (
        TableColumn("step", np.arange(len(w.path))),
        TableColumn("intercept", w.path[:, 0]),
        TableColumn("slope", w.path[:, 1]),
    )
