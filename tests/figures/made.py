"""Data sets and outcomes made by hand, for numbers that can be checked by eye."""

from __future__ import annotations

from typing import Any

import numpy as np

from mlcore.data.dataset import Dataset
from mlcore.data.table import Table, coded, numeric
from mlcore.evaluation.splits import Split
from mlcore.preparation.chain import Prepared
from mlcore.runs.carry import FoldResult, Outcome, Whole, judge_of
from mlcore.runs.run import Run
from mlcore.spine.fit import Column


def dataset(
    X: Any, y: Any = None, classes: tuple[str, ...] = (), kinds: tuple = (), rows: Any = None
) -> Dataset:
    """Columns x1 ... xp; `kinds` gives (kind, levels) for those that are not numbers."""
    X = np.asarray(X, dtype=np.float64)
    kinds = (*kinds, *[("number", ())] * (X.shape[1] - len(kinds)))
    columns = tuple(Column(f"x{j + 1}", k, lv, f"x{j + 1}") for j, (k, lv) in enumerate(kinds))
    table = Table.of(*(numeric(c.name, X[:, j]) for j, c in enumerate(columns)))
    if y is not None and classes:
        table = Table.of(*table.columns, coded("y", [classes[k] for k in y], levels=classes))
    task = "" if y is None else "classification" if classes else "regression"
    return Dataset(
        name="made by hand",
        table=table,
        rows=np.arange(len(X)) if rows is None else np.asarray(rows),
        X=X,
        columns=columns,
        roles=(),
        target="y" if y is not None else None,
        task=task,
        y=None if y is None else np.asarray(y, dtype=np.int64 if classes else np.float64),
        classes=classes,
    )


def whole(data: Dataset, method: Any, rows: Any = None) -> Whole:
    """A fit to rows that were not prepared; with `rows`, (m,), to these, as if resampled."""
    at = slice(None) if rows is None else np.asarray(rows)
    X, y = data.X[at], None if data.y is None else data.y[at]
    fit = method.fit(X, y, columns=data.columns, seed=0)
    return Whole(fit, Prepared((), X, y, data.columns, rows=None if rows is None else at), 0.0, 0)


def outcome(folds: list[FoldResult], method: Any = "constant", planned: int = 0) -> Outcome:
    """An outcome with the scores of a classification, or those of the method's task."""
    run = Run(method=method)
    return Outcome(run, None, tuple(folds), planned or len(folds), judge_of(run), ())


def fold(k: int, test: Any, predictions: Any = None, n: int = 0, **more: Any) -> FoldResult:
    """A fold that leaves out the rows `test` of n."""
    test = np.asarray(test, dtype=np.int64)
    train = np.setdiff1d(np.arange(n), test)
    held = {"scores": {}, "fitted_scores": {}, "baseline": {}} | more
    predictions = None if predictions is None else np.asarray(predictions)
    return FoldResult(k=k, planned=0, split=Split(train, test), predictions=predictions, **held)
