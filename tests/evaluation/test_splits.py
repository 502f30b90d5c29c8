"""Which rows are left out: partitions, shares, groups, time, and the sentences of refusal."""

from __future__ import annotations

import pickle
import tracemalloc

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn import model_selection as sk

from mlcore.evaluation.bootstrap_split import BootstrapSplit
from mlcore.evaluation.splits import (
    HoldOut,
    KFold,
    LeaveOneOut,
    ShuffleSplit,
    Split,
)
from mlcore.evaluation.time_series_split import TimeSeriesSplit
from mlcore.spine.errors import DataError, ParamError
from mlcore.spine.registry import entries

EVERY = [cls() for cls in entries("splits").values()]


def assert_sound(splits, n: int) -> None:
    """Both sides have rows, no row is on both, all are rows of the data."""
    for train, test in splits:
        assert min(len(train), len(test)) > 0
        assert not set(train) & set(test)
        assert len(set(test)) == len(test)
        assert set(train) | set(test) <= set(range(n))


def same(a, b) -> bool:
    return all(
        np.array_equal(x, y) for s, t in zip(a, b, strict=True) for x, y in zip(s, t, strict=True)
    )


@pytest.mark.parametrize("splitter", EVERY, ids=repr)
def test_equal_seeds_draw_equal_splits_and_others_other_ones(splitter):
    y = np.random.default_rng(0).integers(0, 3, 60)
    first = splitter.splits(60, y=y, seed=1)
    assert_sound(first, 60)
    assert same(first, splitter.splits(60, y=y, seed=1))
    is_drawn = not isinstance(splitter, LeaveOneOut | TimeSeriesSplit)
    assert same(first, splitter.splits(60, y=y, seed=2)) != is_drawn


counts = st.lists(st.integers(0, 13), min_size=1, max_size=5).filter(lambda c: sum(c) >= 6)


@given(counts, st.integers(2, 6), st.booleans(), st.integers(0, 99))
def test_folds_are_a_partition_with_even_sizes_and_classes(sizes, k, shuffle, seed):
    y = np.repeat(np.arange(len(sizes)), sizes)
    y = np.random.default_rng(seed).permutation(y)
    for labels in (None, y):
        splits = KFold(n_splits=k, shuffle=shuffle).splits(len(y), y=labels, seed=seed)
        assert_sound(splits, len(y))
        np.testing.assert_array_equal(
            np.sort(np.concatenate([s.test for s in splits])), np.arange(len(y))
        )
        assert np.ptp([len(s.test) for s in splits]) <= 1
        assert all(len(s.train) + len(s.test) == len(y) for s in splits)
        if labels is not None:
            held = np.array([np.bincount(y[s.test], minlength=len(sizes)) for s in splits])
            assert np.ptp(held, axis=0).max() <= 1


@given(
    st.lists(st.integers(0, 7), min_size=4, max_size=40),
    st.integers(2, 5),
    st.integers(0, 99),
    st.booleans(),
)
def test_groups_stay_together(groups, k, seed, with_classes):
    groups = np.array(groups)
    n_groups = len(np.unique(groups))
    y = np.random.default_rng(seed).integers(0, 2, len(groups)) if with_classes else None
    several = {
        "folds": KFold(n_splits=k),
        "one": LeaveOneOut(),
        "hold-out": HoldOut(),
        "random": ShuffleSplit(n_splits=3),
        "bootstrap": BootstrapSplit(n_splits=3),
    }
    for name, splitter in several.items():
        least = k if name == "folds" else 2
        if n_groups < least:
            with pytest.raises(DataError, match="groups"):
                splitter.splits(len(groups), y=y, groups=groups, seed=seed)
            continue
        splits = splitter.splits(len(groups), y=y, groups=groups, seed=seed)
        assert_sound(splits, len(groups))
        assert all(not set(groups[train]) & set(groups[test]) for train, test in splits)
        if name in ("folds", "one"):
            left_out = np.sort(np.concatenate([s.test for s in splits]))
            np.testing.assert_array_equal(left_out, np.arange(len(groups)))


