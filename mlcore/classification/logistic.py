"""Logistic regression for two classes and more."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from mlcore.classification.likelihood import (
    MOST_UNKNOWNS,
    freedom,
    standard_errors,
    strongest,
)
from mlcore.classification.logits import logistic_function
from mlcore.classification.newton_steps import NewtonSteps, newton_steps
from mlcore.classification.odds import LogOdds, against_mean, against_rest, between
from mlcore.classification.separability import separation
from mlcore.maths.class_scores import best_class, softmax
from mlcore.optimisation import losses
from mlcore.optimisation.composed import Objective, Point, walk
from mlcore.optimisation.fista import Fista
from mlcore.optimisation.lbfgs import LBFGS
from mlcore.optimisation.newton import Newton
from mlcore.optimisation.path import Path, falling
from mlcore.optimisation.penalties import Penalty
from mlcore.spine.capabilities_of_sums import LOG_ODDS, Sum, linear_scores
from mlcore.spine.component import Card, Component, enter
from mlcore.spine.errors import CLASS, ClassNote, DataError
from mlcore.spine.fit import Fit
from mlcore.spine.iterate import Step, last
from mlcore.spine.method import Given, IterativeMethod
from mlcore.spine.params import choice, integer, part, real
from mlcore.spine.wording import listed

FAR = 15.0  # a score that overlapping classes hardly reach, and separated ones pass
PATH_LENGTH, PATH_END = 50, 1e-4
LINKS = {"softmax": losses.Softmax(), "sigmoids": losses.Sigmoids()}


@dataclass
class LogisticState:
    """Where the iteration stands."""

    coefficients: np.ndarray  # (p,) for two classes, else (K, p)
    intercept: Any  # a number, or (K,)
    predictor: np.ndarray  # (1, n) for two classes, else (K, n); K - 1 with a reference class
    slope: float  # steepest slope of the objective: 0 at the minimum


REPLACED = "Newton would solve"  # begins the note of a fit by another solver


@dataclass(frozen=True, eq=False, kw_only=True)
class LogisticFit(Fit):
    """Fitted linear scores and the probabilities that follow from them."""

    made_by: LogisticRegression
    classes: np.ndarray  # (K,) sorted labels
    coefficients: np.ndarray  # (p,) for the second of two classes, else (K, p); log-odds per unit
    intercept: Any  # a number, or (K,)
    objective: float  # loss plus penalty, in nats
    log_likelihood: float  # of the training rows, in nats; of the pairs for the pairwise loss
    slope: float  # steepest slope of the objective at the end
    standard_errors: np.ndarray  # like coefficients; NaN with a penalty, or where not unique; of
    # several classes without a reference, of coefficients less their mean over the classes
    intercept_error: Any  # like intercept
    separation: str  # complete, quasi, none, unknown, or "" where there was no reason to ask
    notes: tuple[str, ...] = ()

    def decision(self, X: Any) -> np.ndarray:
        """Log-odds of the second class, shape (m,), or a score a class, shape (m, K)."""
        return self._rows(X) @ self.coefficients.T + self.intercept

    def predict(self, X: Any) -> np.ndarray:
        """The class with the largest score, shape (m,); of classes that tie, the first."""
        return self.classes[best_class(self.decision(X))]

    def probabilities(self, X: Any) -> np.ndarray:
        """Probability of each class, shape (m, K)."""
        Z = self.decision(X)
        if Z.ndim == 1:
            return np.column_stack([logistic_function(-Z).value, logistic_function(Z).value])
        if self.made_by.loss == "sigmoids":
            Z = -np.logaddexp(0.0, -Z)  # logarithms, so that far rows do not give 0 / 0
        return softmax(Z)

    @property
    def as_sum(self) -> Sum:
        """Log-odds of two classes, scores of more: a line a column."""
        return linear_scores(self.coefficients, self.decision, LOG_ODDS)

    @property
    def with_odds(self) -> tuple[int, ...]:
        """Positions of the classes that have odds of their own: all but a reference class."""
        return tuple(k for k in range(len(self.classes)) if k != self._fixed)

    @property
    def _fixed(self) -> int | None:
        """Position of the class whose coefficients are fixed at 0, or None where none is."""
        if len(self.classes) == 2 or self.made_by.reference == "none":
            return None
        return 0 if self.made_by.reference == "first" else len(self.classes) - 1

    def odds_of(self, k: int) -> LogOdds:
        """Class k, by its position, against the reference, the other of two, or the rest.

        Where all classes share one model without a reference, it is against the geometric mean of
        their probabilities.
        """
        if len(self.classes) == 2:
            return between(self, k, 1 - k, self._no_errors)
        if self.made_by.loss == "sigmoids":
            return against_rest(self, k, self._no_errors)
        if self._fixed is None:
            return against_mean(self, k, self._no_errors)
        return between(self, k, self._fixed, self._no_errors)

    @property
    def _no_errors(self) -> str:
        """Why there are no standard errors; empty where there are some."""
        if not np.isnan(self.standard_errors).any():
            return ""
        penalty = _charge(self.made_by)
        if penalty.l1 > 0 or penalty.l2 > 0:
            return (
                "The penalty draws the coefficients towards 0, so the intervals of the textbook do "
                "not hold; choose no penalty for them."
            )
        if self.separation in HOW:
            return "The classes can be separated, so the coefficients grow for ever."
        if len(self.classes) > 2 and self.made_by.loss == "pairwise":
            return "The pairwise loss is no likelihood of the rows; choose softmax for intervals."
        return "The rows do not determine the coefficients."

    def path(self, X: Any, y: Any, *, weights: Any = None) -> Path:
        """Coefficients along the strength of the penalty on these rows."""
        return self.made_by.path(X, y, weights=weights)

    def newton_steps(self, X: Any, y: Any, *, weights: Any = None) -> NewtonSteps:
        """The steps of Newton's method to this fit on its rows X, (n, p), with labels y, (n,)."""
        return self.made_by.newton_steps(X, y, weights=weights)

    @property
    def is_by_newton(self) -> bool:
        """Whether it was reached by Newton's method from coefficients of zero."""
        made = self.made_by
        usual = isinstance(made.solver, Newton) and made.start == 0
        return usual and not any(note.startswith(REPLACED) for note in self.notes)


