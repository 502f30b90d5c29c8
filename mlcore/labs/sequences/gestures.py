"""Take a stroke of the hand for one of three gestures, or for none of them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from mlcore.labs.lab import Lab
from mlcore.sequences.hidden import HMMFit
from mlcore.sequences.hmm import HMM
from mlcore.spine.component import Card, enter
from mlcore.spine.params import choice, integer, real
from mlcore.spine.random import generator

KNOWN = ("waving", "pointing", "stop")
STROKES = (*KNOWN, "unknown")
RULES = ("none", "garbage model", "threshold")  # by which a gesture is rejected
N_TRAINED, N_JUDGED = 12, 40  # strokes of each kind
SHORTEST, LONGEST = 18, 30  # points of a stroke


class Gestures(NamedTuple):
    """A stroke beside examples of the known gestures, and what becomes of many."""

    stroke: np.ndarray  # (T, 2)
    examples: tuple[np.ndarray, ...]  # (3,) one training stroke of each gesture, (T, 2) each
    scores: np.ndarray  # (4,) log-density a point, by each gesture and the garbage model, in nats
    limits: np.ndarray  # (3,) of each gesture, below which the threshold rejects
    accepted: np.ndarray  # (3, 4) share of new strokes of each kind taken for a gesture, by rule
    right: np.ndarray  # (3,) share of new strokes of known kinds taken for their own, by rule


@enter(
    Card(
        "gestures",
        "Gestures, and what is none",
        ("lab",),
        "Rabiner (1989), Proceedings of the IEEE 77(2)",
        sources=("epfl:hmm_garbage", "epfl:hmm_classify", "epfl:hmm_threshold"),
        random=True,
        cost=lambda n, p, it: (0.1 + 0.04 * it.n_states, 1e7),
        formula=r"\hat k = \arg\max_k \tfrac1T \log p_k(x_{1 \ldots T})",
        kind="lab",
        pages=("sequences",),
        synonyms=("garbage model", "rejection", "sequence classification", "gesture recognition"),
        line="the best of three models may still be wrong",
    )
)
@dataclass(frozen=True, kw_only=True)
class GesturesLab(Lab):
    r"""One hidden Markov model a gesture, moving from left to right; the likeliest names a stroke.

    A stroke is a sequence of places of the hand. Each model has learned from twelve strokes of its
    gesture; scores are log-densities a point, so that strokes of any length compare. A
    garbage model with a single state has learned from the strokes of all gestures and may win too;
    a threshold asks for a score like those of the training strokes.
    """

    tasks = (
        "Show the unknown stroke, which is pointing backwards: which gesture is it taken for?",
        "Compare its score with that of the garbage model, and with the threshold.",
        "Give the models a single state: who still tells pointing from its reverse?",
        "Lower the tolerance, and see what a strict threshold costs.",
    )
    seen = (
        "The unknown stroke is always taken for some gesture: of three scores one is the largest, "
        "however low. The garbage model, or a threshold, rejects it, and hardly any known stroke. "
        "It goes through the same places as pointing in the opposite order, so models with a "
        "single state, which know no order, accept it by every rule. The stricter the threshold, "
        "the more known strokes are rejected: new ones score a little lower than those that a "
        "model has learned from. Much noise blurs both rules."
    )

    shown: str = choice("unknown", *STROKES, label="Stroke", doc="What the hand does.")
    noise: float = real(
        0.05, low=0.01, high=0.5, soft=(0.01, 0.3), label="Noise",
        doc="Standard deviation of every place about the stroke, whose size is 1.",
    )  # fmt: skip
    n_states: int = integer(
        5, low=1, high=10, soft=(1, 8), symbol="N", label="States a gesture",
        doc="States that each model goes through, one after the other.",
    )  # fmt: skip
    tolerance: float = real(
        3.0, low=0.0, high=10.0, soft=(0.0, 6.0), label="Tolerance",
        doc="The threshold: mean score of the training strokes less so many standard deviations.",
    )  # fmt: skip

    def compute(self, seed: int = 0) -> Gestures:
        """The models, the scores of one stroke, and what becomes of new ones."""
        trained = [self._strokes(kind, N_TRAINED, seed, "trained") for kind in KNOWN]
        models = [self._learned(some, self.n_states) for some in trained]
        garbage = self._learned([stroke for some in trained for stroke in some], 1)
        own = [scores_of(model, some) for model, some in zip(models, trained, strict=True)]
        limits = np.array([s.mean() - self.tolerance * s.std() for s in own])
        every = [*models, garbage]
        new = [self._strokes(kind, N_JUDGED, seed, "new") for kind in STROKES]
        scores = np.array([[scores_of(model, some) for model in every] for some in new])
        taken = _taken(scores, limits)  # (3, 4, n)
        stroke = new[STROKES.index(self.shown)][0]
        own_kind = taken[:, :3] == np.arange(3)[:, None]
        return Gestures(
            stroke, tuple(some[0] for some in trained),
            np.array([scores_of(model, [stroke])[0] for model in every]), limits,
            (taken >= 0).mean(axis=2), own_kind.mean(axis=(1, 2)),
        )  # fmt: skip

    def _strokes(self, kind: str, n: int, seed: int, what: str) -> list[np.ndarray]:
        """Strokes of one kind, each of its own size, speed and number of points, (T, 2)."""
        rng = generator(seed, f"{what} {kind}")
        return [self._stroke(kind, rng) for _ in range(n)]

    def _stroke(self, kind: str, rng: np.random.Generator) -> np.ndarray:
        T, size, bend = rng.integers(SHORTEST, LONGEST + 1), rng.uniform(0.85, 1.15), rng.normal()
        t = np.linspace(0.0, 1.0, int(T)) ** np.exp(0.15 * bend)
        places = size * np.column_stack(_path(kind, t))
        return places + rng.normal(scale=self.noise, size=places.shape)

    def _learned(self, strokes: list[np.ndarray], n_states: int) -> HMMFit:
        method = HMM(
            n_states=n_states, topology="left_to_right", start="first", init="segments", n_init=1,
            reg_covar=1e-3,
        )  # fmt: skip
        return method.fit(np.concatenate(strokes), lengths=[len(stroke) for stroke in strokes])


def _path(kind: str, t: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Where the hand is at times t, (T,), from 0 to 1: across and up."""
    out = np.minimum(2.0 * t, 1.0)
    if kind == "waving":
        return np.sin(4.0 * np.pi * t), 0.8 + 0.1 * np.cos(8.0 * np.pi * t)
    if kind == "pointing":
        return out, 0.3 * out
    if kind == "stop":
        return 0.1 * out, out
    back = np.minimum(2.0 * (1.0 - t), 1.0)  # pointing, backwards
    return back, 0.3 * back


def scores_of(model: HMMFit, strokes: list[np.ndarray]) -> np.ndarray:
    """Log-density a point of each stroke, shape (n,), in nats."""
    lengths = np.array([len(stroke) for stroke in strokes])
    densities = model.log_density(np.concatenate(strokes), lengths)
    return np.add.reduceat(densities, np.cumsum(lengths) - lengths) / lengths


def _taken(scores: np.ndarray, limits: np.ndarray) -> np.ndarray:
    """The gesture that strokes are taken for, -1 for none, by each rule, shape (3, kinds, n);
    scores have shape (kinds, 4, n)."""
    best = scores[:, :3].argmax(axis=1)
    score = scores[:, :3].max(axis=1)
    by_garbage = np.where(score > scores[:, 3], best, -1)
    by_limit = np.where(score >= limits[best], best, -1)
    return np.array([best, by_garbage, by_limit])
