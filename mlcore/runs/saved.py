"""A fitted method as a file: JSON beside arrays, in one archive, without any pickle.

    Path("model.zip").write_bytes(written(model_of(outcome, dataset)))
    model = read(Path("model.zip").read_bytes())
    model.predict(X)

`model.json` says what is there, `arrays.npz` holds the numbers. Reading runs nothing of the file:
see `mlcore.spine.packing`. The numbers themselves are not judged: a model from somebody else says
what they made it say.
"""

from __future__ import annotations

import io
import json
import lzma
import math
import struct
import tokenize
import zipfile
import zlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

import numpy as np

from mlcore.data.dataset import Dataset
from mlcore.data.steps import AS_THEY_COME, NewRows
from mlcore.data.table import KINDS, Table, converted
from mlcore.preparation.capabilities import BalancesClasses, CountsTerms
from mlcore.preparation.step import StepFit, holds_text, reading
from mlcore.runs.carry import Outcome
from mlcore.runs.labels import groups_or_verdicts
from mlcore.runs.predicting.changing import read_as_came
from mlcore.runs.run import Run
from mlcore.spine.asking import can
from mlcore.spine.capabilities import GivesProbabilities, JudgesRows, Predicts, Transforms
from mlcore.spine.errors import DataError, FileError, MlcoreError
from mlcore.spine.fit import Column, Fit
from mlcore.spine.packing import KINDS_OF_ARRAYS, Packing, Unpacking, field_names
from mlcore.spine.wording import told

FORMAT = 1
MAX_BYTES = 512 * 2**20  # of a model, unpacked; stored rows of neighbours are the largest
# Of JSON: an empty list of two letters takes sixty bytes, so little text can fill the memory.
MAX_DOCUMENT = 8 * 2**20
MOST_CHANGES = 200  # of a table: its steps, and codes for missing by column
DOCUMENT, ARRAYS = "model.json", "arrays.npz"
DAMAGED = (
    zipfile.BadZipFile, zlib.error, lzma.LZMAError, struct.error,
    RuntimeError, OSError, EOFError, ValueError,
)  # fmt: skip
NOT_ONE = "This is not a saved model: {why}."


class Told(NamedTuple):
    """What a model says of m rows; None where it is not the kind that does."""

    rows: np.ndarray  # (m, q) as the method gets them
    predictions: np.ndarray | None  # (m,), or (m, q) of several outputs
    probabilities: np.ndarray | None  # (m, K) in order of the classes of the fit
    usualness: np.ndarray | None  # (m,)
    coordinates: np.ndarray | None  # (m, k)
    unknown: Mapping[str, np.ndarray]  # by name, of words that the model has never learned

    def decided_at(self, threshold: float) -> Told:
        """The same of two classes, with the second said from this probability on."""
        assert self.probabilities is not None  # a model that has a threshold gives them
        return self._replace(predictions=(self.probabilities[:, 1] >= threshold).astype(np.float64))


