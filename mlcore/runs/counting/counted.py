"""What a count finds: every criterion over the numbers of clusters, and what each of them says."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import combinations
from math import sqrt

import numpy as np

from mlcore.evaluation.consensus import (
    consensus_area,
    consensus_distribution,
    consensus_gains,
    consensus_matrix,
)
from mlcore.evaluation.group_counts import CRITERIA, Opinion, gap_statistic, mean_ranks, opinion
from mlcore.evaluation.metrics.groups import adjusted_rand
from mlcore.runs.counting.cluster_count import ClusterCount
from mlcore.runs.counting.parts import (
    NONE,
    OF_ROWS,
    OF_SPLIT,
    REFERENCE,
    RESAMPLE,
    ROWS,
    SPLIT,
    CountPart,
    numbers_of,
    planned,
)
from mlcore.spine import random
from mlcore.spine.asking import promises
from mlcore.spine.capabilities_of_groups import GivesDevianceInformation
from mlcore.spine.wording import listed, plural

MOST_ROWS = 300  # of a consensus, which has a number for each two of them
LEVELS = np.linspace(0, 1, 101)  # of a consensus, at which its distribution is told


@dataclass(frozen=True, eq=False)
class Counted:
    """The parts that are done, and what follows from them. After a stop some are missing."""

    run: ClusterCount
    parts: tuple[CountPart, ...]
    versions: tuple[tuple[str, str], ...]

    @property
    def planned(self) -> int:
        """How many parts there are to be."""
        return len(planned(self.run))

    @property
    def numbers(self) -> tuple[int, ...]:
        """The numbers of clusters that were tried."""
        return numbers_of(self.run)

    def of(self, stage: str) -> tuple[CountPart, ...]:
        """The parts of a stage that are done."""
        return tuple(part for part in self.parts if part.stage == stage)

    @cached_property
    def agreements(self) -> np.ndarray:
        """Adjusted Rand index of each pair of resamples with each number of clusters, (pairs, K).

        NaN for one cluster, which is always the same, and where a number could not be had.
        """
        pairs = [_agreed(one, other) for one, other in combinations(self.of(RESAMPLE), 2)]
        agreed = np.array(pairs) if pairs else np.empty((0, len(self.numbers)))
        agreed[:, 0] = np.nan
        return agreed

    @property
    def areas(self) -> np.ndarray:
        """Area under the distribution of the consensus of the resamples, shape (K,).

        NaN for one cluster, where all pairs are together, where a number could not be had, and with
        fewer than two resamples.
        """
        return self._agreed_pairs[0]

    @property
    def distributions(self) -> np.ndarray:
        """Share of the pairs with a consensus of at most each of `LEVELS`, (K, levels), or NaN."""
        return self._agreed_pairs[1]

    @property
    def gains(self) -> np.ndarray:
        """What each number of clusters adds to the area, as a share of it: Monti's delta, (K,)."""
        return consensus_gains(self.areas)

    @cached_property
    def _agreed_pairs(self) -> tuple[np.ndarray, np.ndarray]:
        """Of each number of clusters the area and the distribution, and no matrix for longer."""
        areas, distributions = [], []
        for k in self.numbers:
            consensus = self.consensus(k)
            areas.append(consensus_area(consensus))
            distributions.append(consensus_distribution(consensus, LEVELS))
        return np.array(areas), np.array(distributions)

    @cached_property
    def consensus_rows(self) -> np.ndarray:
        """The rows of a consensus, (r,) positions in the prepared rows, sorted: at most 300.

        Of those that were drawn at all; of more, some are drawn by the seed.
        """
        parts = self.of(RESAMPLE)
        drawn = (
            np.unique(np.concatenate([part.at for part in parts])) if parts else np.empty(0, int)
        )
        if len(drawn) <= MOST_ROWS:
            return drawn
        rng = random.generator(self.run.seed, "consensus")
        return np.sort(rng.choice(drawn, MOST_ROWS, replace=False))

    def consensus(self, k: int) -> np.ndarray:
        """Share of the resamples with both of two rows that put them together, shape (r, r).

        NaN everywhere for one cluster and wherever `areas` is.
        """
        parts, c = self.of(RESAMPLE), self.numbers.index(k)
        known = c and len(parts) > 1 and all(part.labels[c][0] != NONE for part in parts)
        draws = [(part.at, part.labels[c]) for part in parts] if known else []
        return consensus_matrix(draws, self.consensus_rows)

    @cached_property
    def opinions(self) -> tuple[Opinion, ...]:
        """Each criterion that is defined, in a fixed order."""
        every = {o.criterion.name: o for o in self._opinions() if np.isfinite(o.values).any()}
        return tuple(every[each.name] for each in CRITERIA if each.name in every)

    @property
    def ranks(self) -> np.ndarray:
        """The mean rank of each number of clusters, shape (K,)."""
        return mean_ranks(self.numbers, self.opinions)

    @property
    def by_rank(self) -> int | None:
        """The number with the best mean rank; None where nothing is ranked."""
        ranks = self.ranks
        return int(self.numbers[np.nanargmin(ranks)]) if np.isfinite(ranks).any() else None

    @property
    def failure(self) -> str:
        """Why some number of clusters could not be had on all rows, or ""."""
        return next((why for part in self.of(ROWS) for why in part.failures if why), "")

    @property
    def without_deviance(self) -> tuple[int, ...]:
        """The numbers of clusters with a likelihood for which no DIC could be had or used.

        Of a method whose fits have one at all.
        """
        if not promises(self.run.method, GivesDevianceInformation) or not self.of(ROWS):
            return ()
        bic, dic = (self.of(ROWS)[0].values[OF_ROWS.index(name)] for name in ("bic", "dic"))
        return tuple(np.array(self.numbers)[np.isfinite(bic) & ~np.isfinite(dic)].tolist())

    def _opinions(self) -> list[Opinion]:
        ks, nothing = self.numbers, np.full(len(self.numbers), np.nan)
        own = dict(zip(OF_ROWS, self.of(ROWS)[0].values, strict=True)) if self.of(ROWS) else {}
        asked = OF_ROWS[:-1]  # the last is how many clusters came out
        opinions = [opinion(name, ks, own.get(name, nothing), nothing) for name in asked]
        drawn = [part.values[0] for part in self.of(REFERENCE)]
        references = np.array(drawn).reshape(len(drawn), len(ks))
        gap = gap_statistic(own.get("within", nothing), references)
        consensus = opinion("consensus", ks, self.areas, nothing)
        return [*opinions, opinion("gap", ks, *gap), self._stability(), *self._splits(), consensus]

    def _splits(self) -> list[Opinion]:
        """What halves say that predict each other."""
        if not (parts := self.of(SPLIT)):
            return []
        ks, drawn = self.numbers, np.array([part.values for part in parts])
        strength, differ, by_chance = (drawn[:, OF_SPLIT.index(name)] for name in OF_SPLIT)
        # One group is always the same: neither differs, and there is no quotient.
        chance = np.where((level := by_chance.mean(axis=0)) > 0, level, np.nan)
        index, spread = differ.mean(axis=0) / chance, differ.std(axis=0) / chance
        if np.isnan(index[np.array(ks) > 1]).any():  # a number without it would have no rank at all
            index = np.full(len(ks), np.nan)
        best = int(np.nanargmin(index)) if np.isfinite(index).any() else 0
        slack = float(spread[best]) / sqrt(len(parts))
        return [
            opinion("prediction_strength", ks, strength.mean(axis=0), strength.std(axis=0)),
            opinion("stability_index", ks, index, spread, slack),
        ]

    def _stability(self) -> Opinion:
        ks, agreed = self.numbers, self.agreements
        values, spread = np.full(len(ks), np.nan), np.full(len(ks), np.nan)
        there = np.isfinite(agreed).all(axis=0) & bool(len(agreed))
        if there.any():
            values[there] = agreed[:, there].mean(axis=0)
            spread[there] = agreed[:, there].std(axis=0)
        # Pairs share their resamples, so these are counted, not the pairs.
        best = int(np.nanargmax(values)) if there.any() else 0
        slack = float(spread[best]) / sqrt(max(len(self.of(RESAMPLE)), 1))
        return opinion("stability", ks, values, spread, slack)


