"""What every view promises, on real data, as the pages call it."""

import json
import re
from collections.abc import Iterator
from dataclasses import asdict
from functools import cache
from typing import Protocol

import numpy as np
import pytest
import streamlit  # makes its own template Plotly's default, with placeholder colours

import figures.graph as go
from figures import theme
from figures.catalogue import catalogue
from figures.drawing.marks import marked, whole_of
from figures.drawing.traces import UNDER_NAMES
from figures.numbers.sequences import names_of
from figures.options import values
from figures.view import View, views, views_of_steps, views_on
from mlcore.data.dataset import TableData
from mlcore.evaluation.splits import KFold
from mlcore.labs.data.norms import NormsLab
from mlcore.runs.carry import carried_out, recording
from mlcore.runs.comparing.pairs import compare_methods
from mlcore.runs.comparing.tables import over_tables
from mlcore.runs.curves import learning_curve, validation_curve
from mlcore.runs.run import Run
from mlcore.spine.asking import AnyOf
from mlcore.spine.errors import MlcoreError
from mlcore.spine.iterate import returned
from mlcore.spine.params import default_of, params_of
from mlcore.spine.registry import entries, lookup, slots_of
from tests import sampling
from tests.figures.explained import explained
from tests.figures.outcomes import (
    WHERE,
    able,
    compared,
    grouped,
    of_a_kind,
    trial_outcome,
    tuned,
)
from tests.figures.subjects import SUBJECTS
from tests.figures.test_theme import contrast

NAMES = tuple(views())
ON_LABELS = ("roc", "pr", "label_coverage", "reliability", "cost_curve")  # left out, of classes


@cache
def subject(name: str) -> dict:
    """Everything that a view may ask for, of one run."""
    source, method = SUBJECTS[name]()
    steps = ("impute", "one_hot", "standardise") if name not in ("dice", "chain") else ()
    steps += ("univariate_filter", "subset_selector") if name == "quantity" else ()
    steps += ("count_vectorizer",) if name == "texts" else ()
    roles = (("sentence", "feature"),) if name == "texts" else ()
    roles += (("time", "feature"),) if name == "dice" else ()
    steps += ("outlier_remover",) if name == "steps" else ()
    steps += ("whitening",) if name == "map" else ()
    steps += ("image_vectorizer",) if name == "pixels" else ()
    steps = ("gaussian_imputer", *steps) if name == "street" else steps
    # Three folds have all that five have, and take less.
    run = Run(
        data=TableData(source=source, roles=roles),
        preparation=steps,
        method=method,
        evaluation=KFold(n_splits=3),
    )
    out = carried_out(run)
    data = run.data.dataset({})
    held = {"dataset": data, "outcome": out, "whole": out.whole, "fit": out.whole.fit, "run": run}
    held["prepared"] = out.whole.prepared
    return held | ({"steps": recording(run)[1]} if hasattr(method, "steps") else {})


@cache
def score_curve(name: str):
    """A small learning or validation curve."""
    held = subject("quantity")
    if name == "learning_curve_view":
        return returned(learning_curve(held["run"], held["dataset"], n_points=3))
    return returned(
        validation_curve(held["run"], held["dataset"], "method.alpha", (0.1, 1.0, 10.0))
    )


# What a view may need that no subject has: it is drawn once, beside the first of them.
APART = {
    "balls", "comparison", "counted", "curve", "explanation", "over", "pairs", "redrawn", "trial",
    "tuned",
}  # fmt: skip
BESIDE = "clusters"
FIRST: dict[tuple, str] = {}  # the subject beside which a view of a prepared table is drawn


