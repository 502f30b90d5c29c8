"""The door of every method: checks stand here once, the methods trust what they are given.

A method writes `_fit(given) -> Fit`, or, if it iterates, `_steps(given)` and `_finished`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cache, cached_property
from typing import Any, ClassVar, TypedDict, Unpack, get_type_hints

import numpy as np

from mlcore.spine import checks, random
from mlcore.spine.component import Component
from mlcore.spine.errors import DataError
from mlcore.spine.fit import Column, Fit, plain_columns
from mlcore.spine.iterate import Step, last


@dataclass(frozen=True, eq=False)
class Given:
    """Checked rows, ready for a method."""

    X: np.ndarray  # (n, p) float64, C order
    columns: tuple[Column, ...]
    seed: int = 0
    y: np.ndarray | None = None  # (n,) codes 0..K-1 of `classes`, or float64; (n, q) for outputs
    classes: np.ndarray | None = None  # (K,) sorted labels
    weights: np.ndarray | None = None  # (n,)
    groups: np.ndarray | None = None  # (n,)
    lengths: np.ndarray | None = None  # (k,) of sequences, for a method that takes them
    unlabelled: np.ndarray | None = None  # (u, p) further rows, whose target is not known
    order: np.ndarray | None = None  # (n,) time, for a method that takes it

    @property
    def n(self) -> int:
        """Number of rows."""
        return len(self.X)

    @property
    def p(self) -> int:
        """Number of columns."""
        return self.X.shape[1]

    @cached_property
    def w(self) -> np.ndarray:
        """The weights, ones where none were given, shape (n,)."""
        return np.ones(self.n) if self.weights is None else self.weights

    @property
    def sequences(self) -> np.ndarray:
        """`lengths` for a method that takes them, (k,): one sequence where none were given."""
        assert self.lengths is not None
        return self.lengths

    @property
    def target(self) -> np.ndarray:
        """`y` for a method that needs one: the door refuses rows without it."""
        assert self.y is not None
        return self.y

    @property
    def labels(self) -> np.ndarray:
        """`classes` for a method that learns classes, shape (K,)."""
        assert self.classes is not None
        return self.classes

    def rng(self, name: str, child: int | None = None) -> np.random.Generator:
        """The random stream called `name`, or that of one of several members."""
        return random.generator(self.seed, name, child)


@cache
def _returned(function: Callable[..., Any]) -> type[Fit]:
    """What a function declares to return; the annotations are read once."""
    return get_type_hints(function)["return"]


class FitOptions(TypedDict, total=False):
    """The keywords of `fit` and `steps`; a method takes those of the rows that its card names."""

    weights: Any  # (n,) finite, none negative
    columns: tuple[Column, ...] | None  # the p columns of X; x1 ... xp where they are not named
    groups: Any  # (n,) rows of one group are never parted by splits inside the method
    lengths: Any  # (k,) of sequences one after the other in the rows; None is one sequence
    unlabelled: Any  # (u, p) further rows, whose target is not known
    order: Any  # (n,) time of each row: numbers or dates
    seed: int  # at least 0


@dataclass(frozen=True, kw_only=True)
class Method(Component):
    """Something that can be fitted to rows."""

    def fit(self, X: Any, y: Any = None, **options: Unpack[FitOptions]) -> Any:
        """Fit to X, shape (n, p), and y, shape (n,), where the method learns from a target.

        Raises DataError for options that the card does not name, and where the rows are not what
        the method needs.
        """
        return self._fit(self._given(X, y, **options))

    def check(self, X: Any, y: Any = None, **options: Unpack[FitOptions]) -> None:
        """Raise what `fit` raises of these rows, shapes as there, before it learns anything."""
        self._given(X, y, **options)

    def applies(self, X: np.ndarray, y: np.ndarray | None = None) -> str | None:
        """Why this method cannot be fitted to X, shape (n, p), and y, shape (n,), as a sentence.

        None if it can.
        """
        return None

    def rows_made(self, n: int, y: np.ndarray | None = None) -> int:
        """About how many rows this makes of n with targets y, shape (n,), in the preparation.

        The costs of what follows are estimated with it.
        """
        return n

    def untouched(self) -> tuple[str, ...]:
        """Variables of the table whose values it needs as they came, past the preparation.

        Of methods inside it too.
        """
        inside = (part.untouched() for part in self.parts() if isinstance(part, Method))
        return tuple(dict.fromkeys(name for names in inside for name in names))

    def fit_class(self) -> type[Fit]:
        """The class of its fit, by the type that it declares; with other settings maybe another.

        A method whose fit can do what the fits inside it can says so here.
        """
        return _returned(type(self)._fit)

    def _fit(self, given: Given) -> Fit:
        raise NotImplementedError(f"{type(self).__name__} declares no fit")

    def _given(
        self,
        X: Any,
        y: Any = None,
        *,
        weights: Any = None,
        columns: tuple[Column, ...] | None = None,
        groups: Any = None,
        lengths: Any = None,
        unlabelled: Any = None,
        order: Any = None,
        seed: int = 0,
    ) -> Given:
        who, takes = self.title(), self.card.takes
        more = {"weights": weights, "groups": groups, "lengths": lengths, "unlabelled": unlabelled,
                "order": order}  # fmt: skip
        for name, value in more.items():
            if value is not None and name not in takes:
                raise DataError(f"{who} does not take {name}; leave them out.")
        names = tuple(c.name for c in columns) if columns else ()
        X = checks.matrix(X, who, missing=self.takes_missing(), names=names)
        if columns is None:
            columns = plain_columns(X.shape[1])
        elif len(columns) != X.shape[1]:
            raise DataError(f"{who} got {len(columns)} column names for {X.shape[1]} columns.")
        y, classes = self._target(y, len(X))
        if reason := self.applies(X, y):
            raise DataError(reason)
        w = None if weights is None else checks.weights(weights, len(X), who)
        if "lengths" not in takes:
            self._refuse_sequences_inside()
        else:
            lengths = checks.lengths(lengths, len(X), who)
        U = None if unlabelled is None else self._unlabelled(unlabelled, tuple(columns))
        groups = None if groups is None else checks.groups(groups, len(X), who)
        order = None if order is None else checks.order(order, len(X), who)
        return Given(X, tuple(columns), checks.seed(seed), y, classes, w, groups, lengths, U, order)

    def _refuse_sequences_inside(self) -> None:
        """A method inside another gets single rows: one that takes sequences would lose them."""
        for inner in self.parts():
            if isinstance(inner, Method) and "lengths" in inner.card.takes:
                raise DataError(
                    f"{self.title()} hands single rows to the method inside it, and "
                    f"{inner.title()} learns from whole sequences. Choose another method inside."
                )

    def _unlabelled(self, rows: Any, columns: tuple[Column, ...]) -> np.ndarray:
        """Rows without target, checked as those with one."""
        who, names = self.title(), tuple(c.name for c in columns)
        U = checks.matrix(rows, who, missing=self.takes_missing(), names=names)
        if U.shape[1] != len(columns):
            raise DataError(
                f"{who} got unlabelled rows of {U.shape[1]} columns beside rows of {len(columns)}. "
                "Give the same columns in the same order."
            )
        return U

    def _target(self, y: Any, n: int) -> tuple[np.ndarray | None, np.ndarray | None]:
        who, task = self.title(), self.card.task
        if "target" in self.card.takes:  # learns from whichever target there is
            task = "regression" if y is not None and np.asarray(y).dtype.kind == "f" else ""
            task = task or "classification"
        if task == "classification":
            codes, classes = checks.classes(y, n, who)
            checks.two_classes(classes, who)
            return codes, classes
        if task != "regression":
            return None, None
        return checks.target(y, n, who, outputs="outputs" in self.card.takes), None


@dataclass(frozen=True, kw_only=True)
class IterativeMethod(Method):
    """A method whose fit is the last of its steps."""

    # What `objective` of its steps is, in a few words, where that is nothing that is minimised.
    followed: ClassVar[str] = "objective"

    def steps(self, X: Any, y: Any = None, **options: Unpack[FitOptions]) -> Iterator[Step]:
        """One `Step` an iteration, at least one, for X, shape (n, p), and y as in `fit`.

        What is wrong with the rows is raised at once, as by `fit`.
        """
        return self._steps(self._given(X, y, **options))

    def fit_class(self) -> type[Fit]:
        """The class of the fit of its last step, or of its way to fit without them."""
        has_own = type(self)._fit is not IterativeMethod._fit
        return super().fit_class() if has_own else _returned(type(self)._finished)

    def _fit(self, given: Given) -> Fit:
        return self._finished(given, self._end(given))

    def _end(self, given: Given) -> Step:
        """The last step; a method that has a shorter way to it than all the others takes it."""
        return last(self._steps(given))

    def _steps(self, given: Given) -> Iterator[Step]:
        raise NotImplementedError(f"{type(self).__name__} declares no steps")

    def _finished(self, given: Given, end: Step) -> Fit:
        raise NotImplementedError(f"{type(self).__name__} declares no fit")
