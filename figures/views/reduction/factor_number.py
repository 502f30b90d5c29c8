"""How many factors: criteria and rows left out, for every number of them."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

import figures.graph as go
from figures.drawing.traces import named_line
from figures.theme import class_color, figure
from figures.view import TableColumn, View, joined, view
from mlcore.data.dataset import Dataset
from mlcore.preparation.once import prepared_once
from mlcore.reduction.capabilities import HasFactors
from mlcore.runs.carry import Outcome
from mlcore.runs.fitting import fit_prepared, steps_of
from mlcore.spine.errors import DataError
from mlcore.spine.wording import count

HEIGHT = 360
MOST = 15  # numbers of factors that are tried
MOST_SECONDS = 2.0  # of the fits while a page waits
NAMES = ("AIC", "BIC", "rows left out")


class FactorNumber(NamedTuple):
    """What each number of factors, 1 .. q, costs a row; the lower, the better."""

    costs: np.ndarray  # (3, q) AIC and BIC over n, and -2 mean log density of rows left out
    here: int  # factors of the fit
    folds: int
    too_long: int  # fits to folds that were left out, since they would keep the page waiting

    @property
    def best(self) -> np.ndarray:
        """The number of factors with the lowest cost of each kind, (3,); 0 where there is none."""
        known = np.isfinite(self.costs)
        at = np.where(known, self.costs, np.inf).argmin(axis=1) + 1
        return np.where(known.any(axis=1), at, 0)


@view(
    "factor_number",
    title="Number of factors",
    asks=HasFactors,
    on="reduction report",
    order=241,
    sources=("epfl:ppca_ml", "epfl:ppca_marginal", "s841:factor_analysis"),
    synonyms=("BIC", "AIC", "number of components", "model selection", "held-out likelihood"),
)
def factor_number(dataset: Dataset, outcome: Outcome) -> View:
    """AIC and BIC of every number of factors, beside how unlikely rows left out are.

    All three are in units of twice a nat a row, the lower the better: AIC and BIC add to the
    fitted rows what the free parameters cost, rows left out need nothing added.
    """
    f = numbers(dataset, outcome)
    of_folds = f", and one to those of each of {count(f.folds, 'fold')}" if f.folds else ""
    return joined(f, draw, reading, table, note=f"a fit to all rows each{of_folds}")


def numbers(dataset: Dataset, outcome: Outcome) -> FactorNumber:
    """Every number of factors, fitted to all rows and, where that is soon done, to each fold's."""
    run, whole = outcome.run, outcome.whole
    X, fit = whole.prepared.X, whole.fit
    tried = range(1, min(X.shape[1] - 1, MOST) + 1)
    methods = [fit.with_factors(q) for q in tried]
    scored = [fold for fold in outcome.done if fold.scores]
    _refuse_long(methods, X)
    folds = scored if _seconds(methods, X) * (len(scored) + 1) <= MOST_SECONDS else []
    every = np.arange(dataset.n)
    fits = [fit_prepared(m, whole.prepared, dataset, every, run.seed) for m in methods]
    judged = np.full((len(folds), len(methods)), np.nan)
    for f, fold in enumerate(folds):
        prepared = prepared_once(steps_of(run), dataset, fold.train, run.seed)
        rows = prepared.transform(dataset.X[fold.test])
        for m, method in enumerate(methods):
            own = fit_prepared(method, prepared, dataset, fold.train, run.seed)
            judged[f, m] = own.log_density(rows).mean()
    criteria = np.array([(one.aic / one.n_rows, one.bic / one.n_rows) for one in fits]).T
    left_out = -2 * judged.mean(axis=0) if len(folds) else np.full(len(methods), np.nan)
    too_long = len(methods) * (len(scored) - len(folds))
    return FactorNumber(np.vstack([criteria, left_out]), len(fit.axes), len(folds), too_long)


def _seconds(methods: list[Any], X: np.ndarray) -> float:
    """Expected of one fit of each."""
    return sum(method.card.cost(*X.shape, method)[0] for method in methods)


def _refuse_long(methods: list[Any], X: np.ndarray) -> None:
    if _seconds(methods, X) > MOST_SECONDS:
        raise DataError(
            f"The picture takes {len(methods)} fits, on {len(X):,} rows and {X.shape[1]} columns "
            "too long to wait for. Use fewer rows or columns."
        )


def draw(f: FactorNumber) -> go.Figure:
    """A line a criterion, its lowest place marked."""
    q = np.arange(1, f.costs.shape[1] + 1)
    fig = figure(
        height=HEIGHT, showlegend=True, margin={"t": 36},
        xaxis={"title": {"text": "Number of factors"}, "dtick": 1},
        yaxis={"title": {"text": "Cost of a row, in 2 nats"}},
    )  # fmt: skip
    for k, (name, costs, best) in enumerate(zip(NAMES, f.costs, f.best, strict=True)):
        if best:
            sizes = np.where(q == best, 13, 6)
            fig.add_trace(go.Scatter(
                x=q, y=costs, mode="lines+markers", name=name,
                line={"color": class_color(k), "width": 2}, marker={"size": sizes},
                hovertemplate=f"{name}<br>%{{y:.4g}} with %{{x}} factors<extra></extra>",
            ))  # fmt: skip
    return named_line(fig, "here", x=f.here) if f.here <= len(q) else fig


def reading(f: FactorNumber) -> str:
    """How many factors each criterion asks for, and that of the fit."""
    aic, bic, judged = (int(best) for best in f.best)
    text = f"AIC asks for {count(aic, 'factor')}, BIC for {bic}"
    text += f"; rows left out are likeliest with {judged}." if judged else "."
    text += f" The fit has {f.here}."
    if f.too_long:
        text += (
            f" Rows left out are not asked: {count(f.too_long, 'fit')} more would take too long."
        )
    if f.costs.shape[1] == MOST == f.best.max():
        text += " The largest number that was tried is among the best: more may be better still."
    return text


def table(f: FactorNumber) -> tuple[TableColumn, ...]:
    """One line a number of factors."""
    units = ("AIC a row", "BIC a row", "rows left out, -2 log density")
    numbers = TableColumn("factors", np.arange(1, f.costs.shape[1] + 1))
    return (numbers, *(TableColumn(u, c) for u, c in zip(units, f.costs, strict=True)))
