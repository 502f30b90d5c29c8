"""The bodies of requests on their way here: how long each may take, and how much all may hold.

A request is under way once its body is here. Until then it costs the bytes that have come, so many
slow ones keep nobody out; where they hold more together than is allowed, the one that has been
coming for longest is given up.
"""

from __future__ import annotations

import asyncio

from starlette.requests import ClientDisconnect, Request

from mlcore.interop.serving.limits import Limits
from mlcore.interop.serving.replies import Refused

CROWDED = "Other bodies came sooner than this one, and there is no room for all. Send it again."


class Coming:
    """A body that has come in part, and the clock that ends it."""

    def __init__(self, clock: asyncio.Timeout) -> None:
        self.clock, self.content, self.is_given_up = clock, bytearray(), False

    def give_up(self) -> None:
        """End it at once, where it waits for more."""
        if not self.clock.expired():
            self.is_given_up = True
            self.clock.reschedule(0.0)  # long ago, by the clock of any loop
        self.content.clear()


class Bodies:
    """All bodies on their way to one service."""

    def __init__(self, limits: Limits) -> None:
        self._limits = limits
        self._coming: dict[Coming, None] = {}  # the oldest first

    async def whole(self, request: Request) -> bytes:
        """The body of a request. Raises Refused where it is too large, too slow or ends early."""
        self._check(request.headers.get("content-length", ""))
        clock = asyncio.timeout(self._limits.seconds)
        body = Coming(clock)
        self._coming[body] = None
        try:
            async with clock:
                async for chunk in request.stream():
                    self._take(body, chunk)
        except TimeoutError:
            raise self._late(body) from None
        except ClientDisconnect:
            raise Refused(408, "The body ended early. Send it again.") from None
        finally:
            del self._coming[body]
        if body.is_given_up:  # as its last part came
            raise self._late(body)
        return bytes(body.content)

    def _check(self, length: str) -> None:
        if length.isdecimal() and int(length[:20]) > self._limits.body:
            raise Refused(413, self._too_large())

    def _take(self, body: Coming, chunk: bytes) -> None:
        """Take more of it in, and let others go where all of them would hold too much."""
        if body.is_given_up:
            return
        body.content += chunk
        if len(body.content) > self._limits.body:
            raise Refused(413, self._too_large())
        over = sum(len(each.content) for each in self._coming) - self._limits.bodies
        for each in tuple(self._coming):
            if over <= 0:
                return
            over -= len(each.content)
            each.give_up()

    def _late(self, body: Coming) -> Refused:
        if body.is_given_up:
            return Refused(503, CROWDED)
        why = f"The body did not come within {self._limits.seconds} seconds. Send it again."
        return Refused(408, why)

    def _too_large(self) -> str:
        return f"A request may have {self._limits.body_mb} MB. Send fewer rows at a time."
