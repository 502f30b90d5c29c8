"""Several runs as a table: the settings in which they differ."""

from __future__ import annotations

from dataclasses import replace

from mlcore.classification.lda import LDA
from mlcore.clustering.kmeans import KMeans
from mlcore.data.dataset import TableData
from mlcore.runs.differing import KIND, differing_settings, named
from mlcore.runs.run import Run, Trial

RUN = Run(data="iris", method=KMeans(n_clusters=2))


def test_equal_runs_and_a_single_one_and_none_differ_in_nothing():
    assert differing_settings([]) == ()
    assert differing_settings([RUN]) == ()
    assert differing_settings([RUN, RUN, RUN]) == ()


def test_a_setting_that_differs_is_one_column_with_numbers_as_numbers():
    runs = [RUN, replace(RUN, method=KMeans(n_clusters=5)), replace(RUN, seed=3)]
    method, seed = differing_settings(runs)
    assert method == ("method.n_clusters", "Method: number of clusters", (2, 5, 2))
    assert seed == ("seed", "Seed", (0, 0, 3))


def test_what_only_one_method_has_is_no_column_but_the_method_is():
    runs = [RUN, replace(RUN, method=LDA())]
    assert [setting.path for setting in differing_settings(runs)] == ["method"]
    (method,) = differing_settings(runs)
    assert method.values == (RUN.method.title(), LDA().title())


def test_a_setting_that_two_of_three_have_stands_where_these_differ():
    runs = [RUN, replace(RUN, method=LDA()), replace(RUN, method=KMeans(n_clusters=9))]
    values = {setting.path: setting.values for setting in differing_settings(runs)}
    assert values["method.n_clusters"] == (2, None, 9)


def test_steps_differ_by_their_titles_and_by_their_settings():
    runs = [replace(RUN, preparation=()), RUN]
    values = {setting.path: setting.values for setting in differing_settings(runs)}
    assert values["preparation"][0] == "none" and ", " in values["preparation"][1]


def test_data_and_kinds_of_run_differ_too():
    values = {s.path: s for s in differing_settings([RUN, replace(RUN, data=TableData())])}
    assert "data.source" in values or "data.source.name" in values
    kinds = differing_settings([RUN, Trial()])[0]
    assert (kinds.path, kinds.title) == ("", KIND)


def test_a_setting_is_named_as_in_the_table():
    (setting,) = differing_settings([RUN, replace(RUN, method=KMeans(n_clusters=5))])
    assert named(RUN, setting.path) == setting.title
    assert named(RUN, "") == KIND