@cache
def made(view: str, of: str) -> View | None:
    """A view of a subject, or None where it says that it does not apply."""
    entry = views()[view]
    names = entry.needs
    if of != BESIDE and (view == "agreement_matrix" or not APART.isdisjoint(names)):
        return None
    held = subject(of)
    if "curve" in names:
        return entry.make(score_curve(view))
    if "tuned" in names:
        return entry.make(tuned())
    if view == "agreement_matrix":  # of rows of one table, as pairs below
        return entry.make(held["dataset"], grouped())
    if "explanation" in names:  # of one run, whatever the subject
        return entry.drawn(explained(view))
    if "comparison" in names:
        return entry.make(compared())
    if (offered := of_a_kind(names)) is not None:
        return entry.drawn(offered)
    if "over" in names:
        return entry.make(over_tables(compared(6)))
    if "balls" in names:
        return entry.make(NormsLab().compute())
    if "pairs" in names:  # the subject on the rows that were compared
        held = {"pairs": compare_methods(compared(), truth=subject(BESIDE)["dataset"].y)}
        held["dataset"] = subject(BESIDE)["dataset"]
        return entry.drawn(held)
    if "trial" in names:
        place = next((place for place in WHERE if place in entry.on), "mdp")
        trial = trial_outcome(WHERE[place])
        if not entry.takes("which"):
            return entry.make(trial)
        return entry.make(trial, able(view, trial))
    if not entry.allowed_by(held["fit"]):
        return None
    if entry.when:
        own = [w for w in (held["whole"], None) if entry.when(held["dataset"], w)]
        if not own:
            return None
        held = held | {"whole": own[0]}
    is_shown = not entry.of_step or view in views_of_steps(held["prepared"])
    if not is_shown and view != "class_balance":  # which is a picture of the data too
        return None
    if "steps" in names and "steps" not in held:
        return None
    task = held["run"].method.card.task
    if view in ("residuals", "interval_coverage") and task != "regression":
        return None
    if view in ON_LABELS and task != "classification":
        return None
    if view == "fit_plot" and held["dataset"].task != "regression":
        with pytest.raises(MlcoreError, match="needs a target that is a quantity"):
            entry.make(held["dataset"], held["whole"])
        return None
    # The one column of a curve has its target for a second one in the scatter matrix.
    single = {"curve": (), "windows": (), "texts": ("before_after", "scatter_pairs")}
    if of in single and view in ("parallel_coordinates", *single[of]):
        with pytest.raises(MlcoreError, match=r"two columns.*\.$"):
            entry.drawn(held)
        return None
    if view == "class_balance" and held["dataset"].task != "classification":
        return None
    if {"dataset", "prepared"}.issuperset(names):  # the same, whatever was fitted to it
        seen = (view, held["run"].data, held["run"].preparation)
        if FIRST.setdefault(seen, of) != of:
            return None
    return entry.drawn(held)


@cache
def applicable(view: str) -> tuple[str, ...]:
    """The subjects that a view applies to; in a sample the first that is met."""
    return tuple(sampling.suiting(SUBJECTS, lambda of: made(view, of) is not None, view))


def all_made(view: str) -> list[View]:
    """The view of every subject that it applies to."""
    return [found for of in applicable(view) if (found := made(view, of)) is not None]


@pytest.mark.parametrize("name", NAMES)
def test_it_asks_for_capabilities_and_for_no_names_of_attributes(name):
    for asked in (*views()[name].asks, *views()[name].of_step):
        for one in asked.capabilities if isinstance(asked, AnyOf) else (asked,):
            assert isinstance(one, type)
            assert Protocol in one.__mro__


@pytest.mark.parametrize("name", NAMES)
def test_it_is_drawn_read_and_tabled(name):
    found = all_made(name)
    assert found
    for drawn in found:
        assert (drawn.name, drawn.title) == (name, views()[name].record.title)
        assert isinstance(drawn.figure, go.Figure)
        assert drawn.figure.layout.height >= 60
        assert drawn.reading.endswith(".")
        assert drawn.note
        assert 1 <= len(re.findall(r"[.] [A-Z]", drawn.reading)) + 1 <= 5
        lengths = {len(column.values) for column in drawn.table}
        assert len(lengths) == 1
        names = [column.name for column in drawn.table]
        assert len(set(names)) == len(names)


