"""Pictures of fits that learned from other rows than those of the table."""

import inspect
from contextlib import suppress
from functools import cache

import numpy as np
import pytest

from figures.numbers.recordings import recording_of
from figures.view import views, views_of_steps
from mlcore.data.dataset import TableData
from mlcore.data.generators.classes.blobs import Blobs
from mlcore.evaluation.splits import HoldOut
from mlcore.preparation.augmenter import Augmenter
from mlcore.preparation.balancer import Balancer
from mlcore.preparation.outlier_remover import OutlierRemover
from mlcore.preparation.standardise import Standardise
from mlcore.runs.carry import carried_out, recording
from mlcore.runs.run import Run
from mlcore.spine.errors import MlcoreError
from mlcore.spine.registry import lookup
from service import tables

SAMPLERS = {
    "": Standardise(),  # none
    "undersample": Balancer(),
    "bootstrap": Balancer(method="bootstrap"),  # as many rows as before, but others
    "outliers": OutlierRemover(share=0.1),
    "copies": Augmenter(strength=0.2),
}
NAMES = tuple(name for name in SAMPLERS if name)
METHODS = {
    "classes": ("classification", "decision_tree", {}),
    "street": ("svm", "svc", {}),
    "path": ("classification", "logistic", {}),
    "quantity": ("regression", "ridge", {}),
    "clusters": ("clustering", "kmeans", {"n_init": 1}),
    "map": ("reduction", "pca", {}),
}
# Each kind of method with rows that are fewer and with rows that are copies; classes are resampled
# for what learns classes.
CASES = [(sampler, method) for sampler in ("outliers", "copies") for method in METHODS]
CASES += [("undersample", "street"), ("bootstrap", "clusters"), ("bootstrap", "street")]


@cache
def held(sampler: str, method: str) -> dict:
    """Everything that a view may ask for, of a run on uneven classes."""
    data = TableData(source=Blobs(n_samples=70, weights=(4.0, 1.0, 1.0), cluster_std=2.0, seed=2))
    if method == "quantity":
        data = TableData(source="longley")
    slot, name, settings = METHODS[method]
    steps = (Standardise(), SAMPLERS[sampler])
    run = Run(data=data, preparation=steps, method=lookup(slot, name)(**settings),
              evaluation=HoldOut())  # fmt: skip
    outcome = carried_out(run)
    whole = outcome.whole
    found = {"dataset": data.dataset(), "outcome": outcome, "whole": whole, "fit": whole.fit}
    found |= {"run": run, "prepared": whole.prepared}
    return found | ({"steps": recording(run)[1]} if hasattr(run.method, "steps") else {})


def drawn(given: dict) -> dict:
    """Every view that applies to a run, by name."""
    fit, of_steps, found = given["fit"], views_of_steps(given["prepared"]), {}
    for name, entry in views().items():
        own = inspect.signature(entry.make).parameters
        needed = {key for key in entry.needs if own[key].default is own[key].empty}
        asked = entry.allowed_by(fit)
        if asked and needed <= given.keys() and (name in of_steps or not entry.of_step):
            with suppress(MlcoreError):  # it says that it does not apply
                found[name] = entry.drawn(given)
    return found


@pytest.mark.parametrize(("sampler", "method"), CASES)
def test_every_view_is_drawn_and_names_rows_of_the_table(sampler, method):
    given = held(sampler, method)
    found, plain = drawn(given), drawn(held("", method))
    assert found.keys() >= plain.keys() > {"before_after", "fold_ribbon"}
    rows = set(range(given["dataset"].table.n_rows))
    for view in found.values():
        assert view.reading.endswith(".")
        assert view.rows is None or set(np.asarray(view.rows).tolist()) <= rows
        assert "on all" not in view.note or "fitted" not in view.note, "it was not fitted on all"


@pytest.mark.parametrize("sampler", NAMES)
def test_clusters_are_those_of_the_rows_as_they_came(sampler):
    given = held(sampler, "clusters")
    dataset, whole = given["dataset"], given["whole"]
    expected = whole.fit.predict(whole.prepared.transform(dataset.X))
    np.testing.assert_array_equal(drawn(given)["cluster_map"].numbers.cloud.klass, expected)
    np.testing.assert_array_equal(tables.groups(given["outcome"], dataset)["group"], expected + 1)
    # The labels that the fit holds are of its own rows: they do not do.
    held_labels = whole.fit.labels
    assert len(held_labels) != dataset.n or not np.array_equal(held_labels, expected)


def test_without_predictions_a_group_is_that_of_the_first_row_made_from_a_row():
    from tests.figures import made
    from tests.figures.standins import FarIsNoise

    data = made.dataset([[0.0, 0.0], [9.0, 9.0], [0.1, 0.0], [0.0, 0.1]])
    whole = made.whole(data, FarIsNoise(), rows=[1, 3, 3, 0])
    assert not hasattr(whole.fit, "predict")
    own = dict(zip([1, 3, 3, 0], whole.fit.labels.tolist(), strict=True))
    assert whole.labels(data.X).tolist() == [own[0], own[1], -1, own[3]]


@pytest.mark.parametrize("sampler", NAMES)
def test_multipliers_stand_at_the_row_that_they_came_from(sampler):
    given = held(sampler, "street")
    fit, rows = given["fit"], given["prepared"].rows
    bars = drawn(given)["alpha_bars"].numbers
    assert set(bars.at.tolist()) == set(rows[fit.support].tolist())
    assert bars.alpha.max() == pytest.approx(np.abs(fit.duals).max())
    here = np.isin(np.arange(given["dataset"].n), rows)
    assert here[bars.at].all()


@pytest.mark.parametrize("method", ["clusters", "street", "path", "map"])
@pytest.mark.parametrize("sampler", ["bootstrap", "copies"])
def test_the_player_ends_with_the_finished_picture(sampler, method):
    given = held(sampler, method)
    for name, view in drawn(given).items():
        if view.step is not None:
            played = recording_of(view, given["whole"], given["steps"], given["dataset"])
            assert len(played.frames) == len(played.sentences)
            if name == "cluster_map":
                end = next(c["class"] for c in played.frames[-1].values() if "class" in c)
                np.testing.assert_array_equal(end, view.numbers.cloud.klass)


def test_the_table_of_prepared_rows_counts_how_often_each_is_learned_from():
    given = held("bootstrap", "map")
    frame = tables.prepared(given["outcome"], given["dataset"])
    assert len(frame) == given["dataset"].n
    assert frame["times learned from"].sum() == len(given["prepared"].rows)
