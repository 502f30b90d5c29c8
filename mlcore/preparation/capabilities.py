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
class RanksVariables(ChoosesVariables, Protocol):
    """`relevance`: the number by which each variable was judged, shape (d,); `measure`: what it is
    called; `chance`: what 95 in 100 variables that say nothing stay below, NaN if not known."""

    relevance: np.ndarray
    measure: str
    chance: float


@runtime_checkable
class SearchesVariables(ChoosesVariables, Protocol):
    """`path`: the subsets in the order in which they were visited, shape (t, d); `path_values`:
    their scores J, (t,); `path_sizes`: how many variables they have, (t,); `path_around`: J with
    each variable in or out the other way, (t, d), NaN where not scored, or no rows; `best` and
    `subsets`: the best J of each size, (d + 1,), and who reached it, (d + 1, d); `optimum`: the
    best there is, if known; `lattice`: J of every subset, (2^d,), or empty; `alone`, `missed`,
    `gained`: J of each variable by itself, lost without it, gained with it, (d,); `evaluations`:
    how many subsets were scored; `sentence(step)`: what a step moved; `made_by`: the method."""

    made_by: Any
    best: np.ndarray
    subsets: np.ndarray
    optimum: np.ndarray
    path: np.ndarray
    path_values: np.ndarray
    path_around: np.ndarray
    path_sizes: np.ndarray
    lattice: np.ndarray
    alone: np.ndarray
    missed: np.ndarray
    gained: np.ndarray
    evaluations: int

    def sentence(self, step: int) -> str: ...


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