FILLED = (
    "evidence_surface", "objective_surface", "predicted_surface", "rda_surface", "search_heatmap",
    "value_surface",
)  # fmt: skip


def _dark(color: str) -> str:
    """What becomes of a colour on dark."""
    by_light = dict(zip(asdict(theme.LIGHT).values(), asdict(theme.DARK).values(), strict=True))
    return by_light.get(color, color)


@pytest.mark.parametrize("name", FILLED)
def test_marks_on_colours_that_stay_are_seen_on_dark_too(name):
    """The scale of a filled picture is no other one on dark: a mark that turns light is lost on it.

    So it keeps its colour, or has a rim that is as dark as it is light.
    """
    for trace in (trace for drawn in all_made(name) for trace in drawn.figure.data):
        told = trace.to_plotly_json()
        marker = told.get("marker", {})
        colors = {marker.get("color"), (marker.get("line") or told.get("line") or {}).get("color")}
        if trace.type == "scatter" and any(c in asdict(theme.LIGHT).values() for c in colors):
            one, other = ([_dark(c) for c in colors - {None}] * 2)[:2]
            assert contrast(one, other) > 4.5, trace.name


def _small_and_faint(trace) -> bool:
    """Whether a trace has marks that stay in the background."""
    mark = getattr(trace, "marker", None)
    if trace.type not in ("scatter", "scattergl") or "markers" not in (trace.mode or ""):
        return False
    sizes = [mark.size, mark.opacity if mark.opacity is not None else 1.0]
    return all(isinstance(v, int | float) for v in sizes) and sizes[0] <= 5 and 0 < sizes[1] <= 0.6


@pytest.mark.parametrize("name", NAMES)
def test_it_is_small_has_no_placeholder_as_colour_and_a_dark_form(name):
    assert streamlit.__version__
    found = all_made(name)
    for drawn in found:
        text = drawn.figure.to_json()
        assert len(text) < 1_000_000
        assert not re.search(r"#0000[01][0-9A-Fa-f]", text)
        for trace in filter(_small_and_faint, drawn.figure.data):
            line = trace.marker.line  # the halo of all marks would outshine these on dark
            assert line.color is not None or line.width == 0
    theme.apply(found[0].figure, dark=True)  # colours follow from the view, not from its subject


@pytest.mark.parametrize("name", NAMES)
def test_it_keeps_no_empty_strip_under_its_legend(name):
    for drawn in all_made(name):
        layout = drawn.figure.layout
        words = [a.text for a in layout.annotations if (a.y, a.yanchor) == (1, "bottom")]
        if layout.showlegend and words and layout.margin.t is not None:
            assert layout.margin.t <= UNDER_NAMES, words


@pytest.mark.parametrize("name", NAMES)
def test_a_phone_has_room_for_what_is_written_between_two_panels(name):
    """Ticks and title of the right one; three panels and more are drawn wider than a phone."""
    for drawn in all_made(name):
        axes = drawn.figure.layout.to_plotly_json()
        panels = [axis for key, axis in axes.items() if key.startswith("yaxis")]
        across = [
            axes["xaxis" + axis.get("anchor", "x")[1:]].get("domain", (0, 1)) for axis in panels
        ]
        for axis, (left, _) in zip(panels, across, strict=True):
            ends = [right for _, right in across if right < left]
            is_named = (axis.get("title") or {}).get("text") and axis.get("showticklabels", True)
            if ends and is_named and len({low for low, _ in across}) == 2:
                assert left - max(ends) >= 0.2, axis["title"]


OPENS = {
    "importance_dots": "variable", "state_strips": "sequence", "state_numbers": "states",
    "k_distance_curve": "radius", "radius_criteria": "radius", "network_diagram": "unit",
}  # fmt: skip
LIMITS = {
    "variable": lambda dataset: len(dataset.columns),
    "sequence": lambda dataset: len(names_of(dataset)),
    "states": lambda _: 31,
    "radius": lambda _: int(whole_of([1e3])[0]),
    "unit": lambda _: 31,
}


