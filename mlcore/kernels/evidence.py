"""What rows say for a kernel: the evidence of a Gaussian process, and rows left out of it."""

from __future__ import annotations

from collections.abc import Mapping
from copy import copy
from dataclasses import dataclass, replace
from functools import cached_property, reduce
from typing import Any, NamedTuple

import numpy as np
from scipy.linalg import cho_solve, get_blas_funcs, get_lapack_funcs

from mlcore.kernels.kernel import Kernel
from mlcore.spine import checks
from mlcore.spine.errors import DataError, ParamError
from mlcore.spine.records import function

WHO = "The log evidence"
# Factor and inverse in halves: a third of the work of what scipy.linalg has names for.
POTRF, POTRI = get_lapack_funcs(("potrf", "potri"), dtype=np.float64)
(SYRK,) = get_blas_funcs(("syrk",), dtype=np.float64)


class Evidence(NamedTuple):
    """log p(y | X) under a Gaussian process, in nats, and its terms."""

    value: float
    fit: float  # -y' (K + s I)^-1 y / 2: how well the kernel explains the target
    complexity: float  # -log |K + s I| / 2: how many targets it could explain as well
    gradient: Mapping[str, float]  # by the logarithm of each setting, and of "noise"


@function(
    "log_evidence",
    title="Log evidence of a kernel",
    sources=("epfl:kernel_se_gp",),
)
def log_evidence(kernel: Kernel, X: Any, y: Any, noise: float = 0.1) -> Evidence:
    """log p(y | X) of y ~ N(0, K + noise I), with its gradient where the kernel has one.

    X has shape (n, p), y shape (n,) and mean zero by assumption, `noise` is a variance. For y of
    shape (n, q) it is the sum over q outputs that know nothing of each other but kernel and noise.
    Raises ParamError if the noise is not positive, DataError if the matrix has no Cholesky factor.
    O(n^3).
    Rasmussen and Williams (2006), Gaussian Processes for Machine Learning, equations 5.8 and 5.9.
    """
    X = checks.matrix(X, WHO)
    y = checks.target(y, len(X), WHO, outputs=True)
    if not noise > 0:
        raise ParamError(f"{WHO} needs a noise variance above 0; got {noise}.")
    process = Process(Observed(X, y, np.ones(len(X))), kernel.resolve(X), noise)
    return Evidence(process.evidence, process.fit, process.complexity, process.gradient())


@dataclass(frozen=True, eq=False)
class Observed:
    """Rows with targets of mean zero. A row of weight w counts as w equal ones.

    Several outputs are as many functions of one kernel and noise.
    """

    X: np.ndarray  # (n, p)
    y: np.ndarray  # (n,), or (n, q) for q outputs
    w: np.ndarray  # (n,) above zero

    @cached_property
    def root(self) -> np.ndarray:
        """Square roots of the weights, shape (n,): they make the noise of all rows equal."""
        return np.sqrt(self.w)

    @property
    def outputs(self) -> int:
        """How many functions are observed, q."""
        return 1 if self.y.ndim == 1 else self.y.shape[1]

    def output(self, j: int) -> Observed:
        """The same rows with output j alone."""
        return replace(self, y=np.ascontiguousarray(self.y[:, j]))

    @property
    def repeats(self) -> float:
        """How many rows are counted beyond those that are there."""
        return float((self.w - 1.0).sum())

    def constant(self, noise: Any) -> Any:
        """What the evidence of a noise has beside fit and complexity, of the shape of `noise`."""
        n, q = len(self.y), self.outputs
        return -0.5 * q * (n * np.log(2 * np.pi) + self.repeats * np.log(2 * np.pi * noise))


def scaled_rows(by: np.ndarray, values: np.ndarray) -> np.ndarray:
    """Each of n rows times its own number, (n,): one or several outputs, (n,) or (n, q)."""
    return (by * values.T).T


def sum_of_outer(A: np.ndarray, B: np.ndarray) -> np.ndarray:
    """The outer products a b' of each output's vectors, (n,) and (m,) or (n, q), (m, q), summed."""
    pairs = zip(np.atleast_2d(A.T), np.atleast_2d(B.T), strict=True)
    return reduce(np.add, (a[:, None] * b for a, b in pairs))