def test_grouped_folds_are_as_even_as_those_of_the_reference():
    rng = np.random.default_rng(0)
    groups = np.repeat(np.arange(40), rng.integers(1, 30, 40))
    ours = KFold().splits(len(groups), groups=groups)
    theirs = sk.GroupKFold(5).split(groups, groups=groups)
    assert np.ptp([len(s.test) for s in ours]) <= np.ptp([len(test) for _, test in theirs]) + 1


def test_grouped_folds_spread_the_classes_where_they_can():
    rng = np.random.default_rng(1)
    groups = np.repeat(np.arange(50), 8)
    y = (np.arange(50) % 5 == 0).astype(int)[groups] ^ (rng.random(400) < 0.1)
    shares = [y[s.test].mean() for s in KFold().splits(400, y=y, groups=groups)]
    theirs = sk.StratifiedGroupKFold(5, shuffle=True, random_state=0)
    wanted = [y[test].mean() for _, test in theirs.split(y, y, groups)]
    assert np.ptp(shares) <= np.ptp(wanted) + 0.02
    assert np.ptp(shares) < 0.1


@given(counts, st.floats(0.05, 0.95), st.integers(0, 99))
def test_a_random_part_keeps_the_share_of_every_class_within_one_row(sizes, share, seed):
    y = np.repeat(np.arange(len(sizes)), sizes)
    for splitter in (HoldOut(test_size=share), ShuffleSplit(train_size=1 - share, n_splits=3)):
        for train, test in splitter.splits(len(y), y=y, seed=seed):
            assert_sound([(train, test)], len(y))
            assert len(train) + len(test) == len(y)
            wanted = len(test) / len(y) * np.bincount(y, minlength=len(sizes))
            held = np.bincount(y[test], minlength=len(sizes))
            assert np.abs(held - wanted).max() < 1


@pytest.mark.parametrize("n", [2, 3, 10, 100, 150])
@pytest.mark.parametrize("share", [0.1, 0.33, 0.5])
def test_a_random_part_has_the_size_of_the_reference(n, share):
    ((train, test),) = HoldOut(test_size=share).splits(n)
    wanted = sk.train_test_split(np.arange(n), test_size=share, random_state=0)
    assert (len(train), len(test)) == tuple(len(part) for part in wanted)


def test_every_row_is_left_out_about_equally_often():
    y = np.repeat([0, 1], [70, 30])
    splits = ShuffleSplit(n_splits=400).splits(100, y=y)
    often = np.bincount(np.concatenate([s.test for s in splits]), minlength=100) / 400
    # 4 standard errors of a share of 0.34 over 400 draws.
    assert np.abs(often - 0.34).max() < 4 * np.sqrt(0.34 * 0.66 / 400)


@pytest.mark.parametrize(
    ("ours", "options"),
    [
        (TimeSeriesSplit(), {}),
        (TimeSeriesSplit(n_splits=3, gap=2), {"gap": 2}),
        (TimeSeriesSplit(n_splits=4, max_train=6), {"max_train_size": 6}),
    ],
    ids=repr,
)
def test_splits_in_time_are_those_of_the_reference(ours, options):
    theirs = sk.TimeSeriesSplit(ours.n_splits, **options).split(np.arange(37))
    for (train, test), (wanted_train, wanted_test) in zip(ours.splits(37), theirs, strict=True):
        np.testing.assert_array_equal(train, wanted_train)
        np.testing.assert_array_equal(test, wanted_test)


def test_splits_in_time_follow_the_order_column():
    when = np.random.default_rng(0).permutation(30).astype(float)
    for train, test in TimeSeriesSplit().splits(30, order=when):
        assert when[train].max() < when[test].min()
    when[3] = np.nan
    with pytest.raises(DataError, match="a time for every row"):
        TimeSeriesSplit().splits(30, order=when)