@pytest.mark.parametrize("name", NAMES)
def test_marks_that_stand_for_rows_name_rows_of_the_table(name):
    for of in applicable(name):
        drawn = made(name, of)
        assert drawn is not None
        dataset = subject(of)["dataset"]
        rows = set(range(dataset.table.n_rows))
        for trace in drawn.figure.data:
            if trace.meta == "rows":
                numbers = {int(r) for r in _flat(trace.customdata)}
                if name in OPENS:  # what a click opens stands behind the rows
                    opens, end = OPENS[name], LIMITS[OPENS[name]](dataset)
                    for thing in {marked(dataset, number) for number in numbers}:
                        assert thing is not None
                        assert thing[0] == opens and 0 <= thing[1] < end, thing
                else:
                    assert numbers <= rows
        if drawn.rows is not None:
            assert len(drawn.rows) == len(drawn.table[0].values)
            assert set(np.asarray(drawn.rows).tolist()) <= rows


OPTIONS = [
    (name, option)
    for name, entry in views().items()
    if entry.options
    for option in params_of(entry.options)
]


def offered_to(name: str) -> Iterator[dict]:
    """What each subject offers to a view that applies to it."""
    if views()[name].takes("trial"):
        place = next(place for place in WHERE if place in views()[name].on)
        # The first with several maps, unless none of its methods has what the view asks for.
        problems = ("taxi", WHERE[place]) if place.endswith("mdp") else (WHERE[place],)
        trials = map(trial_outcome, problems)
        trial = next(one for one in trials if any(r.can(*views()[name].asks) for r in one.results))
        return iter([{"trial": trial, "which": able(name, trial)}])
    if (offered := of_a_kind(views()[name].needs)) is not None:
        return iter([offered])
    if views()[name].takes("explanation"):
        return iter([explained(name)])
    return map(subject, applicable(name))


