"""No fold learns from the rows it is judged on: every step of the catalogue, inside whole runs."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from mlcore.data.dataset import Dataset
from mlcore.data.table import Table, numeric
from mlcore.preparation.chain import Prepared, prepare
from mlcore.preparation.count_vectorizer import CountVectorizer
from mlcore.preparation.impute import Impute
from mlcore.preparation.one_hot import OneHot
from mlcore.runs import carry, fitting
from mlcore.runs.run import Run
from mlcore.spine.fit import Column
from mlcore.spine.registry import entries, lookup
from tests.preparation.stands import takes_any_table
from tests.preparation.test_contract import COLUMNS, mixed

N = 60
LEARN_NOTHING = {"basis_expansion", "normalizer"}  # what they do to a row depends on no other
CHOOSE = {"embedded_selector", "subset_selector", "univariate_filter"}  # else they keep all
TEXTS = ("the sea is calm", "a calm wind", "rain and wind", "words of no other row")
PIXELS = tuple(Column(f"pixel_{r}_{c}") for r in (0, 1) for c in (0, 1))


def run_with(name: str) -> Run:
    """Nearest neighbours after the step, with what must stand after it."""
    step: Any = lookup("preparation", name)(**({"n_features": 1} if name in CHOOSE else {}))
    more = (Impute(), OneHot()) if takes_any_table(step) else ()
    return Run(method="knn", preparation=(step, *more))


def rows_for(step: Any) -> Dataset:
    """Two uneven classes of rows such as the step is for: texts, numbers, or any incomplete.

    No row has the last level of a column, and one column of numbers is constant.
    """
    y = (np.arange(N) % 3 == 0).astype(np.int64)
    columns, X = PIXELS, np.random.default_rng(0).normal(size=(N, 4))
    X[:, 2] += y  # the only one that tells the classes apart
    X[:, 3] = 1.0
    if isinstance(step, CountVectorizer):
        columns = (Column("mail", "text", TEXTS),)
        X = np.random.default_rng(0).integers(0, len(TEXTS) - 1, (N, 1)).astype(float)
    elif takes_any_table(step):
        columns, X = COLUMNS, mixed(N)
        X = np.minimum(X, [len(c.levels) - 2 if c.levels else np.inf for c in columns])
    table = Table.of(numeric("line", np.arange(float(N))))
    more = {"target": "class", "task": "classification", "y": y, "classes": ("no", "yes")}
    return Dataset("made", table, np.arange(N), X, columns, (), **more)  # type: ignore[arg-type]


def moved(dataset: Dataset, at: np.ndarray) -> Dataset:
    """The same with other values and another class in some rows."""
    X, y = dataset.X.copy(), np.array(dataset.y)
    for j, column in enumerate(dataset.columns):
        X[at, j] = (
            len(column.levels) - 1 if column.levels else X[at, j] + 2 * (1 - j) * np.cos(at) ** 2
        )
    y[at] = 1
    return replace(dataset, X=X, y=y)


def learned(run: Run, dataset: Dataset, split: Any) -> tuple:
    """What a fold learned: as the steps tell it, what the method got, and what it says of rows."""
    fold: Any = carry.carried_part(run, dataset, carry.judge_of(run), 0, 1, split)
    assert not fold.failure
    prepared, fit = fitting.fitted(run, dataset, split.train)
    said = fit.probabilities(prepared.transform(rows_for(run.preparation[0]).X))
    got = (prepared.X.tobytes(), said.tobytes())
    return fold.summary, fold.columns, fold.fitted_scores, got


def of_all_rows(steps: tuple, dataset: Dataset, rows: np.ndarray, seed: int) -> Prepared:
    """The leak: steps that have seen every row, also those that the fold is judged on."""
    y = np.array(dataset.y)
    seen = prepare(steps, dataset.X, y, dataset.columns, seed)
    if seen.rows is None:
        return replace(seen, X=seen.X[rows], y=y[rows])
    kept = np.isin(seen.rows, rows)
    own = np.searchsorted(rows, seen.rows[kept])
    return replace(seen, X=seen.X[kept], y=np.array(seen.y)[kept], rows=own)


@pytest.mark.parametrize("name", sorted(entries("preparation")))
def test_what_a_fold_learns_does_not_change_with_the_rows_it_is_judged_on(name, monkeypatch):
    run = run_with(name)
    dataset = rows_for(run.preparation[0])
    split = carry.splits_of(run, dataset)[0]
    other = moved(dataset, split.test)
    assert learned(run, dataset, split) == learned(run, other, split)
    # The same check sees a preparation that was fitted before the split: it can fail.
    for module in (carry, fitting):
        monkeypatch.setattr(module, "prepared_once", of_all_rows)
    leaked = learned(run, dataset, split) != learned(run, other, split)
    assert leaked == (name not in LEARN_NOTHING)
