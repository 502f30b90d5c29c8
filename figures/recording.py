"""A recording of an iterative method: what changes in a picture, step by step, in few bytes."""

from __future__ import annotations

import base64
import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from mlcore.spine.errors import ParamError
from mlcore.spine.wording import typeset

MAX_BYTES = 2_000_000  # of one recording on its way to the browser

# An attribute of a trace, as Plotly spells it ("x", "marker.size", "z", "text", "visible"), or
# "class": whole numbers that the browser turns into class colours and symbols.
Changes = dict[int, dict[str, Any]]


def traces_by_name(figure: Any) -> dict[str, int]:
    """Where the traces with a name of their own (`uid`) stand in a figure."""
    return {trace.uid: i for i, trace in enumerate(figure.data) if trace.uid}


@dataclass(frozen=True, eq=False)
class Recording:
    """Frames of a picture, for the player.

    A frame names by index the traces that change and gives the new values. An attribute that a
    frame leaves out keeps what the frame before it showed, so the first frame must give every
    attribute that any later frame changes.
    """

    frames: Sequence[Changes]  # f of them
    objective: np.ndarray  # (f,), the curve beside the picture
    sentences: Sequence[str]  # f of them: what changed in this step
    steps: np.ndarray  # (f,), the true number of each step, ascending; 0 is the start
    label: str = "objective"  # what the curve shows
    held_out: np.ndarray | None = None  # (f,), a second curve: the same on rows that only judge
    follows: str = ""  # open players with the same text go to each step together; "" goes alone

    def __post_init__(self) -> None:
        # Every player shows them, whoever recorded: 6.8·10⁻⁹ as in the reading below it.
        object.__setattr__(self, "sentences", [typeset(text) for text in self.sentences])
        n = len(self.frames)
        if n == 0:
            raise ParamError("A recording needs at least one frame; got none.")
        for name in ("objective", "sentences", "steps"):
            if len(getattr(self, name)) != n:
                raise ParamError(
                    f"A recording needs one entry of {name} for each of its {n} frames; "
                    f"got {len(getattr(self, name))}."
                )
        given = _attributes(self.frames[0])
        if late := set().union(*map(_attributes, self.frames)) - given:
            trace, name = min(late)
            raise ParamError(
                f"The first frame of a recording must give everything that changes later; "
                f"it lacks {name!r} of trace {trace}."
            )

    def to_json(self, limit: int = MAX_BYTES) -> str:
        """The recording for the browser, thinned to at most `limit` bytes."""
        text = ""
        for stride in _strides(len(self.frames)):
            text = self._thinned(stride)
            if len(text) <= limit:
                return text
        raise ParamError(
            f"A recording must fit into {limit:,} bytes; even its first and last frame take "
            f"{len(text):,}. Show fewer points or fewer attributes."
        )

    def _thinned(self, stride: int) -> str:
        n = len(self.frames)
        kept = np.unique(np.append(np.arange(0, n, stride), n - 1))
        return json.dumps(
            {
                "frames": list(_changes(self.frames, kept)),
                "objective": packed(np.asarray(self.objective, dtype=float)[kept]),
                "sentences": [self.sentences[k] for k in kept],
                "steps": [int(self.steps[k]) for k in kept],
                "label": self.label,
                "follows": self.follows,
            }
            | self._judged(kept),
            separators=(",", ":"),
        )

    def _judged(self, kept: np.ndarray) -> dict[str, Any]:
        """The second curve, where there is one."""
        if self.held_out is None:
            return {}
        return {"heldOut": packed(np.asarray(self.held_out, dtype=float)[kept])}


def packed(values: Any, *, exact: bool = False) -> Any:
    """An array as Plotly's typed-array notation, in the smallest type that shows the same.

    Whole numbers take the narrowest integer type, other numbers float32 (float64 if `exact`);
    text becomes a list; what is not an array stays as it is.
    """
    if isinstance(values, str) or not hasattr(values, "__len__"):
        return values
    values = np.asarray(values)
    if values.dtype.kind not in "biuf":
        return [None if it is None or it != it else str(it) for it in values.tolist()]
    small = values.astype("<f8") if exact and values.dtype.kind == "f" else _smallest(values)
    notation: dict[str, Any] = {
        "dtype": f"{small.dtype.kind}{small.dtype.itemsize}",
        "bdata": base64.b64encode(np.ascontiguousarray(small).tobytes()).decode(),
    }
    if small.ndim > 1:
        notation["shape"] = ", ".join(map(str, small.shape))
    return notation


def _smallest(values: np.ndarray) -> np.ndarray:
    if values.dtype.kind == "f":
        return values.astype("<f4")
    low, high = (int(values.min()), int(values.max())) if values.size else (0, 0)
    for kind in ("u1", "i1", "<u2", "<i2", "<i4"):
        limits = np.iinfo(kind)
        if limits.min <= low and high <= limits.max:
            return values.astype(kind)
    return values.astype("<f8")  # the browser has no 64-bit integers in pictures


def _attributes(frame: Changes) -> set[tuple[int, str]]:
    return {(trace, name) for trace, changed in frame.items() for name in changed}


def _strides(n: int) -> Iterator[int]:
    """1, 2, 4, ... up to the one that keeps only the ends."""
    stride = 1
    while stride < 2 * n:
        yield stride
        stride *= 2


def _changes(frames: Sequence[Changes], kept: np.ndarray) -> Iterator[dict[str, dict[str, Any]]]:
    """Each kept frame, reduced to what differs from the kept frame before it."""
    now: dict[tuple[int, str], Any] = {}
    shown: dict[tuple[int, str], str] = {}
    wanted = set(kept.tolist())
    for k, frame in enumerate(frames):
        now |= {(t, name): v for t, changed in frame.items() for name, v in changed.items()}
        if k not in wanted:
            continue
        out: dict[str, dict[str, Any]] = {}
        for (trace, name), values in now.items():
            notation = packed(values)
            if shown.get((trace, name)) != (text := json.dumps(notation)):
                out.setdefault(str(trace), {})[name] = notation
                shown[trace, name] = text
        yield out
