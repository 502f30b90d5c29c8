"""The steps of a preparation one by one: the data as a step finds them, and what it makes."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from figures.numbers.planes import NO_QUANTITIES, correlation, ranking
from figures.numbers.sampled import taken
from mlcore.data.dataset import Dataset
from mlcore.preparation.chain import Prepared
from mlcore.runs.carry import Whole
from mlcore.spine.capabilities import Resamples, Transforms

STRAIGHT = 1 - 1e-9  # squared correlation of values that are only shifted and scaled


def stage(dataset: Dataset, whole: Whole, k: int) -> tuple[Dataset, Whole]:
    """The data as step k, from 1, finds them, and a preparation of that step alone.

    Steps that resample have changed the rows for those behind them.
    """
    dataset = input_of(dataset, whole.prepared, k)
    fit = whole.prepared.fits[k - 1]
    after, rows = _after(dataset, fit)
    alone = Prepared((fit,), after.X, after.y, after.columns, rows=rows)
    return dataset, replace(whole, prepared=alone)


def input_of(dataset: Dataset, prepared: Prepared, k: int) -> Dataset:
    """The rows and columns that step k, from 1, learned from."""
    for fit in prepared.fits[: k - 1]:
        dataset = _after(dataset, fit)[0]
    return dataset


def _after(dataset: Dataset, fit: object) -> tuple[Dataset, np.ndarray | None]:
    """The data behind one step, and which row each came from if it resampled."""
    rows = None
    if isinstance(fit, Transforms):
        dataset = replace(dataset, X=fit.transform(dataset.X), columns=fit.out_columns)
    if isinstance(fit, Resamples):
        X, rows = fit.resample(dataset.X, dataset.y)
        dataset = replace(taken(dataset, rows), X=X)
    return dataset, rows


def bent(dataset: Dataset, prepared: Prepared, Z: np.ndarray) -> list[str]:
    """The columns that a preparation fills, or changes by more than a shift and a scale.

    Z, shape (n, q), are the rows of the data behind it. Those that say most come first; none are
    named where all are changed, for then any two show it.
    """
    after = {column.name: Z[:, k] for k, column in enumerate(prepared.columns)}
    kept = [
        j for j in ranking(dataset)
        if dataset.columns[j].kind not in NO_QUANTITIES and dataset.columns[j].name in after
    ]  # fmt: skip
    names = [dataset.columns[j].name for j in kept]
    directions = [
        name for j, name in zip(kept, names, strict=True) if _is_bent(dataset.X[:, j], after[name])
    ]
    return directions if len(directions) < len(names) else []


def _is_bent(before: np.ndarray, after: np.ndarray) -> bool:
    if (np.isnan(before) & ~np.isnan(after)).any():
        return True
    varies = all(
        np.nanmax(v, initial=-np.inf) > np.nanmin(v, initial=np.inf) for v in (before, after)
    )
    return varies and correlation(before, after) ** 2 < STRAIGHT
