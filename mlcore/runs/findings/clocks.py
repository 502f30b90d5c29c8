"""A rule about sequences: a column that only counts their rows is no measurement."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from mlcore.runs.findings.finding import WARNING, Press, Statement, rule
from mlcore.runs.findings.ran import Ran
from mlcore.runs.run import Run
from mlcore.spine.wording import listed, plural

FEWEST = 3  # rows of a sequence, of which equal steps say something
SAME = 1e-9  # of a step, by which equal ones may differ


@rule(
    "only_counts", WARNING, "A column that only counts the rows",
    source="Hyndman and Athanasopoulos (2021), Forecasting: Principles and Practice, 3rd edition, "
    "2.1",
)  # fmt: skip
def only_counts(ran: Ran) -> Statement | None:
    """A column of a sequence that rises by the same amount from each row to the next."""
    if "sequences" not in ran.run.method.card.slots:
        return None
    clocks = [column.name for j, column in enumerate(ran.dataset.columns) if _counts(ran, j)]
    left = [column.name for column in ran.dataset.columns if column.name not in clocks]
    if not clocks or not (left or ran.dataset.target):  # without it nothing would be left
        return None
    sentence = (
        f"{listed([repr(name) for name in clocks])} {plural(len(clocks), 'rises', 'rise')} by the "
        "same amount from row to row, as a calendar does: the states are stretches of it, which "
        "never come again."
    )
    target = None if left else ran.dataset.target
    label = f"Model {target} instead" if target else f"Leave {clocks[0]} out"
    return Statement(sentence, Press(label, run=_in_order(ran, clocks, target)))


def _counts(ran: Ran, j: int) -> bool:
    """Whether column j has equal steps above 0 within every sequence."""
    if ran.dataset.columns[j].levels:
        return False
    codes, steps = ran.dataset.sequences, np.diff(ran.dataset.X[:, j])
    if codes is not None:
        steps = steps[codes[1:] == codes[:-1]]
    if len(steps) < FEWEST - 1 or not steps.min() > 0:  # neither where one is missing
        return False
    return bool(np.ptp(steps) <= SAME * steps.max())


def _in_order(ran: Ran, clocks: list[str], target: str | None) -> Run:
    """The run whose rows are in the order of the first such column, without the others.

    A `target` is learned from, and nothing is predicted.
    """
    data, names = ran.run.data, iter(clocks)
    roles = dict(data.roles) | dict.fromkeys(clocks, "ignore")
    if ran.dataset.order is None:
        roles[next(names)] = "order"
    if target is None:
        return replace(ran.run, data=replace(data, roles=tuple(roles.items())))
    roles.pop(target, None)
    return replace(ran.run, data=replace(data, target=None, roles=tuple(roles.items())))
