"""Ordinary and weighted least squares, with their classical inference."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from scipy.linalg import qr

from mlcore.maths.triangular import inverse_lower
from mlcore.optimisation.closed_form import ScaledSVD, scaled_spectrum
from mlcore.optimisation.extended import Solved, solved
from mlcore.optimisation.rows import BLOCK, SURE, Design, means, rows
from mlcore.optimisation.triangles import EPS, sizes, triangle_of
from mlcore.regression.leave_one_out import Influence, influence
from mlcore.regression.linear import LinearFit, constant_note
from mlcore.spine.component import Card, enter
from mlcore.spine.errors import DataError
from mlcore.spine.method import Given, Method
from mlcore.spine.params import choice, real
from mlcore.spine.wording import count

WELL = 1e4  # condition of the scaled Gram matrix up to which one refinement restores all digits
TINY = 1e-140  # the inverse square of what is smaller cannot be written


@dataclass(frozen=True, eq=False, kw_only=True)
class LeastSquaresFit(LinearFit):
    """A fitted least squares regression."""

    made_by: LinearRegression
    standard_errors: np.ndarray  # (p,), infinite where the rows do not determine the coefficient
    intercept_error: float  # NaN without an intercept
    spread: np.ndarray  # (p + 1, r); times its transpose the covariance of the shortest solution
    vif: np.ndarray  # (p,), variance inflation factors; infinite for dependent columns
    rss: float  # weighted sum of squared residuals
    r2: float  # share of the sum of squares explained; NaN for a constant target
    sigma: float  # estimated standard deviation of the noise; NaN without degrees of freedom
    df_residual: int  # rows that count minus free parameters
    rank: int  # independent columns, beside the intercept

    @property
    def covariance(self) -> np.ndarray:
        """Covariance of coefficients and intercept, shape (p + 1, p + 1)."""
        return self.spread @ self.spread.T

    def influence(self, X: Any, y: Any, *, weights: Any = None) -> Influence:
        """Leverages and leave-one-out residuals of the training rows, in closed form.

        X has shape (n, p), y and weights shape (n,), as they were fitted. A row that alone fixes a
        coefficient has no leave-one-out residual: NaN, and the note names it.
        """
        method = self.made_by
        given = method._given(X, y, weights=weights, columns=self.columns)
        design = rows(given.X, given.target, given.weights, _offset_rule(method.offset))
        cut = method.rcond or EPS * max(design.raw.shape)
        svd = scaled_spectrum(design.X, design.rounding, cut)
        hat = design.leverages(svd.hat())
        return influence(given.target - self.predict(given.X), hat, given.weights)


def _cost(n: int, p: int, method: LinearRegression) -> tuple[float, float]:
    short = min(n, p)
    return 3e-4 + (6.0 * n * p * short + 20.0 * short**3) / 1e10, 8.0 * (n + 3 * p) * (p + 1)


@enter(
    Card(
        "linear_regression",
        "Linear regression",
        ("regression",),
        paper="Legendre (1805), Nouvelles méthodes; Gauss (1809), Theoria motus",
        task="regression",
        peer="sklearn.linear_model.LinearRegression",
        sources=(
            "epfl:linreg_ls", "prac:ols", "s841:ols_qr", "cs2:adaline_min_norm", "epfl:pinv",
            "prac:offset_by_centering", "prac:offset_explicit", "prac:offset_by_constant_feature",
            "prac:pseudo_inverse", "prac:input_dependent_loss", "mi2:ols_regression",
            "cs1:h_linear_reg",
        ),
        takes=("weights",),
        weigh="precisions",
        cost=_cost,
        formula=r"\min_{w, b} \sum_i \omega_i (y_i - x_i^\top w - b)^2",
        synonyms=(
            "OLS", "ordinary least squares", "least squares", "LinearRegression",
            "normal equations", "linear model",
        ),
        line="the plane of least squared distance",
    )
)  # fmt: skip
@dataclass(frozen=True, kw_only=True)
class LinearRegression(Method):
    r"""The plane with the least sum of squared vertical distances to the rows.

    Minimises $\sum_i \omega_i (y_i - x_i^\top w - b)^2$; of several minima the one with the
    shortest w. With noise of equal variance no other unbiased linear rule varies less, and standard
    errors follow: $s^2 (X^\top X)^{-1}$.

    Use it when rows are many more than columns and coefficients are to be read. O(n p^2). A wild
    row moves it without limit, nearly dependent columns make coefficients large and unsteady, and
    with as many columns as rows it repeats the noise: then ridge or the lasso serve better.
    """

    solver: str = choice(
        "svd",
        "svd",
        "qr",
        "normal",
        "jitter",
        doc="Singular values, QR with pivots, or the normal equations, bare or with a little added "
        "to the diagonal; the last two lose half the digits and are kept to show it.",
        advanced=True,
    )
    offset: str = choice(
        "centering",
        "centering",
        "explicit",
        "constant_feature",
        "none",
        doc="Free intercept by centring, as an equation of its own, as the coefficient of a "
        "constant column (which then counts in the shortest solution), or no intercept.",
        advanced=True,
    )
    jitter: float = real(
        1e-10,
        low=0.0,
        high=1e-3,
        soft=(1e-14, 1e-3),
        log=True,
        doc="Added to the diagonal, relative to its mean.",
        advanced=True,
        only_if={"solver": "jitter"},
    )
    rcond: float | None = real(
        None,
        or_none="the size of rounding",
        above=0.0,
        below=1.0,
        soft=(1e-14, 1e-2),
        log=True,
        doc="Directions of the columns, brought to one size, that are shorter than this share of "
        "the longest count as absent.",
        advanced=True,
    )

    def peer_settings(self) -> dict[str, Any] | str:
        """In the words of its peer."""
        missing = self.beyond_peer(
            solver=("svd", "qr", "normal"), offset=("centering", "explicit", "none")
        )
        return missing or {"fit_intercept": self.offset != "none"}

    def _fit(self, given: Given) -> LeastSquaresFit:
        design = rows(given.X, given.target, given.weights, _offset_rule(self.offset))
        short, border = _shortened(design, self.offset, WELL if self.solver == "svd" else 0.0)
        A, y = short[:, :-1], short[:, -1]
        is_plain = self.solver == "svd" and self.rcond is None and border is None
        if is_plain and (told := _told_by_triangle(design, A)) is not None:
            _refuse_tiny(told.unit)
            if (rss := _sure_rss(design, y)) is not None:
                return self._built(given, design, told, *design.split(told.unit @ y), rss)
        cut = self.rcond or EPS * max(*design.raw.shape)
        svd = scaled_spectrum(A, design.rounding, cut)
        told = _told_by_directions(given, svd, A, cut)
        _refuse_tiny(told.unit)
        if (exact := self._in_extended_precision(design, svd)) is not None:
            told = told._replace(unit=exact.unit)
            return self._built(given, design, told, exact.w, exact.b, exact.rss)
        w = self._solved(A, y, cut, svd)
        if border is not None:
            b = float((border[-1] - border[1:-1] @ w) / border[0])
            rss = float(given.w @ (given.target - given.X @ w - b) ** 2)
            return self._built(given, design, told, w, b, rss)
        is_sure = self.solver == "svd" and _is_well(svd, SURE)
        if is_sure and (rss := _sure_rss(design, y)) is not None:
            return self._built(given, design, told, *design.split(w), rss)
        rss, toward = design.left_by(w)
        if self.solver == "svd" and _is_well(svd):
            w, rss = _refined(design, told.unit, w, rss, toward)
        return self._built(given, design, told, *design.split(w), rss)

    def _in_extended_precision(self, design: Design, svd: ScaledSVD) -> Solved | None:
        """The solution to the last digit where that costs nothing and all columns count."""
        if self.solver != "svd" or self.offset == "explicit" or len(svd.s) < len(svd.size):
            return None
        exact = solved(design, svd.size)
        if exact is None or self.offset != "constant_feature":
            return exact
        w, b = design.split(exact.w)
        return exact._replace(w=w, b=b)

    def _solved(self, A: np.ndarray, y: np.ndarray, cut: float, svd: ScaledSVD) -> np.ndarray:
        if self.solver == "svd":
            return svd.weights(y)
        if self.solver == "qr":
            return _by_pivots(A / svd.size, y, cut) / svd.size
        gram = A.T @ A
        if self.solver == "jitter":
            gram += self.jitter * gram.trace() / len(gram) * np.eye(len(gram))
        try:
            return np.linalg.solve(gram, A.T @ y)
        except np.linalg.LinAlgError:
            raise DataError(
                f"Least squares by {self.solver} has no solution here: the columns are dependent. "
                "Set solver to svd."
            ) from None

    def _built(
        self,
        given: Given,
        design: Design,
        told: _Told,
        w: np.ndarray,
        b: float,
        rss: float,
    ) -> LeastSquaresFit:
        rank, loose = told.unit.shape[1], told.is_loose
        free = rank + (design.offset == "centering")
        df = (given.n if given.weights is None else int(np.count_nonzero(given.w))) - free
        total = self._squares(given, design)
        sigma = float(np.sqrt(rss / df)) if df > 0 else float("nan")
        spread = sigma * _bordered(told.unit, design)
        errors = np.sqrt((spread**2).sum(axis=1))
        return LeastSquaresFit(
            made_by=self,
            columns=given.columns,
            coefficients=w,
            intercept=b,
            notes=(*constant_note(given), *told.notes, *_spare_note(df)),
            standard_errors=np.where(loose[: given.p], np.inf, errors[: given.p]),
            intercept_error=float("nan") if self.offset == "none" else float(errors[-1]),
            spread=spread,
            vif=np.where(loose[: given.p], np.inf, told.inflation[: given.p]),
            rss=rss,
            r2=1.0 - rss / total if total > 0 else float("nan"),
            sigma=sigma,
            df_residual=max(df, 0),
            rank=rank - (self.offset == "constant_feature"),
        )

    def _squares(self, given: Given, design: Design) -> float:
        """Weighted sum of squares of the target, about its mean where there is an intercept."""
        if self.offset != "constant_feature":
            return design.square
        y = given.target - means(given.target[:, None], given.weights)[0]
        return float(given.w @ y**2)


class _Told(NamedTuple):
    """What rows with these sums of products tell of the coefficients, whatever the target."""

    unit: np.ndarray  # (q, r), times its transpose the inverse of A'A
    inflation: np.ndarray  # (q,), of variances
    is_loose: np.ndarray  # (q,), whether the rows leave a coefficient open
    notes: tuple[str, ...] = ()


def _told_by_directions(given: Given, svd: ScaledSVD, A: np.ndarray, cut: float) -> _Told:
    scaled = A / svd.size
    inflation = ((svd.V / svd.s) ** 2).sum(axis=1) * (scaled**2).sum(axis=0)
    loose = 1.0 - (svd.V**2).sum(axis=1) > 1e-9
    notes = _dependent_note(given, scaled, cut) if len(svd.s) < A.shape[1] else ()
    return _Told(svd.factor(), inflation, loose, notes)


def _told_by_triangle(design: Design, A: np.ndarray) -> _Told | None:
    """The same from the triangle A, (q, q), of a thin table; None unless it is surely well."""
    if design.thin is None or len(A) != A.shape[1]:
        return None
    size = sizes(A, design.rounding)
    R = A / size
    half = inverse_lower(R.T)  # with half' half the inverse of R'R
    inverse = half.T @ half
    # No norm of a symmetric matrix is below its largest eigenvalue; this one is near to it here.
    worst = np.abs(R.T @ R).sum(axis=1).max() * np.abs(inverse).sum(axis=1).max()
    if not worst < SURE:
        return None
    inflation = np.diagonal(inverse) * (R**2).sum(axis=0)
    return _Told(half.T / size[:, None], inflation, np.zeros(len(A), dtype=bool))


def _refuse_tiny(unit: np.ndarray) -> None:
    if not np.abs(unit).max(initial=0.0) < 1.0 / TINY:
        raise DataError(
            "Least squares squares the columns, and the values here are too small for that. Scale "
            "the columns."
        )


def _offset_rule(offset: str) -> str:
    """How the design treats the intercept: an explicit one is centred but for the solution."""
    return "centering" if offset == "explicit" else offset


def _is_well(svd: ScaledSVD, worst: float = WELL) -> bool:
    """Whether one pass may have made the triangle: then a refinement is due, and else does harm."""
    return len(svd.s) == len(svd.size) and bool(svd.s[0] ** 2 < worst * svd.s[-1] ** 2)


def _sure_rss(design: Design, toward: np.ndarray) -> float | None:
    """The sum of squares that is left, y'y - |Q'y|^2, for `toward` Q'y, shape (q,).

    None where another pass over the rows is worth it: on small tables, or where little is left, so
    that the difference would lose digits. Nothing to ask where the columns lean on each other.
    """
    if design.n <= BLOCK:
        return None
    total = design.square
    rss = total - float(toward @ toward)
    return rss if SURE * rss > total else None


def _refined(
    design: Design, unit: np.ndarray, w: np.ndarray, rss: float, toward: np.ndarray
) -> tuple[np.ndarray, float]:
    """Weights and sum of squares after a step of refinement, `toward` being X'(y - X w)."""
    gain = unit.T @ toward
    w = w + unit @ gain
    if gain @ gain > EPS * rss:  # in a fit without noise the residuals were those of rounding
        rss, _ = design.left_by(w)
    return w, rss