def _cost(n: int, p: int, method: LogisticRegression) -> tuple[float, float]:
    iterations = 10 if isinstance(method.solver, Newton) else min(method.max_iter, 100)
    short = min(n, p) + 1
    work = n * short**2 / 4e9 if isinstance(method.solver, Newton) else 6.0 * n * p / 1e9
    size = 8.0 * (4 * n + 3 * min(n, 8192) * p + short**2)
    return 5e-4 + 4.0 * iterations * (work + n * 1e-7), size


@enter(
    Card(
        "logistic",
        "Logistic regression",
        ("classification",),
        paper="Cox (1958), J. Royal Statistical Society B 20(2)",
        task="classification",
        peer="sklearn.linear_model.LogisticRegression",
        sources=(
            "s841:logistic_newton", "s841:logistic_irls", "s841:logistic_ridge_weighted",
            "s841:multinomial_logistic", "s841:mcclogistic", "s841:softmax",
            "cs2:slp_logistic", "cs2:slp_softmax", "cs2:slp_multi_sigmoid", "cs1:reg_l2",
            "cs1:reg_l1",
        ),
        takes=("weights",),
        cost=_cost,
        units="its penalty",
        formula=r"\min_{W, b} \; -\sum_i \omega_i \log p_{y_i}(x_i) + \tfrac{\alpha}{2} \|W\|^2, "
        r"\qquad p_k(x) \propto e^{w_k^\top x + b_k}",
        synonyms=(
            "logit", "softmax regression", "multinomial logistic regression",
            "maximum entropy classifier", "cross-entropy", "LogisticRegression",
        ),
        line="odds from a weighted sum",
    )
)  # fmt: skip
@dataclass(frozen=True, kw_only=True)
class LogisticRegression(IterativeMethod):
    r"""Class probabilities whose log-odds are weighted sums of the columns.

    Minimises minus the log-likelihood, summed over the rows, plus the penalty; intercepts are free.
    Two classes have one vector of coefficients, for the second class; more have one each, of which
    a penalty fixes what they share. A Newton step is a weighted least squares fit.

    Use it when probabilities and readable coefficients matter; standardise the columns, since the
    penalty compares their units. O(n p^2) a Newton step. The border between two classes is a plane.
    Without a penalty, classes that can be separated have no best coefficients: they grow for ever.
    """

    peer_differs = (
        "Theirs goes on to the optimum; ours stops by its tolerance or after its iterations."
    )

    loss: str = choice(
        "softmax",
        "softmax",
        "sigmoids",
        "pairwise",
        doc="For more than two classes: one model of all, one against the others each (these "
        "probabilities are scaled to sum to 1), or the own class against each other one.",
        advanced=True,
    )
    penalty: Penalty = part("l2", slot="penalty", doc="Regularisation of large coefficients.")
    solver: Component = part("newton", slot="solver", doc="How the minimum is found.")
    reference: str = choice(
        "none",
        "none",
        "first",
        "last",
        doc="Fix the coefficients of one of more than two classes at 0; with a penalty this is "
        "another model.",
        advanced=True,
    )
    start: float = real(
        0.0,
        low=-1.0,
        high=1.0,
        soft=(-1.0, 1.0),
        symbol=r"\beta_0",
        doc="First value of every coefficient and intercept.",
        advanced=True,
    )
    tol: float = real(
        1e-8,
        above=0.0,
        soft=(1e-10, 1e-3),
        log=True,
        label="Tolerance",
        doc="Stop when no slope of the objective is steeper than this, by the weight of the rows.",
        advanced=True,
    )
    max_iter: int = integer(
        100,
        low=1,
        high=100_000,
        soft=(1, 1000),
        log=True,
        label="Maximum iterations",
        doc="Most steps of the solver.",
        advanced=True,
    )

    def peer_settings(self) -> dict[str, Any] | str:
        """In the words of its peer."""
        if missing := self.beyond_peer(
            loss="softmax", reference="none", solver=("newton", "lbfgs", "fista")
        ):
            return missing
        penalty: Any = self.penalty
        kind = penalty.card.name
        C = float("inf") if kind == "none" else 1 / penalty.alpha
        if kind in ("none", "l2"):
            return {"C": C, "solver": "newton-cholesky", "tol": 1e-12, "max_iter": 1000}
        ratio = 1.0 if kind == "l1" else penalty.l1_ratio
        return {"C": C, "l1_ratio": ratio, "solver": "saga", "tol": 1e-9, "max_iter": 100_000}

    def conflict(self) -> str | None:
        """L-BFGS needs a differentiable penalty; a reference class needs the softmax loss."""
        if isinstance(self.solver, LBFGS) and _charge(self).l1 > 0:
            return "L-BFGS needs a penalty without corners; use Newton or FISTA for this one."
        if self.reference != "none" and self.loss != "softmax":
            return f"A reference class belongs to the softmax loss; {self.loss} has none."
        return None

    def path(self, X: Any, y: Any, *, weights: Any = None) -> Path:
        """Coefficients along falling strengths of the penalty, each solved from the one before.

        X has shape (n, p). Raises DataError if the penalty is "none", which has no strength.
        """
        given = self._given(X, y, weights=weights)
        if not hasattr(self.penalty, "alpha"):
            raise DataError("Without a penalty there is no path; choose a penalty that has one.")
        problem, solver = self._problem(given), self._solver(given)[0]
        alphas = falling(strongest(problem), PATH_END, PATH_LENGTH)
        ends, df, start = [], [], None
        for alpha in alphas:
            penalty: Any = problem.penalty
            problem = replace(problem, penalty=replace(penalty, alpha=float(alpha)))
            ends.append(last(walk(problem, solver, tol=self.tol, max_iter=1000, start=start)))
            df.append(freedom(problem, ends[-1].state))
            # With more columns than rows the walk is in coordinates of the rows, from zero.
            start = problem.theta(ends[-1].state) if given.n > given.p else None
        K = len(given.labels)
        shown = [self._shown(end.state, K) for end in ends]
        return Path(
            alphas=alphas,
            coefficients=np.array([state.coefficients.T for state in shown]),
            intercepts=np.array([state.intercept for state in shown]),
            objective=np.array([end.objective for end in ends]),
            df=np.array(df),
        )

    def newton_steps(self, X: Any, y: Any, *, weights: Any = None) -> NewtonSteps:
        """Log-likelihood, slope and information at each step from coefficients of zero.

        X has shape (n, p), y and the weights (n,).
        """
        given = self._given(X, y, weights=weights)
        return newton_steps(self._problem(given), list(self._steps(given)))

    def _problem(self, given: Given) -> Objective:
        K = len(given.labels)
        if K == 2:
            y, loss, outputs = given.target.astype(float), losses.Logistic(), 1
        elif self.reference != "none":
            fixed = 0 if self.reference == "first" else K - 1
            y, loss, outputs = given.target, losses.Reference(fixed), K - 1
        else:
            y, loss, outputs = given.target, LINKS.get(self.loss) or losses.Pairwise(K), K
        return Objective(loss, _charge(self), given.X, y, given.weights, outputs)

    def _solver(self, given: Given) -> tuple[Any, tuple[str, ...]]:
        """The solver, or a quicker one where Newton's equations would be many, and a sentence."""
        penalty, across = _charge(self), given.p
        if penalty.l1 == 0 and penalty.l2 > 0 and self.start == 0:
            across = min(given.n, given.p)
        unknowns = (len(given.labels) - 1) * (across + 1)
        if not isinstance(self.solver, Newton) or unknowns <= MOST_UNKNOWNS:
            return self.solver, ()
        other = LBFGS() if penalty.l1 == 0 else Fista()
        return other, (f"{REPLACED} for {unknowns} unknowns; {other.title()} was used.",)

    def _steps(self, given: Given) -> Iterator[Step]:
        problem, (solver, _) = self._problem(given), self._solver(given)
        start = None if self.start == 0 else problem.zero() + self.start
        for step in walk(problem, solver, tol=self.tol, max_iter=self.max_iter, start=start):
            yield replace(step, state=self._shown(step.state, len(given.labels)))

    def _shown(self, at: Point, K: int) -> LogisticState:
        """The point in the shapes of the fit."""
        W, b = at.coefficients, at.intercept
        if K == 2:
            return LogisticState(W[0], float(b[0]), at.predictor, at.slope)
        if self.reference != "none":
            fixed = 0 if self.reference == "first" else K - 1
            W, b = np.insert(W, fixed, 0.0, axis=0), np.insert(b, fixed, 0.0)
        return LogisticState(W, b, at.predictor, at.slope)

    def _finished(self, given: Given, end: Step) -> LogisticFit:
        at: LogisticState = end.state
        problem = self._problem(given)
        verdict, notes = self._verdict(given, at, end)
        errors, intercept_error = self._errors(problem, at, verdict)
        return LogisticFit(
            made_by=self,
            columns=given.columns,
            n_iter=end.k + 1,
            stop=end.stop,
            classes=given.labels,
            coefficients=at.coefficients,
            intercept=at.intercept,
            objective=end.objective,
            log_likelihood=-(end.objective - problem.penalty.value(at.coefficients)),
            slope=at.slope,
            standard_errors=errors,
            intercept_error=intercept_error,
            separation=verdict,
            notes=(*self._solver(given)[1], *notes),
        )

    def _errors(
        self, problem: Objective, at: LogisticState, verdict: str
    ) -> tuple[np.ndarray, Any]:
        """Standard errors in the shapes of coefficients and intercept, NaN where there are none."""
        K, p = np.atleast_2d(at.coefficients).shape
        charged = problem.penalty.l1 > 0 or problem.penalty.l2 > 0
        if charged or verdict in ("complete", "quasi"):
            out = np.full((K, p + 1), np.nan)
        else:
            out = standard_errors(problem, at.predictor, K)
        if K == 1:
            return out[0, :-1], float(out[0, -1])
        return out[:, :-1], out[:, -1]

    def _verdict(self, given: Given, at: LogisticState, end: Step) -> tuple[str, tuple[str, ...]]:
        """Whether the classes are separated, asked only where the coefficients look like it."""
        penalty = _charge(self)
        charged = penalty.l1 > 0 or penalty.l2 > 0
        far = np.abs(at.predictor).max() > FAR or (end.stop and end.stop.kind != "converged")
        if charged or not far:
            return "", ()
        counted = given.w > 0
        X, codes = given.X[counted], given.target[counted]
        kind = separation(X, codes)
        if kind not in ("complete", "quasi"):
            return kind, ()
        which, labels = _separated(kind, X, codes, given.labels)
        what = "the likelihood has no maximum, and the coefficients grow until the solver stops"
        return kind, (ClassNote(f"{which}: {what}. Use a penalty.", labels),)


HOW = {"complete": "exactly", "quasi": "except for rows on the border"}


def _separated(
    kind: str, X: np.ndarray, codes: np.ndarray, labels: np.ndarray
) -> tuple[str, list[Any]]:
    """Which classes linear scores tell apart, and their labels; of several perhaps only some."""
    if len(labels) == 2 or kind == "complete":
        return f"The classes can be separated {HOW[kind]}", []
    every = [(label, separation(X, codes == k)) for k, label in enumerate(labels)]
    alone = [(label, HOW[how]) for label, how in every if how in HOW]
    if not alone:
        return "Some of the classes can be separated from each other", []
    each = listed([f"{CLASS} {how}" for _, how in alone])
    return f"Of the classes, {each} can be separated from all others", [it for it, _ in alone]


def _charge(method: LogisticRegression) -> Any:
    """The penalty, as of any type: only its numbers l1 and l2 are read."""
    return method.penalty
