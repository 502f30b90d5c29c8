"""What is said of groups of rows: the worst, what survives, and what fairness excludes."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from figures.view import views
from figures.views.explaining import group_rates, slice_dots
from figures.views.explaining.group_rates import RateDots
from figures.views.explaining.slice_dots import SliceDots
from mlcore.evaluation.slices.factors import Factor
from mlcore.evaluation.slices.fairness import fairness_rates, four_fifths
from mlcore.evaluation.slices.search import slice_scores
from mlcore.runs.explaining.fairness import GroupRates, _conflict

RNG = np.random.default_rng(2)
CODES = np.repeat([0, 1, 2], [200, 150, 150])
GROUP = Factor("area", CODES, ("<b>north</b>", "south", "west"))


def dots(right: np.ndarray) -> SliceDots:
    found = slice_scores(right, [GROUP], better="higher")
    return SliceDots("Accuracy", "higher", found, 20, ("area",))


def rates(y: np.ndarray, d: np.ndarray, p: np.ndarray | None = None) -> RateDots:
    found = fairness_rates(y, d, CODES, p)
    groups = ("north", "south", "west")
    n = np.bincount(CODES)
    ratio = four_fifths(found[1].value)
    conflict = _conflict(groups, found)
    return RateDots(GroupRates("area", False, "yes", groups, n, 0, found, ratio, conflict, 20, ()))


def test_what_survives_is_a_shape_and_a_word():
    d = dots(RNG.random(500) < np.where(CODES == 1, 0.6, 0.95))
    found: Any = d.scores
    assert d.groups[0] == "area: south"
    assert d.verdicts[0] == "worse"
    assert "1 of 3 groups looked at scores worse" in slice_dots.reading(d)
    assert "Holm" in slice_dots.reading(d)
    assert "of all rows together " in slice_dots.reading(d)  # not the page's mean over folds
    assert slice_dots.reading(d).endswith("area is not among the variables of the model.")
    figure: Any = slice_dots.draw(d)
    drawn = {trace.marker.symbol: len(trace.x) for trace in figure.data if not trace.showlegend}
    assert drawn["diamond"] >= 1
    assert any("south · n 150 · worse" in note.text for note in figure.layout.annotations)
    assert any(shape.x0 == pytest.approx(found.overall) for shape in figure.layout.shapes)


def test_pairs_with_commas_are_told_apart_in_the_sentence():
    d = dots(RNG.random(500) < 0.9)
    text = slice_dots.reading(_Worse(*d))
    assert "score worse than the other rows: a: 1, b: 2; a: 1, b: 3; and 1 more. " in text


def test_a_pair_is_named_whole_in_the_sentence():
    pair = "bill_depth_mm: 15.6 to < 17.3, flipper_length_mm: 190 to < 213"
    d: Any = _Worse(*dots(RNG.random(500) < 0.9))
    d.groups = (pair, *_Worse.groups[1:])
    assert f"Worst is {pair}: " in slice_dots.reading(d)


class _Worse(slice_dots.SliceDots):
    groups = ("a: 1, b: 2", "a: 1, b: 3", "c: 4")  # type: ignore[assignment]  # said, not scored
    verdicts = ("worse",) * 3  # type: ignore[assignment]  # as above


def test_chance_is_called_chance_and_no_groups_are_said():
    d = dots(RNG.random(500) < 0.9)
    assert "None of 3 groups looked at differs" in slice_dots.reading(d)
    none = d._replace(scores=slice_scores(RNG.random(500), [], better="higher"))
    assert "No group is large enough" in slice_dots.reading(none)
    figure: Any = slice_dots.draw(none)
    assert figure.layout.annotations


def test_panels_have_room_for_what_stands_between_them():
    """In pixels: ticks and the title of an axis, half of the next heading above its place."""
    y, d = (RNG.random((2, 500)) < 0.5).astype(int)
    fig = group_rates.draw(rates(y, d, RNG.random(500)))
    at = [fig.layout["yaxis" + k].domain for k in ("", "2")]
    inside = fig.layout.height - group_rates.ROOM
    assert (at[0][0] - at[1][1]) * inside >= 20 + 24 + 20


def test_base_rates_that_differ_exclude_the_criteria_with_their_numbers():
    y = RNG.random(500) < np.where(CODES == 0, 0.6, 0.2)
    d = rates(y, np.where(RNG.random(500) < 0.8, y, ~y))
    text = group_rates.reading(d)
    base = d.rates[0].value
    assert f"Base rates differ, {base.min():.2f} in" in text
    assert "cannot hold together" in text
    assert "Chouldechova 2017" in text
    assert "the false positive rate would have to be" in text
    assert "below the 0.8 of the four-fifths rule" in text
    assert "area is no variable of the model" in text
    perfect = group_rates.reading(rates(y, y))
    assert "unless every decision is right" in perfect
    assert "would have to be" not in perfect


def test_equal_base_rates_exclude_little():
    y = np.tile([0, 1], 250)
    assert "hardly exclude each other" in group_rates.reading(rates(y, y))


def test_names_of_strangers_are_no_markup():
    answer = SimpleNamespace(joined=dots(RNG.random(500) < 0.9))  # with the parts of an answer
    figure: Any = views()["slice_dots"].make(answer).figure
    texts = [note.text for note in figure.layout.annotations]
    assert any("north" in text for text in texts)
    assert not any("<b>" in text for text in texts)
