"""Which setting makes a method simpler or more flexible, and the press that moves it."""

from __future__ import annotations

from typing import Any, NamedTuple

from mlcore.runs.findings.finding import Press
from mlcore.runs.paths import value_at, with_value
from mlcore.runs.tuning.search import tunable
from mlcore.spine.errors import MlcoreError
from mlcore.spine.param_kinds import Number, Param
from mlcore.spine.wording import in_sentence

OPEN_CURVES = Press("Open Curves", tab="curves")


class Lever(NamedTuple):
    """A setting by which a method gets simpler: by what factor, and which word its help has."""

    simpler: float
    says: tuple[str, ...] = ("",)  # one of which its help has: a name may mean different things


# The settings in the order in which they are tried: penalties first, then the size of the model.
LEVERS: dict[str, Lever] = {
    "alpha": Lever(10.0, ("strength", "costs")),
    "strength": Lever(10.0),
    "C": Lever(0.1),
    "max_leaf_nodes": Lever(0.5),
    "max_depth": Lever(0.5),
    "min_samples_leaf": Lever(2.0),
    "n_neighbors": Lever(2.0),
}


def label(param: Param, path: str) -> str:
    """What people call the setting at `path`, within a sentence."""
    return in_sentence(param.label or path.rpartition(".")[2].replace("_", " "))


def simpler(run: Any) -> Press:
    """The press that makes the method simpler: a stronger penalty, a smaller tree, more neighbours.

    Where no setting is known to do so, the curves show what each does.
    """
    return _moved(run, is_simpler=True)


def more_flexible(run: Any) -> Press:
    """The press that makes the method more flexible."""
    return _moved(run, is_simpler=False)


def _moved(run: Any, *, is_simpler: bool) -> Press:
    at = dict(tunable(run.method, "method"))
    for name, lever in LEVERS.items():
        for path, param in at.items():
            if path.rpartition(".")[2] != name or not _says(param, lever):
                continue
            factor = lever.simpler if is_simpler else 1 / lever.simpler
            if isinstance(param, Number) and (press := _press(run, path, param, factor)):
                return press
    return OPEN_CURVES


def _says(param: Param, lever: Lever) -> bool:
    return any(word in param.doc.lower() for word in lever.says)


def _press(run: Any, path: str, param: Number, factor: float) -> Press | None:
    """The press that multiplies the setting at `path`; None where it is a word or at its end."""
    value = value_at(run, path)
    if isinstance(value, str) or not (value or value == 0):
        return None  # chosen by the method, or without a limit
    wanted = value * factor if value else min(v for v in param.grid(5) if v > 0)
    wanted = min(max(wanted, param.low), param.high)
    wanted = max(round(wanted), 1) if param.whole else float(f"{wanted:.6g}")
    if wanted == value:
        return None
    try:
        changed = with_value(run, path, wanted)
    except MlcoreError:
        return None  # beyond an open end, or against another setting
    return Press(f"Set {label(param, path)} to {wanted:g}", run=changed)
