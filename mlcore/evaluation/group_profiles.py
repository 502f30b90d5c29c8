"""What sets groups apart, column by column: means in standard deviations, shares, and words."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from mlcore.maths.arrays import means
from mlcore.spine.fit import Column
from mlcore.spine.records import function

NAMED = 0.5  # standard deviations of all rows from which a group is said to differ
BOLD = 0.9  # from which it differs much
MOST_LEVELS = 200  # of a column of names; those beyond are too rare to describe a group

# What many and little of a quantity are called, by the last word of its name.
ADJECTIVES = {
    "length": ("long", "short"),
    "width": ("wide", "narrow"),
    "breadth": ("broad", "narrow"),
    "depth": ("deep", "shallow"),
    "mass": ("heavy", "light"),
    "weight": ("heavy", "light"),
    "age": ("old", "young"),
    "speed": ("fast", "slow"),
    "thickness": ("thick", "thin"),
}
UNITS = ("mm", "cm", "m", "km", "mg", "g", "kg", "ml", "l", "s", "ms", "kwh")


class Trait(NamedTuple):
    """One column over K groups. `scores`, shape (K,), say how far a group lies from all rows, in
    their standard deviations: its mean, or the share of `levels`, the one that stands out in it."""

    column: Column
    share: float  # of the variance that lies between the groups, in [0, 1]
    scores: np.ndarray  # (K,); NaN where a group has no value
    spreads: np.ndarray  # (K,) standard deviation inside the group, in that of all rows
    means: np.ndarray  # (K,) in units of the column, or the share of the level
    levels: tuple[str, ...] = ()  # (K,) of a column of names


@function(
    "group_profiles",
    title="Profiles of groups",
    synonyms=("cluster profiles", "cluster description", "cluster interpretation", "persona"),
)
def profiles(X: np.ndarray, columns: Sequence[Column], labels: np.ndarray) -> tuple[Trait, ...]:
    """Every column over the groups, those first whose variance lies most between the groups.

    `X`, shape (n, p), has codes of levels and NaN where a value is missing, `labels`, (n,), -1 for
    noise, which is the last group here but has no part in the share. Columns that are the same in
    all rows have no profile. The share of a column of names is that of its indicators together
    (Goodman and Kruskal's tau).
    """
    groups = [k for k in np.unique(labels) if k >= 0] + ([-1] if (labels < 0).any() else [])
    traits = [_trait(X[:, j], column, labels, groups) for j, column in enumerate(columns)]
    return tuple(sorted((t for t in traits if t is not None), key=lambda t: -t.share))


def _trait(
    values: np.ndarray, column: Column, labels: np.ndarray, groups: Sequence[int]
) -> Trait | None:
    seen = np.isfinite(values)
    values, labels = values[seen], labels[seen]
    if not len(values) or values.min() == values.max():
        return None
    if not column.levels:
        means, spreads = _moments(values[:, None], labels, groups)
        centre, sd = values.mean(), values.std()
        scores = (means[:, 0] - centre) / sd
        share = _between(values[:, None], labels)
        return Trait(column, share, scores, spreads[:, 0] / sd, means[:, 0])
    codes = np.clip(values.astype(int), 0, min(len(column.levels), MOST_LEVELS) - 1)
    indicators = np.eye(codes.max() + 1)[codes]
    means, spreads = _moments(indicators, labels, groups)
    centre, sd = indicators.mean(axis=0), indicators.std(axis=0)
    scores = (means - centre) / np.where(sd > 0, sd, np.inf)
    out = np.nan_to_num(scores, nan=-np.inf).argmax(axis=1)  # the most over-represented level
    at = np.arange(len(groups))
    return Trait(
        column, _between(indicators, labels), scores[at, out],
        spreads[at, out] / np.where(sd > 0, sd, np.inf)[out], means[at, out],
        tuple(column.levels[k] for k in out),
    )  # fmt: skip


def _moments(
    values: np.ndarray, labels: np.ndarray, groups: Sequence[int]
) -> tuple[np.ndarray, np.ndarray]:
    """Means and standard deviations of the groups, shape (K, q); NaN for one without values."""
    nothing = np.full(values.shape[1], np.nan)
    inside = [values[labels == k] for k in groups]
    means = [rows.mean(axis=0) if len(rows) else nothing for rows in inside]
    return np.array(means), np.array([r.std(axis=0) if len(r) else nothing for r in inside])


def _between(values: np.ndarray, labels: np.ndarray) -> float:
    """The share of the sum of squares that lies between the groups, without noise."""
    values, labels = values[labels >= 0], labels[labels >= 0]
    if not len(values):
        return 0.0
    centre = means(values)
    total = ((values - centre) ** 2).sum()
    groups = [values[labels == k] for k in np.unique(labels)]
    between = sum(len(rows) * ((rows.mean(axis=0) - centre) ** 2).sum() for rows in groups)
    return float(between / total) if total > 0 else 0.0


def words(traits: Sequence[Trait], group: int) -> tuple[tuple[str, float], ...]:
    """What a group is like, the strongest first: (words, standard deviations), from 0.5 on."""
    named = [(_words(trait, group), float(trait.scores[group])) for trait in traits]
    strong = [(text, score) for text, score in named if abs(score) >= NAMED and text]
    return tuple(sorted(strong, key=lambda each: -abs(each[1])))


def _words(trait: Trait, group: int) -> str:
    name, score = plain_name(trait.column.name), trait.scores[group]
    if trait.levels:
        return f"{name} {trait.levels[group]}" if score > 0 else ""
    *front, last = name.split(" ")
    if last in ADJECTIVES:
        adjective = ADJECTIVES[last][int(score < 0)]
        return f"{adjective} {' '.join(front)}".strip()
    return f"{'high' if score > 0 else 'low'} {name}"


def plain_name(name: str) -> str:
    """A name in the habit of code as words, without its unit: bill_length_mm is bill length."""
    if not name.isascii() or not name.replace("_", "").isalnum() or name != name.lower():
        return name
    parts = [part for part in name.split("_") if part]
    if len(parts) > 1 and parts[-1] in UNITS:
        parts.pop()
    return " ".join(parts) or name
