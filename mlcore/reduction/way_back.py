"""What every way back from new coordinates begins with."""

from __future__ import annotations

from typing import Any, Protocol

import numpy as np

from mlcore.spine import checks
from mlcore.spine.component import Component
from mlcore.spine.errors import DataError
from mlcore.spine.fit import Column


class Map(Protocol):
    """A fit that gives rows new coordinates."""

    @property
    def made_by(self) -> Component: ...

    @property
    def out_columns(self) -> tuple[Column, ...]: ...


def coordinates(fit: Map, Z: Any) -> np.ndarray:
    """Z as checked coordinates of a map, shape (m, k). Raises DataError for another number."""
    who, out_columns = fit.made_by.title(), fit.out_columns
    Z = checks.matrix(Z, who, names=tuple(c.name for c in out_columns))
    if Z.shape[1] != len(out_columns):
        raise DataError(
            f"{who} kept {len(out_columns)} components; got rows of {Z.shape[1]} coordinates."
        )
    return Z
