"""Examples: each loads from its file, has a target of its own, and always draws the same rows."""

from __future__ import annotations

from collections import Counter

import numpy as np
import pytest
from sklearn.cluster import KMeans
from sklearn.mixture import GaussianMixture

from mlcore.data import bundled
from mlcore.data.dataset import TableData
from mlcore.data.examples import Example, examples, groups
from mlcore.data.glimpses import glimpses
from mlcore.data.sources import Bundled
from mlcore.runs.run import Run, from_json
from mlcore.spine import codec
from mlcore.spine.params import params_of
from mlcore.spine.registry import lookup, names

EVERY = list(examples().values())


@pytest.mark.parametrize("example", EVERY, ids=lambda example: example.name)
def test_an_example_is_complete_and_gives_rows_to_learn_from(example: Example) -> None:
    assert sum(map(bool, (example.generator, example.text, example.part_of))) == 1
    assert example.shows.endswith(".") and example.shows.count(". ") <= 2
    assert len(example.title) <= 40
    dataset = TableData(source=example.name).dataset({})
    assert dataset.name == example.title
    assert 3 <= dataset.n <= 20_000 and np.isfinite(dataset.X).any()
    assert bundled.load(example.name).digest() == dataset.table.digest()
    said, table = glimpses()[example.name], dataset.table
    facts = table.n_rows, len(table.names), dataset.task
    assert (said.rows, said.columns, said.task) == facts, (
        "Run python -m mlcore.data.glimpses, and commit what it writes."
    )
    if example.start:
        assert dataset.truth.start.shape[1] == dataset.X.shape[1]


@pytest.mark.parametrize(
    "example", [each for each in EVERY if each.generator], ids=lambda example: example.name
)
def test_the_settings_are_those_of_the_generator_and_differ_from_its_defaults(
    example: Example,
) -> None:
    cls = lookup("source", example.generator)
    assert set(example.settings) <= set(params_of(cls))
    assert codec.decode("source", codec.encode(example.recipe())) == example.recipe()


def test_names_are_unique_and_name_nothing_else() -> None:
    every = [each.name for group in groups().values() for each in group]
    assert len(every) == len(EVERY)
    taken = {*names("source"), *names("data"), *bundled.names()}
    assert not taken & set(every)
    assert all(example.group for example in EVERY)
    assert max(Counter(example.group for example in EVERY).values()) <= 40


def test_an_example_is_named_in_a_link_and_comes_back() -> None:
    run, problems = Run.from_link({"data": "three_blobs", "method": "kmeans"})
    assert not problems
    assert run.data.source == Bundled(name="three_blobs")
    assert run.to_link()["data"] == "three_blobs"
    assert from_json(run.to_json()) == run


def test_a_misspelt_example_gets_a_suggestion() -> None:
    assert "Did you mean 'three_blobs'?" in str(bundled.problem("three_blob"))


def test_k_means_never_leaves_the_start_that_splits_the_far_blob() -> None:
    data = TableData(source="three_blobs").dataset({})
    poor, good = (
        KMeans(3, init=init, n_init=1).fit(data.X).inertia_
        for init in (data.truth.start, data.truth.centers)
    )
    assert poor > 2 * good


def test_a_mixture_never_leaves_the_start_along_one_cloud() -> None:
    data = TableData(source="oriented_blobs").dataset({})
    narrow = np.stack([np.eye(2)] * 3)
    poor, good = (
        GaussianMixture(3, means_init=init, precisions_init=narrow, max_iter=1000, tol=1e-6)
        .fit(data.X)
        .lower_bound_
        for init in (data.truth.start, data.truth.centers)
    )
    assert poor < good - 0.4  # nats a row
