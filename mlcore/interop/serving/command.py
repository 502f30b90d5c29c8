"""Opens the door of a service, and closes it in order."""

from __future__ import annotations

import signal
import socket
from collections.abc import Callable
from contextlib import suppress
from ipaddress import ip_address

import uvicorn

from mlcore.interop.serving.app import service, within
from mlcore.interop.serving.described import Served
from mlcore.interop.serving.limits import Limits
from mlcore.interop.serving.patience import protocol
from mlcore.spine.errors import ParamError
from mlcore.spine.wording import in_sentence

MOST_CONNECTIONS = 500  # of which most wait for nothing: a client keeps its own open
# What stopping waits for beyond the request that is being answered.
GRACE = 5


def serve(
    model: Served, limits: Limits, host: str, port: int, say: Callable[[str], object]
) -> None:
    """Serve a model until SIGTERM or Ctrl-C; `say` is told where it is.

    Raises ParamError where the port cannot be had.
    """
    door = _door(host, port)
    where = _where(host, door.getsockname()[1])
    title = in_sentence(model.card["method"]["title"])

    def ready() -> None:
        say(f"Serving {title} at {where}, for {_whom(host)}. Ctrl-C ends it.")

    # uvicorn raises the signal that ended it once more, when all is closed: it has been heard then.
    signal.signal(signal.SIGTERM, lambda *_: None)
    server = uvicorn.Server(
        uvicorn.Config(
            within(
                service(model, limits, ready), MOST_CONNECTIONS,
                lambda: len(server.server_state.connections),
            ),
            access_log=False, log_level="warning", server_header=False, proxy_headers=False,
            ws="none",
            http=protocol(limits.seconds),
            timeout_graceful_shutdown=limits.seconds + GRACE,
        )
    )  # fmt: skip
    with door, suppress(KeyboardInterrupt):
        server.run([door])


def _door(host: str, port: int) -> socket.socket:
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    try:
        return socket.create_server((host, port), family=family, backlog=MOST_CONNECTIONS)
    except (OSError, OverflowError) as error:
        why = error.strerror if isinstance(error, OSError) else error
        raise ParamError(
            f"Port {port} of {host} cannot be opened: {why}. Give another by --port or --host."
        ) from None


def _where(host: str, port: int) -> str:
    return f"http://{f'[{host}]' if ':' in host else host}:{port}"


def _whom(host: str) -> str:
    """Who may ask, in words."""
    with suppress(ValueError):
        if not ip_address(host).is_loopback:
            return "whoever reaches this machine; there are no accounts and no encryption"
        return "this machine alone"
    return "this machine alone" if host == "localhost" else f"whoever reaches {host}"
