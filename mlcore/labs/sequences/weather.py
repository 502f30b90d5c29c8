"""Guess yesterday's weather and tomorrow's from what somebody does all day."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from mlcore.labs.draws import paths, picked
from mlcore.labs.lab import Lab
from mlcore.sequences.chains import long_run_shares, steps_ahead
from mlcore.sequences.recursions import filtered, forward_backward, viterbi
from mlcore.spine.component import Card, enter
from mlcore.spine.params import integer, real
from mlcore.spine.random import generator

WEATHERS = ("sun", "clouds", "rain")
MOVES = np.array([[0.5, 0.4, 0.1], [0.3, 0.4, 0.3], [0.1, 0.4, 0.5]])  # where one is not kept
HISTORIES = (0, 1, 3, 10)  # days that are looked at, for the second picture
N_JUDGED = 1000  # weathers by which forecasts are judged


class Weather(NamedTuple):
    """Days that were seen and days to come, of three weathers."""

    truth: np.ndarray  # (T + H,)
    seen: np.ndarray  # (T,) what the diary says of each day
    path: np.ndarray  # (T,) the likeliest weathers
    posterior: np.ndarray  # (T, 3) given the days that are looked at; NaN for earlier ones
    forecast: np.ndarray  # (H, 3)
    stationary: np.ndarray  # (3,) the long run
    losses: np.ndarray  # (4, H) mean surprise about the truth by history and day, in nats
    ideal: np.ndarray  # (H,) of somebody who saw the weather itself
    entropy: float  # of somebody who knows the long run alone


@enter(
    Card(
        "weather",
        "Weather behind a diary",
        ("lab",),
        "Rabiner (1989), Proceedings of the IEEE 77(2)",
        sources=("epfl:hmm_predict",),
        random=True,
        cost=lambda n, p, it: (0.02 + 2e-5 * (it.n_seen + it.n_ahead) * 10, 1e7),
        formula=r"P(s_{t+h} \mid x_{1 \ldots t}) = \gamma_t A^h \;\to\; \pi_\infty",
        kind="lab",
        pages=("sequences",),
        synonyms=("forecast of a hidden Markov model", "stationary distribution", "smoothing"),
        line="a forecast forgets what it was made of",
    )
)
@dataclass(frozen=True, kw_only=True)
class WeatherLab(Lab):
    r"""The weather is not seen, only what a diary says of each day: beach, walk or book.

    The weather keeps for a day with some probability, else it moves on. The diary tells it with
    some reliability. From the days that are looked at follows what the weather was, and with the
    moves of the chain, $\gamma_t A^h$, what it will be.
    """

    tasks = (
        "Compare the first day to come with the fifteenth, and that with the long run.",
        "Let the weather keep longer, and see how far a forecast reaches.",
        "Look at fewer days of the diary: does the forecast of tomorrow change much?",
        "Make the diary unreliable: now how many days are worth looking at?",
    )
    seen = (
        "Every forecast tends to the long run, whatever was seen, and the faster the less the "
        "weather keeps. In the mean over many weathers one day of the diary gives most of what can "
        "be known of tomorrow, three nearly all, and ten hardly more; the less reliable the diary "
        "and the longer the weather keeps, the more days help. Even who saw the weather itself is "
        "surprised nearly as much, a week ahead, as who knows the long run alone."
    )

    stay: float = real(
        0.5, low=0.0, high=0.98, soft=(0.0, 0.98), label="Keeps",
        doc="Probability that a day's weather is kept without further ado.",
    )  # fmt: skip
    reliability: float = real(
        0.8, low=0.34, high=1.0, soft=(0.34, 1.0), label="Reliability of the diary",
        doc="Probability that it says what belongs to the weather; else it says either other.",
    )  # fmt: skip
    n_seen: int = integer(
        10, low=1, high=60, soft=(1, 30), symbol="T", label="Days seen", doc="In the diary."
    )
    history: int = integer(
        10, low=1, high=60, soft=(1, 30), label="Days looked at",
        doc="How many of the last days the forecast may use; at most those seen.",
    )  # fmt: skip
    n_ahead: int = integer(
        15, low=1, high=40, soft=(1, 30), symbol="H", label="Days to come", doc="To foretell."
    )

    def compute(self, seed: int = 0) -> Weather:
        """One weather with its diary, and the loss of forecasts over many."""
        A, B = self._chain()
        start = long_run_shares(np.full(3, 1 / 3), A)
        days = self.n_seen + self.n_ahead
        states = paths(start, A, (N_JUDGED, days), generator(seed, "weather"))
        seen = picked(B[states], generator(seed, "diary").random(states.shape))
        with np.errstate(divide="ignore"):
            logs = np.log(B.T[seen])  # (n, T + H, 3)
        used = min(self.history, self.n_seen)
        mine = logs[0, self.n_seen - used : self.n_seen]
        length = np.array([used])
        posterior = np.full((self.n_seen, 3), np.nan)
        posterior[-used:] = forward_backward(mine, start, A, length).posterior
        path = np.full(self.n_seen, -1)
        path[-used:] = viterbi(mine, start, A, length).states
        powers = np.array([np.linalg.matrix_power(A, h + 1) for h in range(self.n_ahead)])
        truth = states[:, self.n_seen :]
        knowing = np.eye(3)[states[:, self.n_seen - 1]]
        forecast = steps_ahead(posterior[-1], A, self.n_ahead)[1:]
        return Weather(
            states[0], seen[0, : self.n_seen], path, posterior, forecast, start,
            np.array([self._loss(logs, A, start, h, powers, truth) for h in HISTORIES]),
            _surprise(knowing, powers, truth), float(-(start * np.log(start)).sum()),
        )  # fmt: skip

    def _chain(self) -> tuple[np.ndarray, np.ndarray]:
        """Probabilities of moves and of what the diary says, both (3, 3)."""
        B = np.full((3, 3), (1 - self.reliability) / 2)
        np.fill_diagonal(B, self.reliability)
        return self.stay * np.eye(3) + (1 - self.stay) * MOVES, B

    def _loss(
        self, logs: np.ndarray, A: np.ndarray, start: np.ndarray, history: int,
        powers: np.ndarray, truth: np.ndarray,
    ) -> np.ndarray:  # fmt: skip
        """Mean surprise of forecasts from the last days of the diary, (H,)."""
        used = min(history, self.n_seen)
        if not used:
            return _surprise(np.tile(start, (len(truth), 1)), powers, truth)
        own = logs[:, self.n_seen - used : self.n_seen].reshape(-1, 3)
        forward = filtered(own, start, A, np.full(len(truth), used))[1]
        return _surprise(forward.reshape(len(truth), used, 3)[:, -1], powers, truth)


def _surprise(now: np.ndarray, powers: np.ndarray, truth: np.ndarray) -> np.ndarray:
    """Mean of -ln P(truth) by day, (H,), of forecasts from distributions `now`, (n, 3)."""
    forecasts = np.einsum("ni,hij->nhj", now, powers)
    chances = np.take_along_axis(forecasts, truth[:, :, None], axis=2)[:, :, 0]
    return -np.log(np.maximum(chances, 1e-300)).mean(axis=0)
