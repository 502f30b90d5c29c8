"""Pictures of the values beside the one that a slider stands at, there before they are asked for.

The browser keeps them while the page stays as it is. When the slider moves to one of these values,
its picture is drawn at once; what the server sends a tenth of a second later is the same figure,
and is not drawn again.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from functools import cache
from pathlib import Path
from typing import Any

from streamlit.components.v2 import component
from streamlit.components.v2.get_bidi_component_manager import get_bidi_component_manager
from streamlit.components.v2.manifest_scanner import ComponentConfig, ComponentManifest

from ui.components.picture import version

_NAME = "mlscope.ahead"
_NOT_IN_CLASS = re.compile(r"[^a-zA-Z0-9_-]")  # of a key; the browser has a dash there


def ahead(picture: str, beside: str, control: str, values: Mapping[str, Mapping[str, Any]]) -> None:
    """Give the browser what a picture will be sent at values of a control.

    `picture` and `control` are their keys; `beside` is the figure that is shown: at another one the
    others are of other settings. `values` has, by how the slider says a value, the fields of the
    picture's data that will differ; none for the value at which it stands.
    """
    sent = {
        "picture": picture,
        "beside": version(beside),
        "control": f"st-key-{_NOT_IN_CLASS.sub('-', control)}",
        "values": {text: _with_version(fields) for text, fields in values.items()},
    }
    _component()(key="ahead", data=sent, height=1)


def _with_version(fields: Mapping[str, Any]) -> dict[str, Any]:
    return {**fields, "version": version(fields["figure"])} if fields else {}


def _component() -> Callable[..., Any]:
    """The mounted component, known to the running server (see the picture beside this)."""
    manager = get_bidi_component_manager()
    if manager.get_component_asset_root(_NAME) is None:
        declared = ComponentManifest("mlscope", "1", [ComponentConfig("ahead", "browser")])
        manager.register_from_manifest(declared, Path(__file__).parent)
    return _renderer()


@cache
def _renderer() -> Callable[..., Any]:
    return component(_NAME, js="ahead.js", isolate_styles=False)
