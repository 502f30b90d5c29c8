"""Fresh rows from a generator, and the risk of a predictor on rows that it never saw."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import fields, replace
from typing import Any, NamedTuple

import numpy as np

from mlcore.data.dataset import Dataset, TableData
from mlcore.spine import registry
from mlcore.spine.errors import DataError, ParamError
from mlcore.spine.records import function

LOSSES = ("auto", "zero_one", "squared")


class Risk(NamedTuple):
    """A mean loss over fresh rows."""

    value: float
    error: float  # standard error
    loss: str  # zero_one or squared


@function("draw", title="Random draw from a generator", sources=("cs1:make_dataset",))
def draw(source: Any, n: int, seed: int = 0) -> Dataset:
    """n rows of a generator, an entry of the slot "source" or its name, drawn by this seed.

    Raises DataError if the rows of the source are fixed.
    """
    source = registry.made("source", source)
    if not {"n_samples", "seed"} <= {f.name for f in fields(source)}:
        raise DataError(f"{source.title()} cannot draw fresh rows. Choose a generator.")
    # It has both, as was asked above.
    return TableData(source=replace(source, n_samples=n, seed=seed)).dataset()


@function("true_risk", title="True risk", sources=("cs1:real_risk", "s841:true_error_rate"))
def true_risk(
    source: Any,
    predict: Callable[[np.ndarray], np.ndarray],
    n_mc: int = 10_000,
    loss: str = "auto",
    seed: int = 2**31 - 1,
) -> Risk:
    """E[L(y, f(x))], the mean loss over about n_mc fresh rows, with its standard error.

    `predict` gives for rows X, shape (m, p), what `y` of `draw` holds: numbers, or codes of the
    classes; the `predict` of a fit to such rows does. The loss is zero_one for classes and squared
    for quantities unless it is given. The seed must not be that of the rows learned from. Raises
    DataError if the source has no target, ParamError for an unknown loss.
    """
    if loss not in LOSSES:
        raise ParamError(f"A risk is the mean of a loss, {', '.join(LOSSES)}; got {loss!r}.")
    rows = draw(source, n_mc, seed)
    if rows.y is None:
        raise DataError(f"A risk needs a target; {rows.name} has none. Choose another generator.")
    if loss == "auto":
        loss = "zero_one" if rows.task == "classification" else "squared"
    predicted = np.asarray(predict(rows.X))
    losses = (
        (predicted != rows.y).astype(float) if loss == "zero_one" else (predicted - rows.y) ** 2
    )
    return Risk(float(losses.mean()), float(losses.std() / np.sqrt(len(losses))), loss)