@dataclass(frozen=True, eq=False, kw_only=True)
class Model:
    """A method with its preparation, fitted to all rows of a run."""

    run: Run
    columns: tuple[Column, ...]  # of the rows as they stand in the table
    target: str
    classes: tuple[str, ...]
    preparation: tuple[StepFit, ...]
    fit: Fit
    versions: tuple[tuple[str, str], ...]
    outputs: tuple[str, ...] = ()  # targets that are predicted together, where there are several
    # The columns that say which sequence a row belongs to and where it stands there, for a method
    # that takes sequences; "" where the data had none.
    sequence: str = ""
    order: str = ""
    # What a table goes through before its columns are those above.
    new_rows: NewRows = AS_THEY_COME

    def __post_init__(self) -> None:
        if any(s.makes_rows or not s.meets_new_rows for s in self.new_rows.steps):
            raise DataError("its changes of the table would leave out or join rows.")
        if len(self.new_rows.steps) > MOST_CHANGES:
            raise DataError(f"it has more than {MOST_CHANGES} changes of the table.")
        kinds = {column.kind for column in (*self.columns, *self.new_rows.came)}
        if strange := sorted(kinds - set(KINDS)):  # which would be shown as they are
            raise DataError(
                f"it has a column of the kind {told(strange[0])!r}, which there is not."
            )

    def rows(self, X: Any, steps: int | None = None) -> np.ndarray:
        """Rows of the table, shape (m, p), as the method gets them, shape (m, q).

        With `steps`, as that many of the first steps leave them.
        """
        X = np.asarray(X, dtype=np.float64)
        for step in self.preparation[:steps]:
            if isinstance(step, Transforms):
                X = step.transform(X)
        return X

    def predict(self, X: Any, lengths: np.ndarray | None = None) -> np.ndarray:
        """What the method predicts for rows of the table: codes of classes, numbers or groups.

        Shape (m,), or (m, q) of several outputs. `lengths` are those of sequences that lie one
        after the other, for a method that takes them. Raises DataError if the method predicts
        nothing.
        """
        if not isinstance(self.fit, Predicts):
            raise DataError(f"{self.run.method.title()} predicts nothing; ask for its coordinates.")
        fit: Any = self.fit
        return fit.predict(self.rows(X), **fit.options_for(lengths))

    def rows_of(self, table: Table) -> np.ndarray:
        """The rows of another table with the same columns, in any order, shape (m, p)."""
        return np.column_stack([_values(table, column) for column in self.columns])

    def reading(self, table: Table) -> Model:
        """The model as it reads the texts of a table: rows hold numbers of these texts.

        A model keeps the words that its steps count, and no text.
        """
        names = [c.name for c in self.columns if holds_text(c) and c.name in table.names]
        return self._with({name: converted(table.column(name), "text").levels for name in names})

    def _with(self, texts: Mapping[str, tuple[str, ...]]) -> Model:
        """The model with these levels of its columns of text, none where none are given."""
        if not any(holds_text(column) for column in self.columns):
            return self
        return replace(
            self,
            columns=reading(self.columns, texts),
            preparation=tuple(step.reading(texts) for step in self.preparation),
        )

    def outputs_of(self, table: Table, threshold: float | None = None) -> dict[str, Any]:
        """What the model gives for the m rows of a table, by name, each of shape (m,).

        Predictions, probabilities and new coordinates, as far as it has them. The table is changed
        first, as the one was that the model learned from. A `threshold` is one that the model has
        (`mlcore.runs.predicting.cutting.checked_threshold`).
        """
        return self.outputs_after(self.changed(table), threshold)

    def outputs_after(self, changed: Table, threshold: float | None = None) -> dict[str, Any]:
        """The same of a table that is changed already."""
        return {"row": np.arange(1, changed.n_rows + 1)} | self.named(
            self.told_of(changed), threshold
        )

    def changed(self, table: Table) -> Table:
        """A table as it came, with the columns that the model wants.

        Raises DataError where one of them would be made of columns that the table does not have, or
        of cells that are not what they were.
        """
        names = [column.name for column in self.columns]
        if wanting := self.new_rows.wanting(table, names):
            raise DataError(f"{wanting[0]} Add what is missing, or correct its name.")
        read = read_as_came(self.new_rows, table)
        for name, rows in read.strange:
            cell = table.column(name).cell(int(rows[0]))
            raise DataError(
                f"Row {rows[0] + 1} has {told(cell)!r} in column {name}, which held no such thing "
                "in the rows of the model. Correct the cell, or leave it empty."
            )
        return self.new_rows.changed(read.table)

    def named(self, told: Told, threshold: float | None = None) -> dict[str, Any]:
        """What the model said of m rows, by name, each of shape (m,)."""
        fit: Any = self.fit
        if threshold is not None:
            told = told.decided_at(threshold)
            cut = {threshold_name(self.classes): np.full(len(told.rows), threshold)}
            return self.named(told) | cut
        columns: dict[str, Any] = dict(told.unknown)
        if told.predictions is not None:
            columns |= self._predicted(told.predictions)
        if can(fit, JudgesRows):
            columns[fit.score_name] = told.usualness
        if told.probabilities is not None:
            columns |= self._probable(told.probabilities)
        if told.coordinates is not None and can(fit, Transforms):
            Z = told.coordinates
            columns |= {column.name: Z[:, j] for j, column in enumerate(fit.out_columns)}
        return columns

    def told_of(self, table: Table) -> Told:
        """The same as arrays, as far as the model has them."""
        model = self.reading(table)
        raw = model.rows_of(table)
        rows = model.rows(raw)
        fit: Any = self.fit
        order, options = self._sequences_of(table)
        back, Z = np.argsort(order), rows[order]
        return Told(
            rows,
            fit.predict(Z, **options)[back] if can(fit, Predicts) else None,
            fit.probabilities(Z, **options)[back] if can(fit, GivesProbabilities) else None,
            fit.usualness(Z, **options)[back] if can(fit, JudgesRows) else None,
            fit.transform(Z, **options)[back] if can(fit, Transforms) else None,
            model._unknown(raw),
        )

    def _sequences_of(self, table: Table) -> tuple[np.ndarray, dict[str, Any]]:
        """Positions of the rows, sequence by sequence, and the keywords of a verb for them."""
        if not self.sequence:
            return np.arange(table.n_rows), {}
        names = [name for name in (self.order, self.sequence) if name]
        keys = []
        for name in names:
            if name not in table.names or np.isnan(table.column(name).values).any():
                raise DataError(
                    f"{self.run.method.title()} says something of whole sequences: every row needs "
                    f"a value in the column {name}. Give a table that has it."
                )
            keys.append(table.column(name).values)
        order = np.lexsort(keys)
        lengths = np.unique(keys[-1], return_counts=True)[1]
        return order, self.fit.options_for(lengths)

    def _probable(self, P: np.ndarray) -> dict[str, np.ndarray]:
        """A column a class; of a model of balanced rows also for the shares of the data."""
        fit: Any = self.fit
        names = [f"probability of {self.classes[int(code)]}" for code in fit.classes]
        columns = dict(zip(names, P.T, strict=True))
        for step in self.preparation:
            if can(step, BalancesClasses):
                # The step corrects, as was asked.
                P = step.corrected(P)  # pyrefly: ignore[missing-attribute]
                columns |= {f"{name}, unbalanced": p for name, p in zip(names, P.T, strict=True)}
        return columns

    def _unknown(self, X: np.ndarray) -> dict[str, np.ndarray]:
        """How many words of each row the model has never learned, where it counts words."""
        steps: tuple[Any, ...] = self.preparation
        for at, step in enumerate(steps):
            if can(step, CountsTerms):
                return {"unknown words": step.unknown(self.rows(X, at))}
        return {}

    def _predicted(self, values: np.ndarray) -> dict[str, Any]:
        task = self.run.method.card.task
        if task == "classification":
            names = np.array(self.classes, dtype=object)
            return {f"predicted {self.target}": names[values.astype(int)]}
        if values.ndim == 2:
            return {f"predicted {name}": values[:, k] for k, name in enumerate(self.outputs)}
        if not task:
            return dict([groups_or_verdicts(self.fit, values)])
        return {f"predicted {self.target}": values}