@pytest.mark.parametrize("gap", [0, 3])
def test_rows_of_one_time_are_never_both_fitted_and_scored(gap):
    when = np.sort(np.random.default_rng(0).integers(0, 12, 60)).astype(float)
    mixed = np.random.default_rng(1).permutation(60)
    splits = TimeSeriesSplit(n_splits=4, gap=gap).splits(60, order=when[mixed])
    for train, test in splits:
        assert when[mixed][train].max() < when[mixed][test].min()
    scored = np.concatenate([test for _, test in splits])
    assert len(set(scored.tolist())) == len(scored)
    assert scored[-1] == np.argsort(when[mixed], kind="stable")[-1]


def test_a_group_on_both_sides_of_a_cut_is_scored_and_not_fitted():
    groups = np.arange(60) // 7
    for k, (train, test) in enumerate(TimeSeriesSplit(n_splits=4).splits(60, groups=groups)):
        assert not np.isin(groups[train], groups[test]).any()
        without = np.arange(12 * (k + 1))
        np.testing.assert_array_equal(train, without[~np.isin(groups[without], groups[test])])


def test_folds_without_shuffle_are_those_of_the_reference():
    theirs = sk.KFold(4).split(np.arange(22))
    ours = KFold(n_splits=4, shuffle=False).splits(22)
    assert sorted(len(s.test) for s in ours) == sorted(len(test) for _, test in theirs)
    assert all((np.diff(s.test) == 1).all() for s in ours)


def test_repeats_draw_other_folds():
    splits = KFold(n_splits=2, n_repeats=5).splits(20)
    assert len(splits) == 10
    assert len({tuple(s.test) for s in splits}) == 10


def test_leave_one_out_leaves_out_each_row_or_group():
    assert [s.test.tolist() for s in LeaveOneOut().splits(4)] == [[0], [1], [2], [3]]
    groups = np.array([3, 1, 3, 1, 2])
    assert [s.test.tolist() for s in LeaveOneOut().splits(5, groups=groups)] == [
        [1, 3],
        [4],
        [0, 2],
    ]
    as_many = KFold(n_splits=6).splits(6)
    assert sorted(s.test.tolist() for s in as_many) == [[i] for i in range(6)]


