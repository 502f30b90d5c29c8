"""Basis expansion: functions of the columns stand in their place, or beside them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from mlcore.basis.basis import Term
from mlcore.preparation.chain import StepSummary
from mlcore.preparation.step import StepFit, as_number, holds_names, refuse_width
from mlcore.spine.component import Card, enter
from mlcore.spine.errors import DataError
from mlcore.spine.fit import Column
from mlcore.spine.method import Given, Method
from mlcore.spine.params import choice, part
from mlcore.spine.wording import count


@dataclass(frozen=True, eq=False, kw_only=True)
class BasisExpansionFit(StepFit):
    """What the basis learned, and which columns come out."""

    made_by: BasisExpansion
    points: np.ndarray  # (k, p) centers or an origin, of the columns of numbers
    numbers: np.ndarray  # (p,) positions of the columns of numbers
    passed: np.ndarray  # positions of the columns that pass as they are: they come first
    new: np.ndarray  # positions of the functions that follow, among all of the basis

    def transform(self, X: Any) -> np.ndarray:
        """The columns that pass, then the functions of the columns of numbers, shape (m, q)."""
        X = self._rows(X)
        values = self.made_by.basis.values(X[:, self.numbers], self.points)
        if len(self.new) < values.shape[1]:
            values = values[:, self.new]
        self._refuse_overflow(values)
        return np.hstack([X[:, self.passed], values]) if len(self.passed) else values

    def summary(self) -> StepSummary:
        """The points that the basis learned, in the units of the columns."""
        what, several = self.made_by.basis.learns, len(self.points) > 1
        values = tuple(
            (self.columns[j].name, f"{what} {k}" if several else what, float(value))
            for k, point in enumerate(self.points, start=1)
            for j, value in zip(self.numbers, point, strict=True)
        )
        note = f"{count(len(self.columns), 'column')} became {len(self.out_columns)}."
        return StepSummary(self.made_by.title(), values, note)

    def _refuse_overflow(self, values: np.ndarray) -> None:
        if np.isfinite(values).all():
            return
        row, at = np.argwhere(~np.isfinite(values))[0]
        name = self.out_columns[len(self.passed) + at].name
        raise DataError(
            f"Basis expansion has no number for {name} in row {row + 1}: it is too large. "
            "Standardise the columns before it."
        )


def _cost(n: int, p: int, step: BasisExpansion) -> tuple[float, float]:
    q = step.basis.count(p)
    return 1e-4 + 1e-5 * q + 5e-9 * n * q, 24.0 * n * q


@enter(
    Card(
        "basis_expansion",
        "Basis expansion",
        ("preparation",),
        peer="sklearn.preprocessing.PolynomialFeatures",
        also=("polynomial_features", "function_features", "coordinate_map"),
        sources=(
            "epfl:polar_transform",
            "cs1:linear_in_features",
            "cs1:paraboloid_lift",
            "mi2:monomial_features",
            "prac:poly_features",
            "prac:basis_expansion",
            "s841:nonlinear_lda_trick",
            "s841:basis_expansion",
            "s841:interaction_regression",
        ),
        takes=("columns",),
        random=True,
        cost=_cost,
        formula=r"x \mapsto \varphi(x) \quad \text{or} \quad \bigl(x, \varphi(x)\bigr)",
        synonyms=(
            "polynomial features",
            "basis functions",
            "feature map",
            "splines",
            "PolynomialFeatures",
            "interaction terms",
        ),
        line="functions of columns, for bent lines",
    )
)
@dataclass(frozen=True, kw_only=True)
class BasisExpansion(Method):
    r"""Replaces the columns by functions of them, so that a straight method draws bent lines.

    $x \mapsto \varphi(x)$, or $(x, \varphi(x))$ when appended: $\theta^\top \varphi(x)$ is linear
    in $\theta$ and bent in x. The basis says which functions: products of powers, functions of each
    column, bumps around training rows, polar coordinates, the lift onto a paraboloid. What a basis
    learns (centers, an origin) comes from the training rows. Columns of names pass as they are.

    Polynomials make least squares a polynomial regression; squares beside the columns make linear
    discriminants quadratic; radius and angle part rings with a straight cut. High degrees grow
    wild beyond the data and nearly depend on each other: standardise before, and penalise. O(n q)
    for q new columns, C(p + d, d) - 1 of them for all products up to degree d.
    """

    mixes_columns: ClassVar[bool] = True

    basis: Any = part("polynomial", slot="basis", doc="Which functions of the columns.")
    mode: str = choice(
        "replace", "replace", "append", doc="In place of the columns, or beside them."
    )

    def peer_settings(self) -> dict[str, Any] | str:
        """In the words of its peer, which knows products only."""
        settings = self.basis.peer_settings()
        if isinstance(settings, str):
            return settings
        if isinstance(settings["degree"], tuple) and (missing := self.beyond_peer(mode="replace")):
            return missing  # products of one degree alone stand in place of the columns there
        return {**settings, "include_bias": False}

    def _fit(self, given: Given) -> BasisExpansionFit:
        is_name = np.array([holds_names(c) for c in given.columns])
        numbers = np.flatnonzero(~is_name)
        self._refuse_width(len(numbers))
        points = self.basis.points(given.X[:, numbers], given.rng("centers"))
        terms = self.basis.terms(tuple(given.columns[j].name for j in numbers), points)
        append = self.mode == "append"
        passed = np.arange(given.p) if append else np.flatnonzero(is_name)
        columns = tuple(given.columns[j] for j in numbers)
        # What only repeats a column stands beside it already.
        new = [i for i, term in enumerate(terms) if not (append and _is_plain(term, columns))]
        out = [given.columns[j] if is_name[j] else as_number(given.columns[j]) for j in passed]
        for i in new:
            out.append(_column(terms[i], columns, {c.name for c in out}))
        return BasisExpansionFit(
            made_by=self,
            columns=given.columns,
            out_columns=tuple(out),
            points=points,
            numbers=numbers,
            passed=passed,
            new=np.array(new, dtype=np.int64),
        )

    def _refuse_width(self, p: int) -> None:
        if not p:
            raise DataError(
                "Basis expansion needs numbers; every column holds names. "
                "Put one-hot encoding before it."
            )
        refuse_width(
            self.basis.count(p),
            f"Basis expansion of {p} columns",
            "Lower the degree, or select columns before it.",
        )


def _is_plain(term: Term, columns: tuple[Column, ...]) -> bool:
    """Whether a function is a column itself."""
    return len(term.of) == 1 and term.name == columns[term.of[0]].name


def _column(term: Term, columns: tuple[Column, ...], taken: set[str]) -> Column:
    """The column of a function: of one variable if it is made of one alone, else of its own."""
    if _is_plain(term, columns):
        return as_number(columns[term.of[0]])
    name = term.name
    while name in taken:
        name += "_"
    variables = {columns[j].variable for j in term.of}
    return Column(name, "number", (), variables.pop() if len(variables) == 1 else name)
