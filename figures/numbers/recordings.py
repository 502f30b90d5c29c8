"""Recordings for the player: a picture of a fit, played through the steps that led to it.

The state of a step holds some of the fields of the finished fit (labels and centers, coefficients
and intercept, axes). Put into the fit in place of its own, they make the fit of that step, which
predicts and transforms as the finished one does; so one piece of code plays every method.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import fields, is_dataclass, replace
from typing import Any

import numpy as np

from figures.drawing import marks
from figures.drawing.words import BARS, CELLS, CENTERS, CURVE, NUMBERS, ROWS, rough
from figures.numbers.regions import filled
from figures.numbers.supports import by_row
from figures.recording import Recording
from figures.view import View
from mlcore.data.dataset import Dataset
from mlcore.runs.carry import Whole
from mlcore.spine.errors import ParamError
from mlcore.spine.iterate import Step

MOST_REGION_FRAMES = 60  # each is predicted on a fine grid and takes 30 KB

Changes = dict[int, dict[str, Any]]


def recording_of(
    drawn: View, name: str, whole: Whole, steps: Sequence[Step], dataset: Dataset
) -> Recording:
    """What changes in the picture of the view called `name`, step by step.

    `whole` is the fit that `drawn` shows. A picture that steps cannot change is played with its
    objective and sentences alone.
    """
    if not steps:
        raise ParamError("There are no steps to play; the method is not iterative.")
    frame = PLAYED.get(name)
    traces: Any = drawn.figure.data
    at = {trace.uid: i for i, trace in enumerate(traces) if trace.uid}
    if CELLS in at:
        steps = _spread(steps, MOST_REGION_FRAMES)
    frames: list[Changes] = [{} for _ in steps]
    if frame is not None and _shared(whole.fit, steps[0].state):
        frames = [frame(drawn.numbers, at, _at_step(whole, step), dataset) for step in steps]
    return Recording(
        frames=frames,
        objective=np.array([step.objective for step in steps], dtype=np.float64),
        sentences=[_sentence(step) for step in steps],
        steps=np.array([step.k for step in steps], dtype=np.int64),
    )


def _spread(steps: Sequence[Step], most: int) -> Sequence[Step]:
    """At most `most` steps, evenly spaced, the first and the last among them."""
    if len(steps) <= most:
        return steps
    kept = np.unique(np.linspace(0, len(steps) - 1, most).round().astype(np.int64))
    return [steps[k] for k in kept]


def _sentence(step: Step) -> str:
    return " ".join(part for part in (step.note, step.stop.why if step.stop else "") if part)


def _shared(fit: Any, state: Any) -> set[str]:
    """The fields that a state and a fit have in common and that hold what was learned."""
    if not is_dataclass(state) or not is_dataclass(fit):
        return set()
    own = {f.name for f in fields(fit)} - {"made_by", "columns", "n_iter", "stop"}
    return own & {f.name for f in fields(state)}


def _at_step(whole: Whole, step: Step) -> Whole:
    """The fit as it stood at a step."""
    learned = {name: getattr(step.state, name) for name in _shared(whole.fit, step.state)}
    own = {name: _whole_size(value, getattr(whole.fit, name)) for name, value in learned.items()}
    if "axes" in own:
        own["axes"] = _turned(own["axes"], whole.fit.axes)
    return replace(whole, fit=replace(whole.fit, **own))


def _whole_size(value: Any, final: Any) -> Any:
    """A copy of an array of the state; what is found later (an axis, a center) is 0 until then."""
    if not isinstance(value, np.ndarray):
        return value
    if not isinstance(final, np.ndarray) or value.ndim != final.ndim or len(value) >= len(final):
        return value.copy()
    return np.concatenate([value, np.zeros((len(final) - len(value), *value.shape[1:]))])


def _turned(axes: np.ndarray, final: np.ndarray) -> np.ndarray:
    """The same axes, each on the side of its final one: a sign means nothing and would jump."""
    sides = np.where((axes * final).sum(axis=1) < 0, -1.0, 1.0)
    return axes * sides[:, None]


def _clusters(c: Any, at: dict[str, int], whole: Whole, dataset: Dataset) -> Changes:
    """Labels, centers, and the cells of the plane."""
    changes: Changes = {}
    if ROWS in at:
        changes[at[ROWS]] = {"class": whole.labels(dataset.X)[c.shown.here]}
    if CENTERS in at:
        centers = c.shown.place(whole.fit.centers)
        changes[at[CENTERS]] = {"x": centers[:, 0], "y": centers[:, 1]}
    if CELLS in at:
        now = filled(whole.fit, c.shown.cells, c.shown.plane, c.cloud)
        changes[at[CELLS]] = {"z": marks.region_levels(*now)}
    return changes


def _ellipses(e: Any, at: dict[str, int], whole: Whole, dataset: Dataset) -> Changes:
    """Ellipses, means, and the component and the share of each row."""
    from figures.views.clustering.ellipse_map import outlines, shared

    changes: Changes = {}
    if ROWS in at:
        klass, strength = shared(dataset, whole)
        here = e.shown.here
        changes[at[ROWS]] = {"class": klass[here], "marker.opacity": strength[here]}
    if CENTERS in at:
        centers = e.shown.place(whole.fit.means)
        changes[at[CENTERS]] = {"x": centers[:, 0], "y": centers[:, 1]}
    for k, outline in enumerate(outlines(e.shown, whole.fit)):
        if (name := f"{CURVE} {k}") in at:
            changes[at[name]] = {"x": outline[:, 0], "y": outline[:, 1]}
    return changes


def _regions(d: Any, at: dict[str, int], whole: Whole, dataset: Dataset) -> Changes:
    """The class of every cell; the errors are those of the finished fit and stay."""
    now = filled(whole.fit, d.shown.cells, d.shown.plane, d.cloud)
    return {at[CELLS]: {"z": marks.region_levels(*now)}}


def _embedding(e: Any, at: dict[str, int], whole: Whole, dataset: Dataset) -> Changes:
    """The rows at the coordinates of the step."""
    from figures.views.reduction.embedding_scatter import coordinates

    if ROWS not in at:
        return {}
    Z = coordinates(dataset, whole)[0]
    x, y = (Z[:, k] if k < Z.shape[1] else np.zeros(len(Z)) for k in e.at)
    here = np.isfinite(x) & np.isfinite(y)
    return {at[ROWS]: {"x": x[here], "y": y[here]}}


def _coefficients(c: Any, at: dict[str, int], whole: Whole, dataset: Dataset) -> Changes:
    """Bars, or the map of several classes, in the order of the finished picture."""
    values = np.atleast_2d(np.asarray(whole.fit.coefficients)).T[c.order]
    if BARS in at:
        shown = values[: c.shown]
        text = [[rough(v) for v in row] for row in shown]
        return {at[BARS]: {"z": shown, "text": text}}
    return {
        at[f"{BARS} {k}"]: {
            "x": values[: c.shown, k],
            "text": [rough(v) for v in values[: c.shown, k]],
        }
        for k in range(values.shape[1])
    }


def _curve(f: Any, at: dict[str, int], whole: Whole, dataset: Dataset) -> Changes:
    """The prediction along the axis."""
    return {at[CURVE]: {"y": whole.fit.predict(whole.prepared.transform(f.grid))}}


def _multipliers(a: Any, at: dict[str, int], whole: Whole, dataset: Dataset) -> Changes:
    """The bars of the finished picture, as high as they stand; padded rows have a height of 0."""
    alphas = np.abs(whole.fit.duals).max(axis=1, initial=0.0)
    alpha = by_row(dataset, whole, whole.fit.support, alphas)
    return {at[BARS]: {"y": alpha[a.at[: a.shown]]}}


def _labels(f: Any, at: dict[str, int], whole: Whole, dataset: Dataset) -> Changes:
    """The class that has reached each row and how surely, and the cells."""
    from figures.views.classification.label_flow import given_to, strength

    klass, lead = given_to(dataset, whole.fit)
    here = f.shown.here
    rows = {"class": klass[here], "marker.opacity": strength(lead[here])}
    return _regions(f, at, whole, dataset) | ({at[ROWS]: rows} if ROWS in at else {})


def _queries(q: Any, at: dict[str, int], whole: Whole, dataset: Dataset) -> Changes:
    """The classes of the rows whose labels are known, the numbers of the queries, the cells."""
    from figures.views.classification.query_order import numbered, turns

    order = turns(dataset, whole)[q.shown.here]
    klass = np.where(order >= 0, np.asarray(dataset.y)[q.shown.here], -1)
    rows = {at[ROWS]: {"class": klass}} if ROWS in at else {}
    return _regions(q, at, whole, dataset) | rows | {at[NUMBERS]: {"text": numbered(order)}}


# The views that a step changes, and how.
PLAYED: dict[str, Callable[..., Changes]] = {
    "cluster_map": _clusters,
    "ellipse_map": _ellipses,
    "decision_regions": _regions,
    "embedding_scatter": _embedding,
    "coefficients": _coefficients,
    "fit_plot": _curve,
    "alpha_bars": _multipliers,
    "label_flow": _labels,
    "query_order": _queries,
}
