"""The steps of a preparation one by one: the data as a step finds them, and what it makes."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from figures.numbers.sampled import taken
from mlcore.capabilities import Resamples, Transforms
from mlcore.carry import Whole
from mlcore.data.dataset import Dataset
from mlcore.preparation.chain import Prepared


def stage(dataset: Dataset, whole: Whole, k: int) -> tuple[Dataset, Whole]:
    """The data as step k, from 1, finds them, and a preparation of that step alone.

    Steps that resample have changed the rows for those behind them.
    """
    for fit in whole.prepared.fits[: k - 1]:
        dataset = _after(dataset, fit)[0]
    fit = whole.prepared.fits[k - 1]
    after, rows = _after(dataset, fit)
    alone = Prepared((fit,), after.X, after.y, after.columns, rows=rows)
    return dataset, replace(whole, prepared=alone)


def _after(dataset: Dataset, fit: object) -> tuple[Dataset, np.ndarray | None]:
    """The data behind one step, and which row each came from if it resampled."""
    rows = None
    if isinstance(fit, Transforms):
        dataset = replace(dataset, X=fit.transform(dataset.X), columns=fit.out_columns)
    if isinstance(fit, Resamples):
        X, rows = fit.resample(dataset.X, dataset.y)
        dataset = replace(taken(dataset, rows), X=X)
    return dataset, rows
