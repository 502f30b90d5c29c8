"""What came out of a run, written down in plain values that JSON can hold.

Numbers stand in full precision, what is large stands by its SHA-256. NaN and infinity, which JSON
has no words for, are texts that `float` reads.
"""

from __future__ import annotations

import hashlib
import struct
from collections.abc import Iterable, Mapping
from dataclasses import fields, is_dataclass
from math import isfinite
from typing import Any, NamedTuple

import numpy as np

from mlcore.runs.counting.counted import Counted
from mlcore.runs.redrawing.redrawn import Redrawn
from mlcore.runs.tuning.tuned import Tuned, settings
from mlcore.spine import codec
from mlcore.spine.capabilities import HasLabels
from mlcore.spine.component import Component

FEW = 100  # numbers of an array that are written out; more stand by their sizes


class Fingerprint(NamedTuple):
    """The sections of a record, by names as a sentence uses them."""

    choices: dict[str, Any]  # equal if the same: plain values
    labels: dict[str, Any]  # equal if the same: SHA-256
    values: dict[str, Any]  # equal within rounding: lists of numbers
    bits: dict[str, Any]  # SHA-256, the same in identical outcomes alone

    def under(self, name: str) -> Fingerprint:
        """The same, named after one of several."""
        return Fingerprint(*({f"{name}: {k}": v for k, v in section.items()} for section in self))

    def plus(self, other: Fingerprint) -> Fingerprint:
        """The entries of both, section by section; those of `other` where both have a name."""
        return Fingerprint(*(mine | theirs for mine, theirs in zip(self, other, strict=True)))


def of_run(outcome: Any) -> Fingerprint:
    """One method on one table: its folds, and the fit to all rows."""
    done = outcome.done
    fingerprint = _folds(outcome.folds, codec.digest(outcome.run.data), outcome.planned)
    for metric in outcome.judge.metrics():
        fingerprint.values[metric.title] = _written(outcome.values(metric.name))
        base = outcome.values(metric.name, "baseline")
        fingerprint.values[f"{metric.title} of the baseline"] = _written(base)
    for name in ("predictions", "probabilities"):
        parts = [getattr(fold, name) for fold in done]
        if parts and parts[0] is not None:
            _array(fingerprint, name, np.concatenate(parts))
    _whole(fingerprint, outcome.whole)
    return fingerprint


def of_tuning(outcome: Tuned) -> Fingerprint:
    """A search for settings: what was chosen, and how good that is on test rows."""
    folds = [stage.fold for stage in outcome.stages]
    fingerprint = _folds(folds, codec.digest(outcome.run.data), outcome.planned)
    stages = [*([] if outcome.overall is None else [outcome.overall]), *outcome.stages]
    for stage in stages:
        where = "on all rows" if stage.fold is None else f"in fold {stage.stage + 1}"
        fingerprint.choices[f"settings chosen {where}"] = settings(outcome.candidates[stage.best])
        fingerprint.values[f"inner scores {where}"] = _written(stage.means)
    fingerprint.values[outcome.metric.title] = _written(outcome.outer)
    return fingerprint


def of_count(outcome: Counted) -> Fingerprint:
    """Numbers of clusters: every criterion over them, and what it says."""
    done = [f"{part.stage} {part.k}" for part in outcome.parts]
    fingerprint = Fingerprint({"parts done": done}, {}, {}, {})
    for each in outcome.opinions:
        name = each.criterion.title
        fingerprint.choices[f"what {name} says"] = list(each.says)
        fingerprint.values[name] = _written(each.values)
    for part in outcome.parts:
        fingerprint.bits[f"{part.stage} {part.k}"] = sha256((part.values, part.labels))
    return fingerprint


def of_maps(outcome: Redrawn) -> Fingerprint:
    """A map drawn again: how far it lies off each time, and every place."""
    done = [f"{part.stage} {part.k}" for part in outcome.parts]
    fingerprint = Fingerprint({"parts done": done}, {}, {}, {})
    for part in outcome.parts:
        fingerprint.choices[f"reason why {part.stage} {part.k} is not there"] = part.failure
        fingerprint.bits[f"{part.stage} {part.k}"] = sha256((part.places, part.drawn))
    fingerprint.values["Procrustes residual"] = _written(outcome.residuals)
    fingerprint.values["neighbours that stay"] = _written(outcome.staying)
    return fingerprint


def of_prediction(outcome: Any) -> Fingerprint:
    """The run whose model it is, and what that says of the new rows."""
    fingerprint = of_run(outcome.trained)
    fingerprint.choices["columns"] = [[m.name, m.source, m.fix] for m in outcome.matching.matches]
    for name, column in outcome.outputs.items():
        if np.asarray(column).dtype.kind == "f":
            _array(fingerprint, f"new rows: {name}", np.asarray(column))
        else:
            fingerprint.labels[f"new rows: {name}"] = sha256(list(map(str, column)))
    fingerprint.values["scores of the new rows"] = _written(np.array([*outcome.scores.values()]))
    return fingerprint


def of_trial(outcome: Any) -> Fingerprint:
    """Several methods on one problem: the score of every replicate."""
    fingerprint = Fingerprint({"attempts done": outcome.done}, {}, {}, {})
    for row in outcome.rows:
        fingerprint.choices[f"failures of {row.label}"] = list(row.failures)
        fingerprint.values[f"{outcome.metric.title} of {row.label}"] = _written(row.scores)
        fingerprint.bits[row.label] = sha256(row.fits)
    return fingerprint


