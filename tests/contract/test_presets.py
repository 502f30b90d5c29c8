"""What every preset promises: it opens, it applies to its data, and it says why."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from figures.view import views
from figures.views.clustering.map_mesh import crossings
from mlcore.data.dataset import Dataset
from mlcore.evaluation.metrics.groups import adjusted_rand
from mlcore.preparation.chain import Prepared, prepare
from mlcore.runs.carry import whole_fit
from mlcore.runs.carry_comparison import carried_out
from mlcore.runs.comparable import standing
from mlcore.runs.comparing.pairs import compare_methods
from mlcore.runs.cost import gap_sets, of_fit
from mlcore.runs.fitting import fitted
from mlcore.runs.presets import (
    Preset,
    WholePreset,
    comparison_presets,
    preparation_presets,
    presets,
    trial_presets,
)
from mlcore.runs.refusals import refusal
from mlcore.runs.run import Comparison, Run
from mlcore.spine.errors import ParamError
from mlcore.spine.registry import entries, names, slots_of
from tests.contract.subjects import is_sentence

FAMILIES = (*slots_of("method"), *slots_of("kernel_methods"), "neural")
MOMENT, MANY = 0.2, 1000  # seconds that a fit may be expected to take here; rows of a large table
BASELINES = {"constant", "constant_regression"}
EVERY = [(family, preset) for family in FAMILIES for preset in presets(family)]


@pytest.mark.parametrize(
    ("family", "preset"), [pytest.param(f, p, id=f"{f}.{p.name}") for f, p in EVERY]
)
def test_preset_can_be_opened_and_carried_out(family: str, preset: Preset) -> None:
    run = preset.run()
    assert preset.entry in entries(family)
    assert run.method.card.name == preset.entry
    assert is_sentence(preset.why)
    assert len(preset.title) <= 40
    assert {"method", "data"} <= preset.fields().keys()
    dataset = run.data.dataset({})
    rows = some_rows(run, dataset)
    assert len(rows) == dataset.n or refusal(run, dataset) is None
    _, fit = fitted(run, dataset, rows)
    assert fit.made_by == run.method


def some_rows(run: Run, dataset: Dataset) -> np.ndarray:
    """All rows; of a large table each second, fourth or eighth, until a fit is expected to take no
    more than a moment: such a preset costs here what others do. Sequences stay whole."""
    p = sum(max(len(column.levels), 1) for column in dataset.columns)
    is_in_order = dataset.sequences is not None or "lengths" in run.method.card.takes
    steps = [1] if is_in_order or dataset.n < MANY else [1, 2, 4, 8]
    gaps = gap_sets(run, dataset)
    quick = (k for k in steps if of_fit(run.method, dataset.n // k, p, gaps)[0] <= MOMENT)
    return np.arange(0, dataset.n, next(quick, steps[-1]))


@pytest.mark.parametrize(
    ("family", "name", "step"), [("reduction", "ten_digits", 8), ("reduction", "rings", 1)]
)
def test_of_a_large_table_some_rows_are_tried(family: str, name: str, step: int) -> None:
    run = next(p for p in presets(family) if p.name == name).run()
    rows = some_rows(run, dataset := run.data.dataset({}))
    assert rows.tolist() == list(range(0, dataset.n, step))


@pytest.mark.parametrize("slot", FAMILIES)
def test_every_method_has_one_that_works_and_one_that_fails(slot: str) -> None:
    for name, cls in entries(slot).items():
        own = [p.title for p in presets(cls.card.family) if p.entry == name]
        assert len(own) >= 2, name
        if name not in BASELINES:  # a constant neither works nor fails; it is what others beat
            assert {"Works", "Fails"} <= {title.split(":")[0] for title in own}, name


def test_every_agent_is_in_a_trial() -> None:
    tried = {m.card.name for preset in trial_presets("decisions") for m in preset.run().methods}
    assert tried == set(names("agent"))


@pytest.mark.parametrize("family", slots_of("method"))
def test_names_of_presets_are_unique(family: str) -> None:
    found = [(p.entry, p.name) for p in presets(family)]
    assert len(set(found)) == len(found)


def test_a_preset_with_an_unknown_setting_says_so() -> None:
    with pytest.raises(ParamError, match=r"Preset wrong: 'method\.n_groups' belongs to nothing"):
        Preset("wrong", "Wrong", "kmeans", "No reason.", values="n_groups=3").run()


@pytest.mark.parametrize(
    "preset", [p for p in presets("novelty") if p.title.startswith("Works")], ids=lambda p: p.name
)
def test_the_map_of_a_novelty_preset_shows_what_the_method_says(preset: Preset) -> None:
    run = preset.run()
    dataset = run.data.dataset({})
    whole = whole_fit(run, dataset, 1)
    m = views()["novelty_map"].drawn({"dataset": dataset, "whole": whole}).numbers
    assert 0.0 < m.judged.outside.mean() < 0.5, "a line that no row lies beyond shows nothing"
    assert m.astray < 0.25, "rows that lie on the other side of the line than the method says"


@pytest.mark.parametrize(
    ("name", "low", "high"),
    [
        ("round_clouds", 1.0, 1.0),
        ("cultivars", 0.85, 1.0),
        ("one_large_unit", 0.0, 0.5),
        ("moons", 0.0, 0.6),
        ("rings", -0.05, 0.05),
        ("unequal_sizes", 0.0, 0.4),
        ("one_start", 0.0, 0.9),
        ("groups_into_rings", 0.99, 1.0),
        ("groups_too_wide", -0.1, 0.5),
        ("species", 0.88, 0.92),
        ("prior_of_shapes", 0.94, 1.0),
        ("prior_in_wrong_units", 0.0, 0.0),
    ],
)
def test_the_clustering_presets_show_what_they_say(name: str, low: float, high: float) -> None:
    run = next(p for p in presets("clustering") if p.name == name).run()
    dataset = run.data.dataset({})
    _, fit = fitted(run, dataset, np.arange(dataset.n))
    assert low <= adjusted_rand(dataset.y, fit.labels) <= high


@pytest.mark.parametrize(
    ("name", "crossed", "torn", "dead"),
    [
        ("unfolded_square", (0, 0), (0.0, 0.01), (0, 0)),
        ("corona_unfolds", (0, 0), (0.0, 0.02), (5, 80)),
        ("folded_square", (50, 500), (0.2, 0.5), (0, 10)),
        ("corona_folds", (300, 5000), (0.1, 0.5), (5, 200)),
        ("corona_shrinks", (0, 0), (0.0, 0.02), (150, 300)),
    ],
)
def test_the_maps_unfold_or_fold_as_their_presets_say(name, crossed, torn, dead) -> None:
    run = next(p for p in presets("clustering") if p.name == name).run()
    dataset = run.data.dataset({})
    _, fit = fitted(run, dataset, np.arange(dataset.n))
    assert crossed[0] <= crossings(fit.centers, fit.lattice.edges()) <= crossed[1]
    assert torn[0] <= fit.topographic_error <= torn[1]
    assert dead[0] <= (fit.hits == 0).sum() <= dead[1]


@pytest.mark.parametrize(
    ("name", "low", "high"),
    [
        ("annealed_rate", 0.10, 0.11),
        ("shaking_rate", 0.50, 0.60),
        ("rate_too_small", 1.0, 2.0),
        ("drift_order", 1.0, 2.0),
    ],
)
def test_rates_reach_or_miss_the_centers_as_their_presets_say(name, low, high) -> None:
    run = next(p for p in presets("clustering") if p.name == name).run()
    dataset = run.data.dataset({})
    assert low <= fitted(run, dataset, np.arange(dataset.n))[1].distortion <= high


@pytest.mark.parametrize(
    ("name", "count", "share"),
    [
        ("thirty_columns", 2, 0.632),
        ("digits", 21, 0.903),
        ("one_large_unit", 1, 0.998),
        ("rings", 1, 0.50),
    ],
)
def test_the_reduction_presets_show_what_they_say(name: str, count: int, share: float) -> None:
    run = next(p for p in presets("reduction") if p.name == name).run()
    dataset = run.data.dataset({})
    _, fit = fitted(run, dataset, np.arange(dataset.n))
    assert len(fit.axes) == count
    assert fit.shares.sum() == pytest.approx(share, abs=0.005)


@pytest.mark.parametrize("preset", preparation_presets(), ids=lambda preset: preset.name)
def test_a_preparation_can_be_opened_and_carried_out(preset: WholePreset[Run]) -> None:
    run = preset.run()
    assert is_sentence(preset.why)
    assert len(preset.title) <= 40
    assert preset.title.split(":")[0] in {"Works", "Fails"}
    prepared = _prepared(run)
    assert len(prepared.fits) == len(run.preparation)
    assert np.isfinite(prepared.X).all()


def test_names_of_preparation_presets_are_unique() -> None:
    found = [preset.name for preset in preparation_presets()]
    assert len(set(found)) == len(found)


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("merit", "Kept 4 of 10 variables: bmi, bp, s3 and s5."),
        ("forward", "Kept 2 of 5 variables: x1 and x3."),
        ("backward", "Kept 2 of 5 variables: x1 and x2."),
        ("balanced", "Made 20 rows of 10,000, 10 of each class."),
        ("far_state", "Removed 1 of 51 rows"),
        ("outlier_in_target", "Removed 1 of 20 rows"),
    ],
)
def test_the_preparation_presets_show_what_they_say(name: str, said: str) -> None:
    run = next(p for p in preparation_presets() if p.name == name).run()
    assert _prepared(run).summary()[-1].note.startswith(said)


def _prepared(run: Run) -> Prepared:
    dataset = run.data.dataset({})
    return prepare(run.preparation, dataset.X, dataset.y, dataset.columns, run.seed)


@pytest.mark.parametrize("preset", comparison_presets(), ids=lambda preset: preset.name)
def test_a_comparison_can_be_opened_and_all_its_methods_apply(
    preset: WholePreset[Comparison],
) -> None:
    run = preset.run()
    assert is_sentence(preset.why)
    assert len(preset.title) <= 40
    for data in (run.data, *run.more):
        dataset = data.dataset({})
        assert standing(replace(run, data=data), dataset).reasons == ("",) * len(run.methods)


@pytest.mark.parametrize(
    ("name", "best", "beaten"),
    [
        ("crabs", "Logistic regression", {"k-nearest neighbours", "Decision tree", "Naive Bayes"}),
        ("moons", "k-nearest neighbours", {"Logistic regression", "Naive Bayes"}),
        ("units", "k-nearest neighbours", {"k-nearest neighbours after imputation"}),
        ("penalty", "Ridge regression", {"Regression tree"}),
    ],
)
def test_the_comparisons_show_what_they_say(name: str, best: str, beaten: set) -> None:
    preset = next(p for p in comparison_presets() if p.name == name)
    pairs = compare_methods(carried_out(preset.run()), against="best")
    named = best[0].upper() + best[1:]  # a sentence begins with it
    assert pairs.headline.startswith(f"{named} has the best mean")
    assert beaten <= {pair.second.label for pair in pairs.pairs if pair.verdict.kind == "better"}


def test_a_comparison_on_several_data_sets_opens_where_they_are():
    """What it says of their ranks is in that tab, the first one is of one table."""
    of_many = [preset for preset in comparison_presets() if preset.run().more]
    assert of_many
    assert all(preset.view_pairs() == {"view.tab": "sets"} for preset in of_many)
