"""What rows say for a kernel: the evidence of a Gaussian process, and rows left out of it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
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

    X has shape (n, p), y shape (n,) and mean zero by assumption, `noise` is a variance.
    Raises ParamError if the noise is not positive, DataError if the matrix has no Cholesky factor.
    O(n^3).
    Rasmussen and Williams (2006), Gaussian Processes for Machine Learning, equations 5.8 and 5.9.
    """
    X = checks.matrix(X, WHO)
    y = checks.target(y, len(X), WHO)
    if not noise > 0:
        raise ParamError(f"{WHO} needs a noise variance above 0; got {noise}.")
    process = Process(Observed(X, y, np.ones(len(X))), kernel.resolve(X), noise)
    return Evidence(process.evidence, process.fit, process.complexity, process.gradient())


@dataclass(frozen=True, eq=False)
class Observed:
    """Rows with targets of mean zero. A row of weight w counts as w equal ones."""

    X: np.ndarray  # (n, p)
    y: np.ndarray  # (n,)
    w: np.ndarray  # (n,) above zero

    @cached_property
    def root(self) -> np.ndarray:
        """Square roots of the weights, shape (n,): they make the noise of all rows equal."""
        return np.sqrt(self.w)

    @property
    def repeats(self) -> float:
        """How many rows are counted beyond those that are there."""
        return float((self.w - 1.0).sum())

    def constant(self, noise: Any) -> Any:
        """What the evidence of a noise has beside fit and complexity, of the shape of `noise`."""
        n = len(self.y)
        return -0.5 * (n * np.log(2 * np.pi) + self.repeats * np.log(2 * np.pi * noise))


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
        # (n,) A^-1 R y
        self.own = cho_solve((self.factor, True), rows.root * rows.y, check_finite=False)
        self.weights = rows.root * self.own  # (n,) the mean function is the sum of them times k
        self.fit = -0.5 * float(rows.y @ self.weights)
        self.complexity = -float(np.log(np.diag(self.factor)).sum())
        self.evidence = self.fit + self.complexity + float(rows.constant(noise))

    @property
    def posterior(self) -> dict[str, np.ndarray]:
        """What a distribution of functions needs beside the weights, by name: (n, n)."""
        return {"factor": self.factor}

    def inverse(self) -> np.ndarray:
        """The lower half of A^-1, shape (n, n), zeros above it."""
        return POTRI(self.factor, lower=1)[0]

    def gradient(self) -> dict[str, float]:
        """(a' dK a - tr(R A^-1 R dK)) / 2 for each setting, by its logarithm, and for "noise"."""
        inverse, root, a = self.inverse(), self.rows.root, self.weights
        halves = root[:, None] * inverse * root if self.rows.repeats else inverse
        slopes = self._along(a[:, None] * a, halves)
        of_noise = self.own @ self.own - np.trace(inverse) - self.rows.repeats / self.noise
        gradient = slopes | {"noise": self.noise * float(of_noise)}
        return {path: 0.5 * slope for path, slope in gradient.items()}

    def _along(self, S: np.ndarray, halves: np.ndarray) -> dict[str, float]:
        """<S - T, dK> for each setting, with T symmetric, its lower half and zeros: (n, n) each.

        In one pass and by no library with threads: they would wait for those of the factor, which
        are another library's.
        """
        S = S - 2.0 * halves.T  # in the order of the slopes
        diag = np.diag(halves)
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
        return float(left_out_densities(self.own, missing).sum() + self.rows.constant(self.noise))

    def left_out_gradient(self) -> dict[str, float]:
        """Of that, as `gradient`. Rasmussen and Williams (2006), 5.13, for all settings at once."""
        P, b, root = self._inverse, self.own, self.rows.root
        g, h = left_out_slopes(b, np.diag(P))
        moved = P @ g
        lower = SYRK(1.0, P * np.sqrt(h), lower=1)  # P diag(h) P, zeros above it
        slopes = self._along(np.outer(root * moved, root * b), root[:, None] * lower * root)
        of_noise = moved @ b - np.trace(lower) - 0.5 * self.rows.repeats / self.noise
        return slopes | {"noise": self.noise * float(of_noise)}


def left_out_densities(duals: Any, missing: Any) -> Any:
    """Log densities of rows by the distribution of all others, but for a constant.

    `duals` are C^-1 y and `missing` the diagonal of C^-1 for the covariance C of the targets, of
    equal shape. Rasmussen and Williams (2006), equations 5.10 to 5.12.
    """
    return 0.5 * np.log(missing) - 0.5 * duals**2 / missing


def left_out_slopes(duals: np.ndarray, missing: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """g and h, (n,) each, by which their sum moves with C: g' C^-1 dC a - tr(diag(h) C^-1 dC C^-1).

    a are the `duals`.
    """
    return duals / missing, 0.5 * (1.0 + duals**2 / missing) / missing


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
