"""A preparation written for scikit-learn: by kind of column, as long as kinds differ, then for all.

Neighbouring columns of one kind share a branch, so that the columns come out in the order that
they have here.
"""

from __future__ import annotations

from itertools import groupby
from typing import Any

from mlcore.interop.calls import Call
from mlcore.preparation.step import holds_names, holds_text
from mlcore.spine.errors import ParamError
from mlcore.spine.fit import Column

# How columns are treated: as numbers, as names, as two names, as levels in their order.
NUMBERS, NAMES, PAIRS, SCALES = "numbers", "names", "pairs", "scales"
BY_KIND = ("impute", "one_hot")  # steps that do other things to other kinds of columns


def steps(preparation: tuple[Any, ...], columns: tuple[Column, ...]) -> list[Call]:
    """The steps before the method. Raises ParamError, with the reason, if one is not written."""
    names = [step.card.name for step in preparation]
    if texts := [column.name for column in columns if holds_text(column)]:
        raise ParamError(f"Column {texts[0]} holds text, which is not written for scikit-learn.")
    named = [column.name for column in columns if kind_of(column) in (NAMES, PAIRS)]
    _refuse_order(names, named)
    if all(kind_of(column) == NUMBERS for column in columns):
        return [_step(step, NUMBERS) for step in preparation if step.card.name != "one_hot"]
    last = max((at for at, name in enumerate(names) if name in BY_KIND), default=-1) + 1
    branches = [
        _branch(at, kind, tuple(group), preparation[:last])
        for at, (kind, group) in enumerate(groupby(columns, kind_of))
    ]
    together = Call("sklearn.compose.ColumnTransformer", (branches,))
    return [together, *(_step(step, NUMBERS) for step in preparation[last:])]


def kind_of(column: Column) -> str:
    """How a column is treated."""
    if column.kind == "ordinal":
        return SCALES
    if not holds_names(column):
        return NUMBERS
    return PAIRS if column.kind == "binary" else NAMES


def _refuse_order(names: list[str], named: list[str]) -> None:
    if named and "one_hot" not in names:
        raise ParamError(
            f"Column {named[0]} reaches the method as names, which is not written for "
            "scikit-learn. Add one-hot encoding to the preparation."
        )
    if named and "impute" in names[names.index("one_hot") :]:
        raise ParamError(
            "Imputation after one-hot encoding is not written for scikit-learn; impute first."
        )


def _branch(
    at: int, kind: str, columns: tuple[Column, ...], before: tuple[Any, ...]
) -> tuple[str, Any, list[str]]:
    """(name, what is done, columns), as a ColumnTransformer takes them."""
    calls = [_codes(columns)] if kind == SCALES else []
    for step in before:
        if step.card.name == "one_hot":
            calls += [_one_hot(step, kind, columns)] * (kind in (NAMES, PAIRS))
        elif step.card.name == "impute" or kind in (NUMBERS, SCALES):
            calls.append(_step(step, kind))
    done: Any = calls[0] if len(calls) == 1 else "passthrough"
    if len(calls) > 1:
        done = Call("sklearn.pipeline.make_pipeline", tuple(calls))
    return f"{kind} {at + 1}", done, [column.name for column in columns]


def _codes(columns: tuple[Column, ...]) -> Call:
    """Levels in their order as codes."""
    levels = [list(column.levels) for column in columns]
    return Call("sklearn.preprocessing.OrdinalEncoder", (), {"categories": levels})


def _one_hot(step: Any, kind: str, columns: tuple[Column, ...]) -> Call:
    if missing := step.beyond_peer(missing="level", min_count=1):
        raise ParamError(missing)
    drop = {"none": None, "binary": "if_binary", "first": "first"}[step.drop]
    settings = {
        "categories": [list(column.levels) for column in columns],
        "drop": "if_binary" if kind == PAIRS and drop is None else drop,
        "handle_unknown": {"zeros": "ignore", "error": "error"}[step.unknown],
        "sparse_output": False,
    }
    return Call(step.card.peer, (), settings)


def _step(step: Any, kind: str) -> Call:
    """A step that does the same to all columns of one kind."""
    written = _filled(step, kind) if step.card.name == "impute" else step.peer_settings()
    if isinstance(written, str):
        raise ParamError(written)
    return Call(step.card.peer, (), written)


def _filled(step: Any, kind: str) -> dict[str, Any] | str:
    if missing := step.beyond_peer(indicator=False):
        return missing
    if kind == NUMBERS:
        options = {"fill_value": step.fill_value} if step.strategy == "constant" else {}
        return {"strategy": step.strategy, **options, "keep_empty_features": True}
    if kind != SCALES and (missing := step.beyond_peer(names="most_frequent")):
        return missing
    return {"strategy": "most_frequent", "keep_empty_features": True}
