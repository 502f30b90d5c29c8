"""Which rows are test rows: folds and random parts."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, fields, replace
from typing import Any, ClassVar, overload

import numpy as np

from mlcore.maths import dealing
from mlcore.maths.dealing import RowsToSplit
from mlcore.spine import random
from mlcore.spine.component import Card, Component, enter
from mlcore.spine.errors import DataError
from mlcore.spine.params import choice, flag, integer, real
from mlcore.spine.wording import count, percent

FEW, FEWEST = 5, 3  # splits of a smaller design, and of the smallest


@dataclass(frozen=True, eq=False)
class Split:
    """Positions of the rows that are fitted, and of those that are left out.

    Most splits fit all rows but those left out: these keep only how many rows there are, as a
    split travels to whoever fits it, and stays with its scores.
    """

    fitted: np.ndarray | int  # (n_train,); or of how many rows all but `test` are fitted
    test: np.ndarray  # (n_test,)

    @property
    def train(self) -> np.ndarray:
        """Positions of the rows that are fitted, (n_train,)."""
        if isinstance(self.fitted, np.ndarray):
            return self.fitted
        is_fitted = np.ones(self.fitted, dtype=bool)
        is_fitted[self.test] = False
        return np.flatnonzero(is_fitted)

    def __iter__(self) -> Iterator[np.ndarray]:
        """The rows that are fitted, then those left out."""
        yield self.train
        yield self.test


class Splits(Sequence[Split]):
    """The splits of some rows, each drawn when it is asked for.

    Leave-one-out of n rows holds n^2 positions: only the drawing that the last split was cut from
    stays in memory. Slices are tuples.
    """

    def __init__(
        self,
        splitter: Splitter,
        rows: RowsToSplit,
        change: Callable[[Split], Split] = lambda split: split,
    ) -> None:
        self._splitter, self._rows, self._change = splitter, rows, change
        self._drawings, self._each = splitter._count(rows)
        self._drawn: tuple[int, Any] = (-1, None)  # the last: splits are mostly taken in turn

    def changed(self, change: Callable[[Split], Split]) -> Splits:
        """The same splits, each changed when it is asked for."""
        before = self._change
        return Splits(self._splitter, self._rows, lambda split: change(before(split)))

    def __len__(self) -> int:
        return self._drawings * self._each

    @overload
    def __getitem__(self, k: int) -> Split: ...
    @overload
    def __getitem__(self, k: slice) -> tuple[Split, ...]: ...
    def __getitem__(self, k: int | slice) -> Split | tuple[Split, ...]:
        if isinstance(k, slice):
            return tuple(self[at] for at in range(len(self))[k])
        drawing, part = divmod(range(len(self))[k], self._each)
        if self._drawn[0] != drawing:
            self._drawn = (drawing, self._splitter._drawing(self._rows, drawing))
        return self._change(self._splitter._cut(self._rows, self._drawn[1], part))


@dataclass(frozen=True, kw_only=True)
class Splitter(Component):
    """Draws splits; equal seeds draw equal ones.

    A kind of splitter says how many drawings there are, of how many splits each, and makes them.

    Rows of one group stay on one side, and so do those of one sequence where time does not cut it:
    to a splitter sequences are groups, whose `unit` is "sequence".
    """

    cuts_units: ClassVar[bool] = False  # whether rows of one sequence may be fitted and scored

    def splits(
        self,
        n: int,
        y: np.ndarray | None = None,
        groups: np.ndarray | None = None,
        order: np.ndarray | None = None,
        seed: int = 0,
        unit: str = "group",
    ) -> Splits:
        """The splits of n rows, in order.

        `y`, shape (n,), holds class codes (None where the target is no class), `groups` what must
        stay together, `order` the time of a row; `unit` is what rows that stay together are called.
        Raises DataError if the rows do not allow such splits.
        """
        y, groups, order = (None if v is None else np.asarray(v) for v in (y, groups, order))
        rows = RowsToSplit(n, y, groups, order, seed, "row" if groups is None else unit)
        if rows.n_groups < 2 and not self.cuts_units:
            raise DataError(
                f"{self.title()} needs at least 2 {rows.unit}s; there is {rows.n_groups}. "
                f"Use more {rows.unit}s."
            )
        return Splits(self, rows)

    def smaller(self) -> Splitter | None:
        """The same with fewer splits, for whoever will not wait so long; None where there is none.

        Repeats go first, then splits beyond five, then all but three, then all but one.
        """
        now = {f.name: getattr(self, f.name) for f in fields(self)}
        if (splits := now.get("n_splits", 1)) == 1:
            return None
        if now.get("n_repeats", 1) > 1:
            return replace(self, n_repeats=1, n_splits=min(splits, FEW))
        fewer = (few for few in (FEW, FEWEST, 1) if few < splits)
        return replace(self, n_splits=next(fewer))

    def describe(
        self, y: np.ndarray | None = None, groups: np.ndarray | None = None, unit: str = "group"
    ) -> str:
        """One phrase that says how rows are left out; `y` and `groups`, if known, of shape (n,)."""
        # Its words name the settings of its kind.
        raise NotImplementedError(f"{type(self).__name__} declares no description")

    def remarks(
        self,
        y: np.ndarray | None = None,
        groups: np.ndarray | None = None,
        names: tuple = (),
        unit: str = "group",
    ) -> tuple[str, ...]:
        """What a reader of the scores should know, as sentences.

        `y` and `groups` have shape (n,), `names` are those of the classes.
        """
        return ()

    def _count(self, rows: RowsToSplit) -> tuple[int, int]:
        """How many drawings, and how many splits are cut from each.

        Raises DataError if the rows do not allow such splits.
        """
        # A splitter of any kind says so; there is no count that would do for all.
        raise NotImplementedError(f"{type(self).__name__} declares no splits")

    def _drawing(self, rows: RowsToSplit, k: int) -> Any:
        """Whatever the splits of drawing k are cut from."""
        # What is drawn is what tells the kinds of splitters apart.
        raise NotImplementedError(f"{type(self).__name__} declares no drawing")

    def _cut(self, rows: RowsToSplit, drawn: Any, k: int) -> Split:
        """Split k of a drawing; where `drawn` holds the part of each row, (n,), that is part k."""
        return _split(drawn == k)


def _stratify(doc: str) -> Any:
    return choice("auto", "auto", "on", "off", advanced=True, doc=doc)


STRATIFY = "Keep the shares of the classes in every part; auto does it where there are classes."


@enter(
    Card(
        "k_fold",
        "K-fold cross-validation",
        ("splits",),
        peer="sklearn.model_selection.StratifiedKFold",
        sources=(
            "cs1:kfold_cv",
            "cs1:vs_wrapper_cv",
            "epfl:cv_kfold",
            "mi2:nfold_cv",
            "prac:cross_validation",
            "s841:kfold_cv",
            "s841:kx2_cv",
            "s841:cv_index_generator",
        ),
        kind="part",
        synonyms=("cross-validation", "k-fold", "KFold", "StratifiedKFold", "CV"),
    )
)
@dataclass(frozen=True, kw_only=True)
class KFold(Splitter):
    """Cuts the rows into k parts; each is left out once while the others are fitted.

    The parts differ by at most one row. With classes the shuffled rows are dealt round the folds
    class by class, going on where the last class ended, so the folds differ by at most one row of
    each class. Rows of one group stay together: the weightiest group first, each to the fold that
    has the least of what it brings.

    The usual choice. More folds fit on more rows (less pessimistic) and cost more; repeats with
    new parts make the mean steadier. Folds share training rows, so their spread understates the
    uncertainty: use the interval that corrects for it.
    """

    n_splits: int = integer(
        5, low=2, soft=(2, 20), symbol="k", label="Folds", doc="Number of parts."
    )
    n_repeats: int = integer(
        1, low=1, high=1000, soft=(1, 20), label="Repeats", doc="How often, each time anew."
    )
    shuffle: bool = flag(
        True, advanced=True, doc="Draw the parts at random, not in the order of the table."
    )
    stratify: str = _stratify(STRATIFY)

    def conflict(self) -> str | None:
        """Refuse repeats that would all be the same."""
        if self.n_repeats == 1 or self.shuffle:
            return None
        return f"{self.title()}: repeats without shuffle are all the same; shuffle or repeat once."

    def smaller(self) -> Splitter | None:
        """Fewer repeats and parts; in place of three parts one is set aside, once."""
        if self.n_repeats == 1 and self.n_splits <= FEWEST:
            return HoldOut()
        return super().smaller()

    def describe(
        self, y: np.ndarray | None = None, groups: np.ndarray | None = None, unit: str = "group"
    ) -> str:
        """The number of folds, and how they are drawn."""
        times = f"{self.n_repeats} times " if self.n_repeats > 1 else ""
        return f"{times}{self.n_splits} folds" + _manner(self.stratify, y, groups, unit)

    def remarks(
        self,
        y: np.ndarray | None = None,
        groups: np.ndarray | None = None,
        names: tuple = (),
        unit: str = "group",
    ) -> tuple[str, ...]:
        """Name the classes that do not reach every fold."""
        if y is None:
            return ()
        codes, counts = np.unique(y, return_counts=True)
        labels = names or [str(v) for v in range(int(codes.max()) + 1)]
        return tuple(
            f"Class {labels[int(code)]} has {count(int(n), 'row')}, fewer than the {self.n_splits} "
            "folds; folds without it are scored without it."
            for code, n in zip(codes, counts, strict=True)
            if n < self.n_splits
        )

    def _count(self, rows: RowsToSplit) -> tuple[int, int]:
        self._refuse_too_many(rows)
        _strata(self.stratify, rows, self.title(), self.n_splits)
        return self.n_repeats, self.n_splits

    def _drawing(self, rows: RowsToSplit, k: int) -> np.ndarray:
        y = _strata(self.stratify, rows, self.title(), self.n_splits)
        rng = random.generator(rows.seed, f"folds {k}") if self.shuffle else None
        return dealing.folds(rows, y, self.n_splits, rng)

    def _refuse_too_many(self, rows: RowsToSplit) -> None:
        if self.n_splits <= rows.n_groups:
            return
        whole = "leave-one-out" if rows.groups is None else f"leave-one-{rows.unit}-out"
        there = "there is 1" if rows.n_groups == 1 else f"there are {rows.n_groups}"
        raise DataError(
            f"{self.n_splits} folds need {self.n_splits} {rows.unit}s; {there}. "
            f"Take at most {rows.n_groups}, which is {whole}."
        )


@enter(
    Card(
        "leave_one_out",
        "Leave-one-out",
        ("splits",),
        peer="sklearn.model_selection.LeaveOneOut",
        sources=("cs1:loo_cv", "epfl:cv_leave_one_out", "prac:loo_cv", "s841:loo_cv"),
        kind="part",
        synonyms=("LOOCV", "LOO", "jackknife"),
    )
)
@dataclass(frozen=True, kw_only=True)
class LeaveOneOut(Splitter):
    """Leaves out each row once, or each group or sequence where the data has such.

    Fits on nearly all rows, so it is nearly unbiased, and needs no chance. Costs one fit a row. The
    n training sets are nearly the same: their spread says nothing about new data, so there is no
    interval. With one row left out only scores that are means over rows make sense.
    """

    def smaller(self) -> Splitter:
        """Five parts instead of one a row."""
        return KFold(n_splits=FEW)

    def describe(
        self, y: np.ndarray | None = None, groups: np.ndarray | None = None, unit: str = "group"
    ) -> str:
        """What is left out each time."""
        return f"leave one {'row' if groups is None else unit} out"

    def _count(self, rows: RowsToSplit) -> tuple[int, int]:
        return 1, rows.n_groups

    def _drawing(self, rows: RowsToSplit, k: int) -> np.ndarray:
        if rows.groups is None:
            return np.arange(rows.n)
        return np.unique(rows.groups, return_inverse=True)[1]


@enter(
    Card(
        "hold_out",
        "Hold-out",
        ("splits",),
        peer="sklearn.model_selection.train_test_split",
        sources=(
            "cs1:train_test",
            "cs1:vs_wrapper_val",
            "epfl:split_two_way",
            "mi2:test_set_method",
            "prac:holdout_split",
            "s841:holdout_validation",
        ),
        kind="part",
        synonyms=("train-test split", "train_test_split", "validation set"),
    )
)
@dataclass(frozen=True, kw_only=True)
class HoldOut(Splitter):
    """Sets one random share of the rows aside and fits on the rest, once.

    With classes each keeps its share within one row; groups stay whole. One fit, and a clean
    interval since the scored rows are independent of the fit; but a third of the rows teaches
    nothing, and another seed gives another score.
    """

    test_size: float = real(
        0.33,
        above=0.0,
        below=1.0,
        soft=(0.05, 0.95),
        label="Test fraction",
        doc="Share of the rows that are test rows.",
    )
    stratify: str = _stratify(STRATIFY)

    def describe(
        self, y: np.ndarray | None = None, groups: np.ndarray | None = None, unit: str = "group"
    ) -> str:
        """The share that is left out."""
        return f"{percent(self.test_size)} left out once" + _manner_of_part(
            self.stratify, y, groups, unit
        )

    def _count(self, rows: RowsToSplit) -> tuple[int, int]:
        _strata_of_part(self.stratify, rows, self.title())
        return 1, 1

    def _drawing(self, rows: RowsToSplit, k: int) -> np.ndarray:
        y = _strata_of_part(self.stratify, rows, self.title())
        rng = random.generator(rows.seed, "hold-out")
        return ~dealing.part(rows, y, self.test_size, rng)  # part 0 is left out


@enter(
    Card(
        "shuffle_split",
        "Repeated random splits",
        ("splits",),
        peer="sklearn.model_selection.ShuffleSplit",
        sources=("epfl:cv_random_subsampling", "prac:repeated_split"),
        kind="part",
        synonyms=("Monte Carlo cross-validation", "ShuffleSplit", "random subsampling"),
    )
)
@dataclass(frozen=True, kw_only=True)
class ShuffleSplit(Splitter):
    """Draws a random training share again and again; the other rows are scored.

    Size of the training part and number of fits can be chosen freely, unlike with folds. A row may
    be left out several times or never. The draws overlap: use the interval that corrects for it.
    """

    n_splits: int = integer(
        10,
        low=1,
        high=10_000,
        soft=(5, 100),
        label="Number of splits",
        doc="How often rows are drawn.",
    )
    train_size: float = real(
        0.66,
        above=0.0,
        below=1.0,
        soft=(0.05, 0.95),
        label="Training fraction",
        doc="Share of the rows that is fitted.",
    )
    stratify: str = _stratify(STRATIFY)

    def describe(
        self, y: np.ndarray | None = None, groups: np.ndarray | None = None, unit: str = "group"
    ) -> str:
        """How often and how much is drawn."""
        drawn = f"{self.n_splits} random splits, {percent(self.train_size)} fitted"
        return drawn + _manner_of_part(self.stratify, y, groups, unit)

    def _count(self, rows: RowsToSplit) -> tuple[int, int]:
        _strata_of_part(self.stratify, rows, self.title())
        return self.n_splits, 1

    def _drawing(self, rows: RowsToSplit, k: int) -> np.ndarray:
        y = _strata_of_part(self.stratify, rows, self.title())
        rng = random.generator(rows.seed, f"split {k}")
        return ~dealing.part(rows, y, 1 - self.train_size, rng)  # part 0 is left out


def _split(left_out: np.ndarray) -> Split:
    return Split(len(left_out), np.flatnonzero(left_out))


def _manner(stratify: str, y: np.ndarray | None, groups: np.ndarray | None, unit: str) -> str:
    stratified = stratify == "on" or (stratify == "auto" and y is not None)
    return (", stratified" if stratified else "") + (
        "" if groups is None else f", {unit}s kept together"
    )


def _manner_of_part(
    stratify: str, y: np.ndarray | None, groups: np.ndarray | None, unit: str
) -> str:
    """The same for a random part: whole groups are drawn without regard to classes."""
    return _manner(stratify, y if groups is None else None, groups, unit)


def _strata(stratify: str, rows: RowsToSplit, who: str, least: int) -> np.ndarray | None:
    """The classes to spread evenly, or None; "on" insists on `least` rows of each class.

    "auto" goes ahead with rarer classes: spreading the others evenly is still better than chance.
    """
    if stratify != "on":
        return rows.y if stratify == "auto" else None
    if rows.y is None:
        raise DataError(f"{who}, stratified, needs classes as target; set stratify to auto or off.")
    if rows.rarest() < least:
        raise DataError(
            f"{who}, stratified, needs {least} rows of every class; the rarest class has "
            f"{rows.rarest()}. Take fewer folds, or set stratify to auto."
        )
    return rows.y


def _strata_of_part(stratify: str, rows: RowsToSplit, who: str) -> np.ndarray | None:
    """The same for a random part, which cannot both keep groups whole and spread classes."""
    if stratify == "on" and rows.groups is not None:
        raise DataError(
            f"{who} cannot keep {rows.unit}s together and stratify; set stratify to auto, or "
            "use K-fold."
        )
    return _strata(stratify, rows, who, 2) if rows.groups is None else None
