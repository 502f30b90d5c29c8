"""The keeper: a copy of the token of this browser that outlives its session, or the end of it.

The token is a cookie already, which ends as the browser is closed. Nothing of it goes through the
server: the copy is made, renewed and removed in the browser.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any

from streamlit.components.v2 import component
from streamlit.components.v2.get_bidi_component_manager import get_bidi_component_manager
from streamlit.components.v2.manifest_scanner import ComponentConfig, ComponentManifest

_NAME = "mlscope.keeper"


def keeper(key: str, *, token: str, copy: str, seconds: float) -> None:
    """Keep the cookie `token` as `copy` for so long from now on; with 0 seconds let it go."""
    data = {"token": token, "copy": copy, "seconds": int(seconds)}
    _component()(key=key, data=data)


def _component() -> Callable[..., Any]:
    """The mounted component, known to the running server (see the picture beside this)."""
    manager = get_bidi_component_manager()
    if manager.get_component_asset_root(_NAME) is None:
        declared = ComponentManifest("mlscope", "1", [ComponentConfig("keeper", "browser")])
        manager.register_from_manifest(declared, Path(__file__).parent)
    return _renderer()


@cache
def _renderer() -> Callable[..., Any]:
    return component(_NAME, js="keeper.js", isolate_styles=False)
