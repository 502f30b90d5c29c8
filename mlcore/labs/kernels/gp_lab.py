"""A Gaussian process that one observes by hand: every observation narrows the band."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import NamedTuple, Self

import numpy as np

from mlcore.gaussian_process.gp_regression import GPRegressor
from mlcore.gaussian_process.posteriors import GPFit
from mlcore.kernels.evidence import log_evidence
from mlcore.kernels.kernel import Kernel
from mlcore.kernels.radial import Matern
from mlcore.kernels.rbf import RBF
from mlcore.labs.lab import Lab
from mlcore.spine.component import Card, enter
from mlcore.spine.params import choice, integer, real, sizes
from mlcore.spine.random import generator

END = 100  # places go from 0 to this
PLACES = np.arange(END + 1)
MOST = 40  # observations by hand
DRAWS = 3
WIDTHS = np.geomspace(1.0, 100.0, 41)
KERNELS = ("Gaussian", "Matérn 3/2", "Matérn 1/2")


class Posterior(NamedTuple):
    """What is known of the curve at each place before and after the last observation."""

    truth: np.ndarray  # (101,)
    at: np.ndarray  # (n,) places that were observed, the last one last
    y: np.ndarray  # (n,)
    mean: np.ndarray  # (101,)
    deviation: np.ndarray  # (101,) of the function, without noise
    before: np.ndarray  # (101,) without the last observation
    draws: np.ndarray  # (DRAWS, 101) functions
    least_sure: int  # place of the largest deviation
    widths: np.ndarray  # (41,), or none without an observation
    fit: np.ndarray  # (41,) the terms of the log evidence of each
    complexity: np.ndarray  # (41,)
    evidence: np.ndarray  # (41,) their sum with the constant
    width: float


@enter(
    Card(
        "gp_lab",
        "Gaussian process posterior",
        ("lab",),
        paper="Rasmussen and Williams (2006), Gaussian Processes for Machine Learning",
        sources=("epfl:gpr_add_point", "epfl:gpr_feature_space"),
        random=True,
        cost=lambda n, p, it: (0.05 + 4e-3 * it.further, 2e6),
        formula=r"\operatorname{var} f(x) = k(x, x) - k_x^\top (K + \sigma^2 I)^{-1} k_x,\qquad"
        r"\log p(y) = -\tfrac12 y^\top (K + \sigma^2 I)^{-1} y - \tfrac12 \log |K + \sigma^2 I|"
        r" - \tfrac n2 \log 2\pi",
        kind="lab",
        pages=("kernels", "regression"),
        synonyms=(
            "Gaussian process regression", "kriging", "posterior variance", "active learning",
            "uncertainty sampling", "marginal likelihood", "Occam's razor",
        ),
        line="observe by a click, and watch the band pinch",
    )
)  # fmt: skip
@dataclass(frozen=True, kw_only=True)
class GPLab(Lab):
    r"""An observation pinches the band of possible curves around it, and widens it nowhere.

    Before anything is observed, curves are normal about zero with variance 1, and the kernel says
    how far two places are alike. Click the first picture to observe the dotted curve there, with
    noise; click an observation to take it back. The width of the kernel is given here, not learned:
    the last picture has what the observations say of it.
    """

    tasks = (
        "Add none, take all observations away, then click one place after the other.",
        "Look in the second picture for a place where the last observation made the band wider.",
        "Let one more be added where it is least sure, and another, and see where they go.",
        "Make the width 2, then 60, and compare the two terms of the evidence.",
        "Take Matérn 1/2, and look at the drawn curves.",
    )
    seen = (
        "The band is narrow at observations, as the noise allows, and returns to its first width "
        "beyond the reach of the kernel. How wide it is depends on where was observed, not on "
        "what, and no observation widens it. Adding where it is least sure spreads observations "
        "evenly, the ends included. A narrow kernel explains everything and could explain anything "
        "else as well; a wide one fits badly: the evidence weighs both. The band is as honest as "
        "the kernel: with too wide a one the truth leaves it."
    )

    kernel: str = choice(KERNELS[0], *KERNELS, doc="How smooth the curves are, the first most.")
    width: float = real(
        10.0, low=0.5, high=200.0, soft=(1.0, 100.0), log=True, symbol=r"\ell", label="Width",
        doc="Over which the curve stays alike; places go from 0 to 100.",
    )  # fmt: skip
    noise: float = real(
        0.1, low=1e-3, high=2.0, soft=(0.01, 1.0), log=True, symbol=r"\sigma",
        doc="Standard deviation of an observation around the curve, which the process knows.",
    )  # fmt: skip
    at: tuple[int, ...] = sizes(
        (25, 40, 70), low=0, high=END, soft=(0, END), most=MOST, label="Observed places",
        item="place", doc="Where the curve was observed. A click adds one or takes it away.",
    )  # fmt: skip
    further: int = integer(
        6, low=0, high=30, soft=(0, 20), label="Added where least sure",
        doc="Further observations, each where the band is then widest.",
    )  # fmt: skip

    def clicked(self, marks: tuple[int, ...]) -> Self:
        """Observe at the place that was clicked, or no more if it was."""
        at = list(self.at)
        for mark in (mark for mark in marks if 0 <= mark <= END):
            at = [place for place in at if place != mark] if mark in at else [*at, mark]
        return replace(self, at=tuple(at[:MOST]))

    def compute(self, seed: int = 0) -> Posterior:
        """The process of these settings, with nothing learned, on one curve."""
        truth = np.sin(PLACES / 8.0) + 0.4 * np.sin(PLACES / 3.5)
        observed = truth + self.noise * generator(seed, "noise").normal(size=len(PLACES))
        at = self._observed(observed)
        mean, deviation, draws = self._known(at, observed, seed)
        terms = self._terms(at, observed)
        return Posterior(
            truth, at, observed[at], mean, deviation, self._known(at[:-1], observed, seed)[1],
            draws, int(deviation.argmax()), *terms.T, width=self.width,
        )  # fmt: skip

    def _observed(self, observed: np.ndarray) -> np.ndarray:
        """The places by hand, each once, and after them those of the widest band."""
        at = np.array(list(dict.fromkeys(self.at)), dtype=np.int64)
        for _ in range(self.further):
            at = np.append(at, self._known(at, observed, 0)[1].argmax())
        return at

    def _known(
        self, at: np.ndarray, observed: np.ndarray, seed: int
    ) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Mean, deviation and drawn functions at all places; before any row those of the prior."""
        X = PLACES[:, None].astype(np.float64)
        if not len(at):
            prior = self._fit(PLACES[:1], observed)
            return (
                prior.prior_mean(X),
                prior.prior_deviation(X),
                prior.prior_functions(X, DRAWS, seed),
            )
        fit = self._fit(at, observed)
        return fit.predict(X), fit.function_deviation(X), fit.sample_functions(X, DRAWS, seed)

    def _fit(self, at: np.ndarray, observed: np.ndarray) -> GPFit:
        method = GPRegressor(
            kernel=self._kernel(self.width), noise=self.noise**2, learn="none", scaling="none"
        )
        fit = method.fit(at[:, None].astype(np.float64), observed[at])
        assert isinstance(fit, GPFit)
        return fit

    def _kernel(self, width: float) -> Kernel:
        if self.kernel == KERNELS[0]:
            return RBF.from_sigma(width)
        return Matern(length_scale=width, smoothness="1.5" if self.kernel == KERNELS[1] else "0.5")

    def _terms(self, at: np.ndarray, observed: np.ndarray) -> np.ndarray:
        """Width, fit, complexity and evidence of each width, (41, 4)."""
        if not len(at):
            return np.empty((0, 4))
        X, s = at[:, None].astype(np.float64), self.noise**2
        each = [log_evidence(self._kernel(float(w)), X, observed[at], s) for w in WIDTHS]
        return np.array([[w, e.fit, e.complexity, e.value] for w, e in zip(WIDTHS, each)])
