"""What a method refuses of all rows is said before anything is fitted, by every kind of run."""

from __future__ import annotations

from dataclasses import replace

import pytest

from mlcore.clustering.hdbscan import HDBSCAN
from mlcore.clustering.spectral_clustering import SpectralClustering
from mlcore.data.dataset import TableData
from mlcore.data.generators.classes.blobs import Blobs
from mlcore.preparation import once
from mlcore.preparation.standardise import Standardise
from mlcore.reduction.isomap import Isomap
from mlcore.runs import carry, carry_comparison, refusals
from mlcore.runs.comparable import standing
from mlcore.runs.counting.cluster_count import ClusterCount
from mlcore.runs.kinds import kind_of
from mlcore.runs.redrawing.map_stability import MapStability
from mlcore.runs.run import Comparison, Run
from mlcore.runs.tuning.search import GridSearch
from mlcore.runs.tuning.tuning import Tuning

MANY = TableData(source=Blobs(n_samples=5001), target=None)
REASON = "at most 5,000 rows; there are 5,001"
ROWS = MANY.dataset()
SPECTRAL = Run(data=MANY, method=SpectralClustering(affinity="kernel_affinity"))


def why_not(run, rows=ROWS):
    return kind_of(run).why_not(run, (rows,))


@pytest.mark.parametrize(
    "run",
    [
        SPECTRAL,
        ClusterCount.of(SPECTRAL),
        MapStability.of(Run(data=MANY, method=Isomap(n_landmarks=5001))),
        Tuning.of(SPECTRAL, GridSearch(over=(("method.n_clusters", "2, 3"),)), ""),
        Comparison(
            data=MANY,
            methods=(
                SpectralClustering(affinity="kernel_affinity"),
                SpectralClustering(affinity="kernel_affinity", n_clusters=3),
            ),
        ),
    ],
    ids=lambda run: run.card.name,
)
def test_too_many_rows_are_refused_before_anything_is_fitted(run):
    assert "at most 5,000 rows" in (why_not(run) or "")


def test_one_method_of_a_comparison_is_left_out_with_the_sentence_of_its_fit():
    run = Comparison(data=MANY, methods=("kmeans", SpectralClustering(affinity="kernel_affinity")))
    fits, refused = standing(run, ROWS).reasons
    assert why_not(run) is None and not fits
    with pytest.raises(ValueError, match=REASON) as raised:
        SpectralClustering(affinity="kernel_affinity").fit(ROWS.X)
    assert refused == str(raised.value)
    assert carry_comparison.estimate(run, ROWS) == carry_comparison.estimate(
        replace(run, methods=("kmeans", "lda")), ROWS
    )


def test_a_tuning_is_refused_only_where_every_candidate_is():
    data = TableData(source=Blobs(n_samples=60), target=None)
    rows, large = data.dataset(), HDBSCAN(min_cluster_size=100)
    assert "at least 100 rows" in (why_not(Run(data=data, method=large), rows) or "")
    search = GridSearch(over=(("method.min_cluster_size", "5, 100"),))
    assert why_not(Tuning.of(Run(data=data, method=large), search, ""), rows) is None
    search = GridSearch(over=(("method.min_cluster_size", "90, 100"),))
    reason = why_not(Tuning.of(Run(data=data, method=large), search, ""), rows)
    assert "at least 90 rows" in (reason or "")


def test_classes_are_named_and_names_need_a_preparation():
    penguins = TableData(source="penguins", target="species")
    bare = Run(data=penguins, method="lda", preparation=())
    assert "Add" in (carry.does_not_apply(bare, penguins.dataset()) or "")
    assert carry.does_not_suit(bare, penguins.dataset()) is None


def test_what_takes_long_to_prepare_is_left_to_the_fit(monkeypatch):
    rows = MANY.dataset()
    monkeypatch.setattr(refusals, "MOST_VALUES", 5000)
    assert refusals.refusal(SPECTRAL, rows) is None
    monkeypatch.undo()
    assert REASON in (refusals.refusal(SPECTRAL, rows) or "")


def test_it_is_asked_once_a_run_and_data_set(monkeypatch):
    rows = MANY.dataset()
    assert REASON in (refusals.refusal(SPECTRAL, rows) or "")
    monkeypatch.setattr(refusals, "check_prepared", None)
    assert REASON in (refusals.refusal(SPECTRAL, rows) or "")


def broken(*_, **__):
    raise ZeroDivisionError("a fault of ours")


def test_a_fault_that_is_no_refusal_is_logged_and_left_to_the_run(monkeypatch, caplog):
    rows, two = MANY.dataset(), Comparison(data=MANY, methods=("kmeans", "gaussian_mixture"))
    monkeypatch.setattr(refusals, "check_prepared", broken)
    assert why_not(SPECTRAL, rows) is None and why_not(two, rows) is None
    assert "a fault of ours" in caplog.text
    caplog.clear()
    assert why_not(SPECTRAL, rows) is None and not caplog.text  # it is told once


def test_a_fault_of_a_step_is_logged_and_left_to_the_run(monkeypatch, caplog):
    rows = MANY.dataset()
    monkeypatch.setattr(once, "prepare", broken)
    assert why_not(SPECTRAL, rows) is None
    assert "a fault of ours" in caplog.text
    assert refusals.prepared_if_it_can_be(SPECTRAL, rows) is None  # asked by a comparison


def test_preparing_for_all_candidates_together_is_bounded(monkeypatch):
    rows = MANY.dataset()
    other = replace(SPECTRAL, preparation=(*SPECTRAL.preparation, Standardise()))
    two = [SPECTRAL, other]
    assert REASON in (refusals.refusal_of_all(two, rows) or "")
    monkeypatch.setattr(refusals, "MOST_VALUES", 5 * rows.n)  # 3 classes
    assert refusals.refusal_of_all(two, rows) is None
    alike = [replace(SPECTRAL, method=SPECTRAL.method.with_groups(k)) for k in (2, 3, 4)]
    assert REASON in (refusals.refusal_of_all(alike, rows) or "")
    monkeypatch.setattr(refusals, "MOST_KNOWN", 2)
    assert refusals.refusal_of_all(alike, rows) is None


class Forgetful(dict):
    """Answers that another session forgets in the moment in which one is looked for, if it may."""

    def __contains__(self, run: object) -> bool:
        is_known = super().__contains__(run)
        if refusals._CHANGING.acquire(blocking=False):
            self.clear()
            refusals._CHANGING.release()
        return is_known


def test_an_answer_may_be_forgotten_by_another_session_at_any_time(monkeypatch):
    rows = MANY.dataset()
    monkeypatch.setitem(refusals._KNOWN, rows, Forgetful({SPECTRAL: "known"}))
    assert refusals.refusal(SPECTRAL, rows) == "known"
