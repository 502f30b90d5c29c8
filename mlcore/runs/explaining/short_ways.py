"""Shapley values without trying sets of variables, for models that declare what they sum."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from mlcore.evaluation.explaining.shapley_of_sums import shapley_by_path, shapley_of_sum
from mlcore.runs.explaining.model import Model
from mlcore.spine import random
from mlcore.spine.capabilities import HasClasses
from mlcore.spine.capabilities_of_sums import (
    IsSum,
    MixesColumns,
    Sum,
    promises_sum,
    promises_trees,
)

AUTO, OUTPUTS = "auto", "outputs"  # scales: that of the sum if there is one, what is predicted
# What stands for a variable that is not known: values of training rows, or shares of the ways.
INTERVENTIONAL, PATH_DEPENDENT = "interventional", "path_dependent"


class InShort(NamedTuple):
    """Exact values of rows."""

    base: np.ndarray  # (K,) where nothing is known: the mean over the background rows, or the ways
    values: np.ndarray  # (m, n, K)
    scale: str  # of the sum; "" where it is what is predicted


def in_short(
    model: Model,
    rows: np.ndarray,
    background: np.ndarray,
    scale: str = AUTO,
    perturbation: str = INTERVENTIONAL,
) -> InShort | None:
    """Values of rows, (m, n), against background rows, (B, n); None if there is no short way.

    There is none where a prepared column depends on several variables, and none by path where
    something else than trees is summed.
    """
    total = model.fit.as_sum if isinstance(model.fit, IsSum) else None
    if total is None or (scale == OUTPUTS and total.scale):
        return None
    groups = _groups(model, rows, background)
    if groups is None:
        return None
    Z, others = model.prepared.transform(rows), model.prepared.transform(background)
    if perturbation == INTERVENTIONAL:
        values = _of_classes(model, shapley_of_sum(total, Z, others, groups, rows.shape[1]))
        return InShort(_whole(model, total, background, others).mean(axis=0), values, total.scale)
    if total.curve is not None or not total.trees:
        return None
    values = _of_classes(model, shapley_by_path(total.trees, Z, groups, rows.shape[1]))
    base = _whole(model, total, rows, Z) - values.sum(axis=1)  # the same of every row
    return InShort(base.mean(axis=0), values, total.scale)


def _whole(model: Model, total: Sum, rows: np.ndarray, prepared: np.ndarray) -> np.ndarray:
    """What is shared out, of rows of the table, for each output, shape (m, K)."""
    if total.scores is None:
        return model.outputs(rows)
    return _of_classes(model, total.scores(prepared).reshape(len(rows), -1))


def expects_short_way(run: Any, scale: str = AUTO) -> bool:
    """Whether the models of a run will have one, as far as its settings tell."""
    mixed = any(isinstance(s, MixesColumns) and s.mixes_columns for s in run.preparation)
    return not mixed and promises_sum(run.method, of_predictions=scale == OUTPUTS)


def expects_paths(run: Any, scale: str = AUTO) -> bool:
    """Whether the models of a run will have one by path, as far as its settings tell."""
    return expects_short_way(run, scale) and promises_trees(run.method)


def _of_classes(model: Model, values: np.ndarray) -> np.ndarray:
    """What belongs to the outputs of a fit, (..., k), for the classes of the data, (..., K).

    Two classes that are parted by one score have it with both signs; classes that the fit never saw
    have 0.
    """
    if not isinstance(model.fit, HasClasses):
        return values
    if values.shape[-1] == 1:
        values = np.concatenate([-values, values], axis=-1)
    whole = np.zeros((*values.shape[:-1], len(model.dataset.classes)))
    whole[..., np.asarray(model.fit.classes, dtype=int)] = values
    return whole


def _groups(model: Model, rows: np.ndarray, background: np.ndarray) -> np.ndarray | None:
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
    own = rows[np.arange(len(background)) % len(rows)]
    mixed = model.prepared.transform(np.where(from_row, own, background))
    x, others = model.prepared.transform(own), model.prepared.transform(background)
    wanted = np.where(from_row[:, groups], x, others)
    return groups if np.allclose(mixed, wanted, rtol=1e-9, atol=1e-12, equal_nan=True) else None
