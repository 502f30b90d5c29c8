"""The target of a data set, for pictures that cannot do without."""

from __future__ import annotations

import numpy as np

from mlcore.data.dataset import Dataset
from mlcore.spine.errors import DataError


def target_of(dataset: Dataset) -> np.ndarray:
    """Codes or quantities of every row, shape (n,); DataError where there is no target."""
    if dataset.y is None:
        raise DataError("This picture needs a target; choose the column that is to be predicted.")
    return dataset.y
