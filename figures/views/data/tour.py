"""The grand tour: rows in motion, projected onto plane after plane."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import Any, NamedTuple

import numpy as np

import figures.graph as go
from figures.drawing import spokes
from figures.drawing.traces import empty
from figures.literal import literal
from figures.numbers.standardised import Quantities, quantities
from figures.options import Offered, Options, among
from figures.recording import Changes, Recording
from figures.view import TableColumn, View, joined, view
from mlcore.data.dataset import Dataset
from mlcore.data.describing import tours
from mlcore.spine.params import choice, integer
from mlcore.spine.wording import count, fixed, percent

HEIGHT = 520
MOST_COLUMNS = 8  # spokes that can be told apart while they move
MOST_ROWS = 400  # 400 rows on 200 planes are 640 kB
MOST_PLANES = 12
LONGEST = 0.8  # of a spoke, as a share of how far rows come: its name needs the rest
TOO_FEW = (
    "A tour needs three columns of numbers that vary, in two rows without gaps: with two there is "
    "one plane only."
)
GUIDED, GRAND = "guided", "grand"


class Toured(NamedTuple):
    """Rows and the planes that they are projected onto, one after the other."""

    cells: Quantities
    tour: tours.Tour | None  # None where there are too few columns
    kind: str
    index: np.ndarray  # (f,) the LDA index of each plane, or the share of the variance it holds
    has_index: bool  # which of the two
    reach: float  # how far from the middle any row comes


def _kinds(offered: Offered) -> dict[Any, str]:
    """A tour is guided by classes."""
    has_classes = len(offered["dataset"].classes) > 1
    return {GRAND: "grand"} | ({GUIDED: "guided by the classes"} if has_classes else {})


@dataclass(frozen=True, kw_only=True)
class TourOptions(Options):
    """What may be chosen of the tour."""

    kind: str = among(
        choice(
            GRAND, GRAND, GUIDED, label="Tour",
            doc="Grand: planes drawn at random, the same chance for each. Guided: each next plane "
            "keeps the classes farther apart than the one before.",
        ),
        _kinds,
    )  # fmt: skip
    planes: int = integer(
        6, low=1, high=MOST_PLANES, soft=(2, MOST_PLANES), label="Planes",
        doc="How many planes the tour leads to; a guided one stops before, where none is better.",
    )  # fmt: skip
    seed: int = integer(
        0, low=0, high=9999, soft=(0, 20), label="Seed", doc="Another seed is another tour.",
    )  # fmt: skip


@view(
    "tour",
    title="Grand tour",
    options=TourOptions,
    on="data",
    order=46,
    synonyms=("guided tour", "projection pursuit", "tour of projections", "rotating projections"),
)
def tour(dataset: Dataset, *, options: TourOptions) -> View:
    """Rows of several columns, seen in plane after plane as these turn into each other."""
    t = numbers(dataset, options)
    player = partial(_played, literal(t)) if t.tour else None
    return joined(t, draw, reading, table, note=t.cells.note, player=player)


def numbers(dataset: Dataset, options: TourOptions | None = None) -> Toured:
    """At most 400 complete rows over at most 8 columns; the first two are those that say most."""
    chosen = options or TourOptions()
    cells = quantities(dataset, MOST_COLUMNS, MOST_ROWS, ranked=True)
    p, Z = len(cells.names), cells.Z
    if p < 3:
        return Toured(cells, None, chosen.kind, np.zeros(0), False, 1.0)
    labelled = cells.klass >= 0
    has_index = len(np.unique(cells.klass[labelled])) > 1
    way = (
        tours.guided_tour(Z[labelled], cells.klass[labelled], chosen.planes, chosen.seed)
        if chosen.kind == GUIDED and has_index
        else tours.grand_tour(p, chosen.planes, chosen.seed)
    )
    index = (
        tours.lda_index(way.frames, *tours.scatters(Z[labelled], cells.klass[labelled]))
        if has_index
        else ((Z @ way.frames.swapaxes(1, 2)) ** 2).sum(axis=(1, 2)) / (Z**2).sum()
    )
    reach = float(np.sqrt(((Z @ way.frames.swapaxes(1, 2)) ** 2).sum(axis=2).max()))
    return Toured(cells, way, chosen.kind, index, has_index, reach)


def draw(t: Toured) -> go.Figure:
    """The plane at which the tour ends, which the player shows unless it is at another."""
    if t.tour is None:
        return empty(TOO_FEW)
    A = t.tour.frames[-1]
    traces = spokes.rows_by_class(t.cells, t.cells.Z @ A.T)
    traces += spokes.traces(_tips(t, A), t.cells.names, t.reach)
    return spokes.round_figure(traces, 1.05 * t.reach, HEIGHT, legend=bool(t.cells.classes))


def _tips(t: Toured, A: np.ndarray) -> np.ndarray:
    """Where the unit of each column lies in the plane, shape (p, 2), as long as rows are far."""
    return LONGEST * t.reach * A.T


def _played(t: Toured) -> Recording:
    """A frame a plane: the rows and the spokes move, and nothing else."""
    assert t.tour is not None
    n = len(t.tour.frames)
    return Recording(
        frames=[_frame(t, A) for A in t.tour.frames],
        objective=t.index,
        sentences=[_sentence(t, k) for k in range(n)],
        steps=np.arange(1, n + 1),
        label="LDA index" if t.has_index else "share of the variance",
    )


def _frame(t: Toured, A: np.ndarray) -> Changes:
    at = t.cells.Z @ A.T
    places = [at[t.cells.klass == code] for code in np.unique(t.cells.klass)]
    tips = _tips(t, A)
    x, y = spokes.lines_to(tips)
    changes = [*places, np.column_stack([x, y]), spokes.named_at(tips, t.reach)]
    return {k: {"x": v[:, 0], "y": v[:, 1]} for k, v in enumerate(changes)}


def _sentence(t: Toured, k: int) -> str:
    assert t.tour is not None
    stop = int(np.searchsorted(t.tour.stops, k))
    where = f"Plane {stop}" if k == t.tour.stops[stop] else f"On the way to plane {stop}"
    where = "The plane of the first two columns" if k == 0 else where
    return f"{where}: {_value(t, float(t.index[k]))}."


def _value(t: Toured, value: float) -> str:
    return f"LDA index {fixed(value)}" if t.has_index else f"{percent(value)} of the variance"


def reading(t: Toured) -> str:
    """Where it begins and ends, and what its spokes say."""
    if t.tour is None:
        return TOO_FEW
    first, second = t.cells.names[:2]
    is_guided = t.kind == GUIDED and t.has_index
    n = len(t.tour.stops) - 1
    text = f"A {'guided' if is_guided else 'grand'} tour of {count(len(t.cells.names), 'column')}"
    text += f" from {first} and {second} through {count(n, 'plane')}; the last is drawn, with "
    text += f"{_value(t, float(t.index[-1]))} ({_value(t, float(t.index[0]))} at first)."
    text += " A spoke is long where its column lies in the plane, and none where it stands upright."
    if is_guided:
        text += " It has sought planes that part these rows, so rows to come are parted less well."
    return text + t.cells.which


def table(t: Toured) -> tuple[TableColumn, ...]:
    """One line a column: its share of the two directions of the last plane."""
    A = np.zeros((2, 0)) if t.tour is None else t.tour.frames[-1]
    names = t.cells.names if t.tour else ()
    return (
        TableColumn("column", names),
        TableColumn("across", A[0]),
        TableColumn("up", A[1]),
    )
