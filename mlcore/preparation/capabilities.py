"""What a fitted step of the preparation can do, beside `mlcore/spine/capabilities.py`."""

from __future__ import annotations

from typing import Any, Protocol, runtime_checkable

import numpy as np


@runtime_checkable
class BalancesClasses(Protocol):
    """`counts_before` and `counts_after`: training rows of each class, shape (K,), and
    `corrected(P)`: probabilities, (m, K), as they are at the shares of before."""

    counts_before: np.ndarray
    counts_after: np.ndarray

    def corrected(self, P: np.ndarray) -> np.ndarray: ...


@runtime_checkable
class ChoosesVariables(Protocol):
    """`variables`: names of d; `chosen`: which of them are kept, shape (d,); `kept`: positions of
    their columns, shape (q,)."""

    variables: tuple[str, ...]
    chosen: np.ndarray
    kept: np.ndarray


@runtime_checkable
class Encodes(Protocol):
    """`encodings`: the numbers of every level of each column of names."""

    encodings: tuple[Any, ...]


@runtime_checkable
class CountsTerms(Protocol):
    """`bags`: the vocabulary of each column of texts, and `unknown(X)`: how many words of each row
    are in none of them, shape (m,)."""

    bags: tuple[Any, ...]

    def unknown(self, X: Any) -> np.ndarray: ...


@runtime_checkable
class ChangesImages(Protocol):
    """`images`: how rows are read as images before the step and after it."""

    images: tuple[Any, Any]


@runtime_checkable
class ImputesByGaussian(Protocol):
    """`gaps`: positions among `used`, the columns of numbers, of those with missing values, most
    first; `covariance` of the used ones, shape (k, k), in products of their units."""

    gaps: np.ndarray
    used: np.ndarray
    covariance: np.ndarray


@runtime_checkable
class Whitens(Protocol):
    """`white`: the matrix by which differences from `mean` are multiplied, shape (q, p);
    `variances` along the directions kept, `spectrum` along all, falling."""

    mean: np.ndarray
    white: np.ndarray
    variances: np.ndarray
    spectrum: np.ndarray
