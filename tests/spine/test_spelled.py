"""Values of choices as textbooks write them: abbreviations, names and hyphens."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache

import pytest

from figures.view import views
from mlcore.runs.labels import described, value_in_words
from mlcore.spine.param_kinds import Choice, Choices
from mlcore.spine.params import params_of
from mlcore.spine.registry import entries, index, lookup
from mlcore.spine.wording import SPELLED, spelled

# What is written small without a vowel and is no abbreviation: units, a k-th, one-vs-rest.
WORDS = {"cm", "kg", "th", "vs"}


def declaring() -> Iterator[type]:
    """Every class that declares settings: components of the catalogue, and options of pictures."""
    yield from {cls for slot in index() for cls in entries(slot).values()}
    yield from {view.options for view in views().values() if view.options is not None}


@cache
def shown() -> dict[str, str]:
    """Every value of a choice and every word for an automatic one, and where it stands."""
    values: dict[str, str] = {}
    for cls in declaring():
        for name, param in params_of(cls).items():
            options = param.options if isinstance(param, Choice | Choices) else ()
            for option in (*options, *([param.auto] if param.auto else [])):
                values.setdefault(option, f"{cls.__module__}: {name}")
    return values


@cache
def capitalised() -> dict[str, str]:
    """Words that the catalogue's own sentences write with a capital inside, by their small form.

    Of these what it never writes small: abbreviations (REML), and names (Cholesky).
    """
    text = " ".join(
        [" ".join(param.doc for cls in declaring() for param in params_of(cls).values())]
        + [cls.__doc__ or "" for cls in declaring()]
    )
    inside = re.findall(r"(?<=[a-z,;:(] )[A-Z]\w+(?:-[A-Z]+)?", text)
    small = set(re.findall(r"\b[a-z]+\b", text))
    return {word.lower(): word for word in inside if word.lower() not in small}


def test_every_value_is_written_as_textbooks_write_it():
    for option, where in sorted(shown().items()):
        written_as_textbooks_do(spelled(option), f"{where}, {option!r}")


def written_as_textbooks_do(text: str, where: str) -> None:
    assert text and "_" not in text, where
    for word in re.findall(r"[^\W\d_]+", text):
        known = capitalised().get(word.lower(), word)
        assert word.lower() != word or known == word, f"{where}: {word!r} is written {known!r}"
        spoken = re.search("[aeiouyAEIOUY]", word) or word != word.lower()
        assert spoken or word in WORDS or len(word) == 1, f"{where}: {word!r} is no word"


def test_nothing_is_spelled_that_no_choice_has():
    assert set(SPELLED) - set(shown()) == set()


@pytest.mark.parametrize(
    ("option", "text"),
    [
        ("reml", "REML"), ("gcv", "GCV"), ("aic", "AIC"), ("kmeans", "k-means"),
        ("sarsa", "SARSA"), ("plug_in", "plug-in"), ("cholesky", "Cholesky"),
        ("most_frequent", "most frequent"),
    ],
)  # fmt: skip
def test_golden(option, text):
    assert spelled(option) == text


def test_a_text_that_came_with_the_data_is_left_alone():
    table = lookup("data", "table")
    assert value_in_words(params_of(table)["target"], "body_mass_g") == "body_mass_g"
    assert value_in_words(params_of(table)["target"], "aic") == "aic"


def test_a_description_spells_its_values():
    additive = lookup("regression", "generalised_additive")
    assert described(additive(smoothing="gcv")).endswith("smoothing GCV")
