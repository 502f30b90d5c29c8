"""Tables with hundreds of columns and names of sixty letters, in pictures."""

from __future__ import annotations

import re
from typing import Any

import numpy as np
import pytest

import figures.graph as go
from figures.names import LEGEND, PANELS, TICK, TITLE, cut, cut_apart, fit_names
from figures.theme import figure
from figures.view import views
from figures.views.clustering import cluster_profiles
from figures.views.data import column_profiles, correlation_map, missing_map
from figures.views.preparation import class_balance, spectrum, whitening_clouds
from figures.views.trees.tree_diagram import _shortened
from mlcore.data.table import Table, numeric
from mlcore.preparation.chain import prepare
from mlcore.spine.registry import lookup
from tests.figures import made

LONG = "the length of the left upper wing in tenths of a millimetre"
PAIR = [f"{LONG}, first", f"{LONG}, second"]


@pytest.mark.parametrize("most", [3, 8, 20, 60])
def test_a_cut_name_keeps_its_head_and_its_tail(most):
    assert len(cut(LONG, most)) <= most
    assert cut(LONG, most).startswith(LONG[:1])
    assert cut("short", most) == ("short" if most >= 5 else "sh…")


def test_long_names_are_cut_in_the_legend_at_axes_and_at_ticks_and_categories_stay_apart():
    bars = go.Bar(x=[1, 2], y=PAIR, orientation="h", name=PAIR[0])
    fig: Any = fit_names(figure(bars, xaxis={"title": {"text": LONG}}))
    assert len(fig.data[0].name) == LEGEND
    lines = fig.layout.xaxis.title.text.split("<br>")
    assert " ".join(lines) == LONG
    assert max(map(len, lines)) <= TITLE
    assert list(fig.data[0].y) == PAIR
    assert list(fig.layout.yaxis.tickvals) == PAIR
    first, second = fig.layout.yaxis.ticktext
    assert max(len(first), len(second)) <= TICK
    assert (first[-5:], second[-6:]) == ("first", "second")


def test_names_that_fit_are_left_alone_and_half_a_picture_has_half_a_name():
    plain = figure(go.Bar(x=["a", "b"], y=[1, 2], name="c"), xaxis={"title": {"text": "d"}})
    assert fit_names(go.Figure(plain)).to_json() == plain.to_json()
    half: Any = fit_names(figure(xaxis={"title": {"text": LONG}, "domain": [0.5, 1.0]}))
    first, second = half.layout.xaxis.title.text.split("<br>")
    assert max(len(first), len(second)) <= PANELS / 2
    assert first == "the length of the left"


def test_a_title_that_a_phone_would_cut_has_two_lines():
    title = "Change of the score by one standard deviation"  # about 280 pixels, on an axis of 240
    fig: Any = fit_names(figure(xaxis={"title": {"text": title}}))
    assert fig.layout.xaxis.title.text == "Change of the score by one standard<br>deviation"


def test_a_title_is_parted_between_words_before_anything_of_it_is_cut():
    panel: Any = fit_names(
        figure(xaxis={"title": {"text": "Predicted progression"}, "domain": [0.0, 0.41]})
    )
    assert panel.layout.xaxis.title.text == "Predicted<br>progression"


def test_of_many_columns_the_best_are_correlated_and_that_is_said():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(50, 120))
    y = X[:, 100] + 0.01 * rng.normal(size=50)
    c = correlation_map.numbers(made.dataset(X, y))
    assert len(c.names) == 1 + correlation_map.MOST_COLUMNS
    said = correlation_map.reading(c)
    assert said.startswith("x101 goes best with y (r 1.00).")
    assert "Of 120 columns the 40 that go best with y are drawn" in said
    assert "40 that come first" in correlation_map.reading(correlation_map.numbers(made.dataset(X)))


def test_of_many_columns_those_with_missing_values_are_drawn_and_that_is_said():
    values = np.ones((4, 100))
    values[1, 80], values[2, 90] = np.nan, np.nan
    held = Table.of(*(numeric(f"x{j}", values[:, j]) for j in range(100)))
    m = missing_map.numbers(held)
    drawn: Any = missing_map.draw(m)
    assert {"x80", "x90"} <= set(drawn.layout.xaxis.ticktext)
    assert (np.asarray(drawn.data[0].z) == 2).sum() == 2
    assert "Of 100 columns the 60 with the most missing values are drawn." in missing_map.reading(m)