def _agreed(one: CountPart, other: CountPart) -> list[float]:
    """Adjusted Rand index on the common rows, for each number of clusters."""
    _, a, b = np.intersect1d(one.at, other.at, assume_unique=True, return_indices=True)
    return [
        float("nan") if mine[0] == NONE or theirs[0] == NONE else adjusted_rand(mine[a], theirs[b])
        for mine, theirs in zip(one.labels, other.labels, strict=True)
    ]


def verdict(counted: Counted) -> str:
    """Who says what, in a sentence or two: whether the criteria agree, and what the ranks add."""
    voices: dict[tuple[int, ...], list[str]] = {}
    for each in counted.opinions:
        if each.says:
            voices.setdefault(tuple(sorted(each.says)), []).append(_named(each))
    left_out = _left_out(counted.without_deviance)
    if not voices:
        return f"No criterion says anything: every number of clusters gives the same.{left_out}"
    answers = sorted(voices.items(), key=lambda item: (-len(item[1]), item[0]))
    by_rank = counted.by_rank
    rank = f" By mean rank: {by_rank}." if by_rank is not None else ""
    highest = counted.numbers[-1]
    if any(highest in ks for ks, _ in answers):
        rank += f" At most {highest} were tried: more may be said beyond."
    return (
        f"{_lead(answers)} {'; '.join(_in_words(ks, who) for ks, who in answers)}.{rank}{left_out}"
    )


def _left_out(ks: tuple[int, ...]) -> str:
    """A sentence on the numbers of clusters for which there is no DIC, or ""."""
    if not ks:
        return ""
    return (
        f" DIC is left out with {listed(ks, most=len(ks))} {plural(ks[-1], 'cluster', 'clusters')}:"
        " its effective number of parameters is not positive there, or a draw has no fit."
    )


def _lead(answers: Sequence[tuple[tuple[int, ...], list[str]]]) -> str:
    shared = set.intersection(*(set(ks) for ks, _ in answers))
    if len(answers) == 1 and len(answers[0][0]) == 1:
        return f"The criteria agree on {answers[0][0][0]}:"
    if shared:
        return f"The criteria can agree on {min(shared)}:"
    first, every = len(answers[0][1]), sum(len(who) for _, who in answers)
    if 2 * first > every and len(answers[0][0]) == 1:
        return f"Most criteria say {answers[0][0][0]}, not all:"
    return "The criteria do not agree:"


def _named(each: Opinion) -> str:
    title = each.criterion.title
    if title.isupper() or "-" in title:  # names of people stay
        return title
    return title[0].lower() + title[1:]


def _in_words(ks: tuple[int, ...], who: list[str]) -> str:
    verb = "says" if len(who) == 1 else "say"
    if len(ks) == 1:
        return f"{listed(who, most=len(who))} {verb} {ks[0]}"
    return f"{listed(who, most=len(who))} cannot tell {listed(ks, most=len(ks))} apart"