REFUSED = [
    (lambda: KFold(n_splits=10).splits(7), "10 folds need 10 rows; there are 7. Take at most 7"),
    (lambda: KFold().splits(9, groups=np.arange(9) // 3), "5 folds need 5 groups; there are 3"),
    (lambda: KFold(stratify="on").splits(20), "needs classes as target"),
    (
        lambda: KFold(stratify="on").splits(20, y=np.arange(20) // 17),
        "needs 5 rows of every class; the rarest class has 3",
    ),
    (lambda: HoldOut().splits(1), "at least 2 rows; there is 1"),
    (lambda: HoldOut().splits(9, groups=np.zeros(9)), "at least 2 groups; there is 1"),
    (
        lambda: HoldOut(stratify="on").splits(9, y=np.arange(9) // 5, groups=np.arange(9) // 2),
        "cannot keep groups together and stratify",
    ),
    (lambda: TimeSeriesSplit(n_splits=9).splits(9), "need more than 9 rows"),
    (lambda: TimeSeriesSplit(gap=9).splits(12), "gap of 9 need more than 12 rows"),
    (lambda: TimeSeriesSplit().splits(30, order=np.arange(30) // 20), "rows of one time stay"),
    (lambda: TimeSeriesSplit().splits(30, groups=np.arange(30) % 3), "and of one group stay"),
]


@pytest.mark.parametrize(("call", "sentence"), REFUSED)
def test_what_cannot_be_split_is_refused_in_a_sentence(call, sentence):
    with pytest.raises(DataError, match=sentence):
        call()


def test_repeats_that_would_be_equal_are_refused():
    with pytest.raises(ParamError, match="all the same"):
        KFold(n_repeats=2, shuffle=False)


def test_a_rare_class_is_split_and_named():
    y = np.repeat([0, 1, 2], [20, 2, 1])
    splits = KFold().splits(23, y=y)
    assert_sound(splits, 23)
    assert np.ptp([(y[s.test] == 0).sum() for s in splits]) <= 1
    remarks = KFold().remarks(y=y, names=("a", "b", "c"))
    assert [r.split(",")[0] for r in remarks] == ["Class b has 2 rows", "Class c has 1 row"]
    assert KFold().remarks(y=np.repeat([0, 1], 9)) == ()


def test_descriptions():
    y, groups = np.zeros(9, dtype=int), np.arange(9)
    assert KFold().describe() == "5 folds"
    assert KFold().describe(y) == "5 folds, stratified"
    assert KFold(stratify="off").describe(y) == "5 folds"
    assert KFold(n_splits=10, n_repeats=3).describe(y) == "3 times 10 folds, stratified"
    assert KFold().describe(y, groups) == "5 folds, stratified, groups kept together"
    assert LeaveOneOut().describe(y, groups) == "leave one group out"
    assert HoldOut().describe(y) == "33 % left out once, stratified"
    assert HoldOut().describe(y, groups) == "33 % left out once, groups kept together"
    assert ShuffleSplit().describe() == "10 random splits, 66 % fitted"
    assert TimeSeriesSplit(gap=2).describe() == "5 splits in time, gap 2"
    assert "by time" in TimeSeriesSplit().remarks(groups=groups)[0]


@pytest.mark.parametrize("splitter", EVERY, ids=repr)
def test_only_a_bootstrap_fits_a_row_twice(splitter):
    y = np.random.default_rng(0).integers(0, 3, 60)
    repeats = [len(s.train) - len(set(s.train)) for s in splitter.splits(60, y=y)]
    assert all(repeats) if isinstance(splitter, BootstrapSplit) else not any(repeats)


def test_a_bootstrap_sample_leaves_out_what_it_never_draws():
    splits = BootstrapSplit(n_splits=400).splits(50)
    assert all(len(s.train) == 50 for s in splits)
    assert all(set(s.train) | set(s.test) == set(range(50)) for s in splits)
    # Each row is missed with probability (1 - 1/n)^n; 400 samples: standard error 0.0024 or less.
    share = np.mean([len(s.test) / 50 for s in splits])
    assert share == pytest.approx((1 - 1 / 50) ** 50, abs=0.01)
    assert len(BootstrapSplit(n_splits=50).splits(2)) == 50  # redrawn until something is left out


@pytest.mark.parametrize(
    "splitter",
    [LeaveOneOut(), KFold(n_splits=50_000), KFold(n_repeats=1000), ShuffleSplit(n_splits=10_000)],
    ids=lambda splitter: splitter.describe(),
)
def test_splits_of_many_rows_are_drawn_when_they_are_asked_for(splitter):
    tracemalloc.start()
    try:
        splits = splitter.splits(50_000, y=np.arange(50_000) % 3)
        ends = splits[0], splits[-1]
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert peak < 5 * 2**20  # all together are some gigabytes
    assert all(len(s.train) + len(s.test) == 50_000 for s in ends)


def test_splits_are_a_sequence():
    splits = KFold(n_splits=4, n_repeats=3).splits(22, seed=3)
    drawn = list(splits)
    assert len(drawn) == len(splits) == 12
    for k in (11, 0, 5, -1):  # in any order
        np.testing.assert_array_equal(splits[k].test, drawn[k].test)
    assert [len(s.test) for s in splits[2:4]] == [len(s.test) for s in drawn[2:4]]
    with pytest.raises(IndexError):
        splits[12]


def test_a_change_of_splits_follows_the_one_before():
    splits = KFold().splits(10).changed(lambda s: Split(s.train, s.test + 10))
    again = splits.changed(lambda s: Split(s.train, s.test * 2))
    assert sorted(np.concatenate([s.test for s in again])) == list(range(20, 40, 2))


def test_a_split_travels_with_the_rows_that_are_left_out():
    split = KFold(n_splits=100).splits(10_000)[7]
    sent = pickle.dumps(split)
    assert len(sent) < 8 * len(split.test) + 1000
    np.testing.assert_array_equal(pickle.loads(sent).train, split.train)
    np.testing.assert_array_equal(split.train, np.setdiff1d(np.arange(10_000), split.test))