def test_rows_that_a_step_before_left_out_are_not_called_badly_whitened():
    rng = np.random.default_rng(0)
    X = np.vstack([rng.normal(size=(60, 2)), [[40.0, -40.0]]])
    data = made.dataset(X)
    steps = [lookup("preparation", name)() for name in ("outlier_remover", "whitening")]
    white = prepare(tuple(steps), data.X, data.y, data.columns)
    s = whitening_clouds.numbers(data, white)
    assert s.stages[0].cloud.n < 61
    assert "every direction has 1" in whitening_clouds.reading(s)


def test_a_single_direction_is_compared_with_none():
    data = made.dataset(np.arange(5.0)[:, None])
    white = prepare((lookup("preparation", "whitening")(),), data.X, data.y, data.columns)
    said = spectrum.reading(spectrum.numbers(white))
    assert said == "A single direction, with a variance of 2.00 before."


def test_counts_of_all_rows_say_that_a_click_selects_among_some():
    rng = np.random.default_rng(0)
    data = made.dataset(rng.normal(size=(21_000, 1)), rng.integers(0, 2, 21_000), ("a", "b"))
    note = class_balance.class_balance(data).note
    assert note == "21,000 rows; a click selects among 20,000 of them, at random"
    small = made.dataset(np.zeros((4, 1)), [0, 0, 1, 1], ("a", "b"))
    assert class_balance.class_balance(small).note == "4 rows"


def test_shares_that_hardly_change_ask_for_no_weights():
    b = class_balance.Balance(("a", "b"), np.array([50, 50]), (), "y", np.array([49, 50]))
    assert class_balance.reading(b).endswith(
        "The method learns from 99 rows, 49 to 50 of a class: the shares of the classes hardly "
        "change."
    )


def test_the_name_of_a_small_chart_says_values_range_and_missing_values():
    X = np.array([[1.0], [2.5], [2.5], [np.nan]])
    drawn: Any = column_profiles.draw(column_profiles.numbers(made.dataset(X)))
    said = drawn.layout.annotations[0].hovertext
    assert said == "x1: 2 different values from 1 to 2.5, 1 row without"


def test_names_that_would_be_cut_alike_show_where_they_differ():
    names = [f"Sensor {k:02d} in the hall" for k in (3, 5)]
    assert len({cut(name, 13) for name in names}) == 1
    assert cut_apart([*names, "age"], 13) == ["…03 in th…all", "…05 in th…all", "age"]
    code = [f"sensor_reading_{k:02d}_celsius" for k in (3, 13)]  # in the habit of code
    assert cut_apart(code, 16) == ["…03_celsius", "…13_celsius"]
    fig = fit_names(figure(*(go.Scatter(x=[0], y=[0], name=LONG + f" {k} " + LONG) for k in "ab")))
    assert len({trace.name for trace in fig.data}) == 2  # in a legend too
    assert cut_apart(["x" * 30 + "a" + "y" * 30, "x" * 30 + "b" + "y" * 30], 13)  # no word to leave


def test_words_of_a_cluster_are_broken_between_columns_with_long_names_too():
    told = tuple((f"low reading {k} of the sensor in the cellar", -1.0) for k in range(3))
    lines = cluster_profiles._lines(told).split("<br>")
    assert [re.sub("<.*?>", "", line)[:12] for line in lines] == [
        f"low reading {k}"[:12] for k in range(3)
    ]


def test_a_column_keeps_its_own_letters_where_a_sentence_speaks_of_it():
    data = made.dataset(np.repeat([[0.0], [9.0]], 5, axis=0) + np.arange(10.0)[:, None] / 99)
    whole = made.whole(data, lookup("clustering", "kmeans")(n_clusters=2))
    drawn = views()["cluster_profiles"].drawn({"dataset": data, "whole": whole, "fit": whole.fit})
    assert "clusters apart most is x1:" in drawn.reading


def test_heads_of_columns_stay_short_where_a_share_is_nearly_all():
    shares = [cluster_profiles._between(share) for share in (0.99996, 0.9991, 0.42, 0.00004)]
    assert shares == ["100 %", "99.9 %", "42 %", "0 %"]


def test_the_mean_of_dates_is_a_date():
    data = made.dataset(np.repeat([19_000.0, 19_900.0], 5)[:, None], kinds=[("datetime", ())])
    whole = made.whole(data, lookup("clustering", "kmeans")(n_clusters=2))
    g = cluster_profiles.numbers(data, whole)
    texts = {cluster_profiles._value(g.traits[0], i) for i in range(2)}
    assert texts == {"2022-01-08", "2024-06-26"}


def test_a_question_keeps_its_number_whole_whatever_room_there_is():
    asked = "reading 05 of the sensor in the cellar ≤ -0.365"
    for letters in range(4, 50):
        assert _shortened(asked, letters).endswith("≤ -0.365")
