"""Pictures of labs: what they draw of the numbers, and what their players play."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from figures.lab import pictures_of
from figures.labs.clustering import criteria_disagree
from mlcore.labs.classification.generative import GenerativeLab
from mlcore.labs.clustering.criteria_disagree import CriteriaDisagreeLab
from mlcore.labs.data.stream import StreamLab
from mlcore.labs.preparation.leak_switch import LeakSwitch


@pytest.mark.parametrize("learner", ["mean", "perceptron"])
def test_the_stream_is_played_update_by_update_up_to_its_picture(learner):
    lab = StreamLab(learner=learner, scheme="minibatch", batch_size=15, passes=2, n_rows=100)
    plane = pictures_of(StreamLab(), lab.compute(0))[1]
    assert plane.player
    played = plane.player()
    assert len(played.frames) == 2 * 7  # the last of 15s is short
    assert played.sentences[7].startswith("Update 8, in pass 2.")
    traces: Any = plane.figure.data
    for k, changed in played.frames[-1].items():
        for axis, values in changed.items():
            np.testing.assert_allclose(values, traces[k][axis], rtol=1e-6)


def test_a_stream_of_one_update_has_nothing_to_play():
    assert pictures_of(StreamLab(), StreamLab(scheme="batch").compute(0))[1].player is None


def test_the_folds_of_the_leak_name_what_the_choice_has_seen():
    numbers = LeakSwitch(repeats=1).compute(0)
    drawn: Any = pictures_of(LeakSwitch(), numbers)[1].figure
    for way, (trace, word) in enumerate(zip(drawn.data, ("unseen", "seen"), strict=True)):
        assert drawn.layout.annotations[way].text.endswith(f"left out rows {word}")
        said = [text for line in trace.text for text in line if text]
        share = numbers.first.right[way] / numbers.first.sizes
        assert said == [f"{value:.0%}".replace("%", " %") for value in share]
        assert (np.asarray(trace.z) == np.eye(5)).all()


def test_hovering_a_line_of_a_lab_names_it_and_both_axes():
    curve: Any = pictures_of(StreamLab(), StreamLab().compute(0))[0].figure.data[0]
    assert curve.name == "shuffled"
    for part in ("fullData.name", "xaxis.title.text", "yaxis.title.text", "y:.5~r"):
        assert part in curve.hovertemplate
    shares: Any = pictures_of(StreamLab(), StreamLab(learner="perceptron").compute(0))[0].figure
    assert "%{y:.1%}" in shares.data[0].hovertemplate


def test_classes_keep_their_colour_from_the_maps_to_the_curves_and_no_curve_has_one_of_them():
    views = pictures_of(GenerativeLab(), GenerativeLab().compute(0))
    maps, curves = (
        {t.name: t.marker.color or t.line.color for t in v.figure.data if t.name}
        for v in (views[1], views[2])
    )
    assert {name: curves.pop(name) for name in maps} == maps
    assert curves.keys() == {"truth", "mixtures", "process"}
    assert not set(curves.values()) & set(maps.values())


def test_groupings_that_are_the_same_are_all_named():
    """With the bars far apart k-means and two radii find them alike; ranks and means then tie."""
    d = CriteriaDisagreeLab(gap=5.0).compute(0)
    alike = "k-means, 2 groups and DBSCAN, medium radius and DBSCAN, large radius"
    assert f"AIC: {alike}; BIC: {alike}. By mean rank: " in criteria_disagree.reading(d)
    assert f"The bars are met best by {alike} " in criteria_disagree.reading(d)
    assert criteria_disagree.rules_reading(d) == (
        f"Best met are the bars by {alike}. Both criteria choose that by full covariances and by "
        "diagonal covariances."
    )
    last = d._replace(chosen=np.full((4, 2), 4))  # the last of the three is as right
    assert "spherical" in criteria_disagree.rules_reading(last)
