"""Shapley values without trying sets of variables, for models that declare what they sum."""

from __future__ import annotations

import numpy as np

from mlcore.evaluation.explaining.shapley import Shapley
from mlcore.evaluation.explaining.shapley_of_sums import shapley_linear, shapley_of, shapley_trees
from mlcore.evaluation.scoring import aligned
from mlcore.runs.explaining.model import Model
from mlcore.spine import random
from mlcore.spine.capabilities import HasClasses
from mlcore.spine.capabilities_of_sums import AveragesTrees, IsLinear


def in_short(model: Model, row: np.ndarray, background: np.ndarray) -> Shapley | None:
    """Exact values of a row, (p,), against background rows, (B, p); None if there is no short way.

    There is none where a prepared column depends on several variables.
    """
    fit, n = model.fit, len(row)
    if not isinstance(fit, (AveragesTrees, IsLinear)):
        return None
    groups = _groups(model, row, background)
    if groups is None:
        return None
    x, others = model.prepared.transform(row[None])[0], model.prepared.transform(background)
    if isinstance(fit, AveragesTrees):
        values = shapley_trees(fit.leaf_answers, x, others, groups, n)
    else:
        values = shapley_linear(fit.weights_of_columns, x, others, groups, n)
    if isinstance(fit, HasClasses):
        values = aligned(values, fit.classes, len(model.dataset.classes))
    return shapley_of(model.outputs(background).mean(axis=0), values)


def _groups(model: Model, row: np.ndarray, background: np.ndarray) -> np.ndarray | None:
    """Of which variable each prepared column is, (q,); None where one depends on several.

    A step may keep the names and mix the values (rows scaled to length 1, imputation by
    neighbours), so it is tried: mixed rows must prepare to mixed columns.
    """
    names = [column.name for column in model.dataset.columns]
    made_of = [column.variable for column in model.prepared.columns]
    if not set(made_of) <= set(names):
        return None
    groups = np.array([names.index(name) for name in made_of], dtype=np.int64)
    rng = random.generator(model.run.seed, "mixed rows")
    from_row = rng.random(background.shape) < 0.5
    mixed = model.prepared.transform(np.where(from_row, row, background))
    x, others = model.prepared.transform(row[None]), model.prepared.transform(background)
    wanted = np.where(from_row[:, groups], x, others)
    return groups if np.allclose(mixed, wanted, rtol=1e-9, atol=1e-12, equal_nan=True) else None