def model_of(outcome: Outcome, dataset: Dataset) -> Model:
    """The model of a run: what its pictures show, fitted to all rows."""
    whole = outcome.whole
    return fitted_model(outcome.run, dataset, whole.prepared.fits, whole.fit, outcome.versions)


def fitted_model(
    run: Run,
    dataset: Dataset,
    preparation: tuple[Any, ...],
    fit: Any,
    versions: tuple[tuple[str, str], ...] = (),
) -> Model:
    """The model of a fit to some rows of a data set, with its preparation."""
    is_taken = "lengths" in run.method.card.takes and dataset.sequences is not None
    named = {role: name for name, role in dataset.roles} if is_taken else {}
    model = Model(
        run=run,
        columns=dataset.columns,
        target=dataset.target or "",
        outputs=dataset.target_names,
        classes=dataset.classes,
        preparation=preparation,
        fit=fit,
        versions=versions,
        sequence=named.get("sequence", ""),
        order=named.get("order", ""),
        new_rows=_resting(dataset, tuple(filter(None, named.values()))),
    )
    return model._with({})  # with the words that count, without the texts


def _resting(dataset: Dataset, more: tuple[str, ...]) -> NewRows:
    """The changes on which the columns of a model rest, and those that it can be scored by."""
    names = [column.name for column in dataset.columns]
    targets = [name for name, role in dataset.roles if role == "target"]
    return dataset.new_rows.making((*names, *targets, *more))


