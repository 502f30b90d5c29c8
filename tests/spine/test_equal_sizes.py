"""Methods of a comparison with as many coordinates or centers as the one that has the fewest."""

from __future__ import annotations

from dataclasses import replace

from mlcore.runs.carry_comparison import carried_out
from mlcore.runs.comparing.pairs import compare_methods, metric_of
from mlcore.runs.comparing.sizes import as_many, made_equal
from mlcore.runs.run import Comparison, Pipeline
from mlcore.spine.registry import lookup

PCA, KERNEL_PCA = lookup("reduction", "pca"), lookup("reduction", "kernel_pca")
KMEANS, SOM = lookup("clustering", "kmeans"), lookup("clustering", "som")
RUN = Comparison(data="iris", evaluation="hold_out", methods=(PCA(), KERNEL_PCA(n_components=2)))


def equal(run: Comparison, name: str = "") -> tuple | None:
    outcome = carried_out(run)
    found = made_equal(outcome, metric_of(outcome, name))
    return None if found is None else (found.n, found.methods)


def test_the_fewest_coordinates_are_given_to_all_alone_and_in_pipelines():
    own = Pipeline(preparation=RUN.preparation, method=PCA())
    run = replace(RUN, methods=(*RUN.methods, own))
    fewer = PCA(n_components=2)
    assert equal(run) == (2, (fewer, RUN.methods[1], replace(own, method=fewer)))


def test_what_is_equal_or_cannot_be_told_how_many_is_left():
    assert equal(replace(RUN, methods=(PCA(n_components=2), RUN.methods[1]))) is None
    # A map of units has as many as its sides make.
    assert equal(replace(RUN, methods=(KMEANS(), SOM())), "distortion") is None


def test_centers_are_given_too_but_not_where_their_number_is_what_is_compared():
    online = lookup("clustering", "online_kmeans")
    run = replace(RUN, methods=(KMEANS(), online(n_clusters=7)))
    assert equal(run, "distortion") == (3, (KMEANS(), online(n_clusters=3)))
    run = replace(RUN, methods=(KMEANS(), KMEANS(n_clusters=7)))
    assert equal(run, "distortion") is None


def test_a_number_of_coordinates_wins_over_the_share_that_chose_it():
    chosen = PCA(share=0.99999)
    fewer = replace(chosen, n_components=2)
    assert equal(replace(RUN, methods=(chosen, RUN.methods[1]))) == (2, (fewer, RUN.methods[1]))


def test_a_comparison_is_unfair_where_the_best_has_more():
    assert compare_methods(carried_out(RUN)).is_unfair
    assert not compare_methods(
        carried_out(replace(RUN, methods=(PCA(n_components=2), PCA(n_components=2, whiten=True))))
    ).is_unfair


def test_who_is_added_has_as_many_as_all_that_are_there():
    two = KERNEL_PCA(n_components=2)
    assert as_many(PCA(), (two, KMEANS(n_clusters=4))) == PCA(n_components=2)
    assert as_many(PCA(), (Pipeline(preparation=RUN.preparation, method=two),)).n_components == 2
    assert as_many(KMEANS(), (KMEANS(n_clusters=5),)) == KMEANS(n_clusters=5)


def test_who_is_added_begins_as_ever_where_nobody_tells_one_number():
    several = (KMEANS(n_clusters=2), KMEANS(n_clusters=4))
    assert as_many(KMEANS(), several) == KMEANS()
    assert as_many(PCA(), (PCA(),)) == PCA()
    assert as_many(PCA(), (PCA(n_components=1),)) == PCA()
    assert as_many(SOM(), (KMEANS(n_clusters=5),)) == SOM()
