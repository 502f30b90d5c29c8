"""Rules about columns: coefficients that cannot be read one by one, columns that add nothing."""

from __future__ import annotations

from collections import Counter

import numpy as np

from mlcore.maths.arrays import deviations, means
from mlcore.regression.capabilities import HasLink
from mlcore.runs.findings.finding import NOTE, WARNING, Press, Statement, rule
from mlcore.runs.findings.ran import Ran
from mlcore.spine.asking import can
from mlcore.spine.capabilities import HasCoefficients, HasInference
from mlcore.spine.capabilities_of_members import HasImportances, HasPermutationImportances
from mlcore.spine.wording import count, fixed, listed, plural

MOST_VIF = 10.0  # the usual border: the standard error is then more than three times as large
MOST_COLUMNS = 200  # a matrix of correlations is inverted
MOST_ROWS = 20_000
# Dropping a column with |t| < 1 raises the adjusted R^2, and only such a one (Haitovsky 1969).
LEAST_T = 1.0


@rule(
    "correlated_columns", WARNING, "Coefficients cannot be read one by one",
    "classification", "regression",
    source="Marquardt (1970), Technometrics 12; Belsley, Kuh and Welsch (1980), Regression "
    "Diagnostics",
)  # fmt: skip
def correlated_columns(ran: Ran) -> Statement | None:
    """Variance inflation factors above 10, adjusted for the number of columns.

    Asked where coefficients have standard errors; a penalty holds correlated ones together. Not of
    columns that were made from one variable, such as powers or levels: they are read together, and
    the errors of all levels are infinite beside an intercept.
    """
    if not can(ran.fit, HasInference) or np.isnan(ran.fit.standard_errors).any():
        return None
    prepared = ran.outcome.whole.prepared
    made = Counter(column.variable for column in prepared.columns)
    own = [j for j, column in enumerate(prepared.columns) if made[column.variable] == 1]
    X = prepared.X[:MOST_ROWS, own]
    if not 2 <= len(own) <= MOST_COLUMNS or len(X) <= 2 * len(own):
        return None
    factors, R = inflation(X)
    worst = int(np.argmax(factors))
    if not factors[worst] > MOST_VIF:
        return None
    names = [prepared.columns[j].variable for j in own]
    many = int((factors > MOST_VIF).sum())
    other = int(np.argmax(np.where(np.arange(len(own)) == worst, -1.0, np.abs(R[worst]))))
    sentence = (
        f"{count(many, 'column')} {plural(many, 'follows', 'follow')} almost from the others: the "
        f"variance inflation factor of {names[worst]!r} is {factors[worst]:.0f}, its correlation "
        f"with {names[other]!r} {fixed(float(R[worst, other]))}. Such coefficients change size and "
        "sign from sample to sample; predictions suffer little."
    )
    evidence = {"factor": float(factors[worst]), "columns": many,
                "correlation": float(R[worst, other])}  # fmt: skip
    press = Press(f"Leave {names[worst]} out", run=ran.without([names[worst]]))
    return Statement(sentence, press, evidence)


def inflation(X: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Variance inflation factors of the columns of X, shape (n, p), and their correlations, (p, p).

    1 / (1 - R_j^2), with R_j^2 of column j on the others adjusted for their number, so that chance
    inflates nothing: (n - 1) / (n - p) of the plain ones, the diagonal of the inverse correlations.
    """
    n, p = X.shape
    scale = deviations(X)
    Z = (X - means(X)) / np.where(scale > 0, scale, 1.0)
    R = Z.T @ Z / n
    R[np.diag_indices(p)] = 1.0
    values, vectors = np.linalg.eigh(R)
    # Columns that follow exactly have no inverse; 1e-12 stands for what rounding leaves.
    inverse = (vectors**2 / np.maximum(values, 1e-12)).sum(axis=1)
    return np.maximum(inverse * (n - p) / (n - 1), 1.0), R


@rule(
    "useless_columns", NOTE, "Columns that add nothing", "classification", "regression",
    source="Guyon and Elisseeff (2003), Journal of Machine Learning Research 3",
)  # fmt: skip
def useless_columns(ran: Ran) -> Statement | None:
    """Variables without effect in the fit to all rows, by what the fit itself tells of them."""
    columns = ran.outcome.whole.prepared.columns
    variables = list(dict.fromkeys(column.variable for column in columns))
    useless, why = _useless(ran, variables)
    known = {column.name for column in ran.dataset.columns}
    useless = [name for name in useless if name in known]
    if not useless or len(useless) == len(variables):
        return None
    many, out = len(useless), useless[:1] if can(ran.fit, HasPermutationImportances) else useless
    sentence = f"{listed(map(repr, useless))}: {why}. "
    sentence += (
        "Columns that follow from each other can stand in for one another, so leave out one at a "
        "time."
        if len(out) < many
        else f"Without {'it' if many == 1 else 'them'} the method is read more easily."
    )
    label = f"Leave {out[0]} out" if len(out) == 1 else f"Leave {many} columns out"
    return Statement(sentence, Press(label, run=ran.without(out)), {"columns": many})


def _useless(ran: Ran, variables: list[str]) -> tuple[list[str], str]:
    """The variables without effect, and by what that is known."""
    fit = ran.fit
    if can(fit, HasPermutationImportances):
        return _by_permutation(fit.permuted, variables)
    names = [column.variable for column in ran.outcome.whole.prepared.columns]
    if can(fit, HasImportances) and len(fit.importances) == len(names):
        return _by_zeros(np.abs(fit.importances), names), "no question of the fit is about them"
    if can(fit, HasInference) and np.isfinite(fit.standard_errors).all():
        return _by_t(fit, names)
    if can(fit, HasCoefficients):
        sizes = np.abs(np.atleast_2d(fit.coefficients)).max(axis=0)
        if len(sizes) == len(names):
            return _by_zeros(sizes, names), "the penalty has set their coefficients to 0"
    return [], ""


def _by_zeros(sizes: np.ndarray, names: list[str]) -> list[str]:
    """Variables of which every column, of sizes (p,), has size 0."""
    used = {name for name, size in zip(names, sizes, strict=True) if size > 0}
    return [name for name in dict.fromkeys(names) if name not in used]


def _by_permutation(permuted: np.ndarray, variables: list[str]) -> tuple[list[str], str]:
    """Variables whose mean over members, (B, v), is not above 0 by two errors, the least first."""
    members = len(permuted)
    if members < 10 or permuted.shape[1] != len(variables):
        return [], ""  # too few members for a standard error
    error = permuted.std(axis=0, ddof=1) / np.sqrt(members)
    flat = permuted.mean(axis=0) <= 2 * error
    useless = [variables[j] for j in np.argsort(permuted.mean(axis=0)) if flat[j]]
    return useless, f"shuffling their values costs the {members} members nothing"


def _by_t(fit: HasInference, names: list[str]) -> tuple[list[str], str]:
    """The variable with the smallest |t|, if it is below 1."""
    t = np.abs(np.ravel(fit.coefficients)) / np.ravel(fit.standard_errors)
    if len(t) != len(names) or not t.min() < LEAST_T or len(t) < 3:
        return [], ""
    name = names[int(t.argmin())]
    if names.count(name) > 1:
        return [], ""  # levels of one variable are tested together
    # Behind a link t^2 is about twice what the log-likelihood loses, of which AIC allows for 2.
    better = "lowers AIC" if can(fit, HasLink) else "raises adjusted R²"
    return [name], f"|t| is {t.min():.2f}, and leaving out a column with |t| < {LEAST_T:g} {better}"