def threshold_name(classes: Sequence[str]) -> str:
    """Of the column that says from which probability on rows are taken for the second class."""
    return f"threshold of {classes[1]}"


SCORE = ("mean", "sd", "folds")  # what is said of a metric
Scores = Mapping[str, Mapping[str, Any]]  # by metric


def scores_of(outcome: Outcome) -> Scores:
    """What the folds of a run say of its method, by metric; no number is None."""
    names = outcome.done[0].scores if outcome.done else ()
    every = {name: outcome.summary(name) for name in names}
    return {
        name: dict(zip(SCORE, (_finite(of.mean), _finite(of.sd), of.count), strict=True))
        for name, of in every.items()
    }


def _finite(value: float) -> float | None:
    return value if math.isfinite(value) else None


def written(model: Model, scores: Scores | None = None) -> bytes:
    """The model as the bytes of a .zip file, with the scores of its run beside it.

    Raises FileError if a part of it cannot be saved.
    """
    packing = Packing()
    content = {name: packing.plain(getattr(model, name)) for name in field_names(Model)}
    document = {"format": FORMAT, "digest": model.run.digest(), "model": content}
    document |= {"scores": scores} if scores else {}
    arrays = io.BytesIO()
    np.savez(arrays, **packing.arrays)  # pyrefly: ignore[bad-argument-type]  # names are free
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr(DOCUMENT, json.dumps(document, indent=1, allow_nan=False))
        archive.writestr(ARRAYS, arrays.getvalue())
    return out.getvalue()


def scores_in(content: bytes) -> dict[str, Any]:
    """The scores in the bytes of a model as they were written there; {} where there are none.

    Nothing is computed with them: whoever made the archive says them. What is no number of a score
    is None, and what is no metric with its numbers is left out. Raises FileError.
    """
    scores = _document(_parts(content)[DOCUMENT]).get("scores")
    every = scores.items() if isinstance(scores, dict) else ()
    return {name: _told_score(score) for name, score in every if isinstance(score, dict)}


def _told_score(score: dict[str, Any]) -> dict[str, float | None]:
    """The numbers of a score: JSON of others knows NaN, and numbers without end."""
    return {name: _number(score.get(name)) for name in SCORE}


def _number(value: Any) -> float | None:
    is_number = type(value) is float or (type(value) is int and abs(value) < 2**53)
    return _finite(value) if is_number else None


def read(content: bytes) -> Model:
    """The model in the bytes of a file. Raises FileError for any other bytes."""
    parts = _parts(content)
    # A model from before has no changes: it asks for the columns after them.
    document = {"new_rows": Packing().plain(AS_THEY_COME)} | _document(parts[DOCUMENT])["model"]
    unpacking = Unpacking(_arrays(parts[ARRAYS]))
    try:
        return unpacking._record(document, Model)
    except FileError:
        raise
    except MlcoreError as error:
        raise FileError(f"This saved model cannot be read: {error}") from None
    except (TypeError, ValueError, IndexError, KeyError, AttributeError, RecursionError):
        raise FileError(NOT_ONE.format(why="its parts do not belong together")) from None


