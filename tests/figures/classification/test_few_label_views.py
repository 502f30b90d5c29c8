"""What the pictures of few labels are computed from, and that the player can change it."""

from __future__ import annotations

import numpy as np
import pytest

from figures.numbers.clouds import Cloud
from figures.numbers.recordings import recording_of
from figures.view import views
from figures.views.classification import accuracy_vs_labels, label_flow, query_order
from mlcore.classification.active_learning import ActiveLearning
from mlcore.classification.label_propagation import LabelPropagation
from mlcore.data.dataset import TableData
from mlcore.data.generators.classes.partly_labelled import PartlyLabelled
from mlcore.runs.carry import recording, whole_fit
from mlcore.runs.run import Run

SEMI = TableData(source=PartlyLabelled(known=0.1))
SPREAD = Run(data=SEMI, method=LabelPropagation())
ASK = Run(data="iris", method=ActiveLearning(budget=5))


def of(run):
    """The data set and the whole fit of a run."""
    dataset = run.data.dataset({})
    return dataset, whole_fit(run, dataset, 0)


def test_every_row_of_the_table_is_shown_with_what_reached_it():
    dataset, whole = of(SPREAD)
    f = label_flow.numbers(dataset, whole)
    assert (f.cloud.n, int(f.known.sum())) == (300, 30)
    np.testing.assert_array_equal(np.sort(f.cloud.rows), np.arange(300))
    np.testing.assert_array_equal(f.cloud.klass[f.known], dataset.y)
    np.testing.assert_array_equal(f.cloud.klass[~f.known], whole.fit.completed[30:])
    x = dataset.table.column(f.shown.plane.x.column.name).values
    np.testing.assert_array_equal(f.cloud.x, x[f.cloud.rows])
    assert (f.lead[f.known] == 1).all()


def test_queries_are_numbered_and_other_rows_have_no_class():
    dataset, whole = of(ASK)
    q = query_order.numbers(dataset, whole)
    np.testing.assert_array_equal(q.order, whole.fit.order)
    np.testing.assert_array_equal(q.cloud.klass >= 0, q.order >= 0)
    assert sorted(q.order[q.order > 0]) == [1, 2, 3, 4, 5]
    assert np.count_nonzero(q.order == 0) == 6


def test_of_rows_that_were_drawn_again_the_first_turn_counts():
    run = Run(data="iris", preparation=("standardise", "balancer"), method=ActiveLearning(budget=5))
    dataset = run.data.dataset({})
    whole = whole_fit(run, dataset, 0)
    turns = query_order.query_numbers(dataset, whole)
    asked = whole.prepared.follow(np.arange(dataset.n))[whole.fit.asked]
    np.testing.assert_array_equal(np.flatnonzero(turns >= 0), np.unique(asked))


def test_the_curve_counts_labels_from_the_start():
    c = accuracy_vs_labels.numbers(of(ASK)[1].fit)
    np.testing.assert_array_equal(c.labels, np.arange(6, 12))
    assert (len(c.accuracy), c.at_random.shape) == (6, (2, 6))
    assert accuracy_vs_labels.reading(c._replace(at_random=c.at_random[:0])).count(".") >= 1


@pytest.mark.parametrize(("name", "run"), [("label_flow", SPREAD), ("query_order", ASK)])
def test_the_player_ends_with_the_picture(name, run):
    dataset = run.data.dataset({})
    whole, steps = recording(run)
    drawn = views()[name].make(dataset, whole)
    played = recording_of(drawn, whole, steps, dataset)
    at = next(i for i, t in enumerate(drawn.figure.data) if t.uid == "rows")
    classes = [frame[at]["class"] for frame in played.frames]
    np.testing.assert_array_equal(classes[-1], drawn.numbers.cloud.klass)
    without = [(c < 0).sum() for c in classes]
    assert without == sorted(without, reverse=True)
    assert without[0] > without[-1]


def test_numbers_of_rows_that_lie_close_stand_on_other_sides_of_them():
    x, y = np.array([0.0, 5.0, 5.01, 5.0, 10.0]), np.array([0.0, 5.0, 5.0, 5.01, 10.0])
    nothing = np.empty(0)
    cloud = Cloud(x, y, nothing, nothing, ())
    order = np.array([0, 2, 1, 3, -1])
    assert query_order.places(cloud, order)[1:4] == ["middle right", "top center", "middle left"]
    far = query_order.places(cloud, np.array([1, 2, -1, -1, 3]))
    assert far == ["top center"] * 5