def of_comparison(outcome: Any) -> Fingerprint:
    """Several methods on the same folds: each as a run of its own, or the reason why not."""
    fingerprint = Fingerprint({"data sets": list(outcome.names)}, {}, {}, {})
    for name, entrants in zip(outcome.names, outcome.sets, strict=True):
        for entrant in entrants:
            which = f"{entrant.label} on {name}"
            fingerprint.choices[f"reason why {which} has no result"] = entrant.failure
            if entrant.outcome is not None:
                fingerprint = fingerprint.plus(of_run(entrant.outcome).under(which))
    return fingerprint


def of_lab(outcome: Any) -> Fingerprint:
    """The numbers of a lab, one by one."""
    fingerprint = Fingerprint({}, {}, {}, {})
    for name, value in outcome.numbers._asdict().items():
        _number(fingerprint, name.replace("_", " "), value)
    return fingerprint


def _number(fingerprint: Fingerprint, name: str, value: Any) -> None:
    if isinstance(value, tuple):
        for k, item in enumerate(value, start=1):
            _number(fingerprint, f"{name} {k}", item)
    elif isinstance(value, float | np.ndarray):
        _array(fingerprint, name, np.atleast_1d(value))
    else:
        fingerprint.labels[name] = sha256(value)


def sha256(value: Any) -> str:
    """SHA-256 of a value of any plain kind, arrays by their bits.

    The component that a fit was made by is left out: another setting may give the same numbers.
    Raises TypeError for a value of another kind.
    """
    checksum = hashlib.sha256()
    _update(checksum, value)
    return checksum.hexdigest()


def _folds(folds: Iterable[Any], data: str, planned: int) -> Fingerprint:
    """On what rows the folds were, and which have come to an end."""
    ended = [fold for fold in folds if fold is not None]
    choices: dict[str, Any] = {
        "data": data[:12],
        "folds planned": planned,
        "folds done": [fold.k + 1 for fold in ended if not fold.failure],
    }
    choices |= {f"reason why fold {f.k + 1} has no score": f.failure for f in ended if f.failure}
    rows = sha256([(fold.train, fold.test) for fold in ended])
    return Fingerprint(choices, {"rows of the folds": rows}, {}, {})


def _whole(fingerprint: Fingerprint, whole: Any) -> None:
    """The fit to all rows; the rows themselves too, because data may change and keep its name."""
    _array(fingerprint, "prepared rows", whole.prepared.X)
    if whole.prepared.y is not None:
        _array(fingerprint, "prepared targets", whole.prepared.y)
    if isinstance(whole.fit, HasLabels):
        _array(fingerprint, "labels of all rows", whole.fit.labels)
    fingerprint.bits["fit to all rows"] = sha256(whole.fit)


def _array(fingerprint: Fingerprint, name: str, array: np.ndarray) -> None:
    """Quantities within rounding, written out if they are few; anything else as it is."""
    if array.dtype.kind == "f":
        written = array if array.size <= FEW else _sizes(array)
        fingerprint.values[name if array.size <= FEW else f"sizes of {name}"] = _written(written)
        fingerprint.bits[name] = sha256(array)
    else:
        fingerprint.labels[name] = sha256(array)


def _sizes(array: np.ndarray) -> np.ndarray:
    """Mean sizes, plain and weighted by place, shape (2,): sums without cancellation, so that
    rounding changes them by no more than rounding."""
    size = np.abs(array.ravel())
    size = np.where(np.isfinite(size), size, 0.0)
    place = np.arange(1, len(size) + 1) / max(len(size), 1)
    return np.array([size.sum(), size @ place]) / max(len(size), 1)


def _written(values: np.ndarray) -> list[Any]:
    numbers = np.asarray(values, dtype=np.float64).ravel().tolist()
    return [value if isfinite(value) else str(value) for value in numbers]


def _update(checksum: Any, value: Any) -> None:
    """Feed a value to a digest, with its type and length: no two values read the same."""
    if isinstance(value, np.ndarray) and value.dtype.hasobject:
        _update(checksum, [value.shape, value.ravel().tolist()])  # its own bytes are addresses
    elif isinstance(value, np.ndarray):
        checksum.update(f"{value.dtype.str}{value.shape}".encode())
        checksum.update(np.ascontiguousarray(value).tobytes())
    elif isinstance(value, float | np.floating):
        checksum.update(b"f" + struct.pack("<d", value))
    elif isinstance(value, Mapping):
        _update(checksum, [item for pair in value.items() for item in pair])
    elif isinstance(value, tuple | list):
        checksum.update(f"[{len(value)}".encode())
        for item in value:
            _update(checksum, item)
    elif is_dataclass(value):
        own = [getattr(value, f.name) for f in fields(value)]
        _update(checksum, [item for item in own if not isinstance(item, Component)])
    elif value is None or isinstance(value, bool | int | str | np.integer | np.bool_):
        checksum.update(f"{type(value).__name__}{value!r}".encode())
    else:
        raise TypeError(f"{type(value).__name__} has no bits to tell")
