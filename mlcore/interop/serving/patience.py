"""How long a connection may take until its request has begun.

uvicorn closes a connection that is silent after an answer, and waits for ever for the rest of a
header: a few hundred connections that send half of one would keep everybody else out.
"""

from __future__ import annotations

import asyncio
from typing import Any

from uvicorn.protocols.http.auto import AutoHTTPProtocol


def protocol(seconds: float) -> type[asyncio.Protocol]:
    """uvicorn's HTTP, which lets go of a connection whose header is not whole after `seconds`."""

    class Protocol(AutoHTTPProtocol):  # chosen when it is imported
        # Of either of uvicorn's two, which the types of `AutoHTTPProtocol` do not tell.
        loop: asyncio.AbstractEventLoop
        transport: asyncio.Transport
        cycle: Any
        _clock: asyncio.TimerHandle | None = None

        def connection_made(self, transport: Any) -> None:
            super().connection_made(transport)
            self._wait()

        def data_received(self, data: bytes) -> None:
            super().data_received(data)
            if self.cycle is None or self.cycle.response_complete:
                self._wait()
            else:
                self._stop()

        def connection_lost(self, exc: Exception | None) -> None:
            self._stop()
            super().connection_lost(exc)

        def _wait(self) -> None:
            """From the first byte on: a letter a second begins nothing anew."""
            if self._clock is None:
                self._clock = self.loop.call_later(seconds, self.transport.close)

        def _stop(self) -> None:
            if self._clock is not None:
                self._clock.cancel()
                self._clock = None

    return Protocol
