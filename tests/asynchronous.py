"""Coroutines in tests."""

from __future__ import annotations

import asyncio
from collections.abc import Coroutine
from concurrent.futures import ThreadPoolExecutor
from typing import Any


def run(work: Coroutine[Any, Any, Any]) -> Any:
    """What a coroutine gives, by a loop of its own in a thread of its own.

    `asyncio.run` refuses to begin beside a loop, and tests of the browser leave one running in the
    process that takes them.
    """
    with ThreadPoolExecutor(1) as thread:
        return thread.submit(asyncio.run, work).result()
