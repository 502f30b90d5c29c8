"""Lines of a picture that say above themselves what they are: names beside them would leave a phone
no room for the lines."""

from __future__ import annotations

from collections.abc import Sequence

import figures.graph as go
from figures.names import wrapped
from figures.theme import LIGHT

LONGEST = 28  # letters of a line of a name: with its word it fits a phone
LINE, SIDE = 16, 16  # pixels of a line of words, and beside the axes


def room_for(names: Sequence[str]) -> int:
    """How many pixels stand above each line for its name."""
    return LINE * max(wrapped(name, LONGEST).count("<br>") + 1 for name in names)


def headed(
    fig: go.Figure, y: Sequence[float], names: Sequence[str], words: Sequence[str]
) -> go.Figure:
    """A name at the left and a word at the right above each line, whose heads stand on `y`."""
    for at, name, word in zip(y, names, words, strict=True):
        head = (wrapped(name, LONGEST), "left", 0, LIGHT.text)
        for text, side, x, color in (head, (word, "right", 1, LIGHT.quiet)):
            fig.add_annotation(
                x=x, xref="paper", xanchor=side, y=at, yanchor="bottom", text=text, align=side,
                showarrow=False, font={"size": 12, "color": color}, borderpad=0,
                bgcolor=LIGHT.background,  # the lines of the grid pass behind the words
            )  # fmt: skip
    fig.update_yaxes(showticklabels=False, showgrid=False, showline=False, ticks="")
    fig.update_xaxes(nticks=6, tickangle=0)
    # A phone draws it as high as it is: lower, words would lie on the line above them.
    return fig.update_layout(margin={"l": SIDE, "r": SIDE}, meta={"high": True})
