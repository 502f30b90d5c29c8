"""Running text, letter by letter: the next letter from those before it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from mlcore.data.generators import shared
from mlcore.data.sources import Origin
from mlcore.data.table import Table, coded, numeric
from mlcore.spine.component import Card, enter
from mlcore.spine.params import integer

WORDS = {
    "who": "the baker|a sailor|my aunt|the old miller|a young painter|the quiet judge|our teacher|"
           "the ferryman|a tired fox|the village doctor|no one|the queen of the valley",
    "does": "finds|forgets|paints|carries|sells|hides|weighs|repairs|admires|waits for|"
            "talks about|dreams of",
    "what": "a jar of honey|the broken oven|two grey boats|every letter|the next train|"
            "an apple tree|the key to the mill|six small pictures|a warm coat|the first snow|"
            "a box of quills|the long way home",
    "where": "near the harbour|behind the hill|in the market|on the bridge|under a linden|"
             "by the zoo|at the edge of the wood|in an empty house",
    "when": "in the morning|at noon|after the rain|before winter|every sunday|as night falls",
    "and": "and then|but|so|while",
}  # fmt: skip
PHRASES = {name: tuple(words.split("|")) for name, words in WORDS.items()}
# Each sentence follows one of these: names of phrases, and what stands between them as it is.
FORMS = (
    "who does what .", "who does what where .", "when , who does what .",
    "who does what , and who does what .", "when , who does what where .",
)  # fmt: skip
BLANK = "_"  # how a blank is written: a level must be visible
LETTERS = tuple(f"{BLANK}.,abcdefghijklmnopqrstuvwxyz")


@enter(Card("characters", "Running text", ("source",), random=True, kind="data"))
@dataclass(frozen=True, kw_only=True)
class Characters(shared.Generator):
    """A text that runs on and on: each row is one letter, with the letters before it.

    Sentences follow one of five forms, whose places are filled from lists of some ten phrases
    each. `back1` is the letter just before, `back2` the one before that; a blank is written as _.
    The text is made up, so it can be as long as is wished.

    Shows how much of the next letter is told by the last one, two, three: within a word nearly all,
    where a phrase begins only what the lists allow. Rows follow each other, so whole stretches
    belong into a fold.
    """

    n_samples: int = shared.n_samples(5000)
    context: int = integer(
        3, low=1, high=20, soft=(1, 8), label="Letters before", doc="How far back a row looks."
    )

    def origin(self, uploads: Mapping[str, Table]) -> Origin:
        """The letters in their order, the next one as target."""
        codes = self._codes()
        time = numeric("time", np.arange(self.n_samples), "count")
        columns = [
            _column(f"back{k}", codes[self.context - k :][: self.n_samples])
            for k in range(1, self.context + 1)
        ]
        target = _column("next", codes[self.context :])
        return Origin(Table.of(time, *columns, target), self.title(), "next", (("time", "order"),))

    def _codes(self) -> np.ndarray:
        """As many letters as the rows and their first look back need, as codes of LETTERS."""
        rng, needed, text = self.rng("text"), self.n_samples + self.context, ""
        while len(text) < needed:
            text += _sentence(rng) + BLANK
        of_letter = {letter: code for code, letter in enumerate(LETTERS)}
        return np.array([of_letter[letter] for letter in text[:needed]])


def _sentence(rng: np.random.Generator) -> str:
    parts = [_filled(part, rng) for part in FORMS[rng.integers(len(FORMS))].split()]
    return " ".join(parts).replace(" ,", ",").replace(" .", ".").replace(" ", BLANK)


def _filled(part: str, rng: np.random.Generator) -> str:
    phrases = PHRASES.get(part, (part,))
    return phrases[rng.integers(len(phrases))]


def _column(name: str, codes: np.ndarray):
    return coded(name, np.array(LETTERS)[codes], "nominal", LETTERS)
