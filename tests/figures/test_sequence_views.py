"""Numbers of the pictures of sequences, on results that can be checked by eye."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from figures.drawing import marks
from figures.numbers.recordings import recording_of
from figures.numbers.sequences import sequences_of
from figures.views.sequences import (
    emissions,
    forecast_fan,
    horizon_curve,
    opened_sequence,
    order_test,
    restart_traces,
    state_diagram,
    state_numbers,
    state_strips,
    transition_heat,
)
from mlcore.data.dataset import TableData
from mlcore.data.generators.sequences.hidden_chain import HiddenChain
from mlcore.runs.carry import carried_out, recording
from mlcore.runs.run import Run
from mlcore.sequences.deviance import deviance_information
from mlcore.spine.errors import DataError
from mlcore.spine.registry import lookup


def result(method: str, pattern: str = "tracks", **settings):
    """A fit to five sequences, with its data and the run."""
    source = HiddenChain(n_samples=200, n_sequences=5, pattern=pattern, separation=3.0)
    own = lookup("sequences", method)(**settings)
    run = Run(data=TableData(source=source), preparation=(), method=own)
    return run.data.dataset({}), carried_out(run).whole, run


@pytest.fixture(scope="module")
def tracks():
    return result("hmm", n_init=2)


def test_strips_are_the_states_of_each_sequence(tracks):
    dataset, whole, _ = tracks
    s = state_strips.numbers(dataset, whole, "longest")
    sizes = [own.stop - own.start for own in s.rows]
    assert sizes == sorted(sizes, reverse=True) and sum(sizes) == 200
    np.testing.assert_array_equal(s.path, whole.fit.labels)
    z = state_strips.draw(s).data[0].z
    np.testing.assert_array_equal(z[0, : sizes[0]], s.path[s.rows[0]] + 1)
    assert (z[0, sizes[0] :] == 0).all() and (z[2] == 0).all()
    assert s.names[0].startswith("sequence ")
    strips = state_strips.draw(s).data[0]
    clicked = marks.marked(dataset, int(strips.customdata[3, 0]))  # the second strip
    assert strips.meta == "rows" and strips.customdata.shape == z.shape
    kind, k = clicked
    every = sequences_of(dataset, whole)
    assert kind == "sequence" and every.span(k) == s.rows[1]
    assert opened_sequence.numbers(dataset, whole, k).name == s.names[1]


def test_the_legend_has_frames_only_where_the_two_paths_differ(tracks):
    dataset, whole, _ = tracks
    s = state_strips.numbers(dataset, whole)
    alike, apart = s._replace(states=s.path), s._replace(states=(s.path + 1) % 3)
    assert [state_strips._frames(each).showlegend for each in (alike, apart)] == [False, True]


def test_a_strip_longer_than_the_screen_is_drawn_by_majorities():
    cells = state_strips._majorities(np.array([0, 0, 1, 2, 2, 2, 1]), 3, 3)
    np.testing.assert_array_equal(cells, (0, 2, 1))


def test_a_step_moves_every_picture(tracks):
    dataset, whole, run = tracks
    steps, together = recording(run)[1], set()
    for view in (
        state_strips.state_strips(dataset, whole), opened_sequence.opened_sequence(dataset, whole),
        state_diagram.state_diagram(whole), transition_heat.transition_heat(whole),
        emissions.emissions(dataset, whole), horizon_curve.horizon_curve(whole),
        forecast_fan.forecast_fan(dataset, whole),
    ):  # fmt: skip
        played = recording_of(view, whole, steps, dataset)
        assert len(played.frames) == len(steps) and all(played.frames), view.name
        together.add(played.follows)
    assert len(together) == 1  # whoever plays one moves the others


def test_an_opened_sequence_is_decoded_by_itself(tracks):
    dataset, whole, _ = tracks
    o = opened_sequence.numbers(dataset, whole, 2)
    own = dataset.sequences == 2
    np.testing.assert_array_equal(o.path, whole.fit.labels[own])
    np.testing.assert_allclose(o.posterior, whole.fit.memberships[own], atol=1e-12)


def test_densities_are_shares_of_the_rows(tracks):
    dataset, whole, _ = tracks
    e = emissions.numbers(dataset, whole)
    grid = np.linspace(-60.0, 60.0, 20_001)
    areas = emissions._curves(e, grid).sum(axis=1) * (grid[1] - grid[0])
    np.testing.assert_allclose(areas, whole.fit.memberships.mean(axis=0), atol=1e-6)


def test_the_run_that_was_kept_ends_highest(tracks):
    _, whole, _ = tracks
    t = restart_traces.numbers(whole)
    assert t.ends[t.kept] == pytest.approx(whole.fit.log_likelihood / 200)
    assert "All 2 runs end there." in restart_traces.reading(t)


def test_a_chain_some_rows_ahead_forgets_where_it_began():
    _, whole, _ = result("markov_chain", "casino")
    h = horizon_curve.numbers(whole, 5)
    assert h.ahead[0].max() == 1.0 and h.names[int(h.ahead[0].argmax())] == "6"
    np.testing.assert_allclose(h.ahead[1], whole.fit.transitions[5][h.at], atol=1e-12)
    assert h.forgotten is not None
    np.testing.assert_allclose(h.ahead[-1], h.long_run, atol=0.01)


def test_many_states_are_no_diagram():
    _, whole, _ = result("markov_chain", bins=14)
    with pytest.raises(DataError, match="14 states"):
        state_diagram.numbers(whole)
    assert transition_heat.numbers(whole).hidden == 0


def test_orders_are_compared_on_the_rows_that_have_enough_before_them():
    _, whole, _ = result("markov_chain", "casino")
    o = order_test.numbers(whole)
    assert [it.order for it in o.orders] == [0, 1, 2, 3]
    assert o.n == 200 - 5 * 3
    assert order_test.reading(o).startswith("BIC is lowest at order 0; order 1 is used.")


def test_the_number_of_states_that_was_drawn_is_preferred(tracks):
    dataset, whole, _ = tracks
    s = state_numbers.numbers(dataset, whole)
    np.testing.assert_array_equal(s.counts, range(1, 7))
    assert int(s.counts[s.bic.argmin()]) == 3 == s.used
    assert s.bic[2] == pytest.approx(whole.fit.bic / 200, abs=1e-6)
    assert (np.diff(s.log_likelihood[:3]) > 0).all()
    of = deviance_information(
        whole.fit, dataset.X, whole.lengths, n_draws=state_numbers.DRAWS,
        burn_in=state_numbers.BURN_IN,
    )  # fmt: skip
    assert s.dic[2] == pytest.approx(of.dic / 200, abs=0.02)  # of the same model, from other starts
    np.testing.assert_array_equal(np.isnan(s.dic), s.p_d <= 0)
    assert ("DIC says nothing" in state_numbers.reading(s)) == (s.p_d <= 0).any()
    many = [whole.fit] * 400
    assert np.isnan(state_numbers._deviances(many, sequences_of(dataset, whole))).all()
    numbers = [marks.marked(dataset, mark) for mark in state_numbers.draw(s).data[1].customdata]
    assert numbers == [("states", N) for N in range(1, 7)]


def test_sequences_left_out_have_a_say_and_a_press(tracks):
    dataset, whole, _ = tracks
    s = state_numbers.numbers(dataset, whole)
    rows, fold = sequences_of(dataset, whole), np.arange(len(whole.lengths)) % 3
    out, total = np.repeat(fold, rows.lengths), 0.0
    for j in range(3):  # by hand, of three states
        fit = replace(whole.fit.made_by, n_init=2).fit(
            rows.X[out != j], columns=whole.fit.columns, lengths=rows.lengths[fold != j], seed=0
        )
        total += fit.log_density(rows.X[out == j], rows.lengths[fold == j]).sum()
    assert s.left_out[2] == pytest.approx(-2 * total / 200)
    assert s.left_out[2] < s.left_out[1] and "Sequences left out" in state_numbers.reading(s)
    press = state_numbers.presses(s)[0]
    assert (press.setting, press.value) == ("n_states", 3) and "BIC" in press.why


def test_a_level_is_named_whatever_its_column_was_scaled_to():
    run = Run(
        data=TableData(source="penguins"),
        preparation=("impute", "one_hot", "standardise"),
        method=lookup("sequences", "hmm")(n_states=2, n_init=1, max_iter=4),
    )
    out, dataset = carried_out(run), run.data.dataset({})
    names = [column.name for column in out.whole.fit.columns]
    options = emissions.EmissionOptions(column=next(n for n in names if n.startswith("island=")))
    drawn = emissions.emissions(dataset, out.whole, options=options)
    level = options.column.removeprefix("island=")
    assert [column.name for column in drawn.table][2:] == [f"not {level}", level]
    assert f"{level} most" in drawn.reading


def test_what_comes_next_is_the_mixture_of_what_the_states_show(tracks):
    """Drawn with the chain from the posterior of the last row, as many lie below each quantile."""
    dataset, whole, _ = tracks
    fit, f = whole.fit, forecast_fan.numbers(dataset, whole, 2, steps=6)
    own = dataset.sequences == 2
    np.testing.assert_allclose(f.states[0], fit.memberships[own][-1], atol=1e-12)
    rng, h = np.random.default_rng(0), 4
    ends = np.cumsum(f.states[h + 1])
    at = np.searchsorted(ends / ends[-1], rng.random(40_000))
    drawn = rng.normal(fit.means[at, 0], np.sqrt(fit.shown.variances[at, 0]))
    # Five standard errors of a share of 40,000.
    below = (drawn[:, None] < f.ahead[h]).mean(axis=0)
    np.testing.assert_allclose(below, forecast_fan.SHARES, atol=0.0125)
    far = forecast_fan.numbers(dataset, whole, 2, steps=200)
    np.testing.assert_allclose(far.ahead[-1], far.long_run, rtol=1e-4)
    assert "far ahead" in forecast_fan.reading(f) and len(forecast_fan.table(f)) == 8 + len(
        f.state_names
    )


def test_names_to_come_have_probabilities():
    dataset, whole, _ = result("hmm", pattern="casino", n_init=2)
    f = forecast_fan.numbers(dataset, whole)
    np.testing.assert_allclose(f.ahead.sum(axis=1), 1)
    assert f.levels and "likeliest" in forecast_fan.reading(f)


@pytest.mark.parametrize("seed", range(4))
def test_numbers_of_arrows_lie_on_no_other_number_and_on_no_disc(seed):
    """A throw of a die and the next: fifteen arrows or so across six discs."""
    rng = np.random.default_rng(seed)
    P = rng.dirichlet(np.full(6, 3.0), size=6)
    names = tuple("123456")
    d = state_diagram.Diagram(names, P, P[0], np.full(6, 1 / 6), state_diagram._places(6))
    (texts,) = (trace for trace in state_diagram.draw(d).data if trace.uid == "texts")
    at = np.column_stack([texts.x, texts.y])[np.array(texts.text) != ""]
    assert len(at) > 8
    over = (np.abs(at[:, None] - at) < state_diagram.BOX).all(axis=2)
    np.testing.assert_array_equal(over, np.eye(len(at), dtype=bool))
    apart = np.linalg.norm(at[:, None] - d.places, axis=2)
    assert apart.min() > state_diagram._size(d, 0) / 2 / state_diagram.PIXELS
