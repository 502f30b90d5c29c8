"""What is known of fields, coins, levels, concepts, neurons and landscapes."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.special import expit

from mlcore.data.examples import examples
from mlcore.data.generators.classes.concepts import Concepts
from mlcore.data.generators.classes.hypothesis_classes import HypothesisClasses
from mlcore.data.generators.classes.interval_family import IntervalFamily
from mlcore.data.generators.densities.joints import PairwiseField, RandomJoint, Spins, TwoLayers
from mlcore.data.generators.densities.pdf_gallery import PdfGallery
from mlcore.data.generators.landscapes.bit_strings import BitStrings
from mlcore.data.generators.landscapes.landscapes import LANDSCAPES, Landscapes
from mlcore.data.generators.landscapes.line_landscape import LineLandscape
from mlcore.data.generators.pictures.hopfield_random import HopfieldRandom
from mlcore.data.generators.pictures.markov_field import MarkovField
from mlcore.data.generators.quantities.level_in_noise import LevelInNoise
from mlcore.data.generators.sequences.coin_tosses import CoinTosses
from mlcore.data.generators.sequences.leaky_neurons import LeakyNeurons
from mlcore.spine.errors import ParamError
from mlcore.spine.registry import entries


def first_values(name: str) -> np.ndarray:
    """The exact chance of the first value of each variable of an example."""
    return examples()[name].recipe().origin({}).truth.marginals[:, 0]


@pytest.mark.parametrize(
    ("name", "chances"),
    [
        ("tree_field", [0.873418, 0.649845, 0.645290, 0.369527, 0.294399, 0.221850]),
        ("chain_field", [0.885075, 0.686822, 0.538388, 0.400191, 0.235378]),
        ("loopy_field", [0.7, 0.657895, 0.657895]),
        ("frustrated_field", [0.5] * 4),
    ],
)
def test_fields_have_their_golden_marginals(name, chances):
    np.testing.assert_allclose(first_values(name), chances, atol=5e-7)


def test_a_grid_of_pixels_has_its_golden_marginals():
    second = 1 - first_values("grid_field").reshape(3, 3)
    edge = [0.752885, 0.670634, 0.295863]
    np.testing.assert_allclose(second, [edge, [0.742322, 0.375029, 0.237670], edge], atol=5e-7)


def test_the_chances_of_a_tree_are_the_messages_along_it():
    field = examples()["big_tree_field"].recipe()
    phi = np.array([[p, 1 - p] for p in field.joint.evidence])
    psi = np.array([[0.8, 0.2], [0.2, 0.8]])

    def message(at: int, to: int) -> np.ndarray:
        others = [message(k, at) for k in neighbours[at] if k != to]
        return psi @ np.prod([phi[at], *others], axis=0)

    neighbours: dict[int, list[int]] = {i: [] for i in range(9)}
    for i, j in ((0, 2), (1, 2), (2, 4), (3, 4), (4, 5), (5, 6), (5, 7), (7, 8)):
        neighbours[i].append(j)
        neighbours[j].append(i)
    found = [np.prod([phi[i], *(message(k, i) for k in neighbours[i])], axis=0) for i in range(9)]
    found = [p[0] / p.sum() for p in found]
    np.testing.assert_allclose(first_values("big_tree_field"), found, atol=1e-12)


@pytest.mark.parametrize("joint", entries("joint"))
def test_rows_of_a_field_are_as_frequent_as_their_chances(joint):
    origin = MarkovField(joint=joint, n_samples=20_000).origin({})
    truth = origin.truth
    for column, chances in zip(origin.table.columns, truth.marginals, strict=True):
        share = np.bincount(column.values.astype(int), minlength=len(chances)) / 20_000
        assert (np.abs(share - chances) <= 4 * np.sqrt(chances * (1 - chances) / 20_000)).all()
    np.testing.assert_allclose(truth.posterior.sum(axis=1), 1.0)
    # The best rule errs as often as it should, on rows that it never saw.
    error = (truth.posterior.argmax(axis=1) != truth.labels).mean()
    assert abs(error - truth.bayes_error) <= 4 * np.sqrt(truth.bayes_error / 20_000)


def test_evidence_must_be_a_chance_for_every_node():
    with pytest.raises(ParamError, match="has 6 nodes; got evidence for 1"):
        PairwiseField(evidence=(0.5,))
    with pytest.raises(ParamError, match="between 0 and 1"):
        PairwiseField(graph="triangle", evidence=(0.5, 1.0, 0.5))


@pytest.mark.parametrize("name", ["markov_field", "hypothesis_classes"])
def test_fresh_rows_come_from_the_same_law(name):
    joint = {"joint": "random_joint"} if name == "markov_field" else {}
    one, other = (entries("source")[name](seed=seed, **joint).origin({}).truth for seed in (0, 1))
    for known in ("marginals", "coefficients", "bayes_error"):
        np.testing.assert_array_equal(getattr(one, known), getattr(other, known))


def test_spins_mirror_and_two_of_them_agree_as_often_as_they_should():
    truth = MarkovField(joint=Spins(n_spins=8)).origin({}).truth
    np.testing.assert_allclose(truth.marginals, 0.5)
    small = examples()["ising_small"].recipe().origin({}).truth
    assert small.bayes_error == pytest.approx(1 / (1 + np.e**2))


def test_five_alone_say_nothing_of_each_other_and_pairs_of_their_partner_only():
    alone = MarkovField(joint=RandomJoint(structure="one by one")).origin({}).truth
    np.testing.assert_allclose(alone.posterior, np.tile(alone.posterior[0], (1000, 1)))
    origin = MarkovField(joint=RandomJoint(structure="in pairs")).origin({})
    partner = origin.table.column("x1").values
    for value in range(3):
        own = origin.truth.posterior[partner == value]
        np.testing.assert_allclose(own, np.tile(own[0], (len(own), 1)))


def test_the_free_energy_is_the_sum_over_the_hidden_units():
    """F(v) = -v'b - sum_j ln(1 + e^(c_j + v'W_j)), and P(h_j = 1 | v) is logistic."""
    law = TwoLayers()
    W, b, c = law.weights()
    weights = np.exp(law.log_weights()).reshape(16, 8)
    v = law.states()[:4].reshape(4, 16, 8)[:, :, 0].T
    free = -v @ b - np.log1p(np.exp(c + v @ W)).sum(axis=1)
    np.testing.assert_allclose(weights.sum(axis=1), np.exp(-free))
    origin = MarkovField(joint=law).origin({})
    seen = origin.table.matrix("v1", "v2", "v3", "v4")
    np.testing.assert_allclose(origin.truth.posterior[:, 1], expit(c[0] + seen @ W[:, 0]))


def test_a_coin_falls_as_its_chance_says_and_shows_its_share():
    table = CoinTosses(n_samples=10_000, theta=0.3).origin({}).table
    heads = table.column("side").values
    assert abs(heads.mean() - 0.3) < 4 * np.sqrt(0.21 / 10_000)
    assert table.column("share").values[-1] == pytest.approx(heads.mean())


@pytest.mark.parametrize(
    ("weights", "above", "below"), [((1 / 2, 1 / 2), 18, 27), ((2 / 3, 1 / 3), 20, 24)]
)
def test_no_rule_for_two_observations_is_the_best_on_both_sides(weights, above, below):
    table = LevelInNoise(n_samples=40_000, n_observations=2, last=2.0).origin({}).table
    level = table.column("y").values
    off = table.matrix("x1", "x2") @ weights - level
    for here, variance in ((level >= 0, above / 36), (level < 0, below / 36)):
        # The variance of a sample variance of normals is 2 v^2 / n.
        error = variance * np.sqrt(2 / here.sum())
        assert abs(off[here].var() - variance) < 4 * error


def test_densities_have_their_moments_and_shares():
    source = PdfGallery(n_samples=40_000, low=-1, high=3, mean=2.0, sd=0.5, correlation=-0.6)
    table = source.origin({}).table
    even, normal, joint = (table.column(name).values for name in table.names)
    assert abs(even.mean() - 1) < 4 * np.sqrt(16 / 12 / 40_000)
    for k, share in ((1, 0.682689), (2, 0.954500), (3, 0.997300)):
        error = np.sqrt(share * (1 - share) / 40_000)
        for column in (normal, joint):
            assert abs((np.abs(column - 2) < 0.5 * k).mean() - share) < 4 * error
    assert abs(np.corrcoef(normal, joint)[0, 1] + 0.6) < 4 * (1 - 0.36) / np.sqrt(40_000)


def test_the_tightest_rectangle_keeps_its_promise():
    """176 rows, error 0.1, doubt 0.05; the best rule knows the box [0.2, 0.8]^2."""
    failed = 0
    for seed in range(200):
        origin = Concepts(n_samples=176, seed=seed).origin({})
        X = origin.table.matrix("x1", "x2")[origin.truth.labels == 1]
        failed += 0.36 - np.ptp(X, axis=0).prod() > 0.1
    assert failed <= 0.05 * 200


def test_a_hypothesis_of_short_intervals_is_right_on_what_it_saw_and_seldom_else():
    table = IntervalFamily(n_samples=20_000, length=0.1).origin({}).table
    wrong, seen = table.column("verdict").values, table.column("chosen_by").values
    assert wrong[seen == 1].sum() == 0
    assert wrong[seen == 0].mean() > 0.9 - 4 * np.sqrt(0.09 / 10_000)


@pytest.mark.parametrize("family", ["singletons", "thresholds", "random tables"])
def test_one_hypothesis_is_always_right_and_the_majority_errs_seldom(family):
    origin = HypothesisClasses(family=family, n_samples=400).origin({})
    X = origin.table.matrix(*(f"h{j + 1}" for j in range(16)))
    right = int(origin.truth.coefficients.argmax())
    np.testing.assert_array_equal(X[:, right], origin.truth.labels)
    alive, mistakes = np.ones(16, bool), 0
    for row, answer in zip(X, origin.truth.labels, strict=True):
        mistakes += (row[alive].mean() > 0.5) != answer
        alive &= row == answer
    assert mistakes <= 4  # log2 of 16


def test_a_leaky_neuron_comes_to_its_input_exponentially():
    table = LeakyNeurons(circuit="steady input", n_samples=800).origin({}).table
    time, m, run = (table.column(name).values for name in ("time", "m1", "run"))
    for k in (0, 5):
        own = run == k
        start = m[own][0]
        expected = (start - 30) * np.exp(-time[own]) + 30
        np.testing.assert_allclose(m[own], expected, atol=1e-4)


@pytest.mark.parametrize(
    ("circuit", "ends"),
    [("holds itself back", 1), ("drives itself", 2), ("one rest", 1), ("either wins", 2),
     ("four rests", 4)],
)  # fmt: skip
def test_circuits_have_as_many_stable_rests_as_they_say(circuit, ends):
    source = LeakyNeurons(circuit=circuit, runs=50, n_samples=2000, span=40.0)
    table = source.origin({}).table
    states = [name for name in table.names if name.startswith("m")]
    last = table.matrix(*states).reshape(50, 40, -1)[:, -1]
    assert len(np.unique(last.round(2), axis=0)) == ends


def test_two_neurons_go_round_for_ever():
    source = LeakyNeurons(circuit="cycle", runs=5, n_samples=5000, span=100.0)
    M = source.origin({}).table.matrix("m1", "m2").reshape(5, 1000, 2)
    late = M[:, 700:]
    assert (np.ptp(late, axis=1) > 1.0).all()  # still moving
    np.testing.assert_allclose(late.max(axis=1) - late.max(axis=1)[0], 0.0, atol=0.05)


def test_random_networks_fall_and_come_to_rest_after_some_fifty_iterations():
    table = HopfieldRandom(n_samples=150).origin({}).table
    start, iterations, end = (table.column(name).values for name in table.names)
    assert (end < start).all()
    assert abs(iterations.mean() - 55) < 4 * np.hypot(
        iterations.std() / np.sqrt(150), 9 / np.sqrt(200)
    )


@pytest.mark.parametrize("name", LANDSCAPES)
def test_a_landscape_is_lowest_where_it_says(name):
    it = LANDSCAPES[name]
    source = Landscapes(function=name, n_samples=2000)
    truth = source.origin({}).truth
    if not it.minima:
        return
    heights = it.value(truth.centers)
    np.testing.assert_allclose(heights, heights[0], atol=1e-4)
    around = truth.centers + 1e-3 * np.random.default_rng(0).normal(size=(200, 1, 2))
    lowest = heights[0] - 1e-6
    assert (it.value(around.reshape(-1, 2)) >= lowest).all()
    if name != "cubic":  # which has no ground to the left
        assert truth.signal.min() >= lowest
    known = {"camel": -1.031628, "cubic": 2 * 22 / 27}
    assert heights[0] == pytest.approx(known.get(name, 0.0), abs=1e-4)


def test_a_function_says_how_many_columns_it_needs():
    with pytest.raises(ParamError, match="camel needs 2 columns; got 3"):
        Landscapes(function="camel", n_features=3)


def test_a_smooth_line_has_one_valley_and_a_rough_one_several():
    def valleys(roughness: float) -> int:
        table = LineLandscape(roughness=roughness, n_samples=400).origin({}).table
        place = np.argsort(table.column("state").values)
        falls = np.diff(table.column("cost").values[place]) < 0
        return int((falls[:-1] & ~falls[1:]).sum())

    assert valleys(0.0) == 1 and 2 <= valleys(2.0) <= 8


def test_scores_of_strings_are_ones_and_the_later_machine():
    ones = BitStrings().origin({}).table
    np.testing.assert_array_equal(ones.matrix()[:, :12].sum(axis=1), ones.matrix()[:, 12])
    jobs = BitStrings(score="schedule", n_features=5).origin({}).table.matrix()
    for row in jobs[:10]:
        first = sum(j + 1 for j in range(5) if row[j])
        assert row[5] == max(first, 15 - first)
    assert jobs[:, 5].min() >= 8
