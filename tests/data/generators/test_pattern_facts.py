"""Sequences, relations, bits and small tables: exact numbers, and laws within four errors."""

from __future__ import annotations

import numpy as np
import pytest

from mlcore.data import bundled
from mlcore.data.dataset import TableData
from mlcore.data.generators.pictures.bit_patterns import BitPatterns
from mlcore.data.generators.sequences.mails import LEVELS, Mails
from mlcore.data.generators.sequences.molecules import MOTIFS, Molecules
from mlcore.data.generators.sequences.relations import Relations
from mlcore.data.generators.sequences.sequences import CHANGE, RING, SHOW, Sequences
from mlcore.data.generators.sequences.temporal_tasks import SPAN, TemporalTasks


def test_weather_changes_and_shows_itself_as_the_tables_say():
    table = Sequences(pattern="weather", n_samples=20_000, length=1000).origin({}).table
    state, ground = (table.column(name).values.astype(int) for name in ("weather", "ground"))
    follows = table.column("time").values[1:] > 0
    for s in range(3):
        _within(np.bincount(state[1:][follows & (state[:-1] == s)], minlength=3), CHANGE[s])
        _within(np.bincount(ground[state == s], minlength=3), SHOW[s])


def _within(counts: np.ndarray, chances: np.ndarray) -> None:
    n = counts.sum()
    assert (np.abs(counts / n - chances) < 4 * np.sqrt(chances * (1 - chances) / n)).all()


def test_a_ring_stays_or_goes_on_to_the_next_state():
    table = Sequences(pattern="ring", n_samples=5000, length=100).origin({}).table
    state, time = table.column("state").values, table.column("time").values
    moved = ((state[1:] - state[:-1]) % RING)[time[1:] > 0]
    assert set(moved) == {0.0, 1.0}
    assert abs(moved.mean() - 0.6) < 4 * np.sqrt(0.24 / len(moved))


@pytest.mark.parametrize("pattern", ["gestures", "phonemes", "pen", "spikes"])
def test_a_sequence_has_one_class_and_is_known(pattern):
    data = TableData(source=Sequences(pattern=pattern, n_samples=90, length=15)).dataset({})
    np.testing.assert_array_equal(data.lengths_of(np.arange(90)), [15] * 6)
    for k in range(6):
        assert len(np.unique(data.y[data.sequences == k])) == 1


def test_spikes_come_where_the_class_says():
    table = Sequences(pattern="spikes", n_samples=9000, length=50).origin({}).table
    time, count, kind = (table.column(name).values for name in ("time", "spikes", "class"))
    centers = [np.average(time[kind == k], weights=count[kind == k]) / 49 for k in range(3)]
    assert np.argsort(centers).tolist() == [0, 1, 2]


def test_tasks_of_memory_have_the_target_of_their_definition():
    x, y = _series("echo", 7)
    np.testing.assert_array_equal(y[7:], x[:-7])
    x, y = _series("parity", 3)
    np.testing.assert_array_equal(y[2:], (x[2:] + x[1:-1] + x[:-2]) % 2)
    x, y = _series("mackey glass", 6)
    np.testing.assert_array_equal(y[:-6], x[6:])
    assert x.min() > 0.2 and x.max() < 1.5  # the attractor
    table = TemporalTasks(task="adding").origin({}).table
    u, mark, y = (table.column(name).values for name in ("x1", "x2", "y"))
    assert mark[:SPAN].sum() == 2
    assert y[SPAN - 1] == pytest.approx(u[:SPAN] @ mark[:SPAN])
    x, y = _series("narma", 1)
    for t in (20, 300):  # the recursion of order ten
        expected = 0.3 * y[t] + 0.05 * y[t] * y[t - 9 : t + 1].sum() + 1.5 * x[t - 9] * x[t] + 0.1
        assert y[t + 1] == pytest.approx(expected)


def _series(task: str, lag: int) -> tuple[np.ndarray, np.ndarray]:
    table = TemporalTasks(task=task, lag=lag).origin({}).table
    return table.column("x1").values, table.column("y").values


def test_path_lengths_are_those_of_the_graph():
    cycle = _relations("cycle", 6)
    assert cycle[0].tolist() == [0, 1, 2, 3, 2, 1]
    assert _relations("line", 4)[0].tolist() == [0, 1, 2, 3]
    assert _relations("star", 4).tolist() == [
        [0, 1, 1, 1],
        [1, 0, 2, 2],
        [1, 2, 0, 2],
        [1, 2, 2, 0],
    ]
    # Around a cycle no flat space holds them: the doubly centred squares have a negative value.
    J = np.eye(6) - 1 / 6
    assert np.linalg.eigvalsh(-J @ cycle**2 @ J / 2).min() < -0.1


def _relations(pattern: str, n: int) -> np.ndarray:
    origin = Relations(pattern=pattern, n_samples=n).origin({})
    return origin.table.matrix(*(f"to_{i + 1}" for i in range(n)))


def test_letters_are_read_two_hundred_times_each_and_mostly_right():
    table = Relations(pattern="letters", n_samples=26).origin({}).table
    M = table.matrix(*table.names[1:])
    assert (M.sum(axis=1) == 200).all() and (M.argmax(axis=1) == np.arange(26)).all()


def test_blocks_are_dense_within_and_thin_between():
    origin = Relations(pattern="blocks", n_samples=200).origin({})
    M = origin.table.matrix(*(f"to_{i + 1}" for i in range(200))) > 0
    same = origin.truth.labels[:, None] == origin.truth.labels
    within = M[same & ~np.eye(200, dtype=bool)]
    assert abs(within.mean() - 0.7) < 4 * np.sqrt(0.21 / within.size)
    assert abs(M[~same].mean() - 0.08) < 4 * np.sqrt(0.0736 / (~same).sum())


