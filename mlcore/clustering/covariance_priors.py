"""What is believed of the covariances of a mixture before any row is seen."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from mlcore.clustering.mixtures import CovariancePrior
from mlcore.gaussians.covariances import Covariance
from mlcore.spine.component import Card, Component, enter
from mlcore.spine.params import choice, real
from mlcore.spine.wording import count


@dataclass(frozen=True, kw_only=True)
class Belief(Component):
    """A distribution of the covariance of each component, the same for all."""

    def density(
        self, kind: Covariance, whole: np.ndarray, k: int, rows: float
    ) -> CovariancePrior | None:
        """Its density for k components of a `kind`, or None where nothing is believed.

        `whole` is the covariance of all rows, (p, p), or their variances, (p,), where the axes are
        kept; `rows` what the method lets a prior be worth that has no worth of its own.
        """
        raise NotImplementedError(f"{type(self).__name__} declares no density")

    def misfit(self, kind: Covariance) -> str | None:
        """Why it says nothing of this kind of covariances, as a sentence, or None."""
        return None

    def applies(self, p: int) -> str | None:
        """Why it is no distribution in p columns, as a sentence, or None."""
        return None


def shrunk(whole: np.ndarray, k: int) -> np.ndarray:
    """The covariance of all rows times K^(-2/p), so that K of these have the volume of all rows.

    `whole` has shape (p, p), or (p,) for variances, and so has the result.
    """
    return whole / k ** (2 / whole.shape[-1])


@enter(Card("all_rows", "Towards all rows", ("covariance_prior",), kind="part"))
@dataclass(frozen=True, kw_only=True)
class AllRows(Belief):
    r"""Further rows whose covariance is that of all rows times $K^{-2/p}$, as many as are set.

    With s rows it is the inverse Wishart prior of s - p - 1 degrees of freedom whose scale is s
    times this covariance; with 0 there is no prior, and EM maximises the likelihood.
    """

    def density(
        self, kind: Covariance, whole: np.ndarray, k: int, rows: float
    ) -> CovariancePrior | None:
        """Rows that are added to each component."""
        return CovariancePrior(shrunk(whole, k), rows, kind.is_shared) if rows > 0 else None


@enter(
    Card(
        "inverse_gamma",
        "Inverse gamma",
        ("covariance_prior",),
        sources=("mi2:gmm_map", "prac:em_map_priors"),
        kind="part",
    )
)
@dataclass(frozen=True, kw_only=True)
class InverseGamma(Belief):
    r"""Variances of few values stay near one that is set, each column by itself.

    The density of each is $\propto \sigma^{-2 (a + 1)} e^{-b / \sigma^2}$. Its mode is b / (a + 1),
    and it counts like 2 (a + 1) rows. Of components with one variance for all p columns it is the
    prior of that one: 2 (a + 1) / p rows.
    """

    a: float = real(
        1.0,
        above=0.0,
        soft=(0.5, 20.0),
        log=True,
        symbol="a",
        label="Shape",
        doc="The larger, the surer: the prior is worth 2 (a + 1) values of a variance.",
    )
    b: float = real(
        0.5,
        above=0.0,
        soft=(0.01, 10.0),
        log=True,
        symbol="b",
        label="Scale",
        doc="In squared data units: the likeliest variance is b / (a + 1).",
    )

    def density(
        self, kind: Covariance, whole: np.ndarray, k: int, rows: float
    ) -> CovariancePrior | None:
        """That of the free variances of a component."""
        share = kind.free(1, len(whole)) / len(whole)
        toward = np.full(whole.shape, self.b / (self.a + 1))
        return CovariancePrior(toward, 2 * (self.a + 1) * share, kind.is_shared)

    def misfit(self, kind: Covariance) -> str | None:
        """It is of single variances."""
        if not kind.is_matrix:
            return None
        return (
            f"the inverse gamma prior is of single variances, which {kind.title().lower()} "
            "covariances are not. Choose diagonal or spherical covariances, or the inverse Wishart "
            "prior."
        )


@enter(
    Card(
        "inverse_wishart",
        "Inverse Wishart",
        ("covariance_prior",),
        sources=("mi2:gmm_map", "prac:em_map_priors"),
        kind="part",
    )
)
@dataclass(frozen=True, kw_only=True)
class InverseWishart(Belief):
    r"""Covariances of few rows stay near a matrix that is set.

    The density of each is
    $\propto |\Sigma|^{-(\nu + p + 1) / 2} e^{-\operatorname{tr}(\Psi \Sigma^{-1}) / 2}$. Its mode
    is $\Psi / (\nu + p + 1)$, and it counts like $\nu + p + 1$ rows. Of diagonal and spherical
    covariances it is the density at these.
    """

    dof: float | None = real(
        None,
        above=0.0,
        soft=(3.0, 50.0),
        log=True,
        or_none="two more than columns",
        symbol="ν",
        label="Degrees of freedom",
        doc="The larger, the surer: the prior is worth ν + p + 1 rows. It must be above p - 1.",
    )
    matrix: str = choice(
        "all_rows",
        "all_rows",
        "identity",
        label="Scale matrix",
        doc="The covariance of all rows times K^(-2/p), as if K components shared their volume, or "
        "the identity in squared data units.",
    )
    scale: float = real(
        1.0,
        above=0.0,
        soft=(0.01, 100.0),
        log=True,
        label="Times",
        doc="Multiple of that matrix which is the scale Ψ.",
    )

    def density(
        self, kind: Covariance, whole: np.ndarray, k: int, rows: float
    ) -> CovariancePrior | None:
        """By its degrees of freedom and scale."""
        p = len(whole)
        one = np.eye(p) if whole.ndim == 2 else np.ones(p)
        matrix = shrunk(whole, k) if self.matrix == "all_rows" else one
        worth = (p + 2 if self.dof is None else self.dof) + p + 1
        return CovariancePrior(self.scale * matrix / worth, worth, kind.is_shared)

    def applies(self, p: int) -> str | None:
        """Fewer degrees of freedom have no finite integral."""
        if self.dof is None or self.dof > p - 1:
            return None
        return (
            f"the inverse Wishart prior of {count(p, 'column')} needs more than {p - 1} degrees of "
            f"freedom, not {self.dof:g}. Raise them, or leave them at two more than columns."
        )
