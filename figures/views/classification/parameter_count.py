"""How many numbers the borders of discriminants depend on, as columns are added."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

import figures.graph as go
from figures.drawing.marks import across
from figures.drawing.traces import HEIGHT, UNDER_NAMES, line, named_line
from figures.drawing.words import fitted_on
from figures.theme import CLASS_COLORS, figure
from figures.view import TableColumn, View, joined, view
from mlcore.classification.capabilities import MixesCovariances
from mlcore.classification.qda import parameter_count as counted
from mlcore.data.dataset import Dataset
from mlcore.runs.carry import Whole
from mlcore.spine.wording import count, rough, spaced

FEWEST, MOST = 10, 1000  # columns up to which is counted
RULES = ("qda", "lda", "lda, generative")
NAMES = ("QDA, borders", "LDA and logistic, borders", "LDA, means and covariance")


class Counts(NamedTuple):
    """Numbers of parameters by the number of columns."""

    columns: np.ndarray  # (d,) from 1
    counts: np.ndarray  # (d, 3) of the rules
    p: int  # columns of the fit
    K: int
    n: int  # fitted rows

    @property
    def here(self) -> np.ndarray:
        """Those of the columns of the fit, shape (3,)."""
        return self.counts[self.p - 1]


@view(
    "parameter_count",
    title="Number of parameters",
    asks=MixesCovariances,
    on="classification report",
    order=122,
    sources=("s841:lda_parameter_count", "s841:qda_parameter_count"),
    synonyms=("degrees of freedom", "model complexity", "curse of dimensionality"),
)
def parameter_count(dataset: Dataset, whole: Whole) -> View:
    r"""What has to be learned, against the number of columns d, of these K classes.

    $(K - 1)(d + 1)$ numbers set the borders of LDA, as of logistic regression, and
    $(K - 1)(d (d + 3) / 2 + 1)$ those of QDA with full covariances.
    """
    c = numbers(whole)
    return joined(c, draw, reading, table, note=fitted_on(dataset, whole))


def numbers(whole: Whole) -> Counts:
    """Up to twice the columns of the fit, as prepared."""
    fit: Any = whole.fit
    (n, p), K = whole.prepared.X.shape, len(fit.classes)
    columns = np.arange(1, max(FEWEST, p, min(2 * p, MOST)) + 1)
    counts = np.array([[counted(rule, int(d), K) for rule in RULES] for d in columns])
    return Counts(columns, counts, p, K, n)


def draw(c: Counts) -> go.Figure:
    """A line a rule on a log axis; the rows from edge to edge, the present columns upright."""
    traces = [
        line(c.columns, c.counts[:, k], k + 1, name).update(
            hovertemplate=f"{name}<br>%{{x}} columns: %{{y}} numbers<extra></extra>"
        )
        for k, name in enumerate(NAMES)
    ]
    fig = figure(
        *traces, height=HEIGHT, showlegend=True,
        xaxis={"title": {"text": "Columns"}, "tickformat": "d"},
        yaxis={"title": {"text": "Numbers to learn"}, "type": "log"},
    )  # fmt: skip
    across(fig, y=c.n, line={"color": CLASS_COLORS[0], "width": 1.5, "dash": "dash"})
    return named_line(fig, count(c.p, "column"), x=c.p).update_layout(margin_t=UNDER_NAMES)


def reading(c: Counts) -> str:
    """The counts of the present columns beside the rows, and from where QDA has more than rows."""
    quadratic, linear, generative = (int(value) for value in c.here)
    text = (
        f"With {count(c.p, 'column')} and {count(c.K, 'class', 'classes')} the borders of QDA "
        f"with full covariances depend on {spaced(quadratic)} numbers, those of LDA on "
        f"{spaced(linear)}, for which {spaced(generative)} are estimated. There are "
        f"{count(c.n, 'row')} (dashed), {rough(c.n / quadratic)} a number of QDA."
    )
    many = c.columns[c.counts[:, 0] > c.n]
    return text + (
        f" From {many[0]} columns on QDA has more numbers than rows." if len(many) else ""
    )


def table(c: Counts) -> tuple[TableColumn, ...]:
    """One line a number of columns."""
    named = zip(NAMES, c.counts.T, strict=True)
    return (TableColumn("columns", c.columns), *(TableColumn(name, of) for name, of in named))