def some(values):
    """Of many values the ends and two between: columns are drawn alike."""
    every = list(values)
    if len(every) <= 5:
        return every
    return [every[0], every[-1], every[1], every[len(every) // 2]]


def task_of(held: dict) -> str:
    """The kind of table that a picture is of; of a trial or a comparison there is one kind."""
    return held["dataset"].task if "dataset" in held else ""


@pytest.mark.parametrize(("name", "option"), OPTIONS)
def test_every_option_draws_at_the_values_that_can_be_had(name, option):
    """All on the first table of each task that has several, and on the others one by turns."""
    entry, tried, tasks = views()[name], 0, set()
    assert entry.options
    for k, held in enumerate(offered_to(name)):
        found = values(entry.options, held)[option]
        param = params_of(entry.options)[option]
        every = list(param.tries()) if found is None else some(found)
        is_first = len(every) > 1 and task_of(held) not in tasks
        tasks |= {task_of(held)} if is_first else set()
        for value in every if is_first else every[k % max(len(every), 1) :][:1]:
            drawn = entry.drawn(held, entry.options(**{option: value}))
            assert drawn.reading.endswith(".")
            assert not drawn.problems
            tried += 1
        assert found is None or not found or default_of(entry.options, option) in found
    assert tried > (sampling.sample() is None)  # one subject may have but one value


@pytest.mark.parametrize(
    ("name", "option", "value", "of", "says"),
    [
        ("roc", "positive", "zzz", "tree", "must be one of Adelie, Chinstrap, Gentoo; it is"),
        ("embedding_scatter", "second", 99, "map", "must be one of PC1, PC2, PC3, PC4, PC5, PC6"),
        (
            "decision_regions",
            "fold",
            99,
            "tree",
            "must be one of Fold 1, Fold 2, Fold 3; it is 99",
        ),
        ("confusion_heatmap", "cut", 0.2, "tree", "has no meaning for this result, so 0.2"),
    ],
)
def test_an_option_that_cannot_be_had_is_a_sentence_and_the_default(name, option, value, of, says):
    entry, held = views()[name], subject(of)
    assert entry.options
    noun = params_of(entry.options)[option].noun(option)
    drawn = entry.drawn(held, entry.options(**{option: value}))
    (sentence,) = drawn.problems
    assert sentence.startswith(f"The option {noun!r} {says}")
    assert sentence.endswith(("The default is used.", "is left aside."))
    assert drawn.reading == made(name, of).reading


def _flat(held):
    for item in held:
        if isinstance(item, list | tuple | np.ndarray):
            yield from _flat(item)
        elif item is not None:
            yield item


def test_points_are_sent_as_float32():
    drawn = made("cluster_map", "clusters")
    trace = next(t for t in drawn.figure.data if t.uid == "rows")
    assert trace.x.dtype == np.float32


@pytest.mark.parametrize(("n", "kind"), [(1500, "scatter"), (3000, "scattergl")])
def test_many_points_are_drawn_by_webgl(n, kind):
    X = np.random.default_rng(0).normal(size=(n, 2))
    assert kind in {t.type for t in _clusters_of(X).figure.data if t.meta == "rows"}


def test_very_many_rows_are_counted_in_cells():
    drawn = _clusters_of(np.random.default_rng(0).normal(size=(20_500, 2)))
    traces = [t for t in drawn.figure.data if t.meta == "rows"]
    assert sum(len(t.x) for t in traces) < 5_000
    cells = [cell for t in traces for cell in zip(t.text, t.customdata, strict=True)]
    assert sum(int(text.split(" row")[0].replace(",", "")) for text, _ in cells) == 20_500
    assert {len(rows) for text, rows in cells if "20 of them" in text} == {20}
    assert max(len(rows) for _, rows in cells) == 20
    assert "rows" in traces[0].name
    assert len(drawn.table[0].values) == len(drawn.rows) == 20_000
    assert drawn.reading.endswith("The table beside holds the first 20000 of 20500 lines.")


def _clusters_of(X):
    from tests.figures import made as by_hand

    data = by_hand.dataset(X)
    method = lookup("clustering", "kmeans")(n_clusters=2, n_init=1)
    return views()["cluster_map"].make(data, by_hand.whole(data, method))


def test_a_fit_is_asked_for_what_a_view_needs():
    fit = subject("map")["fit"]
    found = {name for name, entry in views().items() if entry.allowed_by(fit)}
    assert {"scree", "biplot", "embedding_scatter"} <= found
    assert not {"cluster_map", "coefficients", "decision_regions", "confusion_heatmap"} & found


def test_every_place_of_a_view_is_known_and_its_order_there_is_its_own():
    slots = set(slots_of("method")) | {*slots_of("kernel_methods"), "neural"}
    problems = entries("problem").values()
    worlds = {place for cls in problems for place in cls().world().places}
    places = {place for entry in views().values() for place in entry.on}
    questions = set(entries("question"))  # what is explained of a run
    assert places == slots | worlds | questions | {"data", "preparation", "report", "compare"}
    for place in places - {"report", "compare"}:
        orders = [views()[name].order for name in views_on(place)]
        assert orders == sorted(set(orders))


@pytest.mark.parametrize("slot", slots_of("method"))
def test_a_report_and_a_comparison_have_a_picture_of_every_family(slot):
    assert views_on(slot, also="report")
    assert views_on(slot, also="compare")


def test_the_catalogue_lists_every_view_once_and_is_json():
    entries = json.loads(json.dumps(catalogue()))
    found = [entry for entry in entries if entry["kind"] == "view"]
    assert [entry["name"] for entry in found] == list(NAMES)
    assert all(entry["title"] and entry["summary"].endswith(".") for entry in found)
    keys = [(e["kind"], e["family"], e["name"]) for e in entries]
    assert keys == sorted(keys)