class Process:
    """A Gaussian process of one kernel and noise, conditioned on rows: O(n^3) once.

    With R the roots of the weights, A = R K R + noise I = L L' is factored. The kernel must be
    resolved. Raises DataError where A has no Cholesky factor.
    """

    def __init__(self, rows: Observed, kernel: Kernel, noise: float) -> None:
        self.rows, self.kernel, self.noise = rows, kernel, noise
        K, self._slopes = kernel.differentiated(rows.X)
        A = K * rows.root[:, None] * rows.root if rows.repeats else K.copy()
        A[np.diag_indices_from(A)] = rows.w * kernel.diag(rows.X) + noise
        # A is symmetric, so its transpose, which is in the order of LAPACK, is A.
        self.factor, info = POTRF(A.T, lower=1, clean=1, overwrite_a=1)  # (n, n) L
        if info:
            raise DataError(
                f"{WHO} needs a positive definite matrix; that of {kernel.title()} on these rows "
                f"has negative eigenvalues beyond the noise of {noise:g}. Raise the noise or "
                "choose another kernel."
            )
        self._condition(rows)

    def _condition(self, rows: Observed) -> None:
        self.rows = rows
        # A^-1 R y, of the shape of y
        known = scaled_rows(rows.root, rows.y)
        self.own = cho_solve((self.factor, True), known, check_finite=False)
        self.weights = scaled_rows(rows.root, self.own)  # the mean is the sum of them times k
        self.fit = -0.5 * float(np.vdot(rows.y, self.weights))
        self.complexity = -rows.outputs * float(np.log(np.diag(self.factor)).sum())
        self.evidence = self.fit + self.complexity + float(rows.constant(self.noise))

    def of_output(self, j: int) -> Process:
        """That of one output alone, by the same factor: O(n^2)."""
        other = copy(self)
        other._condition(self.rows.output(j))
        return other

    @property
    def posterior(self) -> dict[str, np.ndarray]:
        """What a distribution of functions needs beside the weights, by name: (n, n)."""
        return {"factor": self.factor}

    def inverse(self) -> np.ndarray:
        """The lower half of A^-1, shape (n, n), zeros above it."""
        return POTRI(self.factor, lower=1)[0]

    def gradient(self) -> dict[str, float]:
        """(a' dK a - tr(R A^-1 R dK)) / 2 for each setting, by its logarithm, and for "noise"."""
        inverse, root, q = self.inverse(), self.rows.root, self.rows.outputs
        halves = root[:, None] * inverse * root if self.rows.repeats else inverse
        slopes = self._along(sum_of_outer(self.weights, self.weights), halves, q)
        of_noise = np.vdot(self.own, self.own) - q * np.trace(inverse)
        of_noise -= q * self.rows.repeats / self.noise
        gradient = slopes | {"noise": self.noise * float(of_noise)}
        return {path: 0.5 * slope for path, slope in gradient.items()}

    def _along(self, S: np.ndarray, halves: np.ndarray, times: int = 1) -> dict[str, float]:
        """<S - q T, dK> for each setting, T symmetric, its lower half and zeros: (n, n) each.

        q is `times`.

        In one pass and by no library with threads: they would wait for those of the factor, which
        are another library's.
        """
        S = S - (2.0 * times) * halves.T  # in the order of the slopes
        diag = times * np.diag(halves)
        return {
            path: float(np.einsum("ij,ij->", S, slope) + diag @ np.diag(slope))
            for path, slope in self._slopes.items()
        }

    @cached_property
    def _inverse(self) -> np.ndarray:
        """A^-1, shape (n, n)."""
        lower = self.inverse()
        whole = lower + lower.T
        whole[np.diag_indices_from(whole)] /= 2.0
        return whole

    @property
    def left_out(self) -> float:
        """The sum of log p(y_i | X, all other y): a row of weight w leaves as w equal ones."""
        missing = np.diag(self._inverse)
        densities = left_out_densities(self.own.T, missing).sum()
        return float(densities + self.rows.constant(self.noise))

    def left_out_gradient(self) -> dict[str, float]:
        """Of that, as `gradient`. Rasmussen and Williams (2006), 5.13, for all settings at once."""
        P, b, root = self._inverse, self.own, self.rows.root
        g, h = left_out_slopes(b, np.diag(P))
        moved = P @ g
        along = sum_of_outer(scaled_rows(root, moved), scaled_rows(root, b))
        lower = SYRK(1.0, P * np.sqrt(h), lower=1)  # P diag(h) P, zeros above it
        slopes = self._along(along, root[:, None] * lower * root)
        of_noise = np.vdot(moved, b) - np.trace(lower)
        of_noise -= 0.5 * self.rows.outputs * self.rows.repeats / self.noise
        return slopes | {"noise": self.noise * float(of_noise)}


def left_out_densities(duals: Any, missing: Any) -> Any:
    """Log densities of rows by the distribution of all others, but for a constant.

    `duals` are C^-1 y and `missing` the diagonal of C^-1 for the covariance C of the targets, of
    equal shape. Rasmussen and Williams (2006), equations 5.10 to 5.12.
    """
    return 0.5 * np.log(missing) - 0.5 * duals**2 / missing


def left_out_slopes(duals: np.ndarray, missing: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """g and h, by which their sum moves with C: g' C^-1 dC a - tr(diag(h) C^-1 dC C^-1).

    a are the `duals`; g has their shape, (n,) or (n, q), and h, (n,), is summed over outputs.
    """
    h = 0.5 * (1.0 + duals.T**2 / missing) / missing
    return (duals.T / missing).T, h if duals.ndim == 1 else h.sum(axis=0)


def spectral_evidence(rows: Observed, kernel: Kernel, noises: np.ndarray) -> np.ndarray:
    """The log evidence of one kernel for many variances of the noise, (q,), by its eigenvalues.

    The kernel must be resolved. NaN where noise does not make up for negative eigenvalues.
    """
    _, along, spectra, is_process = _spectra(rows, kernel, noises)
    evidence = -0.5 * (along[:, None] ** 2 / spectra + np.log(spectra)).sum(axis=0)
    return np.where(is_process, evidence + rows.constant(noises), np.nan)


def spectral_left_out(rows: Observed, kernel: Kernel, noises: np.ndarray) -> np.ndarray:
    """`Process.left_out` in the same way, shape (q,)."""
    vectors, along, spectra, is_process = _spectra(rows, kernel, noises)
    duals, missing = vectors @ (along[:, None] / spectra), vectors**2 @ (1.0 / spectra)
    densities = left_out_densities(duals, missing).sum(axis=0)
    return np.where(is_process, densities + rows.constant(noises), np.nan)


def _spectra(
    rows: Observed, kernel: Kernel, noises: np.ndarray
) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
    """Eigenvectors of R K R, (n, n), R y along them, (n,), the eigenvalues of A, (n, q).

    And for which noises, (q,), these are positive; they are 1 for the others.
    """
    K = kernel.against(rows.X)(rows.X) * rows.root[:, None] * rows.root
    values, vectors = np.linalg.eigh((K + K.T) / 2.0)
    spectra = values[:, None] + noises
    is_process = spectra.min(axis=0) > 0
    along = vectors.T @ (rows.root * rows.y)
    return vectors, along, np.where(is_process, spectra, 1.0), is_process
