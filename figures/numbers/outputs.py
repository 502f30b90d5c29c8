"""Which output of a model a picture of an explanation shows: a class, or a predicted quantity."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from figures.options import Offered, among
from mlcore.data.dataset import Dataset
from mlcore.spine.asking import promises
from mlcore.spine.capabilities import GivesProbabilities
from mlcore.spine.params import text
from mlcore.spine.wording import count, spaced

AUTO = ""


def output_option() -> Any:
    """Declare the option: the class whose probability is shown."""
    declared = text(AUTO, label="Of", doc="The class whose probability is shown.")
    return among(declared, _outputs)


def _outputs(offered: Offered) -> Mapping[Any, str]:
    explanation = offered.get("explanation")
    joined = None if explanation is None else explanation.joined
    names = () if joined is None else joined.outputs
    return {AUTO: "the one that changes most", **{name: name for name in names}}


def output_of(names: tuple[str, ...], chosen: str, best: int) -> int:
    """The position of the output that is shown: the one chosen, or the best."""
    return names.index(chosen) if chosen in names else best


def wording_of(explanation: Any, dataset: Dataset, scale: str = "") -> str:
    """What the outputs are, before the name of one: a method without probabilities has shares.

    `scale` is what is shared out instead of them, as `mlcore/spine/capabilities_of_sums.py` says.
    """
    if scale:
        return f"{scale.capitalize()} of"
    if not dataset.classes:
        return "Predicted"
    gives = promises(explanation.run.method, GivesProbabilities)
    return "Probability of" if gives else "Share predicted as"


def rows_asked(n: int, dataset: Dataset) -> str:
    """How many rows left out a picture rests on, and of how many where they are a sample."""
    return f"{spaced(n)} of {spaced(dataset.n)} rows" if n < dataset.n else count(n, "row")
