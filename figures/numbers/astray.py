"""How far a picture contradicts its rows: a plane is a slice through all columns beside its two."""

from __future__ import annotations

import numpy as np

from figures.numbers.projections import Projection
from figures.numbers.regions import cells_of
from mlcore.data.dataset import Dataset
from mlcore.runs.carry import Whole
from mlcore.spine.wording import percent

MOST_ASKED = 1_000  # rows that are asked for what the method says of them
ANOTHER_CLASS = "lie in the region of another class than the method gives them"
MANY = 0.05  # share of rows that a picture contradicts from which on it warns


def asked(shown: Projection) -> np.ndarray:
    """The rows in the picture, evenly taken where there are many, shape (m,)."""
    rows = np.flatnonzero(shown.here)
    if not len(rows):
        return rows
    return rows[np.unique(np.linspace(0, len(rows) - 1, MOST_ASKED).astype(np.int64))]


def class_asked(dataset: Dataset, whole: Whole, shown: Projection) -> np.ndarray:
    """The code of the class that the method gives the rows `asked`, shape (m,)."""
    Z = whole.prepared.transform(dataset.X[asked(shown)])
    return np.asarray(whole.fit.predict(Z), np.int64) if len(Z) else np.zeros(0, np.int64)


def astray(dataset: Dataset, shown: Projection, cells: np.ndarray, says: np.ndarray) -> float:
    """The share of the rows `asked` in whose cell the picture says another thing than the method.

    `cells`, shape (b, a), holds what is drawn and `says`, shape (m,), what the method says of the
    rows, below 0 where it is nothing. A table of two columns is shown whole: 0.
    """
    drawn = _drawn(dataset, shown, cells)
    return 0.0 if drawn is None else float(((drawn != says) & (drawn >= 0) & (says >= 0)).mean())


def lower(dataset: Dataset, shown: Projection, cells: np.ndarray, least: np.ndarray) -> float:
    """The share of the rows `asked` in whose cell less is drawn than `least`, shape (m,)."""
    drawn = _drawn(dataset, shown, cells)
    return 0.0 if drawn is None else float((drawn < least).mean())


def _drawn(dataset: Dataset, shown: Projection, cells: np.ndarray) -> np.ndarray | None:
    """What is drawn where the rows lie, (m,); None where there are none, or nothing is hidden."""
    rows = asked(shown)
    if not len(rows) or len(dataset.columns) <= 2:
        return None
    return cells[cells_of(shown.plane, shown.x[rows], shown.y[rows])]


def careful(share: float, where: str) -> str:
    """The warning, if it is due; `where` says what is wrong with the rows: lie in ..."""
    if share <= MANY:
        return ""
    text = f" Careful: {percent(share)} of the rows {where}"
    return f"{text}, because the picture is a slice through more columns."
