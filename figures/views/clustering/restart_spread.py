"""Where the runs from different starts ended: whether the best was found once or repeatedly."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

import figures.graph as go
from figures.theme import LIGHT, class_color, figure
from figures.view import TableColumn, View, joined, view
from mlcore.data.dataset import Dataset
from mlcore.runs.carry import Whole
from mlcore.spine.asking import can
from mlcore.spine.capabilities_of_groups import HasInformation, HasRestarts
from mlcore.spine.errors import DataError
from mlcore.spine.wording import count, percent, rough

HEIGHT = 300
SAME = 1e-4  # share of the best: runs that end so near each other ended in one place


class RestartSpread(NamedTuple):
    """Ends of the runs, those in one place together, the best first."""

    ends: np.ndarray  # (e,) the best objective of each place
    runs: np.ndarray  # (e,) that ended there
    is_likelihood: bool


def has_several_runs(dataset: Dataset, whole: Whole | None = None) -> bool:
    """Whether a fit is the best of several runs."""
    return whole is not None and len(whole.fit.restarts) > 1


@view(
    "restart_spread",
    title="Ends of the restarts",
    asks=HasRestarts,
    when=has_several_runs,
    sources=("epfl:kmeans_restarts",),
    synonyms=("local optima", "n_init", "restarts", "local minimum", "initialisation"),
)
def restart_spread(whole: Whole) -> View:
    """How many runs ended at which objective; equal ends are one solution, up to its names.

    A best that one run alone has found may not be the best there is.
    """
    return joined(numbers(whole), draw, reading, table, note="of all runs on all rows")


def numbers(whole: Whole) -> RestartSpread:
    """The ends of a fit, those that differ by a ten thousandth of the best as one.

    Raises DataError where there was a single run.
    """
    fit = whole.fit
    if len(fit.restarts) < 2:
        raise DataError("There was a single run, so there is no other end to compare with.")
    is_likelihood = can(fit, HasInformation)
    falls = np.sort(-fit.restarts if is_likelihood else fit.restarts)
    is_new = np.diff(falls) > SAME * max(abs(float(falls[0])), 1e-300)
    first = np.append(0, np.flatnonzero(is_new) + 1)
    ends = -falls[first] if is_likelihood else falls[first]
    return RestartSpread(ends, np.diff(np.append(first, len(falls))), is_likelihood)


def draw(r: RestartSpread) -> go.Figure:
    """A bar a place where runs ended, the best in full colour."""
    names = _names(r.ends)
    bars = go.Bar(
        x=list(range(len(names))), y=r.runs, width=0.7,
        marker={"color": [class_color(0) if k == 0 else LIGHT.quiet for k in range(len(names))]},
        text=r.runs, textposition="outside", cliponaxis=False, customdata=names,
        hovertemplate="%{y} of the runs ended at %{customdata}<extra></extra>",
    )  # fmt: skip
    shown = np.unique(np.linspace(0, len(names) - 1, min(len(names), 6)).astype(np.int64))
    what = "Log-likelihood" if r.is_likelihood else "Objective"
    return figure(
        bars, height=HEIGHT, showlegend=False,
        xaxis={
            "title": {"text": f"{what} at the end, the best first"},
            "tickvals": shown, "ticktext": [names[k] for k in shown], "showgrid": False,
            "range": [-0.8, max(len(names), 4) - 0.2],
        },
        yaxis={"title": {"text": "Runs"}, "range": [0, 1.18 * int(r.runs.max())]},
    )  # fmt: skip


def _names(ends: np.ndarray) -> list[str]:
    """The ends in three digits, or as exact as the two that are nearest need to be told apart."""
    names = [rough(float(end)) for end in ends]
    if len(set(names)) == len(names):
        return names
    gap = float(np.abs(np.diff(ends)).min())
    return [rough(float(end), gap) for end in ends]


def reading(r: RestartSpread) -> str:
    """How many runs found the best, and how far the others are from it."""
    total, best = int(r.runs.sum()), int(r.runs[0])
    value = rough(float(r.ends[0]))
    if len(r.ends) == 1:
        return f"All {total} runs ended at {value}: the start does not matter here."
    text = f"{best} of {count(total, 'run')} ended at the best, {value}"
    off = percent(abs(float(r.ends[-1] - r.ends[0])) / max(abs(float(r.ends[0])), 1e-300))
    others = len(r.ends) - 1
    which = "other end is worse by" if others == 1 else f"{others} other ends are worse by up to"
    text += f"; the {which} {off}."
    if best == 1:
        text += " Found once, it may not be the best there is: raise the number of restarts."
    return text


def table(r: RestartSpread) -> tuple[TableColumn, ...]:
    """One line a place where runs ended."""
    return (TableColumn("objective", r.ends), TableColumn("runs", r.runs))
