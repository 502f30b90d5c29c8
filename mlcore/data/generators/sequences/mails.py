"""Mails as counts of their words."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from mlcore.data.generators import shared
from mlcore.data.sources import Origin
from mlcore.data.table import Table, coded, numeric
from mlcore.spine.component import Card, enter
from mlcore.spine.params import real

COMMON = ("and", "for", "please", "today", "with", "you", "your", "we", "new", "time")
# Words that occur oftener in unwanted mails, and in wanted ones.
SPAM = ("win", "free", "offer", "money", "click", "prize", "cheap", "now", "credit", "winner")
HAM = ("meeting", "report", "lunch", "project", "thanks", "agenda", "attached", "tomorrow",
       "question", "draft")  # fmt: skip
LENGTH = 40.0  # words of a mail, on average
LEVELS = ("ham", "spam")


@enter(Card("mails", "Mails", ("source",), random=True, kind="data"))
@dataclass(frozen=True, kw_only=True)
class Mails(shared.Generator):
    """How often each of thirty words stands in a mail, wanted or not.

    A word occurs a Poisson number of times. The rate of a common word is the same in both classes;
    that of the others is larger by exp(contrast) in their own class and smaller by as much in the
    other. A mail is some 40 words long, or shorter or longer by a factor of its own.

    Shows naive Bayes where it is nearly right, and that the length of a mail says nothing.
    """

    n_samples: int = shared.n_samples(2000)
    contrast: float = real(
        0.6, low=0.0, high=3.0, soft=(0.0, 1.5), doc="Logarithm of how much the rates differ."
    )
    spam: float = real(0.5, above=0.0, below=1.0, soft=(0.05, 0.95), doc="Share of unwanted mails.")

    def origin(self, uploads: Mapping[str, Table]) -> Origin:
        """The counts of words, with the class as target."""
        n, words = self.n_samples, (*COMMON, *SPAM, *HAM)
        sizes = shared.shares(n, (1.0 - self.spam, self.spam), 2)
        labels = self.rng("order").permutation(np.repeat([0, 1], sizes))
        lean = np.repeat([0.0, 1.0, -1.0], [len(COMMON), len(SPAM), len(HAM)])
        base = LENGTH / len(words) * np.where(lean == 0.0, 1.6, 0.7)
        rates = base * np.exp(self.contrast * np.outer([-1.0, 1.0], lean))
        length = np.exp(0.4 * self.rng("length").normal(size=(n, 1)))
        counts = self.rng("words").poisson(length * rates[labels])
        columns = [numeric(word, counts[:, j], "count") for j, word in enumerate(words)]
        columns.append(coded("mail", np.array(LEVELS)[labels], "binary", LEVELS))
        joint = counts @ np.log(rates).T - length * rates.sum(axis=1) + np.log(sizes / n)
        odds = joint[:, 1] - joint[:, 0]
        posterior = np.column_stack([1 / (1 + np.exp(odds)), 1 / (1 + np.exp(-odds))])
        truth = shared.Truth(labels=labels, posterior=posterior)
        return Origin(Table.of(*columns), self.title(), "mail", truth=truth)
