"""What fits that count errors by their costs have, by name. K is the number of classes."""

from __future__ import annotations

from typing import Protocol, runtime_checkable

import numpy as np

from mlcore.spine.capabilities import HasClasses


@runtime_checkable
class HasCosts(HasClasses, Protocol):
    """`costs`: what taking a row of a class for another costs, shape (K, K), rows true, columns
    predicted; the class said is to cost least."""

    costs: np.ndarray
