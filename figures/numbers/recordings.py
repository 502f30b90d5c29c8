"""Recordings for the player: a picture of a fit, played through the steps that led to it.

The state of a step holds some of the fields of the finished fit (labels and centers, coefficients
and intercept, axes). Put into the fit in place of its own, they make the fit of that step, which
predicts and transforms as the finished one does; so one piece of code plays every method.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import fields, is_dataclass, replace
from typing import Any

import numpy as np

from figures.drawing.traces import CELLS
from figures.recording import Changes, Recording, traces_by_name
from figures.view import View
from mlcore.data.dataset import Dataset
from mlcore.runs.carry import Whole
from mlcore.spine import codec
from mlcore.spine.errors import ParamError
from mlcore.spine.iterate import Step, numbers_of

MOST_REGION_FRAMES = 60  # each is predicted on a fine grid and takes 30 KB


def recording_of(drawn: View, whole: Whole, steps: Sequence[Step], dataset: Dataset) -> Recording:
    """What changes in a picture, step by step, as its view says beside the drawing.

    `whole` is the fit that `drawn` shows. A picture that steps cannot change is played with its
    objective and sentences alone.
    """
    if not steps:
        raise ParamError("There are no steps to play; the method is not iterative.")
    at = traces_by_name(drawn.figure)
    if CELLS in at:
        steps = _spread(steps, MOST_REGION_FRAMES)
    frames: list[Changes] = [{} for _ in steps]
    if drawn.step is not None and _shared(whole.fit, steps[0].state):
        frames = [drawn.step(drawn.numbers, at, _at_step(whole, it), dataset) for it in steps]
    return Recording(
        frames=frames,
        objective=np.array([step.objective for step in steps], dtype=np.float64),
        label=whole.fit.made_by.followed,
        sentences=[_sentence(step) for step in steps],
        steps=numbers_of(steps),
        held_out=_judged(steps),
        follows=codec.digest(whole.fit.made_by),  # all pictures of this method
    )


def _judged(steps: Sequence[Step]) -> np.ndarray | None:
    """The objective on rows held out, shape (f,); None where no step was judged on such."""
    if all(step.held_out is None for step in steps):
        return None
    return np.array([np.nan if step.held_out is None else step.held_out for step in steps])


def _spread(steps: Sequence[Step], most: int) -> Sequence[Step]:
    """At most `most` steps, evenly spaced, the first and the last among them."""
    if len(steps) <= most:
        return steps
    kept = np.unique(np.linspace(0, len(steps) - 1, most).round().astype(np.int64))
    return [steps[k] for k in kept]


def _sentence(step: Step) -> str:
    sentences = (step.note, step.stop.why if step.stop else "")
    return " ".join(part for part in sentences if part)


def _shared(fit: Any, state: Any) -> set[str]:
    """The fields that a state and a fit have in common and that hold what was learned."""
    if not is_dataclass(state) or not is_dataclass(fit):
        return set()
    own = {f.name for f in fields(fit)} - {"made_by", "columns", "n_iter", "stop"}
    return own & {f.name for f in fields(state)}


def _at_step(whole: Whole, step: Step) -> Whole:
    """The fit as it stood at a step."""
    learned = {name: getattr(step.state, name) for name in _shared(whole.fit, step.state)}
    # What belongs to members has the length that they have, and they come one by one.
    comes = any(isinstance(v, tuple) and len(v) < len(getattr(whole.fit, n))
                for n, v in learned.items())  # fmt: skip
    own = {name: value if comes else _whole_size(value, getattr(whole.fit, name))
           for name, value in learned.items()}  # fmt: skip
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
