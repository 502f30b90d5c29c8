"""The preparation and the method of a run, fitted to some rows of a data set."""

from __future__ import annotations

from typing import Any

import numpy as np

from mlcore.data.dataset import Dataset
from mlcore.evaluation.scoring import Case, Rows
from mlcore.evaluation.splits import Split
from mlcore.preparation.chain import Prepared
from mlcore.preparation.once import prepared_once
from mlcore.preparation.step import refuse_text
from mlcore.runs.run import Run
from mlcore.spine.errors import DataError
from mlcore.spine.fit import Column


def fitted(run: Run, dataset: Dataset, rows: np.ndarray) -> tuple[Prepared, Any]:
    """The preparation and the method of a run fitted to some rows."""
    prepared = prepared_once(run.preparation, dataset, rows, run.seed)
    return prepared, fit_prepared(run.method, prepared, dataset, rows, run.seed)


def case_of(run: Run, fit: Any, prepared: Prepared, dataset: Dataset, split: Split) -> Case:
    """A fit to the training rows of a split, to be judged on the rows that are left out."""
    method = run.method
    weights = weights_of(method, dataset, split.train)
    weights = None if weights is None else prepared.follow(weights)
    X = prepared.transform(dataset.X[split.test])
    return Case(
        method=method,
        fit=fit,
        train=Rows(
            prepared.X,
            learned(method, prepared, dataset, split.train),
            weights,
            training_lengths(method, prepared, dataset, split.train),
        ),
        test=Rows(X, dataset.truth_for(method, split.test), None, dataset.lengths_of(split.test)),
        n_classes=len(dataset.classes),
        seed=run.seed,
    )


def seen_rows(
    run: Run, prepared: Prepared, dataset: Dataset, rows: np.ndarray
) -> tuple[Prepared, Rows]:
    """The training rows with none more or less than came, twice: to fit and to judge on."""
    own = None if dataset.y is None else dataset.y[rows]
    came = prepared.as_they_came(dataset.X[rows], own)
    truth, lengths = dataset.truth_for(run.method, rows), dataset.lengths_of(rows)
    return came, Rows(came.X, truth, None, lengths)


def fit_prepared(
    method: Any, prepared: Prepared, dataset: Dataset, rows: np.ndarray, seed: int
) -> Any:
    """The method fitted to prepared rows, with the keywords that its card names."""
    _refuse_unprepared(method, prepared.columns)
    more = keywords(method, prepared, dataset, rows)
    return method.fit(prepared.X, learned(method, prepared, dataset, rows), seed=seed, **more)


def arranged(method: Any, dataset: Dataset, splits: tuple[Split, ...]) -> tuple[Split, ...]:
    """The splits with their rows sequence by sequence: those to learn from for methods that take
    sequences, those left out for all methods, so that predictions can be laid side by side."""
    if dataset.sequences is None:
        return splits
    is_taken = "lengths" in method.card.takes
    return tuple(
        Split(dataset.by_sequence(train) if is_taken else train, dataset.by_sequence(test))
        for train, test in splits
    )


def learned(
    method: Any, prepared: Prepared, dataset: Dataset, rows: np.ndarray
) -> np.ndarray | None:
    """The target of the prepared rows, or all of them for a method that takes outputs."""
    truth = dataset.truth_for(method, rows)
    return prepared.y if truth is None or truth.ndim == 1 else prepared.follow(truth)


def weights_of(method: Any, dataset: Dataset, rows: np.ndarray) -> np.ndarray | None:
    """The weights of some rows, for a method that takes any."""
    if dataset.weights is None or "weights" not in method.card.takes:
        return None
    return dataset.weights[rows]


def keywords(method: Any, prepared: Prepared, dataset: Dataset, rows: np.ndarray) -> dict[str, Any]:
    """What a method is told beside rows and target."""
    more: dict[str, Any] = {"columns": prepared.columns}
    if (weights := weights_of(method, dataset, rows)) is not None:
        more["weights"] = prepared.follow(weights)
    if (lengths := training_lengths(method, prepared, dataset, rows)) is not None:
        more["lengths"] = lengths
    if dataset.unlabelled is not None and "unlabelled" in method.card.takes:
        more["unlabelled"] = prepared.transform(dataset.unlabelled)
    return more | _together(method, prepared, dataset, rows)


def _together(
    method: Any, prepared: Prepared, dataset: Dataset, rows: np.ndarray
) -> dict[str, np.ndarray]:
    """What a method that holds rows out is told of them: groups, time, copies of one row."""
    takes, more = method.card.takes, {}
    if dataset.together is not None and "groups" in takes:
        more["groups"] = prepared.follow(dataset.together[rows])
    if dataset.order is not None and "order" in takes:
        more["order"] = prepared.follow(dataset.order[rows])
    came = prepared.follow(rows)
    if not more and "groups" in takes and np.bincount(came).max() > 1:
        more["groups"] = came  # a row and its copy would else stand on both sides
    return more


def training_lengths(
    method: Any, prepared: Prepared, dataset: Dataset, rows: np.ndarray
) -> np.ndarray | None:
    """Lengths of the sequences in prepared rows, (k,), for a method that takes them, else None.

    A row that was taken out shortens its own.
    """
    lengths = dataset.lengths_of(rows) if "lengths" in method.card.takes else None
    if lengths is None or prepared.rows is None:
        return lengths
    if (np.diff(prepared.rows) <= 0).any():
        steps = ", ".join(said.step for said in prepared.summary() if said.trained_on)
        raise DataError(
            f"{method.title()} learns from rows in their order, and the preparation repeats rows "
            f"or makes new ones: {steps}. Leave that step out."
        )
    left = np.bincount(np.repeat(np.arange(len(lengths)), lengths)[prepared.rows])
    return left[left > 0]


def _refuse_unprepared(method: Any, columns: tuple[Column, ...]) -> None:
    """Codes of names are not quantities: only a method that knows the kinds may see them."""
    refuse_text(columns, method.title())
    if "columns" in method.card.takes:
        return
    names = [c.name for c in columns if c.kind == "nominal"]
    if names:
        raise DataError(
            f"{method.title()} needs numbers; column {names[0]} holds names. "
            "Add one-hot encoding to the preparation."
        )
