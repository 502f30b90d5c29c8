"""The processes that answer: each with one request at a time, ended where it lasts too long."""

from __future__ import annotations

import asyncio
import json
import logging
import sys
from asyncio.subprocess import PIPE, Process
from contextlib import suppress
from typing import Any

from mlcore.interop.serving.limits import Limits
from mlcore.interop.serving.replies import Refused, Reply
from mlcore.spine.errors import FileError

LOG = logging.getLogger(__name__)
MODULE = "mlcore.interop.serving.answering"
BUSY = "This service has as many requests under way as it takes. Ask again in a moment."


class Worker:
    """One process that has read the model."""

    def __init__(self, process: Process) -> None:
        self.process = process

    @classmethod
    async def started(cls, content: bytes, limits: Limits) -> Worker:
        """A process that is ready. Raises FileError where it does not become so."""
        # Ctrl-C goes to a whole session, and the server ends its processes itself.
        process = await asyncio.create_subprocess_exec(
            sys.executable, "-m", MODULE, stdin=PIPE, stdout=PIPE, start_new_session=True
        )
        worker = cls(process)
        try:
            await worker.ask({"memory_mb": limits.memory_mb}, content)
        except (EOFError, OSError) as error:
            await worker.end()
            raise FileError(
                "A process could not be started with this model; the lines above say why."
            ) from error
        return worker

    async def ask(self, header: dict[str, Any], body: bytes) -> Reply:
        """What it says to a frame. Raises EOFError or OSError where it has ended."""
        into, out = self.process.stdin, self.process.stdout
        if into is None or out is None:
            raise EOFError
        into.write(json.dumps(header | {"size": len(body)}).encode() + b"\n")
        into.write(body)
        await into.drain()
        line = await out.readline()
        if not line:
            raise EOFError
        header_back = json.loads(line)
        body_back = await out.readexactly(header_back["size"])
        return Reply(header_back["status"], header_back["type"], body_back)

    async def end(self) -> None:
        """End the process, whatever it does."""
        with suppress(ProcessLookupError):
            self.process.kill()
        await self.process.wait()


class Workers:
    """A fixed number of processes; one that ended is followed by another."""

    def __init__(self, content: bytes, limits: Limits) -> None:
        self.content, self.limits = content, limits
        self.under_way = 0  # requests whose bodies are here, those that wait too
        self.living: set[Worker] = set()
        self._free: asyncio.Queue[Worker] = asyncio.Queue()
        self._starting: set[asyncio.Task[None]] = set()

    async def start(self) -> None:
        """Start all of them. Raises FileError where one does not become ready."""
        await asyncio.gather(*(self._add() for _ in range(self.limits.workers)))

    async def _add(self) -> None:
        worker = await Worker.started(self.content, self.limits)
        self.living.add(worker)
        self._free.put_nowait(worker)

    async def ask(self, header: dict[str, Any], body: bytes) -> Reply:
        """The answer of the next process that is free. Raises Refused where there is none."""
        seconds = self.limits.seconds
        try:
            async with asyncio.timeout(seconds):
                worker = await self._free.get()
        except TimeoutError:
            raise Refused(503, BUSY) from None
        is_whole = False
        try:
            async with asyncio.timeout(seconds):
                reply = await worker.ask(header, body)
            is_whole = True
            return reply
        except TimeoutError:
            raise Refused(
                504, f"These rows took longer than {seconds} seconds. Send fewer rows at a time."
            ) from None
        except (EOFError, OSError):
            raise Refused(
                500, "These rows ended the process that answers. Send fewer rows at a time."
            ) from None
        finally:
            if is_whole:
                self._free.put_nowait(worker)
            else:  # it may still say something of these rows: it must not speak to the next
                await self._replace(worker)

    async def _replace(self, worker: Worker) -> None:
        self.living.discard(worker)
        await worker.end()
        task = asyncio.create_task(self._follow())
        self._starting.add(task)  # a task that nobody holds may be forgotten
        task.add_done_callback(self._starting.discard)

    async def _follow(self) -> None:
        try:
            await self._add()
        except (FileError, OSError) as error:
            LOG.error("There is one process less that answers: %s", error)

    async def stop(self) -> None:
        """End all of them."""
        for task in tuple(self._starting):
            task.cancel()
        await asyncio.gather(*self._starting, return_exceptions=True)
        for worker in tuple(self.living):
            await worker.end()
