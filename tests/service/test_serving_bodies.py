"""Bodies on their way to a served model: together they hold no more than is allowed."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from typing import Any

import pytest
from starlette.requests import Request

from mlcore.interop.serving.bodies import Bodies
from mlcore.interop.serving.limits import MB, Limits
from mlcore.interop.serving.replies import Refused
from tests import asynchronous
from tests.contract.subjects import is_sentence

# Room for two bodies of 1 MB.
LIMITS = Limits(body_mb=1, workers=1, waiting=1, seconds=20)


def request(parts: Sequence[bytes], then: asyncio.Event | None = None) -> Request:
    """A request whose body comes in these parts, the last once something has happened."""
    left = list(parts)

    async def receive() -> dict[str, Any]:
        if len(left) == 1 and then:
            await then.wait()
        part = left.pop(0)
        return {"type": "http.request", "body": part, "more_body": bool(left)}

    return Request({"type": "http", "method": "POST", "headers": []}, receive)


async def come(bodies: Bodies, slow: Sequence[bytes], quick: bytes) -> tuple[list[Any], bytes]:
    """What becomes of slow bodies, the oldest first, once a quick one has come beside them."""
    go = asyncio.Event()
    waiting = []
    for part in slow:
        waiting.append(asyncio.create_task(bodies.whole(request([part, b"end"], go))))
        await asyncio.sleep(0)
    await asyncio.sleep(0)
    whole = await bodies.whole(request([quick[:5], quick[5:]]))
    go.set()
    return await asyncio.gather(*waiting, return_exceptions=True), whole


def test_the_oldest_of_too_many_bytes_is_given_up_and_not_the_one_that_comes():
    bodies = Bodies(LIMITS)
    large = bytes(MB - 10)
    slow, whole = asynchronous.run(come(bodies, [b"[", large, large], bytes(MB // 2)))
    assert len(whole) == MB // 2
    for gone in slow[:2]:
        assert isinstance(gone, Refused) and gone.status == 503 and is_sentence(gone.detail)
    assert slow[2] == large + b"end"
    assert not bodies._coming


def test_bodies_that_hold_little_all_come():
    slow, whole = asynchronous.run(come(Bodies(LIMITS), [b"["] * 50, b"[1, 2, 3]"))
    assert slow == [b"[end"] * 50 and whole == b"[1, 2, 3]"


def test_a_body_that_does_not_come_is_no_longer_waited_for():
    async def late() -> bytes:
        return await bodies.whole(request([b"[", b"]"], asyncio.Event()))

    bodies = Bodies(Limits(seconds=1))
    bodies._limits.__dict__["seconds"] = 0.01
    with pytest.raises(Refused) as refused:
        asynchronous.run(late())
    assert refused.value.status == 408 and is_sentence(refused.value.detail)
