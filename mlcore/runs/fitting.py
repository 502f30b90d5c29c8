"""The preparation and the method of a run, fitted to some rows of a data set."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from mlcore.data.dataset import Dataset
from mlcore.evaluation.scoring import Case, Rows
from mlcore.evaluation.splits import Split, Splits
from mlcore.preparation.chain import Prepared
from mlcore.preparation.once import prepared_once
from mlcore.preparation.some_columns import leaving
from mlcore.preparation.step import refuse_text
from mlcore.runs.in_blocks import in_order, is_one_sequence, pieces
from mlcore.runs.run import Run
from mlcore.spine.asking import can
from mlcore.spine.capabilities import HasNotes
from mlcore.spine.errors import ClassNote, DataError, in_names, naming
from mlcore.spine.fit import Column


def steps_of(run: Run) -> tuple[Any, ...]:
    """The preparation as it is carried out: past the columns that the method needs as they came."""
    return leaving(run.preparation, run.method.untouched())


def fitted(run: Run, dataset: Dataset, rows: np.ndarray) -> tuple[Prepared, Any]:
    """The preparation and the method of a run fitted to the rows at positions `rows`, (m,)."""
    prepared = prepared_once(steps_of(run), dataset, rows, run.seed)
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
        test=Rows(
            X, dataset.truth_for(method, split.test), None, lengths_of(method, dataset, split.test)
        ),
        n_classes=len(dataset.classes),
        seed=run.seed,
    )


def seen_rows(
    run: Run, prepared: Prepared, dataset: Dataset, rows: np.ndarray
) -> tuple[Prepared, Rows]:
    """The training rows at positions `rows`, shape (m,), none taken out and none made.

    Twice: prepared, to fit a baseline, and with what is true of them, to judge on.
    """
    own = None if dataset.y is None else dataset.y[rows]
    came = prepared.as_they_came(dataset.X[rows], own)
    truth, lengths = dataset.truth_for(run.method, rows), lengths_of(run.method, dataset, rows)
    return came, Rows(came.X, truth, None, lengths)


def without_names(simple: Any, prepared: Prepared, case: Case) -> tuple[Prepared, Case]:
    """Rows for a baseline, and the case it is judged on, without columns of names past the
    preparation that the method asked for: a baseline that takes none knows nothing of them."""
    names = [j for j, column in enumerate(prepared.columns) if column.kind == "nominal"]
    if not names or "columns" in simple.card.takes:
        return prepared, case
    columns = tuple(c for c in prepared.columns if c.kind != "nominal")
    train, test = (
        rows._replace(X=np.delete(rows.X, names, axis=1)) for rows in (case.train, case.test)
    )
    X = np.delete(prepared.X, names, axis=1)
    return replace(prepared, X=X, columns=columns), replace(case, train=train, test=test)


def fit_prepared(
    method: Any, prepared: Prepared, dataset: Dataset, rows: np.ndarray, seed: int
) -> Any:
    """The method fitted to prepared rows, with the keywords that its card names.

    `rows` are the positions of these in the data set, shape (m,), before the preparation.
    """
    _refuse_unprepared(method, prepared.columns)
    options = keywords(method, prepared, dataset, rows)
    y = learned(method, prepared, dataset, rows)
    with naming(dataset.classes):
        fit = method.fit(prepared.X, y, seed=seed, **options)
    if not can(fit, HasNotes) or not any(isinstance(note, ClassNote) for note in fit.notes):
        return fit
    return replace(fit, notes=tuple(in_names(note, dataset.classes) for note in fit.notes))


def check_prepared(
    method: Any, prepared: Prepared, dataset: Dataset, rows: np.ndarray, seed: int
) -> None:
    """Raise what `fit_prepared` raises of rows (m,) before the method learns anything.

    Raises DataError.
    """
    _refuse_unprepared(method, prepared.columns)
    options = keywords(method, prepared, dataset, rows)
    y = learned(method, prepared, dataset, rows)
    with naming(dataset.classes):
        method.check(prepared.X, y, seed=seed, **options)


def arranged(method: Any, dataset: Dataset, splits: Splits) -> Splits:
    """The splits with their rows sequence by sequence: those to learn from for methods that take
    sequences, those left out for all methods, so that predictions can be laid side by side."""
    if is_one_sequence(method, dataset):
        return splits.changed(lambda split: Split(in_order(split.train), in_order(split.test)))
    if dataset.sequences is None:
        return splits
    is_taken = "lengths" in method.card.takes

    def by_sequence(split: Split) -> Split:
        train = dataset.by_sequence(split.train) if is_taken else split.train
        return Split(train, dataset.by_sequence(split.test))

    return splits.changed(by_sequence)


def learned(
    method: Any, prepared: Prepared, dataset: Dataset, rows: np.ndarray
) -> np.ndarray | None:
    """The target of the rows at positions `rows`, shape (m,), as prepared.

    Shape (m',), or (m', q), all targets, for a method that takes outputs.
    """
    truth = dataset.truth_for(method, rows)
    return prepared.y if truth is None or truth.ndim == 1 else prepared.follow(truth)


def weights_of(method: Any, dataset: Dataset, rows: np.ndarray) -> np.ndarray | None:
    """The weights of the rows at positions `rows`, (m,); None if the method takes none."""
    if dataset.weights is None or "weights" not in method.card.takes:
        return None
    return dataset.weights[rows]


def keywords(method: Any, prepared: Prepared, dataset: Dataset, rows: np.ndarray) -> dict[str, Any]:
    """What the `fit` of a method gets beside X and y, for positions `rows`, shape (m,)."""
    options: dict[str, Any] = {"columns": prepared.columns}
    if (weights := weights_of(method, dataset, rows)) is not None:
        options["weights"] = prepared.follow(weights)
    if (lengths := training_lengths(method, prepared, dataset, rows)) is not None:
        options["lengths"] = lengths
    if dataset.unlabelled is not None and "unlabelled" in method.card.takes:
        options["unlabelled"] = prepared.transform(dataset.unlabelled)
    return options | _together(method, prepared, dataset, rows)


def _together(
    method: Any, prepared: Prepared, dataset: Dataset, rows: np.ndarray
) -> dict[str, np.ndarray]:
    """What a method that holds rows out is told of them: groups, time, copies of one row."""
    takes, told = method.card.takes, {}
    if dataset.together is not None and "groups" in takes:
        told["groups"] = prepared.follow(dataset.together[rows])
    if dataset.order is not None and "order" in takes:
        told["order"] = prepared.follow(dataset.order[rows])
    came = prepared.follow(rows)
    if not told and "groups" in takes and np.bincount(came).max() > 1:
        told["groups"] = came  # a row and its copy would else stand on both sides
    return told


def lengths_of(method: Any, dataset: Dataset, rows: np.ndarray) -> np.ndarray | None:
    """Lengths of the sequences in rows, (m,) positions, sequence by sequence; None: no sequences.

    Of a table that is one sequence, for a method that learns them: of its pieces.
    """
    if is_one_sequence(method, dataset):
        return pieces(rows)
    return dataset.lengths_of(rows)


def training_lengths(
    method: Any, prepared: Prepared, dataset: Dataset, rows: np.ndarray
) -> np.ndarray | None:
    """Lengths of the sequences in prepared rows, (k,), for a method that takes them, else None.

    A row that was taken out shortens its sequence. Raises DataError if the preparation repeated or
    made rows.
    """
    lengths = lengths_of(method, dataset, rows) if "lengths" in method.card.takes else None
    if lengths is None or prepared.rows is None:
        return lengths
    if (np.diff(prepared.rows) <= 0).any():
        steps = ", ".join(summary.step for summary in prepared.summary() if summary.trained_on)
        raise DataError(
            f"{method.title()} learns from rows in their order, and the preparation repeats rows "
            f"or makes new ones: {steps}. Leave that step out."
        )
    counts = np.bincount(np.repeat(np.arange(len(lengths)), lengths)[prepared.rows])
    return counts[counts > 0]


def _refuse_unprepared(method: Any, columns: tuple[Column, ...]) -> None:
    """Codes of names are not quantities: only a method that knows the kinds may see them."""
    refuse_text(columns, method.title())
    if "columns" in method.card.takes:
        return
    asked = method.untouched()  # what it names it knows
    names = [c.name for c in columns if c.kind == "nominal" and c.variable not in asked]
    if names:
        raise DataError(
            f"{method.title()} needs numbers; column {names[0]} holds names. "
            "Add one-hot encoding to the preparation."
        )
