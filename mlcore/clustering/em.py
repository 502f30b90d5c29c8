"""Expectation-maximisation of a Gaussian mixture, from one start."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from math import inf
from typing import Any, Protocol

import numpy as np
from scipy.special import xlogy

from mlcore.clustering.gaps import Gaps, filled
from mlcore.clustering.mixtures import CovariancePrior, Mixture, shares, traces
from mlcore.clustering.restarts import Half, ended, fewer_than_asked, too_few
from mlcore.gaussians.covariances import Whiteners, moved_means
from mlcore.maths.arrays import distinct_rows
from mlcore.spine.errors import DataError
from mlcore.spine.iterate import Step, Stop
from mlcore.spine.method import Given
from mlcore.spine.wording import count

COLLAPSED = 1e-6  # of the spread of all rows: a component that is smaller sits on a point
MOST_RESCUES = 5
# Of the spread of the columns: equal components never come apart, so annealing moves the means.
JITTER = 0.01
# Of the tolerance: annealed components that still lie on one another come apart slowly at first.
SADDLE = 1e-4


@dataclass(frozen=True, eq=False)
class MixtureState:
    """Where expectation-maximisation stands after half an iteration."""

    phase: str  # E or M
    weights: np.ndarray  # (K,)
    means: np.ndarray  # (K, p)
    covariances: np.ndarray  # (K, p, p) or (K, p)
    memberships: np.ndarray  # (n, K)
    labels: np.ndarray  # (n,)
    restarts: np.ndarray  # objectives at the end of all runs, (n_init,); empty for one run
    log_prior: float  # of the covariances: the objective less this is the log-likelihood


class Settings(Protocol):
    """The settings of a mixture, as `mlcore/clustering/gaussian_mixture.py` declares them."""

    @property
    def n_components(self) -> int: ...
    @property
    def covariance(self) -> Any: ...
    @property
    def mixing(self) -> str: ...
    @property
    def init(self) -> Any: ...
    @property
    def init_covariance(self) -> str: ...
    @property
    def init_weights(self) -> str: ...
    @property
    def n_init(self) -> int: ...
    @property
    def reg_covar(self) -> float: ...
    @property
    def collapse(self) -> str: ...
    @property
    def variance_mean(self) -> str: ...
    @property
    def covariance_prior(self) -> Any: ...
    @property
    def prior_rows(self) -> float: ...
    @property
    def beta(self) -> float: ...
    @property
    def n_annealed(self) -> int: ...
    @property
    def tol(self) -> float: ...
    @property
    def max_iter(self) -> int: ...
    def n_parameters(self, k: int, p: int) -> int: ...


class MixtureProblem:
    """The rows and weights that all runs share, and the estimates made from them."""

    def __init__(self, method: Settings, given: Given) -> None:
        self.method, self.given = method, given
        used = given.w > 0
        if used.sum() < method.n_components:
            raise DataError(too_few(method.n_components, int(used.sum()), "components"))
        # Rows of weight 0 get shares at the end, but no estimate depends on them.
        self.every = bool(used.all())
        self.rows, self.w = (given.X, given.w) if self.every else (given.X[used], given.w[used])
        # Starts, and the scale of all rows, take column means for what is missing; EM does not.
        self.gaps, self.X = Gaps.of(self.rows), filled(self.rows)
        self.total = float(self.w.sum())
        self.is_weighted = bool((self.w != 1).any())
        self.k = len(distinct_rows(self.X, method.n_components))
        self.n_runs = method.n_init if method.init.card.random else 1
        self.prior: CovariancePrior | None = None  # may ask for the covariance of all rows
        whole = np.ones((len(self.X), 1))
        mean = np.average(self.X, axis=0, weights=self.w)[None]
        self.data_covariance = self._covariances(self.heavy(whole), mean)[0]
        self.spread = traces(self.data_covariance[None])[0]
        self._refuse_flat()
        if method.covariance.free(1, 1):
            drawn = method.covariance, self.data_covariance, self.k, method.prior_rows
            self.prior = method.covariance_prior.density(*drawn)

    def heavy(self, resp: np.ndarray) -> np.ndarray:
        """The shares, shape (n, k), times the weights of their rows."""
        return resp * self.w[:, None] if self.is_weighted else resp

    def start(self, run: int) -> Mixture:
        """The parameters from which a run starts: the same however many runs follow."""
        method, p, k = self.method, self.X.shape[1], self.k
        rng = self.given.rng(f"start {run}")
        means, resp = method.init.begun(self.X, self.w, k, rng)
        resp = self.heavy(resp)
        weights = method.init.weights(k)
        if weights is None:
            weights = self._first_weights(resp, rng)
        variances = method.init.variances(k, p)
        return Mixture(weights, means, self._first_covariances(resp, means, variances))

    def run(self, number: int) -> EMRun:
        """The run from a start that has not begun yet."""
        return EMRun(self, number)

    def merit(self, end: Step) -> tuple[bool, float]:
        """The likelier, the better; but collapsed components make likelier than is deserved."""
        return end.stop is not None and end.stop.kind != "collapsed", end.objective

    def maximised(self, resp: np.ndarray, before: Mixture) -> Mixture:
        """The M step: the most likely parameters for shares `resp`, shape (n, K).

        Weighted shares, weighted means and weighted covariances (Bishop 2006, section 9.2.2).
        """
        resp = self.heavy(resp)
        weights = before.weights
        if self.method.mixing == "free":
            weights = resp.sum(axis=0) / self.total
        if self.gaps is not None:
            return Mixture(weights, *self._expected(resp, before))
        means = moved_means(self.X, resp, before.means)
        about = means if self.method.variance_mean == "new" else before.means
        return Mixture(weights, means, self._covariances(resp, about))

    def _expected(self, resp: np.ndarray, before: Mixture) -> tuple[np.ndarray, np.ndarray]:
        """Means and covariances by moments that are expected given what each row shows."""
        assert self.gaps is not None
        firsts, seconds = self.gaps.expected(self.rows, resp, before.means, before.covariances)
        counts = resp.sum(axis=0)
        moved = firsts / np.maximum(counts, np.finfo(float).tiny)[:, None]
        if self.method.variance_mean == "new":
            seconds -= counts[:, None, None] * moved[:, :, None] * moved[:, None, :]
        covariances = self._kept(self.method.covariance.of_sums(seconds, counts), counts)
        return before.means + moved, covariances

    def log_joint(self, mixture: Mixture) -> np.ndarray:
        """Log of weight times density of each component at each used row, shape (n, K)."""
        return mixture.joint_of(self.rows, self.gaps)

    def collapsed(self, mixture: Mixture, counts: np.ndarray) -> np.ndarray:
        """Numbers of the components on too few rows or on a point; `counts` has shape (K,)."""
        if not self.method.covariance.may_collapse or self.k == 1 or self.prior is not None:
            return np.empty(0, dtype=np.int64)
        small = traces(mixture.covariances) < COLLAPSED * self.spread
        few = counts < self.method.covariance.fewest(self.X.shape[1]) * (1 - 1e-9)
        return np.flatnonzero(small | few)

    def _covariances(self, resp: np.ndarray, means: np.ndarray) -> np.ndarray:
        return self._kept(self.method.covariance.estimated(self.X, resp, means), resp.sum(axis=0))

    def _kept(self, estimated: np.ndarray, counts: np.ndarray) -> np.ndarray:
        """Covariances of that many rows, (K,), with what prior and ridge make of them."""
        if self.prior is not None:
            estimated = self.prior.mode(estimated, counts)
        return self.method.covariance.ridged(estimated, self.method.reg_covar)

    def log_prior(self, mixture: Mixture) -> float:
        """The log-density of its covariances before any row was seen, up to a constant."""
        return 0.0 if self.prior is None else self.prior.log_density(mixture.covariances)

    def _first_weights(self, resp: np.ndarray, rng: np.random.Generator) -> np.ndarray:
        how = "equal" if self.method.mixing == "equal" else self.method.init_weights
        if how == "cluster":
            return resp.sum(axis=0) / self.total
        drawn = np.ones(self.k) if how == "equal" else 1.0 - rng.random(self.k)
        return drawn / drawn.sum()

    def _first_covariances(
        self, resp: np.ndarray, means: np.ndarray, variances: np.ndarray | None
    ) -> np.ndarray:
        estimated = self._covariances(resp, means)
        how = self.method.init_covariance
        if self.method.covariance.free(1, 1) == 0:
            return estimated
        if variances is None and how == "identity":
            variances = np.ones(means.shape)
        if variances is not None:
            is_matrix = estimated.ndim == 3
            return np.array([np.diag(row) for row in variances]) if is_matrix else variances
        few = np.arange(self.k)
        if how == "cluster":  # a group of few rows has no covariance of its own yet
            few = self.collapsed(Mixture(np.ones(self.k), means, estimated), resp.sum(axis=0))
        estimated[few] = self.data_covariance
        return estimated

    def _refuse_flat(self) -> None:
        """Refuse rows whose covariance has no inverse, before the first step."""
        try:
            Whiteners(self.data_covariance[None])
        except np.linalg.LinAlgError:
            raise DataError(
                "The covariance of these rows has no inverse: a column is constant, or follows "
                "from others, or a row lies so far out that all others look alike. Remove it, "
                "choose diagonal or spherical covariances, or raise reg_covar, which is "
                f"{self.method.reg_covar:g}."
            ) from None


class EMRun:
    """One run from one start."""

    def __init__(self, problem: MixtureProblem, number: int) -> None:
        self.problem, self.method = problem, problem.method
        self.mixture = problem.start(number)
        self.rng = problem.given.rng(f"annealing {number}")
        self.joint = problem.log_joint(self.mixture)  # (n, K), of the present parameters
        self.resp = np.empty_like(self.joint)
        self.reached = -inf  # the objective of the parameters of the last E step
        self.log_prior = problem.log_prior(self.mixture)
        self.rescues = 0
        self.lost: np.ndarray = np.empty(0, dtype=np.int64)

    def halves(self) -> Iterator[Half]:
        """E, M, E, M, ..., E; or up to an M step in which a covariance has no inverse."""
        for iteration in range(self.method.max_iter + 1):
            beta = self._beta(iteration)
            rise = self._expect(beta)
            stop = self._verdict(iteration, rise)
            how = f" at inverse temperature {beta:.2g}" if beta < 1 else ""
            yield Half("E", f"Every row was shared among the components{how}", stop)
            if stop:
                return
            note, stop = self._maximise(beta)
            yield Half("M", note, stop)
            if stop:
                return

    def last(self) -> tuple[int, Half]:
        """The number of the last half and what it did."""
        return ended(self.halves())

    def step(self, k: int, half: Half, ends: np.ndarray) -> Step:
        """Half an iteration as a step: the log-likelihood, or after an M step its bound.

        `ends` holds the log-likelihoods at the end of all runs, shape (n_runs,), or none.
        """
        reached = self.reached if half.phase == "E" else self.bound()
        resp = self.resp if self.problem.every else self.mixture.shares(self.problem.given.X)[0]
        labels, prior = resp.argmax(axis=1), self.log_prior
        state = MixtureState(half.phase, *self.mixture, resp, labels, ends, prior)
        what = self.goal if half.phase == "E" else f"the lower bound of the {self.goal}"
        return Step(k, reached, state, half.stop, f"{half.note}; {what} {reached:.6g}.")

    @property
    def goal(self) -> str:
        """What the iterations raise."""
        return "log-likelihood" if self.problem.prior is None else "log-posterior"

    def bound(self) -> float:
        """The evidence lower bound, at most the objective, total in nats."""
        r = self.resp
        below = self.problem.w @ (r * self.joint - xlogy(r, r)).sum(axis=1)
        return float(below) + self.log_prior

    def _beta(self, iteration: int) -> float:
        """The inverse temperature of an iteration: it rises by equal factors to 1."""
        left = max(0.0, 1 - iteration / self.method.n_annealed)
        return self.method.beta**left

    def _expect(self, beta: float) -> float:
        """The E step: posterior shares; returns the rise of the objective a row.

        At an inverse temperature below 1 the shares are those of the densities to its power (Ueda
        and Nakano 1998): all components hold all rows at first, and come apart as it rises.
        """
        before = self.reached
        self.resp, log_density = shares(self.joint)
        if beta < 1:
            self.resp, _ = shares(beta * self.joint)
        self.reached = float(self.problem.w @ log_density) + self.log_prior
        return (self.reached - before) / self.problem.total

    def _maximise(self, beta: float) -> tuple[str, Stop | None]:
        """The M step; where a covariance has no inverse the parameters stay and the run ends."""
        mixture = self.problem.maximised(self.resp, self.mixture)
        self.lost = self.problem.collapsed(mixture, self.problem.heavy(self.resp).sum(axis=0))
        note = "Weights, means and covariances follow their rows"
        if len(self.lost) and self.method.collapse == "restart" and self.rescues < MOST_RESCUES:
            mixture, note = self._rescued(mixture)
        if beta < 1:
            self.reached = -inf  # what falls after a move is no end
            mixture = mixture._replace(means=mixture.means + self._jitter())
        try:
            joint = self.problem.log_joint(mixture)
        except np.linalg.LinAlgError:
            why = "Stopped: a covariance has no inverse any more." + self._collapse_note()
            return "The parameters stay as they were", Stop("collapsed", why)
        self.mixture, self.joint = mixture, joint
        self.log_prior = self.problem.log_prior(mixture)
        return note, None

    def _jitter(self) -> np.ndarray:
        """Small random moves of the means, shape (K, p)."""
        spread = self.problem.X.std(axis=0)
        return JITTER * spread * self.rng.normal(size=self.mixture.means.shape)

    def _rescued(self, mixture: Mixture) -> tuple[Mixture, str]:
        """The mixture with collapsed components at the least likely rows, as wide as all rows."""
        self.rescues += 1
        self.reached = -inf  # what falls after a rescue is no end
        _, log_density = shares(self.joint)
        weights, means, covariances = (part.copy() for part in mixture)
        means[self.lost] = self.problem.X[np.argsort(log_density, kind="stable")[: len(self.lost)]]
        covariances[self.lost] = self.problem.data_covariance
        if self.method.mixing == "free":
            weights[self.lost] = 1 / self.problem.k
            weights /= weights.sum()
        who = "A component" if len(self.lost) == 1 else f"{len(self.lost)} components"
        note = f"{who} that had collapsed began anew at the rows served worst"
        self.lost = self.lost[:0]
        return Mixture(weights, means, covariances), note

    def _verdict(self, iteration: int, rise: float) -> Stop | None:
        tol, limit = self.method.tol, self.method.max_iter
        if self.method.beta < 1:
            tol *= SADDLE
        if rise <= tol:
            why = f"the {self.goal} a row rose by {rise:.3g}, not more than {tol:.3g}"
            return self._ended("converged", f"Converged: {why}.")
        if iteration == limit:
            why = f": the {self.goal} a row still rose by {rise:.3g}" if rise < inf else ""
            return self._ended("limit", f"Not converged after {count(limit, 'iteration')}{why}.")
        return None

    def _ended(self, kind: str, why: str) -> Stop:
        fewer = fewer_than_asked(self.problem.k, self.method.n_components, "component")
        return Stop("collapsed" if len(self.lost) else kind, why + self._collapse_note() + fewer)

    def _collapse_note(self) -> str:
        """A sentence about collapsed components and what helps; empty where none has."""
        if not len(self.lost):
            return ""
        names = ", ".join(str(j + 1) for j in self.lost)
        one = len(self.lost) == 1
        k, (n, p) = self.problem.k, self.problem.X.shape
        count = self.method.n_parameters(k, p)
        return (
            f" Component{'' if one else 's'} {names} {'has' if one else 'have'} collapsed on few "
            f"rows: there are {count} parameters for {n} rows. Ask for fewer components, for "
            "diagonal or spherical covariances, or raise reg_covar."
        )
