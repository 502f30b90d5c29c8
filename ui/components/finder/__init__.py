"""The finder: keys and clicks of the index of methods, and the drawings of its rows.

The rows are HTML of ours; a plain link would begin a new session and lose its table. So the finder
goes to other pages within the session, tells the server what is asked for on this one, and moves
the focus: `/` to the search, arrows among the rows, Enter, Esc. What was opened once, and which
parts stand unfolded, the browser keeps.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import cache
from pathlib import Path
from typing import Any

from streamlit.components.v2 import component
from streamlit.components.v2.get_bidi_component_manager import get_bidi_component_manager
from streamlit.components.v2.manifest_scanner import ComponentConfig, ComponentManifest

_NAME = "mlscope.finder"


def finder(key: str, drawings: Mapping[str, str]) -> str:
    """What was asked for just now, as its `data-open` names it; empty if nothing was.

    `drawings` are SVG of ours, by the name that a place for one has as its `data-glyph`.
    """
    result = _component()(key=key, data={"drawings": drawings}, on_opened_change=lambda: None)
    return result.opened if isinstance(result.opened, str) else ""  # a browser may send anything


def _component() -> Callable[..., Any]:
    """The mounted component, known to the running server (see the picture beside this)."""
    manager = get_bidi_component_manager()
    if manager.get_component_asset_root(_NAME) is None:
        declared = ComponentManifest("mlscope", "1", [ComponentConfig("finder", "browser")])
        manager.register_from_manifest(declared, Path(__file__).parent)
    return _renderer()


@cache
def _renderer() -> Callable[..., Any]:
    return component(_NAME, js="finder.js", isolate_styles=False)
