"""The keeper: a copy of the token of this browser that outlives its session, or the end of it.

The token is a cookie already, which ends as the browser is closed. Nothing of it goes through the
server: the copy is made, renewed and removed in the browser.
"""

from __future__ import annotations

from ui.components.declared import mounted


def keeper(key: str, *, token: str, copy: str, seconds: float) -> None:
    """Keep the cookie `token` as `copy` for so long from now on; with 0 seconds let it go."""
    data = {"token": token, "copy": copy, "seconds": int(seconds)}
    mounted("keeper", "keeper.js")(key=key, data=data)
