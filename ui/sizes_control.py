"""The control of several whole numbers: a box for each, which can be taken away, and one more."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import streamlit as st

from mlcore.spine.param_kinds import Sizes
from ui import lists, state
from ui.labels import help_of
from ui.number_control import refuse
from ui.reading import pen


def sizes(param: Sizes, label: str, start: Any, path: str) -> Any:
    """What they are, then a row for each number with a press that takes it away."""
    linked: LinkedSizes = st.session_state.setdefault(
        state.key(f"{path}.sizes"), LinkedSizes(tuple(start))
    )
    lists.headed(label, len(linked.value), help_of(param))
    for k, size in enumerate(linked.value):
        with pen().container(
            horizontal=True, vertical_alignment="bottom", key=f"size-{state.key(path)}.{k}"
        ):
            shown = pen().number_input(
                f"{param.item.capitalize()} {k + 1}",
                value=size,
                step=1,
                key=(box := state.key(f"{path}.{linked.changes}.{k}")),
                on_change=state.moved,
                args=(linked.typed, box, k, param),
            )
            pen().button(
                "",
                icon=":material/close:",
                type="tertiary",
                key=state.key(f"{path}.{linked.changes}.{k}.close"),
                help=f"Takes {param.item} {k + 1} away.",
                on_click=state.moved,
                args=(linked.removed, k),
            )
        if shown is not None:
            refuse(label, param.problem((shown,)), shown, size)
    is_full = len(linked.value) >= param.most
    pen().button(
        f"Add a {param.item}",
        icon=":material/add:",
        key=state.key(f"{path}.add"),
        disabled=is_full,
        help=f"There can be no more than {param.most}." if is_full else None,
        on_click=state.moved,
        args=(linked.added, param.soft[0]),
        width="stretch",
    )
    return linked.value


@dataclass
class LinkedSizes:
    """The numbers, and how often there were fewer or more of them: boxes are then made anew."""

    value: tuple[int, ...]
    changes: int = 0

    def typed(self, box: str, k: int, param: Sizes) -> None:
        """Take the value of a box; an emptied box, and one beyond the limits, change nothing."""
        value = st.session_state.get(box)
        if value is not None and k < len(self.value) and not param.problem((int(value),)):
            self.value = (*self.value[:k], int(value), *self.value[k + 1 :])

    def removed(self, k: int) -> None:
        """Take number k away."""
        self.value, self.changes = (*self.value[:k], *self.value[k + 1 :]), self.changes + 1

    def added(self, size: int) -> None:
        """One more number at the end."""
        self.value, self.changes = (*self.value, size), self.changes + 1
