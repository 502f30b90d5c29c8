"""The drawing pad: points of up to four classes, set by pointer, finger or keyboard.

The browser holds the points while somebody draws and tells Python a moment after the last stroke.
What Python sends back is taken up only in a new generation of the page (Back, undo, a link): an
echo of an older stroke would take newer ones away.
"""

from __future__ import annotations

from typing import Any

from figures.theme import class_color
from mlcore.data.drawn import CLASSES, LONGEST, MOST, unpacked
from ui import state
from ui.components.declared import mounted

OFFERED = 4  # classes that the pad has a button for


def drawing_pad(key: str, points: str) -> str:
    """The pad with these points (`mlcore.data.drawn.packed`); the points as they now are."""
    widget = state.key(key)
    result = mounted("drawing_pad", "pad.js")(
        key=widget,
        data={
            "key": key,
            "points": points,
            "generation": state.session().generation,
            "most": MOST,
            "names": list(CLASSES),
            "colors": [class_color(k) for k in range(OFFERED)],
        },
        on_drawn_change=state.moved,
    )
    return points if result.drawn is None or not _is_drawing(result.drawn) else result.drawn


def _is_drawing(sent: Any) -> bool:
    """Whether a browser, which may send anything, sent points."""
    if not isinstance(sent, str) or len(sent) > LONGEST:
        return False
    try:
        unpacked(sent)
    except ValueError:
        return False
    return True
