"""The parts of a stability of maps: the map of all rows, and each that is drawn again."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from mlcore.data.dataset import Dataset
from mlcore.preparation.chain import Prepared
from mlcore.preparation.once import prepared_once
from mlcore.runs.fitting import fit_prepared
from mlcore.runs.redrawing.map_stability import SHARE, MapStability
from mlcore.spine import random
from mlcore.spine.asking import can
from mlcore.spine.capabilities import Transforms
from mlcore.spine.errors import DataError, MlcoreError
from mlcore.spine.fit import freeze

ALL, AGAIN = "all rows", "map"  # the stages
MOST_ROWS = 2000  # of which places are kept; of more, some are drawn by the seed


@dataclass(frozen=True, eq=False)
class MapPart:
    """One map: the places of the rows that are looked at."""

    stage: str
    k: int  # which of the maps of its stage
    places: np.ndarray  # (m, q) NaN for rows that the map does not place
    drawn: np.ndarray  # (m,) whether it learned from a row
    failure: str = ""  # why there is no map, or ""
    done: int = 0
    total: int = 0

    unit = "maps"

    def __post_init__(self) -> None:
        freeze(self)

    @property
    def where(self) -> str:
        """Which map it is."""
        return self.stage if self.stage == ALL else f"{self.stage} {self.k + 1}"


def planned(run: MapStability) -> list[tuple[str, int]]:
    """The stage and the position of every part: the map of all rows, then the others."""
    return [(ALL, 0), *((AGAIN, k) for k in range(run.refits))]


def looked_at(run: MapStability, n: int) -> np.ndarray:
    """Positions of the rows whose places are kept, sorted, (m,): all, or as many as may be."""
    if n <= MOST_ROWS:
        return np.arange(n)
    rng = random.generator(run.seed, "rows of the maps")
    return np.sort(rng.choice(n, MOST_ROWS, replace=False))


def drawn_map(run: MapStability, dataset: Dataset, stage: str, k: int) -> MapPart:
    """One part, independent of the others. A map that cannot be had is a part with the reason.

    The preparation is fitted once, to all rows: what is asked of is the map.
    """
    every = np.arange(dataset.n)
    prepared = prepared_once(run.preparation, dataset, every, run.seed)
    shown = looked_at(run, dataset.n)
    try:
        at, fit = _fitted(run, prepared, dataset, stage, k)
        places = _placed(run, fit, prepared, dataset, at)[shown]
    except MlcoreError as error:
        if stage == ALL:
            raise
        nowhere = np.full((len(shown), run.coordinates), np.nan)
        return MapPart(stage, k, nowhere, np.zeros(len(shown), dtype=bool), str(error))
    return MapPart(stage, k, places, np.isin(shown, prepared.follow(every)[at]))


def _fitted(
    run: MapStability, prepared: Prepared, dataset: Dataset, stage: str, k: int
) -> tuple[np.ndarray, Any]:
    """Positions among the prepared rows that a map learns from, sorted, and the fit to them."""
    every, at = np.arange(dataset.n), np.arange(len(prepared.X))
    if stage == ALL:
        return at, fit_prepared(run.method, prepared, dataset, every, run.seed)
    rng = random.generator(run.seed, f"{run.again} {k}")
    seed = int(rng.integers(2**31))
    if run.again == "starts":
        return at, fit_prepared(run.method, prepared, dataset, every, seed)
    at = np.sort(rng.choice(len(at), int(SHARE * len(at)), replace=False))
    own = replace(
        prepared,
        X=prepared.X[at],
        y=None if prepared.y is None else prepared.y[at],
        rows=prepared.follow(every)[at],
    )
    return at, fit_prepared(run.method, own, dataset, every, seed)


def _placed(
    run: MapStability, fit: Any, prepared: Prepared, dataset: Dataset, at: np.ndarray
) -> np.ndarray:
    """The first coordinates of every row of the data set, shape (n, q), NaN where it has no place.

    A coordinate that the map lacks is 0. Raises DataError where only the fitted rows have a place
    and these are not those of the table.
    """
    places = np.zeros((dataset.n, run.coordinates))
    if can(fit, Transforms):
        Z = fit.transform(prepared.transform(dataset.X))[:, : run.coordinates]
        places[:, : Z.shape[1]] = Z
        return places
    if prepared.rows is not None:
        raise DataError(
            f"{fit.made_by.title()} places only the rows that it learns from, and the preparation "
            "gives it others than those of the table. Remove the step that changes rows."
        )
    Z = fit.embedding[:, : run.coordinates]
    places[np.setdiff1d(np.arange(dataset.n), at)] = np.nan
    places[at, : Z.shape[1]] = Z
    return places
