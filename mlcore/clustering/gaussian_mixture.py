"""Gaussian mixture: rows as draws from K normal distributions, found by maximum likelihood."""

from __future__ import annotations

from dataclasses import dataclass, replace
from math import log
from typing import Any

import numpy as np

from mlcore.clustering.covariance_priors import Belief
from mlcore.clustering.deviance import FEW, deviance_of_mixture, seconds_of
from mlcore.clustering.em import MixtureProblem, MixtureState
from mlcore.clustering.gaps import filled
from mlcore.clustering.mixture_starts import MixtureStart
from mlcore.clustering.mixtures import Mixture
from mlcore.clustering.restarts import RestartedMethod, final_objectives, too_few
from mlcore.clustering.ridged import of_balls, of_ridge
from mlcore.gaussians.covariances import Covariance
from mlcore.maths.arrays import vanishing
from mlcore.maths.deviance import Deviance
from mlcore.spine.component import Card, enter
from mlcore.spine.conditions import other_than
from mlcore.spine.fit import Fit
from mlcore.spine.iterate import Step
from mlcore.spine.method import Given
from mlcore.spine.params import choice, integer, part, real
from mlcore.spine.random import generator
from mlcore.spine.wording import count


@dataclass(frozen=True, eq=False, kw_only=True)
class GaussianMixtureFit(Fit):
    """The components, and how far each fitted row belongs to each."""

    labels: np.ndarray  # (n,) the component with the largest share
    weights: np.ndarray  # (K,); fewer than asked for where fewer rows differ
    means: np.ndarray  # (K, p)
    covariances: np.ndarray  # (K, p, p), or (K, p) variances where the axes are kept
    memberships: np.ndarray  # (n, K), the responsibilities of the components
    log_likelihood: float  # total of the training rows, in nats
    total_weight: float  # of the training rows: their number where they count alike
    restarts: np.ndarray  # (n_init,) objective at the end of every run
    notes: tuple[str, ...] = ()

    @property
    def centers(self) -> np.ndarray:
        """The means, shape (K, p)."""
        return self.means

    @property
    def n_parameters(self) -> int:
        """Number of free parameters that were estimated."""
        method: Any = self.made_by
        return method.n_parameters(len(self.weights), self.n_columns)

    @property
    def aic(self) -> float:
        """Akaike's criterion 2 q - 2 log L of the training rows: the lower, the better."""
        return 2 * self.n_parameters - 2 * self.log_likelihood

    @property
    def bic(self) -> float:
        """Schwarz's criterion q log n - 2 log L of the training rows: the lower, the better."""
        return log(self.total_weight) * self.n_parameters - 2 * self.log_likelihood

    def deviance_information(self, X: Any, weights: Any = None) -> Deviance:
        """The deviance information criterion for the training rows, with their weights."""
        return deviance_of_mixture(self, X, weights, n_draws=FEW)

    def holds_together(self) -> bool:
        """Whether each component has a weight, a mean and a covariance of these columns."""
        k, p = max(len(self.weights), 1), self.n_columns
        if self.weights.shape != (k,) or self.means.shape != (k, p):
            return False
        return self.covariances.shape in ((k, p, p), (k, p))

    def predict(self, X: Any) -> np.ndarray:
        """The component with the largest share of each row, shape (m,); the lowest on ties."""
        return self.responsibilities(X).argmax(axis=1)

    def responsibilities(self, X: Any) -> np.ndarray:
        """The share of each component in each row, its posterior probability, shape (m, K)."""
        return self.mixture.shares(self._rows(X))[0]

    def log_density(self, X: Any) -> np.ndarray:
        """Natural logarithm of the density at each row, shape (m,)."""
        return self.mixture.shares(self._rows(X))[1]

    def sample(self, n: int, seed: int = 0) -> tuple[np.ndarray, np.ndarray]:
        """n new rows, shape (n, p), and the component that each was drawn from, shape (n,)."""
        rng = generator(seed, "sample")
        drawn = rng.choice(len(self.weights), n, p=self.weights / self.weights.sum())
        noise = rng.normal(size=(n, self.n_columns))
        if self.covariances.ndim == 2:
            return self.means[drawn] + np.sqrt(self.covariances)[drawn] * noise, drawn
        roots = np.linalg.cholesky(self.covariances)[drawn]
        return self.means[drawn] + np.einsum("ipq,iq->ip", roots, noise), drawn

    @property
    def mixture(self) -> Mixture:
        """The parameters alone; `marginal` and `conditional` are those of some of its columns."""
        return Mixture(self.weights, self.means, self.covariances)


def _iterations(method: GaussianMixture) -> int:
    """Of a run that takes long."""
    return min(method.max_iter, 60 + (method.n_annealed if method.beta < 1 else 0))


def _iteration(n: int, p: int, method: GaussianMixture) -> float:
    """Seconds of one."""
    shapes = 0.17 * p * p if method.covariance.is_matrix else 1.5 * p
    return 1e-4 + 1e-9 * n * method.n_components * (12 + shapes)


