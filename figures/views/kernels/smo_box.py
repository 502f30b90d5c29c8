"""Two multipliers in their box: one move of sequential minimal optimisation."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import Any, NamedTuple

import numpy as np

import figures.graph as go
from figures.recording import Changes, Recording
from figures.theme import CLASS_COLORS, LIGHT, band, figure
from figures.view import TableColumn, View, joined, view
from mlcore.data.dataset import Dataset
from mlcore.runs.carry import Whole
from mlcore.spine import codec
from mlcore.spine.asking import can
from mlcore.spine.errors import DataError
from mlcore.spine.iterate import Step, numbers_of
from mlcore.spine.wording import count, percent, rough
from mlcore.svm.capabilities import HasOffset, HasTube, MovesPairs
from mlcore.svm.moves import PairMove

HEIGHT = 420
ROOM = 0.3  # of the widest box, around it
SIDES = {1.0: "above the tube", -1.0: "below the tube"}  # by the sign of a multiplier
NAMES = ("box", "line", "before", "free", "after")


class Boxes(NamedTuple):
    """The moves of two rows, step by step."""

    moves: tuple[PairMove, ...]
    rows: np.ndarray  # (s, 2) their numbers in the table
    sides: tuple[tuple[str, str], ...]  # (s,) of a tube: which multiplier of each row; else empty
    at: np.ndarray  # (s,) which of the recorded steps each was
    side: float  # of the picture: the largest bound, or multiplier where there is none
    others: int  # steps that moved no two rows

    @property
    def longest(self) -> int:
        """The move that goes farthest, the first of equal ones."""
        return int(np.argmax([np.abs(move.after - move.before).max() for move in self.moves]))

    def names(self, k: int) -> list[str]:
        """The two multipliers of move k, by row and side."""
        sides = self.sides[k] if self.sides else ("", "")
        each = zip(self.rows[k], sides, strict=True)
        return [f"row {row + 1} {side}".strip() for row, side in each]

    @property
    def clipped(self) -> int:
        """How many a bound has cut."""
        return sum(move.is_clipped for move in self.moves)


@view(
    "smo_box",
    title="A pair in its box",
    asks=MovesPairs,
    on="svm",
    order=57,
    sources=("prac:smo_pair", "prac:smo"),
    synonyms=("SMO step", "clipping", "box constraint", "two multipliers", "Platt"),
)
def smo_box(steps: Sequence[Step], dataset: Dataset, whole: Whole) -> View:
    """Both multipliers of a move between 0 and their bounds, on the line that keeps the sum.

    Along the line the objective is a parabola. Its minimum (cross) is where the pair goes, if it
    lies in the box, else to the corner of the box before it. The player goes from pair to pair.
    Around a tube each row has two multipliers, for above it and for below.
    """
    b = numbers(steps, dataset, whole)
    note, player = "the longest move; the player has each", partial(recording, b, steps, whole)
    return joined(b, draw, reading, table, note=note, player=player)


def numbers(steps: Sequence[Step], dataset: Dataset, whole: Whole) -> Boxes:
    """The moves of the steps; DataError where none was one of two rows."""
    states: list[Any] = [step.state for step in steps]
    at = [k for k, state in enumerate(states) if state.move is not None]
    if not at:
        raise DataError(_why_none(whole.fit))
    moves = tuple(states[k].move for k in at)
    came = np.arange(dataset.n) if whole.prepared.rows is None else whole.prepared.rows
    rows = dataset.rows[came[np.array([move.rows for move in moves])]]
    sides = tuple((SIDES[move.sides[0]], SIDES[move.sides[1]]) for move in moves)
    tops = np.array([move.top for move in moves])
    finite = tops[np.isfinite(tops)]
    reached = max(float(move.after.max()) for move in moves) or 1.0
    side = float(finite.max()) if len(finite) else 1.2 * reached
    told = sides if can(whole.fit, HasTube) else ()
    return Boxes(moves, rows, told, np.array(at), side, len(states) - len(at))


def _why_none(fit: Any) -> str:
    """Why no step moved two rows."""
    if can(fit, HasOffset) and not fit.has_intercept:
        return (
            "No step moved two rows together: without an intercept each multiplier moves alone. "
            "Let the intercept be learned."
        )
    return "No pair had to move: the multipliers began at the solution. Choose another nu."


def draw(b: Boxes) -> go.Figure:
    """The box, the line through it, and the pair before and after; a cross at the free minimum."""
    marks = _places(b, b.longest)
    look: dict[str, dict[str, Any]] = {
        "box": {"mode": "lines", "fill": "toself", "fillcolor": band(LIGHT.quiet),
                "line": {"color": LIGHT.quiet, "width": 1}},
        "line": {"mode": "lines", "line": {"color": LIGHT.text, "width": 1.5, "dash": "dot"}},
        "before": {"mode": "markers", "name": "before",
                   "marker": {"symbol": "circle-open", "size": 12, "color": LIGHT.text,
                              "line": {"width": 2}}},
        "free": {"mode": "markers", "name": "minimum on the line",
                 "marker": {"symbol": "x", "size": 11, "color": CLASS_COLORS[1]}},
        "after": {"mode": "markers", "name": "after",
                  "marker": {"size": 11, "color": CLASS_COLORS[0]}},
    }  # fmt: skip
    traces = [
        go.Scatter(
            **marks[name], **look[name], uid=name, showlegend="name" in look[name],
            hoverinfo="skip" if "name" not in look[name] else None,
            hovertemplate="%{text}<extra></extra>" if "name" in look[name] else None,
        )
        for name in NAMES
    ]  # fmt: skip
    ends = [-ROOM * b.side, (1 + ROOM) * b.side]
    return figure(
        *traces, height=HEIGHT, showlegend=True,
        xaxis={"title": {"text": "Multiplier of the first row"}, "range": ends},
        yaxis={"title": {"text": "Multiplier of the second row"}, "range": ends,
               "scaleanchor": "x"},
    )  # fmt: skip


def _places(b: Boxes, k: int) -> dict[str, dict[str, Any]]:
    """Where everything of move k stands; a minimum out of sight is at the edge of the picture."""
    move, far = b.moves[k], (1 + ROOM) * b.side
    x, y = np.minimum(move.top, 2 * far)
    along = move.free - move.before
    along = along / (np.abs(along).max() or 1.0)
    line = move.before + 4 * far * np.array([[-1.0], [1.0]]) * along
    seen = _towards(move.before, move.free, 0.96 * far, -0.96 * ROOM * b.side)
    places = {"before": move.before, "free": seen, "after": move.after}
    shown = {"before": move.before, "free": move.free, "after": move.after}
    return {
        "box": {"x": [0, x, x, 0, 0], "y": [0, 0, y, y, 0]},
        "line": {"x": line[:, 0], "y": line[:, 1]},
    } | {
        name: {
            "x": place[:1], "y": place[1:],
            "text": [", ".join(
                f"{who} {rough(float(v))}" for who, v in zip(b.names(k), shown[name], strict=True)
            )],
        }
        for name, place in places.items()
    }  # fmt: skip


def _towards(start: np.ndarray, end: np.ndarray, high: float, low: float) -> np.ndarray:
    """The end, or the last place on the way there with both between `low` and `high`, (2,)."""
    by = end - start
    room = np.where(by > 0, high - start, np.where(by < 0, low - start, np.inf))
    share = np.divide(room, by, out=np.full(2, np.inf), where=by != 0)
    return start + min(1.0, float(share.min())) * by


def recording(b: Boxes, steps: Sequence[Step], whole: Whole) -> Recording:
    """A frame for each move of two rows."""
    at = {name: k for k, name in enumerate(NAMES)}
    kept = [steps[k] for k in b.at]
    frames: list[Changes] = [
        {at[name]: values for name, values in _places(b, k).items()} for k in range(len(kept))
    ]
    return Recording(
        frames=frames,
        objective=np.array([step.objective for step in kept], dtype=np.float64),
        label=whole.fit.made_by.followed,
        sentences=[step.note for step in kept],
        steps=numbers_of(kept),
        follows=codec.digest(whole.fit.made_by),
    )


def reading(b: Boxes) -> str:
    """What the longest move did, and how many a bound cut."""
    move, (i, j) = b.moves[b.longest], b.names(b.longest)
    before, after = ([rough(float(v)) for v in values] for values in (move.before, move.after))
    text = f"The longest move takes the multiplier of {i} from {before[0]} to {after[0]} and "
    text += f"that of {j} from {before[1]} to {after[1]}"
    text += ", where a bound ends the way to the minimum." if move.is_clipped else "."
    share = percent(b.clipped / len(b.moves))
    text += f" Of {count(len(b.moves), 'recorded move')} bounds cut {b.clipped} ({share})."
    if b.others:
        text += f" {count(b.others, 'step')} moved no two rows."
    return text


def table(b: Boxes) -> tuple[TableColumn, ...]:
    """One line a move."""
    before, after, free = (
        np.array([getattr(move, name) for move in b.moves]) for name in ("before", "after", "free")
    )
    each = (("first", 0), ("second", 1))
    return (
        TableColumn("step", b.at + 1),
        *(TableColumn(f"{name} row", b.rows[:, k] + 1) for name, k in each),
        *(
            TableColumn(f"{name} side", np.array([side[k] for side in b.sides], dtype=object))
            for name, k in each
            if b.sides
        ),
        *(TableColumn(f"{name} before", before[:, k]) for name, k in each),
        *(TableColumn(f"{name} after", after[:, k]) for name, k in each),
        *(TableColumn(f"{name} without bounds", free[:, k]) for name, k in each),
        TableColumn("cut by a bound", np.array([move.is_clipped for move in b.moves])),
    )
