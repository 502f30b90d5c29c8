"""What a fit or a method can do, by the names of its field.

Figures, scores, downloads and tests ask for these (`spine/asking.py`) and never for classes. What
only steps of the preparation, agents, support vector machines or ensembles have stands in the
`capabilities.py` of their packages. n is the number of fitted rows, m of those that are given, p of
columns, K of classes.

The fit of a method whose card takes `lengths` has verbs that take them: `predict(X, lengths=None)`
and so on. Rows lie sequence by sequence, `lengths`, shape (k,), says how many each has, and None is
one sequence, as in `fit`. For rows of which one does not know whether the method takes sequences
there is `fit.predict(X, **fit.options_for(lengths))`.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple, Protocol, runtime_checkable

import numpy as np

from mlcore.spine.fit import Column

# What it says of rows.


@runtime_checkable
class Predicts(Protocol):
    """`predict(X)`: a label or a number a row, shape (m,); of several outputs (m, q)."""

    def predict(self, X: Any) -> np.ndarray: ...


@runtime_checkable
class HasClasses(Protocol):
    """`classes`: the sorted class labels that `predict` may give, shape (K,)."""

    classes: np.ndarray


@runtime_checkable
class GivesProbabilities(HasClasses, Protocol):
    """`probabilities(X)`: a row of class probabilities, shape (m, K), in order of `classes`."""

    def probabilities(self, X: Any) -> np.ndarray: ...


@runtime_checkable
class GivesDecision(Protocol):
    """`decision(X)`: scores of which the largest wins, shape (m, K); (m,) for two classes,
    positive for the second."""

    def decision(self, X: Any) -> np.ndarray: ...


@runtime_checkable
class GivesPredictiveDeviation(Protocol):
    """`predictive_deviation(X)`: standard deviation of what will be observed, given the fitted
    rows, in units of the target, shape (m,)."""

    def predictive_deviation(self, X: Any) -> np.ndarray: ...


@runtime_checkable
class GivesPredictiveInterval(Protocol):
    """`predictive_interval(X, level)`: ends between which what will be observed lies with that
    probability, in units of the target, shape (m, 2)."""

    def predictive_interval(self, X: Any, level: float) -> np.ndarray: ...


@runtime_checkable
class HasDeviance(Protocol):
    """`unit_deviance(y, mean)`: what targets cost under the family of the fit about predicted
    means, and `variance(mean)` of the target there, `dispersion` times that of the family, all of
    shape (m,). NaN outside the family."""

    dispersion: float

    def unit_deviance(self, y: Any, mean: Any) -> np.ndarray: ...

    def variance(self, mean: Any) -> np.ndarray: ...


@runtime_checkable
class HasFamily(Protocol):
    """`family`: the distribution of the target about its mean, a part of the method."""

    family: Any


@runtime_checkable
class GivesFunctions(Protocol):
    """A distribution of functions. `function_deviation(X)`: its standard deviation at each row,
    shape (m,), and `sample_functions(X, count, seed)`: some drawn from it, shape (count, m); both
    without noise and in units of the target."""

    def function_deviation(self, X: Any) -> np.ndarray: ...

    def sample_functions(self, X: Any, count: int, seed: int = 0) -> np.ndarray: ...


@runtime_checkable
class GivesDensity(Protocol):
    """`log_density(X)`: natural logarithm of the density at each row, shape (m,)."""

    def log_density(self, X: Any) -> np.ndarray: ...


@runtime_checkable
class GivesNovelty(Protocol):
    """Of a step that leaves rows out, `scores(X)`: how far each row lies from the fitted ones,
    shape (m,), in units of the method; a row is taken for an outlier where it exceeds `threshold`;
    `score_name`: what it is called. Methods have `JudgesRows`, whose scores are high for usual."""

    threshold: float
    score_name: str

    def scores(self, X: Any) -> np.ndarray: ...


@runtime_checkable
class ScoresRows(Protocol):
    """`usualness(X)`: how usual each row is among the fitted ones, shape (m,), high is usual, in
    units of the method; `own_usualness`: that of the fitted rows, (n,), by the others where the
    method can leave a row out; `score_name`: what it is called."""

    own_usualness: np.ndarray
    score_name: str

    def usualness(self, X: Any) -> np.ndarray: ...


@runtime_checkable
class JudgesRows(ScoresRows, Protocol):
    """Novelty detection. `predict(X)`: 1 for a row whose usualness is at least `threshold`, which
    lies inside, else -1, shape (m,); `share_asked`: of usual rows the share that was asked to lie
    outside, NaN where none was."""

    threshold: float
    share_asked: float

    def predict(self, X: Any) -> np.ndarray: ...


@runtime_checkable
class GivesOwnDensity(GivesDensity, Protocol):
    """`own_log_density()`: logarithm of the density at each fitted row by the others, (n,)."""

    def own_log_density(self) -> np.ndarray: ...


@runtime_checkable
class GivesResponsibilities(Protocol):
    """`responsibilities(X)`: the share of each group in a row, shape (m, K), rows of sum 1."""

    def responsibilities(self, X: Any) -> np.ndarray: ...


@runtime_checkable
class Transforms(Protocol):
    """`transform(X)`: rows in new coordinates, shape (m, q), and the names of these."""

    out_columns: tuple[Column, ...]

    def transform(self, X: Any) -> np.ndarray: ...


@runtime_checkable
class Inverts(Protocol):
    """`inverse_transform(Z)`: from new coordinates back to rows, shape (m, p)."""

    def inverse_transform(self, Z: Any) -> np.ndarray: ...


class Resampled(NamedTuple):
    """Rows to learn from in place of those that were given."""

    X: np.ndarray  # (m, p)
    rows: np.ndarray  # (m,) position of the given row that each came from


@runtime_checkable
class Resamples(Protocol):
    """`resample(X, y)`: other training rows, and where each came from.

    Whatever else belongs to a row (target, weight, group) follows it by that position.
    """

    def resample(self, X: Any, y: Any) -> Resampled: ...


# What it knows of the rows that it was fitted to.


@runtime_checkable
class HasLabels(Protocol):
    """`labels`: the group of each fitted row, shape (n,); -1 is noise."""

    labels: np.ndarray


@runtime_checkable
class HasMemberships(Protocol):
    """`memberships`: how much each fitted row belongs to a group, shape (n, k), rows of sum 1."""

    memberships: np.ndarray


@runtime_checkable
class HasCenters(Protocol):
    """`centers`: one prototype a group, shape (k, p), in units of the columns."""

    centers: np.ndarray


@runtime_checkable
class HasComponents(Protocol):
    """Normal distributions. Their `weights`, shape (K,), `means`, (K, p), and `covariances`,
    (K, p, p), or variances, (K, p), where the axes are kept; in units of the columns."""

    weights: np.ndarray
    means: np.ndarray
    covariances: np.ndarray


@runtime_checkable
class HasEmbedding(Protocol):
    """`embedding`: places of the fitted rows alone, shape (n, q), by a map that has no
    `transform` for others."""

    embedding: np.ndarray


@runtime_checkable
class CompletesLabels(Protocol):
    """A semi-supervised fit: of each of the n rows with and u without a known label, shape
    (n + u,), the class `completed`, its lead over the next, `certainty`, in [0, 1], and whether
    any label `reached` it."""

    completed: np.ndarray
    certainty: np.ndarray
    reached: np.ndarray


@runtime_checkable
class HasQueries(Protocol):
    """Active learning. `order`: 0 for rows labelled at the start, k for query k, -1 for hidden
    ones, shape (n,); `accuracy` after each query, (q + 1,), and `random_accuracy` of r sequences
    asked at random, (r, q + 1), both as shares of rows."""

    order: np.ndarray
    accuracy: np.ndarray
    random_accuracy: np.ndarray


# What it learned.


@runtime_checkable
class HasCoefficients(Protocol):
    """`coefficients`, shape (p,) or (K, p), and `intercept`, a number or shape (K,): units of what
    is predicted for one unit of the column."""

    coefficients: np.ndarray
    intercept: Any


@runtime_checkable
class HasInference(HasCoefficients, Protocol):
    """An inference table: `standard_errors` of the coefficients, shape (p,), in their units, and
    `df_residual`, the degrees of freedom of their t statistics, infinite for normal ones; of the
    intercept `intercept_error`."""

    standard_errors: np.ndarray
    intercept_error: float
    df_residual: float


@runtime_checkable
class HasTerms(Protocol):
    """A sum of one curve a column: `term(X, which)`, what columns `which` add to the linked mean
    and its standard deviation, shape (m, 2); `dof`: effective degrees of freedom of each curve,
    shape (p,), 1 for a line; `lows` and `highs`: between which values it was fitted, (p,)."""

    dof: np.ndarray
    lows: np.ndarray
    highs: np.ndarray

    def term(self, X: Any, which: Any) -> np.ndarray: ...


@runtime_checkable
class HasTrust(Protocol):
    """`trust`: how much each fitted row counts beside its given weight, in [0, 1], shape (n,), by
    its `scaled_errors`, target minus prediction in units of `scale`, shape (n,)."""

    scale: float
    scaled_errors: np.ndarray
    trust: np.ndarray


@runtime_checkable
class HasPath(Protocol):
    """`path(X, y)`: coefficients along the strength of the penalty."""

    def path(self, X: Any, y: Any) -> Any: ...


@runtime_checkable
class HasStrength(Protocol):
    """`alpha`: the strength of the penalty, given or chosen, in units of the objective."""

    alpha: float


@runtime_checkable
class HasOutputSpreads(Protocol):
    """`spreads`: standard deviation of each output in the fitted rows, shape (q,), divisor n."""

    spreads: np.ndarray


@runtime_checkable
class HasEvidence(Protocol):
    """A Gaussian process with `kernel`, `noise` and its `log_evidence` in nats; settings at the
    paths `learned` were found by the `criterion`, the evidence or another, whose `name` stands in
    sentences; `criterion_at(kernel, noises)` is its value for another kernel and q noises, (q,),
    NaN where there is none (`mlcore/gaussian_process/criteria.py`)."""

    kernel: Any
    noise: float
    log_evidence: float
    learned: tuple[str, ...]
    criterion: Any

    def criterion_at(self, kernel: Any, noises: np.ndarray) -> np.ndarray: ...


@runtime_checkable
class HasLatentFunctions(HasClasses, Protocol):
    """A Gaussian latent function for each of M machines, one for two classes, one a class for more:
    `latent(X)` and `latent_deviation(X)`, mean and standard deviation, shape (m, M); `kernels` and
    the log evidence of each, in nats, `log_evidences`, (M,), of which the settings at the paths
    `learned` were found by it; `evidence_at(m, kernel)` is that of another kernel, and `rows` are
    those that it is of, (n, p). `sampling_error(X)`, (m, M), is the standard error of probabilities
    that are averages over draws, 0 of others."""

    kernels: tuple[Any, ...]
    log_evidences: np.ndarray
    learned: tuple[str, ...]
    rows: np.ndarray

    def latent(self, X: Any) -> np.ndarray: ...

    def latent_deviation(self, X: Any) -> np.ndarray: ...

    def evidence_at(self, m: int, kernel: Any) -> float: ...

    def sampling_error(self, X: Any) -> np.ndarray: ...


@runtime_checkable
class HasChainDraws(Protocol):
    """Draws of a Markov chain for each of M machines: `log_likelihoods` of the labels under each
    draw that counts, (M, S), in nats, in their order, and how many `independent` draws say as much,
    (M,). The steps of such a fit climb nowhere."""

    log_likelihoods: np.ndarray
    independent: np.ndarray


@runtime_checkable
class HasHeldOutLosses(Protocol):
    """`held_out_losses`: losses after each iteration on the rows that taught and on those held
    out, and which iteration was kept (`mlcore/optimisation/stopping.py`); None without such."""

    held_out_losses: Any


@runtime_checkable
class HasAxes(Protocol):
    """`axes`: directions in the space of the columns, shape (q, p), the most telling first, from
    `mean`, shape (p,)."""

    axes: np.ndarray
    mean: np.ndarray


@runtime_checkable
class HasSpectrum(Protocol):
    """`variances` along the directions that are kept, shape (q,), and their `shares` of the
    total."""

    variances: np.ndarray
    shares: np.ndarray


@runtime_checkable
class HasFullSpectrum(HasSpectrum, Protocol):
    """`spectrum`: variances along every direction, kept or not, falling."""

    spectrum: np.ndarray


@runtime_checkable
class HasTargetShares(HasFullSpectrum, Protocol):
    """`target_shares`: of the variance of the target that each direction of `spectrum` explains,
    shape (r,)."""

    target_shares: np.ndarray


@runtime_checkable
class HasClassMeans(HasClasses, Protocol):
    """`means`: of each class, shape (K, p), in units of the columns."""

    means: np.ndarray


@runtime_checkable
class HasNotes(Protocol):
    """`notes`: sentences about what was decided while fitting."""

    notes: tuple[str, ...]


# What a method can do, beside being fitted.


@runtime_checkable
class Iterates(Protocol):
    """`steps(...)`: a `Step` an iteration, of which the fit is the last."""

    def steps(self, *given: Any, **more: Any) -> Iterator[Any]: ...


@runtime_checkable
class LearnsTogether(Protocol):
    """`fit_together(given)`: a fit an output of the target, (n, q), by settings of them all."""

    def fit_together(self, given: Any) -> tuple[Any, ...]: ...


@runtime_checkable
class FitsOutputs(Protocol):
    """`fit_outputs(given)`: what fits one output after the other, each as `fit` alone would, from a
    function of its values, (n,); what they have in common is computed once. `given` has the target
    of the first."""

    def fit_outputs(self, given: Any) -> Any: ...


@runtime_checkable
class AsksShare(Protocol):
    """`contamination`: the share of the fitted rows that is asked to lie outside, or None."""

    contamination: float | None


@runtime_checkable
class CostsByGaps(Protocol):
    """`cost_of_gaps(sets, n, p)`: further seconds of a fit to n rows of p columns, of which some
    lack values, in as many sets of columns; its card says what rows without gaps cost."""

    def cost_of_gaps(self, sets: int, n: int, p: int) -> float: ...


@runtime_checkable
class Announces(Protocol):
    """`announced(n, d)`: what it takes for n rows of d columns, a few words, or ""."""

    def announced(self, n: int, d: int) -> str: ...
