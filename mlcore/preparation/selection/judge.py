"""Scores of subsets of variables, as searches ask for them; each is computed once."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from mlcore.spine.component import Component
from mlcore.spine.fit import Column
from mlcore.spine.method import Given

TIE = 1e-12  # values closer than this are ties: rounding must not choose a variable


@dataclass(frozen=True)
class Variables:
    """The variables of the table, and the columns that were made of each: a block stays whole."""

    names: tuple[str, ...]  # (d,)
    blocks: tuple[np.ndarray, ...]  # (d,) positions of the columns of each

    @classmethod
    def of(cls, columns: tuple[Column, ...]) -> Variables:
        """In the order in which they first occur."""
        columns_of: dict[str, list[int]] = {}
        for j, column in enumerate(columns):
            columns_of.setdefault(column.variable, []).append(j)
        return cls(tuple(columns_of), tuple(np.array(at) for at in columns_of.values()))

    def __len__(self) -> int:
        return len(self.names)

    def columns(self, members: np.ndarray) -> np.ndarray:
        """The positions of all columns of the members, in the order of the table, shape (q,)."""
        blocks = [self.blocks[v] for v in np.flatnonzero(members)]
        return np.sort(np.concatenate(blocks)) if blocks else np.array([], dtype=int)


class Judge:
    """The score J of subsets of d variables on given rows; each is computed once.

    A subset that cannot be scored has J = -inf, and `reason` says why.
    """

    def __init__(self, d: int) -> None:
        self.d = d
        self.evaluations = 0
        self.reason = ""
        self._known: dict[bytes, float] = {}

    def value(self, members: np.ndarray) -> float:
        """J of the variables where `members`, shape (d,), is true."""
        key = np.packbits(members).tobytes()
        if key not in self._known:
            self.evaluations += bool(members.any())
            self._known[key] = self._value(members)
        return self._known[key]

    def added(self, members: np.ndarray) -> np.ndarray:
        """J with one more variable, shape (d,); -inf for those that are members."""
        return self._flipped(members, ~members)

    def removed(self, members: np.ndarray) -> np.ndarray:
        """J with one variable less, shape (d,); -inf for those that are not members."""
        return self._flipped(members, members)

    def known(self, members: np.ndarray) -> float:
        """J of `members`, shape (d,), where it is known already; NaN for any other subset."""
        return self._known.get(np.packbits(members).tobytes(), np.nan)

    def optimum(self) -> np.ndarray:
        """The best J of each size among all subsets, shape (d + 1,); (0,) where that costs fits."""
        return np.zeros(0)

    def around(self, members: np.ndarray) -> np.ndarray:
        """J with each variable added or removed, where it is known, shape (d,)."""
        return np.array([self.known(other) for other in one_flipped(members)])

    def _flipped(self, members: np.ndarray, which: np.ndarray) -> np.ndarray:
        values = np.full(self.d, -np.inf)
        others = one_flipped(members)
        for v in np.flatnonzero(which):
            values[v] = self.value(others[v])
        return values

    def _value(self, members: np.ndarray) -> float:
        raise NotImplementedError(f"{type(self).__name__} declares no score")


@dataclass(frozen=True, kw_only=True)
class SubsetScore(Component):
    """A way to score subsets of variables; more is better."""

    def judge(self, given: Given, variables: Variables) -> Judge:
        """The score on these rows. Raises DataError if it does not apply to them."""
        raise NotImplementedError(f"{type(self).__name__} declares no judge")

    def seconds(self, n: int, p: int, subsets: float) -> float:
        """About how long so many subsets take on n rows of p columns."""
        raise NotImplementedError(f"{type(self).__name__} declares no cost")

    def fits(self, n: int, subsets: float) -> float:
        """How many fits of a method so many subsets of n rows need: none unless J fits one."""
        return 0.0


def one_flipped(members: np.ndarray) -> np.ndarray:
    """Row v is `members`, shape (d,), with variable v added or removed, shape (d, d)."""
    return members ^ np.eye(len(members), dtype=bool)


def best_of(values: np.ndarray) -> int:
    """The position of the largest of some values, shape (k,); of values that tie, the first."""
    top = values.max()
    if not np.isfinite(top):
        return int(values.argmax())
    return int((values >= top - TIE).argmax())
