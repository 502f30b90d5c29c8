"""The finder: keys and clicks of the index of methods, and the drawings of its rows.

The rows are HTML of ours; a plain link would begin a new session and lose its table. So the finder
goes to other pages within the session, tells the server what is asked for on this one, and moves
the focus: `/` to the search, arrows among the rows, Enter, Esc. What was opened once, and which
parts stand unfolded, the browser keeps.
"""

from __future__ import annotations

from collections.abc import Mapping

from ui.components.declared import mounted


def finder(key: str, drawings: Mapping[str, str]) -> str:
    """What was asked for just now, as its `data-open` names it; empty if nothing was.

    `drawings` are SVG of ours, by the name that a place for one has as its `data-glyph`.
    """
    result = mounted("finder", "finder.js")(
        key=key, data={"drawings": drawings}, on_opened_change=lambda: None
    )
    return result.opened if isinstance(result.opened, str) else ""  # a browser may send anything
