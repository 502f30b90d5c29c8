"""Components of ours, known to the running server.

Streamlit finds the files of a component through the metadata of an installed package; ours live in
a checkout, and plotly.js in a package that knows nothing of Streamlit, so their folders are
declared here, once a server (every AppTest is a server of its own).
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any

from streamlit.components.v2 import component
from streamlit.components.v2.get_bidi_component_manager import (
    get_bidi_component_manager,
)
from streamlit.components.v2.manifest_scanner import ComponentConfig, ComponentManifest

HERE, OURS = Path(__file__).parent, "mlscope"


def mounted(name: str, script: str) -> Callable[..., Any]:
    """The component of this folder, whose `browser` has the script."""
    declare("components", HERE, "browser")  # what several of them import
    declare(name, HERE / name, "browser")
    return _renderer(f"{OURS}.{name}", script)


def declare(name: str, root: Path, folder: str) -> None:
    """Have the server send what is in a folder."""
    manager = get_bidi_component_manager()
    if manager.get_component_asset_root(f"{OURS}.{name}") is None:
        config = ComponentConfig(name, folder)
        manager.register_from_manifest(ComponentManifest(OURS, "1", [config]), root)


@cache
def _renderer(name: str, script: str) -> Callable[..., Any]:
    return component(name, js=script, isolate_styles=False)