def _cost(n: int, p: int, method: GaussianMixture) -> tuple[float, float]:
    k, runs = method.n_components, method.n_init * _iterations(method)
    return 2e-3 + runs * _iteration(n, p, method), 8.0 * (n * (2 * p + 6 * k) + 4 * k * p * p)


@enter(
    Card(
        "gaussian_mixture",
        "Gaussian mixture",
        ("clustering", "scorer"),
        paper="Dempster, Laird and Rubin (1977), Journal of the Royal Statistical Society B 39(1)",
        peer="sklearn.mixture.GaussianMixture",
        sources=(
            "epfl:mog_spherical", "epfl:mog_diagonal", "epfl:gmm_full", "epfl:gmm_fixed_priors",
            "epfl:gmm_init_kmeans", "epfl:gmm_regions", "epfl:likelihood_kaboom",
            "mi2:gmm_isotropic", "mi2:gmm_em", "mi2:gmm_posterior", "mi2:gmm_degeneracy",
            "mi2:gmm_validation", "mi2:gmm_kmeans_init", "mi2:gmm_full_covariance",
            "mi2:gmm_sampling", "mi2:gmm_map", "mi2:em_map", "mi2:em_restarts_annealing",
            "prac:gmm_density", "prac:gmm_em", "prac:em_map_priors", "s841:gmm_em",
        ),
        takes=("weights", "missing"),
        scores=("log_likelihood", "stability", "silhouette", "group_information"),
        random=True,
        cost=_cost,
        formula=r"p(x) = \sum_k \pi_k \mathcal N(x; \mu_k, \Sigma_k)",
        line="overlapping ellipses, fitted by EM",
    )
)  # fmt: skip
@dataclass(frozen=True, kw_only=True)
class GaussianMixture(RestartedMethod):
    r"""Describes rows as draws from K normal distributions, each with a weight of its own.

    Maximises $\sum_i \log \sum_k \pi_k \mathcal N(x_i; \mu_k, \Sigma_k)$ in alternation: the E step
    shares every row among the components by their posterior, the M step gives each component the
    weight, mean and covariance of its shares. Neither can lower the likelihood, so it ends, in a
    maximum that depends on the start; the likeliest of several runs is kept. With a prior of the
    covariances the posterior is maximised instead. Rows with missing values count by what they
    show: $p$ is then its marginal density, and each component expects the rest from what is seen.

    Use it for soft groups, for groups that are long or of different width, and for densities. It
    does not depend on the units of the columns with full or tied covariances. Costs O(n K p^2) an
    iteration; with missing values O(K p^3) more for each set of columns that some row lacks, of
    which the expected time knows nothing. Fails on bent groups, and where a component has few
    rows: it collapses on them, and the likelihood grows without bound.
    """

    peer_differs = (
        "Theirs draws other starts, and leaves components that collapse where they are: another "
        "optimum may be found."
    )

    n_components: int = integer(
        3,
        low=1,
        soft=(1, 12),
        symbol="K",
        label="Number of components",
        doc="Number of normal distributions.",
    )
    covariance: Covariance = part(
        "full",
        slot="covariance",
        label="Covariances",
        doc="The shapes that components may have.",
    )
    init: MixtureStart = part(
        "kmeans",
        slot="mixture_start",
        label="Start",
        doc="How the first means are chosen.",
    )
    n_init: int = integer(
        5,
        low=1,
        high=100,
        soft=(1, 20),
        symbol="R",
        label="Restarts",
        doc="Runs from different starts, of which the likeliest is kept.",
    )
    mixing: str = choice(
        "free",
        "free",
        "equal",
        label="Weights",
        symbol="π",
        doc="Weights are estimated, or stay as they start: equal.",
        advanced=True,
    )
    init_covariance: str = choice(
        "cluster",
        "cluster",
        "data",
        "identity",
        label="First covariances",
        doc="Those of the first groups, of all rows, or balls of variance 1 in data units.",
        advanced=True,
    )
    init_weights: str = choice(
        "cluster",
        "cluster",
        "equal",
        "random",
        label="First weights",
        doc="Shares of the first groups, equal, or drawn at random.",
        advanced=True,
    )
    reg_covar: float = real(
        1e-6,
        low=0.0,
        soft=(1e-9, 1.0),
        log=True,
        symbol="ε",
        label="Ridge",
        doc="Added to every variance that is estimated, in squared data units.",
        advanced=True,
    )
    collapse: str = choice(
        "restart",
        "restart",
        "keep",
        label="Collapsed components",
        doc="A component on too few rows begins anew where rows are served worst, or stays.",
        advanced=True,
    )
    variance_mean: str = choice(
        "new",
        "new",
        "old",
        label="Covariances about",
        doc="The means of this M step, or those before it, which is slower.",
        advanced=True,
    )
    covariance_prior: Belief = part(
        "all_rows",
        slot="covariance_prior",
        label="Prior of covariances",
        doc="What is believed of them before any row is seen: with it no component can collapse.",
        advanced=True,
    )
    prior_rows: float = real(
        0.0,
        low=0.0,
        soft=(0.0, 30.0),
        label="Worth of the prior",
        unit="rows",
        only_if={"covariance_prior": "all_rows"},
        doc="Rows that it is worth: it draws each covariance to that of all rows, made small for K "
        "components. 0 is no prior: maximum likelihood.",
        advanced=True,
    )
    beta: float = real(
        1.0,
        above=0.0,
        high=1.0,
        soft=(0.05, 1.0),
        symbol="β",
        label="First inverse temperature",
        doc="Below 1 EM is annealed: shares begin soft, and the end depends less on the start.",
        advanced=True,
    )
    n_annealed: int = integer(
        30,
        low=1,
        soft=(5, 200),
        log=True,
        label="Iterations of annealing",
        only_if={"beta": other_than(1.0)},
        doc="Iterations in which the inverse temperature rises to 1, by equal factors.",
        advanced=True,
    )
    tol: float = real(
        1e-4,
        low=0.0,
        soft=(1e-8, 1e-2),
        log=True,
        label="Tolerance",
        doc="Stop when the objective a row rises by no more, in nats; annealed EM asks for a "
        "ten-thousandth of that.",
        advanced=True,
    )
    max_iter: int = integer(
        200,
        low=1,
        soft=(10, 1000),
        log=True,
        label="Most iterations",
        doc="M steps after which a run stops.",
        advanced=True,
    )

    @property
    def n_clusters(self) -> int:
        """The number of components."""
        return self.n_components

    def with_groups(self, k: int) -> GaussianMixture:
        """The same method for k components."""
        return replace(self, n_components=k)

    def n_parameters(self, k: int, p: int) -> int:
        """Number of free parameters of k components in p columns."""
        return (k - 1) * (self.mixing == "free") + k * p + self.covariance.free(k, p)

    def cost_of_gaps(self, sets: int, n: int, p: int) -> float:
        """Further seconds of n rows of p columns that lack values in `sets` sets of columns.

        In each step and component each set has a covariance of its own to factor, and each row
        what it lacks to expect.
        """
        each = sets * (2e-7 + 8e-9 * p * p) + 1e-8 * n * p
        return self.n_init * _iterations(self) * self.n_components * each

    def cost_of_deviance(self, n: int, p: int) -> float:
        """Seconds of the deviance information criterion of n rows of p columns."""
        return seconds_of(_iteration(n, p, self))

    def peer_settings(self) -> dict[str, Any] | str:
        """In the words of its peer."""
        types = ("full", "tied", "diag", "spherical")
        known = {"covariance": types, "init": "kmeans", "mixing": "free", "variance_mean": "new"}
        known |= {"covariance_prior": "all_rows", "prior_rows": 0.0, "beta": 1.0}
        if missing := self.beyond_peer(**known, init_covariance="cluster", init_weights="cluster"):
            return missing
        shared = {name: getattr(self, name) for name in ("n_components", "n_init", "reg_covar")}
        shared["covariance_type"] = self.covariance.card.name
        return shared | {"tol": self.tol, "max_iter": self.max_iter}

    def conflict(self) -> str | None:
        """A prior is of covariances as they are."""
        reason = self.covariance_prior.misfit(self.covariance)
        return reason and f"{self.title()}: {reason}"

    def applies(self, X: np.ndarray, y: np.ndarray | None = None) -> str | None:
        """Refuse more components than rows, and differences whose squares vanish."""
        if len(X) < self.n_components:
            return too_few(self.n_components, len(X), "components")
        known = filled(X)
        if empty := int(np.isnan(known).any(axis=0).sum()):
            return f"{self.title()} got {count(empty, 'column')} without any value. Leave them out."
        if reason := vanishing(known, self.title()):
            return reason
        if reason := self.covariance_prior.applies(X.shape[1]):
            return f"{self.title()}: {reason}"
        return self.init.applies(X, self.n_components)

    def _ridge(self) -> float:
        """What is added to variances that are estimated; 0 where none are."""
        return self.reg_covar if self.covariance.free(1, 1) else 0.0

    def _problem(self, given: Given) -> MixtureProblem:
        return MixtureProblem(self, given)

    def _finished(self, given: Given, end: Step) -> GaussianMixtureFit:
        state: MixtureState = end.state
        return GaussianMixtureFit(
            made_by=self,
            columns=given.columns,
            n_iter=end.k // 2,  # E, M, E, M, ..., E
            stop=end.stop,
            labels=state.labels,
            weights=state.weights,
            means=state.means,
            covariances=state.covariances,
            memberships=state.memberships,
            log_likelihood=end.objective - state.log_prior,
            total_weight=float(given.w.sum()),
            restarts=final_objectives(end),
            notes=(
                *of_ridge(given, state.covariances, self._ridge()),
                *(of_balls(given.X) if self.init_covariance == "identity" else ()),
            ),
        )
