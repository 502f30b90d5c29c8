"""What a search tried and found, by the values of its settings."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from mlcore.evaluation.metrics.metric import Metric
from mlcore.runs.labels import noun_at
from mlcore.runs.tuning.tuned import Tuned
from mlcore.spine.errors import DataError
from mlcore.spine.wording import listed, spelled

DECADE = 30.0  # ratio of the ends above which values stand on a log axis


class Setting(NamedTuple):
    """One setting that was varied."""

    name: str  # in the code
    noun: str  # as its control is called, within a sentence
    values: tuple[Any, ...]  # those tried, in order
    axis: str  # "log", "linear" or "category"
    at: np.ndarray  # (candidates,) position among `values`

    @property
    def title(self) -> str:
        """The name at an axis or above a column."""
        return self.noun[:1].upper() + self.noun[1:]

    def place(self, k: int) -> Any:
        """Where value k stands on its axis."""
        return value_text(self.values[k]) if self.axis == "category" else float(self.values[k])

    def is_end(self, k: int) -> bool:
        """Whether the best may lie beyond the values that were tried."""
        return self.axis != "category" and len(self.values) > 1 and k in (0, len(self.values) - 1)


class Tried(NamedTuple):
    """Every candidate with its inner score on all rows."""

    metric: Metric
    settings: tuple[Setting, ...]
    means: np.ndarray  # (candidates,) NaN where it could not be judged
    spreads: np.ndarray  # (candidates,)
    best: int
    wins: np.ndarray  # (candidates,) outer folds that chose it
    folds: int  # outer folds that have chosen


def tried(tuned: Tuned) -> Tried:
    """The candidates; DataError before the search on all rows is done."""
    if tuned.overall is None:
        raise DataError("The search on all rows is not done yet.")
    wins = np.bincount([s.best for s in tuned.scored], minlength=len(tuned.candidates))
    return Tried(
        tuned.metric,
        tuple(_setting(tuned, k) for k in range(len(tuned.paths))),
        tuned.overall.means,
        tuned.overall.spreads,
        tuned.overall.best,
        wins,
        len(tuned.scored),
    )


def _setting(tuned: Tuned, k: int) -> Setting:
    own = [candidate[k][1] for candidate in tuned.candidates]
    is_plain = all(isinstance(v, int | float) and not isinstance(v, bool) for v in own)
    values = tuple(sorted(set(own)) if is_plain else dict.fromkeys(own))
    at = np.array([values.index(v) for v in own])
    path = tuned.paths[k]
    name, noun = path.rpartition(".")[2], noun_at(tuned.run, path)
    return Setting(name, noun, values, _axis(values, is_plain), at)


def _axis(values: tuple[Any, ...], is_plain: bool) -> str:
    if not is_plain:
        return "category"
    return "log" if min(values) > 0 and max(values) / min(values) >= DECADE else "linear"


def best_by_value(t: Tried, setting: Setting) -> np.ndarray:
    """The best candidate at each value of a setting, whatever the others are; -1 without any."""
    worth = t.means if t.metric.better == "higher" else -t.means
    best = np.full(len(setting.values), -1)
    for k in range(len(best)):
        at = np.flatnonzero((setting.at == k) & np.isfinite(worth))
        if len(at):
            best[k] = at[worth[at].argmax()]
    return best


def at_ends(t: Tried) -> tuple[str, ...]:
    """The settings whose winner lies at an end of what was tried."""
    return tuple(s.noun for s in t.settings if s.is_end(int(s.at[t.best])))


def candidate_text(t: Tried, candidate: int) -> str:
    """The settings of a candidate: alpha 0.1 and l1_ratio 0.5."""
    texts = [f"{s.noun} {value_text(s.values[s.at[candidate]])}" for s in t.settings]
    return listed(texts, most=len(texts))


def value_text(value: Any) -> str:
    """A value with few digits; one of a choice as a textbook writes it."""
    if isinstance(value, bool):
        return "on" if value else "off"
    if isinstance(value, str):
        return spelled(value)
    return f"{value:.4g}" if isinstance(value, float) else str(value)
