"""Every method of a trial beside the baseline: a dot a replicate."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

import figures.graph as go
from figures.names import cut
from figures.numbers.trials import half_width, with_interval
from figures.theme import LIGHT, figure
from figures.view import TableColumn, View, joined, view
from mlcore.evaluation.summary import summary
from mlcore.runs.carry_trial import TrialOutcome
from mlcore.spine.wording import count, in_sentence, listed, plural, rough

# A baseline that would leave the methods less of the axis than this stands at its end instead.
LEAST_SHARE = 0.25
ROW, ROOM = 42, 60  # pixels of a method, and of the axis
ALIKE = 1e-9  # of the size of scores: what differs by less differs by rounding alone
MOST_DOTS = 300
LONGEST_LABEL = 28


class Scores(NamedTuple):
    """Scores of every replicate, the baseline first."""

    labels: tuple[str, ...]  # (s,)
    values: tuple[np.ndarray, ...]  # (s,) of (R,)
    means: np.ndarray  # (s,)
    halves: np.ndarray  # (s,) half the interval; NaN where there is none
    behind: np.ndarray  # (s,) mean difference to the best method over pairs of replicates
    behind_halves: np.ndarray  # (s,) half its interval; NaN where there is none
    failed: np.ndarray  # (s,) replicates without a score
    seconds: np.ndarray  # (s,) of one replicate
    title: str
    note: str  # what the score is
    is_higher_better: bool


@view("trial_scores", title="Scores")
def trial_scores(trial: TrialOutcome) -> View:
    """The score of each method in each replicate, with the mean and its interval."""
    s = numbers(trial)
    note = f"{s.note}; a dot a replicate, {_way(s)} is better"
    return joined(s, draw, reading, table, note=note)


def numbers(trial: TrialOutcome) -> Scores:
    """Means and intervals of the scores."""
    rows = trial.rows
    values = tuple(row.scores for row in rows)
    behind, behind_halves = _paired(values, 1 if trial.metric.better == "higher" else -1)
    return Scores(
        tuple(row.label for row in rows),
        values,
        np.array([summary(v).mean for v in values]),
        np.array([float(half_width(v)) if len(v) else np.nan for v in values]),
        behind,
        behind_halves,
        np.array([len(row.failures) for row in rows]),
        np.array([row.seconds / max(len(row.fits), 1) for row in rows]),
        trial.metric.title,
        in_sentence(trial.metric.note.rstrip(".")),
        trial.metric.better == "higher",
    )


def _paired(values: tuple[np.ndarray, ...], sign: int) -> tuple[np.ndarray, np.ndarray]:
    """How far each method is behind the best one, replicate by replicate: they met the same world.

    The one score of a plan, in which there is no chance, stands beside each of the others. NaN for
    the best itself, the baseline, and methods with another number of replicates.
    """
    behind, halves = np.full(len(values), np.nan), np.full(len(values), np.nan)
    known = [k for k in range(1, len(values)) if len(values[k])]
    if known:
        best = max(known, key=lambda k: sign * values[k].mean())
        for k in known:
            if k != best and _are_pairs(values[k], values[best]):
                gaps = sign * (values[best] - values[k])
                behind[k], halves[k] = gaps.mean(), _half(gaps, values[best])
    return behind, halves


def _are_pairs(scores: np.ndarray, others: np.ndarray) -> bool:
    """Whether scores are of the same replicates, or one of them is that of a plan."""
    return len(scores) == len(others) or 1 in (len(scores), len(others))


def _half(gaps: np.ndarray, scores: np.ndarray) -> float:
    """Half the interval of the mean of the gaps: none is needed where all are nothing."""
    if all(_is_alike(float(gap), scores) for gap in gaps):
        return 0.0
    return float(half_width(gaps)) if len(gaps) > 1 else np.nan


def _way(s: Scores) -> str:
    return "higher" if s.is_higher_better else "lower"


def draw(s: Scores) -> go.Figure:
    """A row a method; the bar is the 95 % interval of the mean."""
    n, ends = len(s.labels), _ends(s)
    shown = ends or _around(s)
    labels = [cut(label, LONGEST_LABEL) for label in s.labels]
    if ends:
        labels[0] += f" ({rough(s.means[0])})"
    fig = figure(
        height=ROOM + ROW * n,
        xaxis={"title": {"text": s.title}} | ({"range": shown} if shown else {}),
        yaxis={
            "tickvals": list(range(n)), "range": [n - 0.5, -0.5], "showgrid": False,
            "ticktext": labels, "ticks": "",
        },
        showlegend=False,
    )  # fmt: skip
    for k, (label, values) in enumerate(zip(s.labels, s.values, strict=True)):
        color = LIGHT.quiet if k == 0 else LIGHT.accent
        dots = values[:MOST_DOTS]
        # Spread by rank within the row, so that equal scores stand beside each other.
        height = k + 0.28 * np.sin(np.arange(len(dots)) * 2.4)
        marker = {"color": color, "symbol": "circle-open", "size": 6, "opacity": 0.6}
        fig.add_scatter(
            x=dots, y=height, mode="markers", marker=marker, name=label,
            hovertemplate=f"{label}<br>%{{x:.4~g}}<extra></extra>",
        )  # fmt: skip
        half = s.halves[k]
        error = {"array": [half], "color": color, "thickness": 3, "width": 6}
        fig.add_scatter(
            x=[s.means[k]], y=[k], mode="markers", name=f"mean of {label}",
            marker={"color": color, "symbol": "diamond", "size": 11},
            error_x=error if np.isfinite(half) else None,
            hovertemplate=f"mean of {label}<br>%{{x:.4~g}}<extra></extra>",
        )  # fmt: skip
    return fig.add_trace(_beyond(s, ends)) if ends else fig


def _ends(s: Scores) -> tuple[float, float] | None:
    """The axis without the baseline, where that lies far from all methods; else None."""
    shown = np.concatenate(s.values[1:])
    if not len(shown) or not np.isfinite(s.means[0]):
        return None
    low, high = float(shown.min()), float(shown.max())
    wide = high - low
    if wide >= LEAST_SHARE * (max(high, s.means[0]) - min(low, s.means[0])):
        return None
    room = 0.08 * wide or 0.05 * max(abs(high), 1.0)
    return low - room, high + room


def _around(s: Scores) -> tuple[float, float] | None:
    """An axis with room at both sides, where all scores are the same but for rounding.

    Plotly's own would be as wide as the rounding errors.
    """
    shown = np.concatenate([*s.values, s.means[np.isfinite(s.means)]])
    if not len(shown) or not _is_alike(float(np.ptp(shown)), shown):
        return None
    middle = float(np.median(shown))
    room = 0.1 * (abs(middle) or 1.0)
    return middle - room, middle + room


def _is_alike(gap: float, scores: np.ndarray) -> bool:
    """Whether a difference of such scores is rounding."""
    return abs(gap) <= ALIKE * max(float(np.abs(scores).max(initial=0.0)), ALIKE)


def _beyond(s: Scores, ends: tuple[float, float]) -> go.Scatter:
    """An arrow at the end of the axis beyond which the baseline lies."""
    is_low, inside = s.means[0] < ends[0], 0.012 * (ends[1] - ends[0])
    marker = {"symbol": f"triangle-{'left' if is_low else 'right'}", "color": LIGHT.quiet}
    return go.Scatter(
        x=[ends[0] + inside if is_low else ends[1] - inside], y=[0], mode="markers",
        name="off the scale",
        marker=marker | {"size": 13},
        hovertemplate=f"{s.labels[0]} {rough(s.means[0])}, off the scale<extra></extra>",
    )  # fmt: skip


def reading(s: Scores) -> str:
    """The best mean beside the baseline, and whether anything failed."""
    known = [k for k in range(1, len(s.labels)) if np.isfinite(s.means[k])]
    if not known:
        return "No method has a score yet."
    if len(s.means) > 2 and _around(s):
        return (
            f"All have the mean {s.title.lower()} {rough(s.means[0])}, the baseline too: what they "
            "learned tells them apart, not the score."
        )
    sign = -1 if s.is_higher_better else 1
    best = min(known, key=lambda k: sign * s.means[k])
    base, what = in_sentence(s.labels[0]), f"mean {s.title.lower()}"
    if _is_alike(float(s.means[best] - s.means[0]), s.means[[0, best]]):
        text = f"{s.labels[best]} is no better than the baseline: {base} has the same {what}, "
        text += f"{rough(s.means[0])}.{_next(s)}"
    else:
        text = f"{s.labels[best]} has the best {what}, {score_text(s, best)}; the baseline, {base},"
        text += f" has {rough(s.means[0])}.{_next(s)}"
    if s.failed.sum():
        text += f" {count(int(s.failed.sum()), 'replicate')} failed."
    n = max(len(v) for v in s.values)
    return text + (" Ten replicates or more would give an interval." if 1 < n < 10 else "")


def _next(s: Scores) -> str:
    """How the nearest other method compares with the best, over pairs of replicates."""
    known = np.flatnonzero(np.isfinite(s.behind_halves))
    if not len(known):
        return ""
    scores = s.means[np.isfinite(s.means)]
    level = [k for k in known if s.behind_halves[k] == 0 and _is_alike(s.behind[k], scores)]
    if level:
        same = " in every one of the same worlds" if max(map(len, s.values)) > 1 else ""
        names = listed(s.labels[k] for k in level)
        return f" {names} {plural(len(level), 'is', 'are')} as good{same}."
    k = int(known[np.argmin(s.behind[known])])
    gap, half = float(s.behind[k]), float(s.behind_halves[k])
    verdict = "is clear" if gap > half else "may be chance"
    return (
        f" {s.labels[k]} is {with_interval(gap, half)} behind in the same worlds, which {verdict}."
    )


def score_text(s: Scores, k: int) -> str:
    """A mean with its interval."""
    return with_interval(float(s.means[k]), float(s.halves[k]))


def table(s: Scores) -> tuple[TableColumn, ...]:
    """One line a method."""
    return (
        TableColumn("method", s.labels),
        TableColumn(f"mean {s.title.lower()}", s.means),
        TableColumn("half of the 95 % interval", s.halves),
        TableColumn("behind the best, in pairs", s.behind),
        TableColumn("half of its 95 % interval", s.behind_halves),
        TableColumn("replicates", np.array([len(v) for v in s.values])),
        TableColumn("failed", s.failed),
        TableColumn("seconds a replicate", s.seconds),
    )
