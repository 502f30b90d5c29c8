"""The parameters of a mixture of normal distributions, and what follows from them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from mlcore.clustering import _kernels
from mlcore.clustering.gaps import Gaps
from mlcore.gaussians.covariances import Whiteners
from mlcore.maths.arrays import read_only


class Mixture(NamedTuple):
    """The parameters of K components."""

    weights: np.ndarray  # (K,), their sum is 1
    means: np.ndarray  # (K, p)
    covariances: np.ndarray  # (K, p, p), or (K, p) variances where the axes are kept

    def log_joint(self, X: np.ndarray) -> np.ndarray:
        """Log of weight times density of each component at each row, shape (n, K).

        Of a row with missing values, NaN, that of what it shows.
        """
        return self.joint_of(X, Gaps.of(X))

    def joint_of(self, X: np.ndarray, gaps: Gaps | None) -> np.ndarray:
        """The same for rows X, (n, p), whose gaps are known, shape (n, K)."""
        if gaps is None:
            log_joint = Whiteners(self.covariances).log_gaussians(X, self.means)
        else:
            log_joint = gaps.log_gaussians(X, self.means, self.covariances)
        # A component may lose all its rows; the log of zero would make it infinitely unlikely.
        log_joint += np.log(np.maximum(self.weights, np.finfo(float).tiny))
        return log_joint

    def shares(self, X: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """How far each row belongs to each component, shape (n, K), and its log-density, (n,)."""
        return shares(self.log_joint(X))

    def marginal(self, columns: Sequence[int] | np.ndarray) -> Mixture:
        """The mixture of the columns of these numbers, shape (q,), whatever the others are.

        The others are integrated out, so they drop from means and covariances.
        """
        at = np.asarray(columns)
        parts = self.covariances[:, at]
        return Mixture(
            self.weights, self.means[:, at], parts[:, :, at] if parts.ndim == 3 else parts
        )

    def conditional(self, columns: Sequence[int] | np.ndarray, values: np.ndarray) -> Mixture:
        r"""The mixture of the other columns, in their order, where `columns` have `values`.

        Both have shape (q,).

        Each component has the mean $\mu_a + \Sigma_{ab} \Sigma_{bb}^{-1} (x_b - \mu_b)$ and the
        covariance $\Sigma_{aa} - \Sigma_{ab} \Sigma_{bb}^{-1} \Sigma_{ba}$; its weight is its share
        in the values (Bishop 2006, sections 2.3.1 and 9.2).
        """
        given = np.asarray(columns)
        free = np.setdiff1d(np.arange(self.means.shape[1]), given)
        seen = self.marginal(given)
        weights = seen.shares(np.asarray(values, dtype=float)[None])[0][0]
        if self.covariances.ndim == 2:  # columns are independent within a component
            return Mixture(weights, self.means[:, free], self.covariances[:, free])
        across = self.covariances[:, free][:, :, given]
        slopes = np.linalg.solve(seen.covariances, across.transpose(0, 2, 1)).transpose(0, 2, 1)
        means = self.means[:, free] + np.einsum("kab,kb->ka", slopes, values - seen.means)
        left = self.covariances[:, free][:, :, free] - slopes @ across.transpose(0, 2, 1)
        return Mixture(weights, means, (left + left.transpose(0, 2, 1)) / 2)


def shares(log_joint: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The posterior of the components, shape (n, K), and the log of their sum, shape (n,)."""
    resp, log_density = np.empty_like(log_joint), np.empty(len(log_joint))
    _kernels.shares(read_only(log_joint), resp, log_density)
    return resp, log_density


def traces(covariances: np.ndarray) -> np.ndarray:
    """Sum of the variances of each component, shape (K,)."""
    if covariances.ndim == 3:
        return np.trace(covariances, axis1=1, axis2=2)
    return covariances.sum(axis=1)


@dataclass(frozen=True, eq=False)
class CovariancePrior:
    r"""An inverse Wishart prior of covariances, worth `rows` rows of the covariance `toward`.

    Its log-density is $-\tfrac s 2 (\log |\Sigma| + \operatorname{tr} \Sigma^{-1} \Lambda)$ with s
    rows and $\Lambda$ `toward`, so that the mode after n rows of covariance S is
    $(n S + s \Lambda) / (n + s)$ (Fraley and Raftery 2007, Journal of Classification 24).
    """

    toward: np.ndarray  # (p, p), or (p,) variances
    rows: float
    is_shared: bool  # one covariance for all components: it is drawn once

    def mode(self, estimated: np.ndarray, counts: np.ndarray) -> np.ndarray:
        """The likeliest covariances, shape (K, p, p) or (K, p) as those `estimated` from `counts`
        rows, shape (K,)."""
        n = np.full_like(counts, counts.sum()) if self.is_shared else counts
        part = (self.rows / (n + self.rows)).reshape(-1, *[1] * self.toward.ndim)
        return (1 - part) * estimated + part * self.toward

    def log_density(self, covariances: np.ndarray) -> float:
        """The log-density of them, shape (K, p, p) or (K, p), together, up to a constant."""
        whiteners = Whiteners(covariances[:1] if self.is_shared else covariances)
        factors = whiteners.factors
        if whiteners.is_matrix:
            turned = np.einsum("kab,bc,kac->k", factors, self.toward, factors)
        else:
            turned = factors**2 @ self.toward
        return float(-self.rows / 2 * (2 * whiteners.log_roots + turned).sum())
