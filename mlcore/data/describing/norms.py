"""Sizes of vectors and matrices."""

from __future__ import annotations

from typing import Any

import numpy as np

from mlcore.spine import checks
from mlcore.spine.errors import ParamError
from mlcore.spine.records import function

KINDS = ("frobenius", "spectral", "row_sum", "column_sum")


@function("vector_norm")
def vector_norm(x: Any, p: float = 2.0) -> float:
    r"""$(\sum_i |x_i|^p)^{1/p}$ of x, shape (d,); the largest $|x_i|$ for infinite p.

    Raises ParamError for p below 1.
    """
    x = np.abs(checks.matrix(np.reshape(x, (-1, 1)), "A norm")[:, 0])
    if not p >= 1:
        raise ParamError(
            f"With p below 1 this is not a norm: the triangle inequality fails; got {p}."
        )
    largest = float(x.max())
    if largest == 0.0 or np.isinf(p):
        return largest
    return largest * float(((x / largest) ** p).sum() ** (1.0 / p))


@function("matrix_norm", sources=("epfl:frobenius_norm",))
def matrix_norm(A: Any, kind: str = "frobenius") -> float:
    r"""The size of A, shape (n, p).

    "frobenius" is $\sqrt{\mathrm{tr}\, A^T A}$, "spectral" the largest factor by which A lengthens
    a vector, "row_sum" and "column_sum" the largest sum of absolute values of a row or column.
    Raises ParamError for any other kind.
    """
    A = checks.matrix(A, "A norm")
    if kind not in KINDS:
        raise ParamError(f"A matrix has the norms {', '.join(KINDS)}; got {kind!r}.")
    if kind == "frobenius":
        return float(np.sqrt((A**2).sum()))
    if kind == "spectral":
        return float(np.linalg.svd(A, compute_uv=False)[0])
    return float(np.abs(A).sum(axis=1 if kind == "row_sum" else 0).max())
