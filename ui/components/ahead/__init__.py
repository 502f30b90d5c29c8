"""Pictures of the values beside the one that a slider stands at, there before they are asked for.

The browser keeps them while the page stays as it is. When the slider moves to one of these values,
its picture is drawn at once; what the server sends a tenth of a second later is the same figure,
and is not drawn again.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from ui.components.declared import mounted
from ui.components.picture import version

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
    mounted("ahead", "ahead.js")(key="ahead", data=sent, height=1)


def _with_version(fields: Mapping[str, Any]) -> dict[str, Any]:
    return {**fields, "version": version(fields["figure"])} if fields else {}