def test_bits_are_the_patterns_that_they_are_called():
    origin = BitPatterns(n_features=16).origin({})
    pictures = origin.truth.clean.reshape(-1, 4, 4)
    for picture, lying in zip(pictures, origin.truth.labels, strict=True):
        lines = picture.T if lying else picture
        assert (lines == lines[0]).all()
    sparse = BitPatterns(pattern="sparse", n_features=50).origin({}).table.matrix()
    assert (sparse.sum(axis=1) == 5).all()
    table = BitPatterns(pattern="parity", n_features=5).origin({}).table
    assert (table.matrix()[:, :5].sum(axis=1) % 2 == table.column("class").values).all()
    four = BitPatterns(pattern="four segments", n_features=100).origin({}).table.matrix()
    assert four[0].tolist() == [-1.0] * 25 + [1.0] * 25 + [-1.0] * 25 + [1.0] * 25


def test_flips_turn_the_share_of_bits_that_is_asked_for():
    origin = BitPatterns(pattern="random", n_samples=500, n_features=100, flip=0.2).origin({})
    turned = (origin.table.matrix() != origin.truth.clean).mean()
    assert abs(turned - 0.2) < 4 * np.sqrt(0.16 / 50_000)


def test_three_drawn_digits_lie_at_one_distance():
    table = bundled.load("digits8_three")
    X = table.matrix(*table.names[1:])
    assert X.sum(axis=1).tolist() == [11, 11, 11]
    assert [((X[i] - X[j]) ** 2).sum() for i, j in ((0, 1), (0, 2), (1, 2))] == [20, 20, 20]


def test_the_counts_of_the_hand_worked_tables_are_those_printed():
    held = bundled.load("confusion_4")
    count, right = held.column("count").values, np.array(held.column("real").texts())
    assert (count.sum(), count[right == held.column("predicted").texts()].sum()) == (100, 85)
    passed = bundled.load("student_pass")
    traits = np.array([passed.column(name).texts() for name in passed.names[:4]]).T
    counts = passed.column("count").values
    case = (traits[:, :3] == ["no", "yes", "no"]).all(axis=1)
    yes = counts[case & (traits[:, 3] == "yes")].sum()
    assert yes / counts[case].sum() == pytest.approx(1 / 5)
    glasses = bundled.load("glasses")
    eyes, worn = (np.array(glasses.column(name).texts()) for name in ("eyes", "glasses"))
    found = [
        ((eyes == e) & (worn == w)).sum() for e in ("blue", "brown", "green") for w in ("yes", "no")
    ]
    assert found == [0, 3, 4, 0, 2, 1]


def test_ratings_are_read_in_their_order():
    column = bundled.load("ratings_ordinal").column("rating")
    assert (column.kind, column.levels) == ("ordinal", ("poor", "fair", "excellent"))


def test_the_known_rows_answer_for_the_three_that_are_not():
    table = bundled.load("knn_three")
    X, group = table.matrix("x1", "x2"), table.column("group").values
    known = ~np.isnan(group)
    far = ((X[~known, None] - X[None, known]) ** 2).sum(axis=2)
    names = np.array([name for name in table.column("group").texts() if name])
    assert names[far.argmin(axis=1)].tolist() == ["three", "one", "two"]


def test_twos_and_threes_are_as_many_as_they_should_be():
    assert np.bincount(TableData(source="digits_2_3").dataset({}).y).tolist() == [177, 183]


def test_a_hundred_cars_have_the_known_regression():
    X = bundled.load("carsmall").matrix("weight_lbs", "horsepower", "mpg")
    assert len(X) == 100
    X = X[np.isfinite(X).all(axis=1)]
    assert len(X) == 93
    w, power, mpg = X.T
    design = np.column_stack([np.ones(93), w, power, w * power])
    b = np.linalg.lstsq(design, mpg, rcond=None)[0]
    # As many digits as are printed.
    np.testing.assert_allclose(b[:3], [60.7104, -0.0102, -0.1882], atol=5e-5)
    assert b[3] == pytest.approx(0.0000385, abs=5e-8)


def test_unchanged_strings_hold_their_motif_or_are_their_ancestor():
    table = Molecules(change=0.0).origin({}).table
    for word, motif in zip(
        table.column("string").texts(), table.column("class").texts(), strict=True
    ):
        assert motif in word and motif in MOTIFS and len(word) == 40
    table = Molecules(molecule="protein", change=0.0).origin({}).table
    assert len(set(table.column("string").texts())) == 3


def test_a_changed_protein_grows_and_shrinks_alike():
    words = Molecules(molecule="protein", n_samples=600, length=100, change=0.3).origin({})
    lengths = np.array([len(word) for word in words.table.column("string").texts()])
    # A letter adds +1 or -1 with chance 0.1 each: variance 0.2 a letter.
    assert abs(lengths.mean() - 100) < 4 * np.sqrt(0.2 * 100 / 600)
    assert lengths.std() == pytest.approx(np.sqrt(20), rel=0.15)


def test_the_best_rule_of_mails_errs_as_its_posterior_says():
    source = Mails(n_samples=20_000, spam=0.3, contrast=0.3)
    truth = source.origin({}).truth
    assert np.bincount(truth.labels).tolist() == [14_000, 6_000]
    error = (truth.posterior.argmax(axis=1) != truth.labels).mean()
    expected = 1 - truth.posterior.max(axis=1).mean()
    assert abs(error - expected) < 4 * np.sqrt(expected / 20_000)
    assert 0.02 < error < 0.25
    assert source.origin({}).table.column("mail").levels == LEVELS
