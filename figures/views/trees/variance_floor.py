"""How far averaging more members can lower the error: what their errors have in common stays."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

import figures.graph as go
from figures.drawing.marks import across
from figures.drawing.traces import HEIGHT
from figures.theme import CLASS_COLORS, LIGHT, figure
from figures.view import TableColumn, View, joined, view
from mlcore.data.dataset import Dataset
from mlcore.ensembles.capabilities import HasMemberProbabilities, HasMemberValues
from mlcore.runs.carry import Outcome
from mlcore.runs.fitting import fitted
from mlcore.spine.asking import any_of, can
from mlcore.spine.errors import DataError
from mlcore.spine.wording import fixed, percent, rough

ROOM = 0.08  # beside what is drawn, of its height
MOST_SECONDS = 1.0  # of one more fit while a page waits


class Floor(NamedTuple):
    """Mean squared errors on test rows by the number of members that are averaged."""

    members: np.ndarray  # (B,) from 1
    measured: np.ndarray  # (B,) of the first members
    expected: np.ndarray  # (B,) of as many members drawn from these
    alone: float  # sigma^2, of a member: in squares of the target's unit, of classes from 0 to 2
    floor: float  # rho sigma^2, what is left of ever more such members

    @property
    def correlation(self) -> float:
        """rho, of the errors of two members; NaN where no member errs."""
        return self.floor / self.alone if self.alone > 0 else float("nan")


@view(
    "variance_floor",
    title="Floor of the average",
    asks=any_of(HasMemberValues, HasMemberProbabilities),
    on="regression classification report",
    order=167,
    sources=("cs2:random_forest", "cs2:bagging_regression", "cs2:bagging_vote"),
    synonyms=(
        "correlation of trees", "variance reduction", "decorrelated trees", "strength and "
        "correlation", "how many trees",
    ),
)  # fmt: skip
def variance_floor(dataset: Dataset, outcome: Outcome) -> View:
    r"""The squared error of the first members, and $\rho \sigma^2 + (1 - \rho) \sigma^2 / B$.

    A member alone errs by $\sigma^2$, and errors of two go together by $\rho$. More members lower
    only the rest; less correlation lowers the floor, noise and bias of all are part of it. Of
    classes the errors are those of the probabilities, whose squares are summed over the classes
    (Brier score).
    """
    f = numbers(dataset, outcome)
    return joined(f, draw, reading, table, note="on the test rows of the first fold")


def numbers(dataset: Dataset, outcome: Outcome) -> Floor:
    """Of members fitted once more to the training rows of the first fold that is done."""
    if not outcome.done:
        raise DataError("No fold is done, so there are no test rows to judge the members on.")
    run, fold = outcome.run, outcome.done[0]
    seconds = run.method.card.cost(len(fold.train), len(dataset.columns), run.method)[0]
    if seconds > MOST_SECONDS:
        raise DataError(
            "To fit the members once more to the training rows takes too long for a picture. Ask "
            "for fewer members or draw a sample."
        )
    prepared, fit = fitted(run, dataset, fold.train)
    y = np.asarray(dataset.y)
    return of_errors(_errors(fit, prepared.transform(dataset.X[fold.test]), y[fold.test]))


def _errors(fit: Any, X: np.ndarray, y: np.ndarray) -> np.ndarray:
    """Of B members, shape (m, B, 1), or of their probabilities, shape (m, B, K)."""
    if can(fit, HasMemberValues):
        return (fit.member_values(X) - y[:, None])[:, :, None]
    told = fit.member_probabilities(X)
    K = int(max(y.max(), fit.classes.max())) + 1
    P = np.zeros((*told.shape[:2], K))
    P[:, :, fit.classes] = told  # a class that no training row has gets nothing
    return P - np.eye(K)[y][:, None, :]


def of_errors(errors: np.ndarray) -> Floor:
    """From errors of B members at m rows, shape (m, B, K), their squares summed over the last."""
    B = errors.shape[1]
    members = np.arange(1, B + 1)
    together = np.cumsum(errors, axis=1) / members[:, None]
    measured = (together**2).sum(axis=2).mean(axis=0)
    alone = float((errors**2).sum(axis=2).mean())
    floor = (B * float(measured[-1]) - alone) / (B - 1) if B > 1 else alone
    return Floor(members, measured, floor + (alone - floor) / members, alone, floor)


def draw(f: Floor) -> go.Figure:
    """Measured marks about the curve, and the floor as a line from edge to edge."""
    form = "%{x} members<br>squared error %{y:.4~g}<extra></extra>"
    traces = [
        go.Scatter(
            x=f.members, y=f.measured, mode="markers", name="first members", hovertemplate=form,
            marker={"size": 6, "color": LIGHT.text, "opacity": 0.6},
        ),
        go.Scatter(
            x=f.members, y=f.expected, mode="lines", name="members drawn from all",
            line={"color": LIGHT.accent, "width": 2.5}, hovertemplate=form,
        ),
    ]  # fmt: skip
    fig = figure(
        *traces, height=HEIGHT, showlegend=True,
        xaxis={"title": {"text": "Members"}, "tickformat": "d"},
        yaxis={"title": {"text": "Mean squared error"}, "range": _around(f)},
    )  # fmt: skip
    return across(fig, y=f.floor, line={"color": CLASS_COLORS[1], "width": 1.5, "dash": "dash"})


def _around(f: Floor) -> list[float] | None:
    """From below the floor to above what is drawn: from 0 on, curve and floor would be one line."""
    drawn = np.concatenate([f.measured, f.expected, [f.floor]])
    low, high = float(drawn.min()), float(drawn.max())
    room = ROOM * (high - low)
    return [low - room, high + room] if room > 0 else None


def reading(f: Floor) -> str:
    """What a member, all of them and ever more of them err by, and what more would still gain."""
    B, last = len(f.members), float(f.measured[-1])
    text = f"A member alone errs by {rough(f.alone)} (squared)"
    if B == 1:
        return f"{text}; of one member there is nothing to average."
    if not f.alone > 0:
        return f"{text}: none is wrong."
    text += f", all {B} together by {rough(last)}. Errors of two members go together by "
    text += f"{fixed(f.correlation)}, so ever more such members would come to {rough(f.floor)} "
    return f"{text}(dashed): {percent(max(1 - f.floor / last, 0.0))} less."


def table(f: Floor) -> tuple[TableColumn, ...]:
    """One line a number of members."""
    columns: tuple[Any, ...] = (f.members, f.measured, f.expected)
    names = ("members", "measured", "expected")
    return tuple(TableColumn(*each) for each in zip(names, columns, strict=True))
