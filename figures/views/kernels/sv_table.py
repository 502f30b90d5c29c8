"""The support vectors, one by one: multiplier, output, slack, and which of the cases each is."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

import figures.graph as go
from figures.drawing.traces import named_line
from figures.drawing.words import fitted_on
from figures.numbers.optimality import Own, rows_by_machine
from figures.numbers.supports import FULL
from figures.theme import CLASS_COLORS, class_symbol, figure
from figures.view import TableColumn, View, joined, view
from mlcore.data.dataset import Dataset
from mlcore.runs.carry import Whole
from mlcore.spine.asking import can
from mlcore.spine.capabilities import HasClasses
from mlcore.spine.wording import count, listed, plural, rough
from mlcore.svm.capabilities import HasMachines, HasOptimum, HasRegion

HEIGHT = 380
MOST_DRAWN = 2000  # dots
SLACK = 1e-3  # of the unit of the output, below which a slack is that of the tolerance
EDGE, INSIDE, WRONG = range(3)
OF_CLASSES = ("on the edge of the margin", "inside the margin", "on the wrong side")
OF_TUBE = ("on the edge of the tube", "outside the tube")
OF_REGION = ("on the border", "outside the region")


class SupportVectors(NamedTuple):
    """The support vectors of all machines, those of the largest multiplier first."""

    rows: np.ndarray  # (s,) numbers in the table
    klass: tuple[str, ...]  # (s,) class, or the side of the tube; empty of a region
    machine: tuple[str, ...]  # (s,) empty where there is one
    alpha: np.ndarray  # (s,)
    is_full: np.ndarray  # (s,) at its bound
    output: np.ndarray  # (s,) f, the residual, or the sum of the kernel
    ahead: np.ndarray  # (s,) output inside the edge; below 0 beyond it
    case: np.ndarray  # (s,) EDGE, INSIDE or WRONG
    cases: tuple[str, ...]  # their names
    what: str  # the name of the output


@view(
    "sv_table",
    title="Support vectors",
    asks=HasOptimum,
    on="svm regression",
    order=51,
    sources=("prac:support_vectors", "s841:support_vectors", "prac:slack_variables"),
    synonyms=("slack", "margin errors", "table of support vectors"),
)
def sv_table(dataset: Dataset, whole: Whole) -> View:
    """Multiplier and place of each support vector; the table has its output and slack.

    Those with a multiplier between its bounds stand on the edge and hold it; those at the bound
    are beyond it, by their slack. Where slacks count by their squares, or none is allowed, there
    is no bound.
    """
    return joined(numbers(dataset, whole), draw, reading, table, note=fitted_on(dataset, whole))


def numbers(dataset: Dataset, whole: Whole) -> SupportVectors:
    """Rows of more than one machine stand once for each that they support."""
    fit: Any = whole.fit
    parts = list(rows_by_machine(dataset, whole))
    kept = [np.flatnonzero(own.alpha > 0) for own in parts]
    of = np.concatenate([np.full(len(k), m) for m, k in enumerate(kept)])

    def joint(pick: Any) -> np.ndarray:
        return np.concatenate([pick(own)[k] for own, k in zip(parts, kept, strict=True)])

    order = np.argsort(-joint(lambda own: own.alpha), kind="stable")
    has_bound = bool(np.isfinite(fit.bounds).all())
    at = dataset.rows[whole.prepared.follow(np.arange(dataset.n))[joint(lambda o: o.at)[order]]]
    positions = joint(lambda o: o.at)[order]
    cases, what = _words(fit)
    sign = joint(lambda own: own.sign)[order]
    return SupportVectors(
        at,
        _sides(dataset, whole, positions, sign),
        _machines(dataset, fit, of[order]),
        joint(lambda own: own.alpha)[order],
        joint(lambda own: own.share)[order] >= FULL,
        joint(lambda own: _output(fit, own))[order],
        joint(lambda own: own.ahead)[order],
        joint(lambda own: _case(own, has_bound, can(fit, HasMachines)))[order],
        cases,
        what,
    )


def _words(fit: Any) -> tuple[tuple[str, ...], str]:
    if can(fit, HasMachines):
        return OF_CLASSES, "f(x)"
    return (OF_REGION, "sum of the kernel") if can(fit, HasRegion) else (OF_TUBE, "residual")


def _output(fit: Any, own: Own) -> np.ndarray:
    """f of classes, the sum of the kernel of a region, target less prediction of a tube, (m,)."""
    if can(fit, HasMachines):
        return own.sign * (1.0 + own.ahead)
    if can(fit, HasRegion):
        return fit.rho + own.ahead
    return own.sign * (fit.epsilon - own.ahead)


def _case(own: Own, has_bound: bool, has_sides: bool) -> np.ndarray:
    """The case of each row, (m,). With a bound it decides; without one the slack does."""
    beyond = own.ahead < -SLACK * own.unit
    if has_bound:
        beyond = (own.share >= FULL) & (own.ahead < 0)
    case = np.where(beyond, INSIDE, EDGE)
    return np.where(beyond & has_sides & (own.ahead < -1.0), WRONG, case)


def _sides(
    dataset: Dataset, whole: Whole, positions: np.ndarray, sign: np.ndarray
) -> tuple[str, ...]:
    if can(whole.fit, HasClasses):
        codes = np.searchsorted(whole.fit.classes, np.asarray(whole.prepared.y)[positions])
        return tuple(dataset.classes[int(whole.fit.classes[k])] for k in codes)
    if can(whole.fit, HasRegion):
        return ("",) * len(positions)
    return tuple("above" if s > 0 else "below" for s in sign)


def _machines(dataset: Dataset, fit: Any, of: np.ndarray) -> tuple[str, ...]:
    if fit.duals.shape[1] == 1:
        return ("",) * len(of)
    names = [
        f"{dataset.classes[b]} | {'the rest' if a < 0 else dataset.classes[a]}"
        for a, b in fit.machines
    ]
    return tuple(names[m] for m in of)


def draw(s: SupportVectors) -> go.Figure:
    """A dot a support vector: how far it is from the edge, and its multiplier."""
    shown = np.arange(min(len(s.rows), MOST_DRAWN))
    traces = []
    for k, name in enumerate(s.cases):
        own = shown[s.case[shown] == k]
        texts = [
            ", ".join(filter(None, (f"row {s.rows[i] + 1}", s.klass[i], s.machine[i]))) for i in own
        ]
        traces.append(
            go.Scatter(
                x=s.ahead[own], y=s.alpha[own], mode="markers", name=name, text=texts,
                marker={"color": CLASS_COLORS[k], "symbol": class_symbol(k), "size": 8},
                hovertemplate="%{text}<br>multiplier %{y:.4~g}<br>from the edge %{x:.3~g}"
                "<extra></extra>",
            )
        )  # fmt: skip
    fig = figure(
        *traces,
        height=HEIGHT,
        showlegend=True,
        xaxis={
            "title": {"text": "From the edge (below 0: beyond it)"},
            "zeroline": False,
            "range": _range(s),
        },
        yaxis={"title": {"text": "Multiplier"}, "rangemode": "tozero"},
    )
    return named_line(fig, "edge", x=0.0)


def _range(s: SupportVectors) -> list[float]:
    """From the farthest beyond the edge; where none is, rounding would fill the axis else."""
    if not len(s.ahead):
        return [-1.0, 0.1]
    reach = max(-float(s.ahead.min()), 0.1 * float(np.median(np.abs(s.output))), 1e-12)
    return [-1.06 * reach, max(0.06 * reach, 1.06 * float(s.ahead.max()))]


def reading(s: SupportVectors) -> str:
    """How many are of each case, and what their slacks sum to."""
    many = np.bincount(s.case, minlength=len(s.cases))
    each = listed([f"{many[k]} {name}" for k, name in enumerate(s.cases) if many[k]])
    text = f"{count(len(s.rows), 'support vector')}{_machines_of(s)}: {each}. "
    hold, full = int(many[EDGE]), int(s.is_full.sum())
    if full:
        text += f"{full} {plural(full, 'is', 'are')} at the bound of the multiplier. "
        text += f"The {hold} on the edge hold it. " if hold else "None stands on the edge. "
    slack = float(np.maximum(-s.ahead, 0.0)[s.case != EDGE].sum())
    return text + (f"Slacks sum to {rough(slack)}." if slack else "None has a slack.")


def _machines_of(s: SupportVectors) -> str:
    """That a row counts once for each machine that it supports."""
    k, rows = len(set(s.machine)), len(np.unique(s.rows))
    return f" of {k} machines, in {count(rows, 'row')}" if k > 1 else ""


def table(s: SupportVectors) -> tuple[TableColumn, ...]:
    """One line a support vector."""
    slack: Any = np.where(s.case == EDGE, 0.0, np.maximum(-s.ahead, 0.0))
    side = "side of the tube" if s.cases == OF_TUBE else "class"
    named = (
        (name, values) for name, values in ((side, s.klass), ("machine", s.machine)) if any(values)
    )
    return (
        TableColumn("row", s.rows + 1),
        *(TableColumn(name, values) for name, values in named),
        TableColumn("multiplier", s.alpha),
        TableColumn("at the bound", s.is_full),
        TableColumn(s.what, s.output),
        TableColumn("slack", slack),
        TableColumn("case", [s.cases[k] for k in s.case]),
    )
