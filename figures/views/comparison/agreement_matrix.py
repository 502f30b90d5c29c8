"""How far groups agree, clusters or hidden states, and with a target that nobody told them."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

import figures.graph as go
from figures.drawing import marks
from figures.drawing.words import selects
from figures.names import cut, wrapped
from figures.numbers.sampled import drawn_rows
from figures.theme import SHARES, figure
from figures.view import TableColumn, View, joined, view
from mlcore.data.dataset import Dataset
from mlcore.evaluation.metrics.agreement import (
    adjusted_mutual_information,
    match_labels,
    normalised_mutual_information,
    variation_of_information,
)
from mlcore.evaluation.metrics.groups import adjusted_rand
from mlcore.runs.comparing.outcome import ComparisonOutcome
from mlcore.runs.labels import NOISE
from mlcore.spine.asking import can
from mlcore.spine.capabilities import HasLabels
from mlcore.spine.errors import DataError
from mlcore.spine.wording import fixed, percent

ROW, ROOM = 56, 110  # pixels of a clustering, and of the names above
LONGEST_LABEL = 22  # letters of a line
BESIDE = 4  # clusterings up to which a cell of a phone bears two numbers in a line


class Agreement(NamedTuple):
    """Every two groupings of the same rows, the target last if there is one."""

    labels: tuple[str, ...]  # (k,)
    has_target: bool
    rand: np.ndarray  # (k, k) adjusted Rand index, NaN on the diagonal, like the others
    information: np.ndarray  # (k, k) normalised mutual information
    variation: np.ndarray  # (k, k) variation of information, in nats
    differ: np.ndarray  # (k, k) share of rows in other groups, once labels are matched
    matched: tuple[tuple[str, ...], ...]  # (k, k) which group is which, in words
    rows: tuple[tuple[np.ndarray, ...], ...]  # (k, k) rows of the table that differ, some of them
    has_noise: bool  # whether some rows are in no group
    beyond: np.ndarray  # (k, k) adjusted mutual information


@view(
    "agreement_matrix",
    title="Agreement of the groups",
    sources=("mi2:label_matching", "mi2:clustering_robustness"),
    synonyms=(
        "adjusted Rand index", "ARI", "NMI", "variation of information", "external validation",
        "cluster comparison", "contingency",
    ),
)  # fmt: skip
def agreement_matrix(dataset: Dataset, comparison: ComparisonOutcome) -> View:
    """Adjusted Rand index of every two groupings of all rows, and of each with the target.

    Below it the normalised mutual information and the variation of information.
    """
    a = numbers(dataset, comparison)
    note = "adjusted Rand, 1 is the same, 0 chance; below NMI and variation of information (nats)"
    return joined(a, draw, reading, table, note=note + selects(dataset.n))


def clusterings(comparison: ComparisonOutcome) -> list[Any]:
    """The entrants whose fits have groups of the rows."""
    scored = [entrant for entrant in comparison.scored if entrant.outcome]
    return [e for e in scored if e.outcome and can(e.outcome.whole.fit, HasLabels)]


def numbers(dataset: Dataset, comparison: ComparisonOutcome) -> Agreement:
    """Every pair. Raises DataError for fewer than two groupings."""
    of = {e.label: e.outcome.whole.labels(dataset.X) for e in clusterings(comparison)}
    groupings = list(of.values())
    names: list[dict[int, str]] = [_group_names(each) for each in groupings]
    labels = list(of)
    if has_target := dataset.task == "classification" and dataset.y is not None:
        groupings.append(np.asarray(dataset.y))
        names.append(dict(enumerate(dataset.classes)))
        labels.append(f"target {dataset.target}")
    if len(groupings) < 2:
        raise DataError(
            "Agreement is of two groupings of the same rows; there are not two. Add another "
            "method that groups, or choose a target."
        )
    k, some = len(groupings), drawn_rows(dataset.n)
    values = np.full((5, k, k), np.nan)
    matched = [["" for _ in range(k)] for _ in range(k)]
    rows = [[np.empty(0, dtype=np.int64) for _ in range(k)] for _ in range(k)]
    for i in range(k):
        for j in range(k):
            if i == j:
                continue
            one, other = groupings[i], groupings[j]
            match = match_labels(one, other)
            values[:, i, j] = (
                adjusted_rand(one, other), normalised_mutual_information(one, other),
                variation_of_information(one, other), match.share,
                adjusted_mutual_information(one, other),
            )  # fmt: skip
            matched[i][j] = ", ".join(f"{names[i][m]} = {names[j][n]}" for m, n in match.pairs)
            rows[i][j] = dataset.rows[np.intersect1d(match.differ, some)]
    rand, information, variation, differ, beyond = values
    texts, lists = tuple(map(tuple, matched)), tuple(map(tuple, rows))
    has_noise = any((labels < 0).any() for labels in of.values())
    return Agreement(
        tuple(labels), has_target, rand, information, variation, differ, texts, lists, has_noise,
        beyond,
    )  # fmt: skip


def _group_names(labels: np.ndarray) -> dict[int, str]:
    return {int(k): NOISE if k < 0 else str(k + 1) for k in np.unique(labels)}


def draw(a: Agreement) -> go.Figure:
    """Darker where two agree more; a click selects the rows on which they do not."""
    k = len(a.labels)
    names = [wrapped(label, LONGEST_LABEL) for label in a.labels]
    axis = {"tickvals": list(range(k)), "ticktext": names, "showgrid": False, "ticks": "",
            "showline": False}  # fmt: skip
    cells = [[_cell(a, i, j) for j in range(k)] for i in range(k)]
    hover = [[_hover(a, i, j) for j in range(k)] for i in range(k)]
    heat = go.Heatmap(
        z=np.clip(a.rand, 0, 1), zmin=0, zmax=1, colorscale=SHARES, showscale=False, xgap=2, ygap=2,
        hoverongaps=False, text=cells, texttemplate="%{text}",
        textfont={"size": 14 if k <= BESIDE else 12},
        hovertext=hover, hovertemplate="%{hovertext}<extra></extra>",
    )  # fmt: skip
    return figure(
        marks.numbered(heat, [[cell.tolist() for cell in line] for line in a.rows]),
        height=ROOM + ROW * k,
        xaxis=axis | {"side": "top"},
        yaxis=axis | {"autorange": "reversed"},
    )


def _cell(a: Agreement, i: int, j: int) -> str:
    if i == j:
        return ""
    rand, *others = (fixed(of[i, j]) for of in (a.rand, a.information, a.variation))
    more = (" · " if len(a.labels) <= BESIDE else "<br>").join(others)
    return f"<b>{rand}</b><br><span style='font-size:10px'>{more}</span>"


def _hover(a: Agreement, i: int, j: int) -> str:
    if i == j:
        return ""
    return (
        f"{a.labels[i]} and {a.labels[j]}<br>{percent(float(a.differ[i, j]))} of the rows in other "
        f"groups, once matched:<br>{cut(a.matched[i][j], 80)}<br>click selects them"
    )


def reading(a: Agreement) -> str:
    """The two clusterings that agree most and least, and which is nearest to the target."""
    own = len(a.labels) - a.has_target
    pairs = sorted(((i, j) for j in range(own) for i in range(j)), key=lambda at: -a.rand[at])
    text = f"{_in_words(a, *pairs[0])} most alike" if pairs else ""
    if len(pairs) > 1:
        text += f"; {_in_words(a, *pairs[-1])} least"
    text += "." if pairs else ""
    if a.has_target:
        nearest = int(a.rand[:own, own].argmax())
        value = a.rand[nearest, own]
        text += (
            f" {a.labels[nearest]} is nearest to the target, which it was not told: {value:.2f}."
        )
    return f"{text} Noise counts as one group.".strip() if a.has_noise else text.strip()


def _in_words(a: Agreement, i: int, j: int) -> str:
    value = f"adjusted Rand {a.rand[i, j]:.2f}, {percent(float(a.differ[i, j]))} of the rows differ"
    return f"{a.labels[i]} and {a.labels[j]} ({value})"


def table(a: Agreement) -> tuple[TableColumn, ...]:
    """One line a pair."""
    at = [(i, j) for j in range(len(a.labels)) for i in range(j)]
    measured = {
        "adjusted Rand": a.rand,
        "normalised mutual information": a.information,
        "adjusted mutual information": a.beyond,
        "variation of information": a.variation,
        "rows in other groups": a.differ,
    }
    return (
        TableColumn("first", [a.labels[i] for i, _ in at]),
        TableColumn("second", [a.labels[j] for _, j in at]),
        *(TableColumn(name, np.array([of[i, j] for i, j in at])) for name, of in measured.items()),
        TableColumn("matched groups", [a.matched[i][j] for i, j in at]),
    )