def _shortened(design: Design, offset: str, enough: float) -> tuple[np.ndarray, np.ndarray | None]:
    """Few rows with the same sums of squares, and the equation of an explicit intercept."""
    if offset == "explicit":
        triangle = design.reduced(ones=True)
        if len(triangle) < triangle.shape[1]:
            triangle = triangle_of(triangle)
        return triangle[1:, 1:], triangle[0]
    return design.shortened(enough), None


def _by_pivots(A: np.ndarray, y: np.ndarray, cut: float) -> np.ndarray:
    """R w = Q'y by the columns that are independent; the others get 0."""
    Q, R, order, r = _pivoted(A, cut)
    w = np.zeros(A.shape[1])
    w[order[:r]] = np.linalg.solve(R[:r, :r], Q[:, :r].T @ y)
    return w


def _pivoted(A: np.ndarray, cut: float) -> tuple[np.ndarray, np.ndarray, np.ndarray, int]:
    """A[:, order] = Q R with falling diagonal, and how many columns are independent."""
    Q, R, order = (np.asarray(part) for part in qr(A, mode="economic", pivoting=True))
    size = np.abs(np.diagonal(R))
    return Q, R, order, int(np.count_nonzero(size > cut * size.max(initial=0.0)))


def _dependent_note(given: Given, A: np.ndarray, cut: float) -> tuple[str, ...]:
    """A sentence that names columns that depend on others, found by pivots."""
    if given.p >= given.n:
        return (
            f"{count(given.n, 'row')} cannot fix {count(given.p, 'coefficient')}; of all that fit "
            "as well, the shortest are shown.",
        )
    _, _, order, r = _pivoted(A, cut)
    which = [j for j in np.sort(order[r:]) if j < given.p and A[:, j].any()]
    if not which:
        return ()
    names = [given.columns[j].name for j in which]
    shown = ", ".join(names[:5]) + (f" and {len(names) - 5} more" if len(names) > 5 else "")
    return (f"Other columns already say what {shown} would: no coefficient of theirs is fixed.",)


def _spare_note(df: int) -> tuple[str, ...]:
    if df > 0:
        return ()
    return ("No degrees of freedom are left: the fit says nothing about its own error.",)


def _bordered(unit: np.ndarray, design: Design) -> np.ndarray:
    """The factor of the covariance of coefficients and intercept, for noise of variance 1."""
    if design.offset == "constant_feature":
        return unit
    q, r = unit.shape
    out = np.zeros((q + 1, r + 1))
    out[:q, :r] = unit
    if design.offset == "centering":
        out[q, :r] = -design.x_mean @ unit
        out[q, r] = design.total**-0.5
    return out