def _parts(content: bytes) -> dict[str, bytes]:
    parts = _members(content, MAX_BYTES)
    for name in (DOCUMENT, ARRAYS):
        if name not in parts:
            raise FileError(NOT_ONE.format(why=f"it has no {name}"))
    return parts


def _members(content: bytes, most: int) -> dict[str, bytes]:
    """The files of an archive by name; FileError where it is none, or larger than it may be."""
    try:
        with zipfile.ZipFile(io.BytesIO(content)) as archive:
            if sum(info.file_size for info in archive.infolist()) <= most:
                return {info.filename: archive.read(info) for info in archive.infolist()}
    except DAMAGED:
        raise FileError(NOT_ONE.format(why="it is no archive, or a damaged one")) from None
    raise FileError(f"A saved model may have at most {most // 2**20} MB.")


def _document(text: bytes) -> dict[str, Any]:
    if len(text) > MAX_DOCUMENT:
        raise FileError(f"{DOCUMENT} of a saved model may have at most {MAX_DOCUMENT // 2**20} MB.")
    try:
        document = json.loads(text)
    except (ValueError, RecursionError):
        raise FileError(NOT_ONE.format(why=f"{DOCUMENT} cannot be read as JSON")) from None
    if not isinstance(document, dict) or not isinstance(document.get("model"), dict):
        raise FileError(NOT_ONE.format(why=f"{DOCUMENT} describes none"))
    version = document.get("format")
    if version != FORMAT:
        raise FileError(
            f"This model was saved in format {version!r}; this release reads {FORMAT}. Fit the "
            "method again, or update MLScope."
        )
    return document


def _arrays(content: bytes) -> dict[str, np.ndarray]:
    members = _members(content, MAX_BYTES)
    return {name.removesuffix(".npy"): _array(data) for name, data in members.items()}


def _array(data: bytes) -> np.ndarray:
    """One array in numpy's own format, whose size is checked before memory is taken for it."""
    stream = io.BytesIO(data)
    try:
        if np.lib.format.read_magic(stream) != (1, 0):
            raise ValueError("another version")
        shape, is_fortran, dtype = np.lib.format.read_array_header_1_0(stream)
    except (ValueError, SyntaxError, TypeError, EOFError, tokenize.TokenError):
        raise FileError(NOT_ONE.format(why="an array in it cannot be read")) from None
    size, is_shape = math.prod(shape) * dtype.itemsize, all(length >= 0 for length in shape)
    if dtype.kind not in KINDS_OF_ARRAYS or not is_shape or size != len(data) - stream.tell():
        raise FileError(NOT_ONE.format(why="an array in it is not what it says it is"))
    try:  # an empty array may still claim a length, or more axes, than any array has
        values = np.frombuffer(data, dtype, offset=stream.tell()) if size else np.empty(0, dtype)
        return values.reshape(shape, order="F" if is_fortran else "C").copy(order="K")
    except (ValueError, OverflowError):
        raise FileError(NOT_ONE.format(why="an array in it has an impossible shape")) from None


def _values(table: Table, column: Column) -> np.ndarray:
    """One column of a table as numbers, its levels as codes of the model's."""
    if column.name not in table.names:
        raise DataError(
            f"The table has no column {column.name!r}, which the model needs. Add it, or correct "
            "its name."
        )
    source = table.column(column.name)
    if not column.levels:
        return converted(source, "datetime" if column.kind == "datetime" else "number").values
    code = {level: float(k) for k, level in enumerate(column.levels)}
    return np.array([_code(code, text, i, column) for i, text in enumerate(source.texts())])


def _code(codes: Mapping[str, float], text: str, row: int, column: Column) -> float:
    if not text:
        return float("nan")
    if text not in codes:
        raise DataError(
            f"Row {row + 1} has {text!r} in column {column.name}, which no row of the model had; "
            f"it knows {', '.join(column.levels[:6])}. Leave the row out, or its cell empty."
        )
    return codes[text]
