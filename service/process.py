"""One worker process as the server sees it: start, speak, watch its memory, kill."""

from __future__ import annotations

import json
import os
import pickle
import secrets
import subprocess
import threading
from collections import OrderedDict
from contextlib import suppress
from multiprocessing.connection import Client, Connection
from pathlib import Path
from typing import IO, Any

from service.limits import Limits
from service.starting import START_SECONDS, Starter
from service.tasks import Packed, failure

try:
    import psutil  # only asked where there is no /proc
except ImportError:
    psutil = None

PROC = Path("/proc")
ARGUMENTS_SHARE = 4  # large arguments may fill a quarter of what a run may use


class WorkerProcess:
    """A started worker. Only one thread speaks to it; any thread may kill it."""

    def __init__(self, limits: Limits, allowed: tuple[str, ...], starter: Starter) -> None:
        self.killed = self.is_ready = False
        self.resident_at_start = 0
        self._limit = limits.memory_mb * 2**20
        self._holds: OrderedDict[str, int] = OrderedDict()  # digest -> bytes, longest unused first
        self._process = starter.start()
        self.pid = self._process.pid
        self._allowed = allowed

    def connect(self) -> None:
        """Wait until the worker is ready; OSError or EOFError when it does not come to that."""
        alarm = threading.Timer(START_SECONDS, self.kill)
        alarm.daemon = True
        alarm.start()
        try:
            self._connection = self._called()  # there is none unless this succeeds
            self._connection.recv_bytes()  # says that it is ready
            self.resident_at_start = self.resident() or 0
            self.is_ready = True
        finally:
            alarm.cancel()

    def _called(self) -> Connection:
        """Give the worker its key, hear where it listens, and call it there."""
        # The key goes through the pipe: arguments and environments can be listed by others.
        key = secrets.token_bytes(32)
        to_worker, from_worker = self._pipes()
        greeting = json.dumps({"key": key.hex(), "allowed": self._allowed}) + "\n"
        to_worker.write(greeting.encode())  # stays open: its end tells the worker that we are gone
        told = from_worker.readline()
        if not told:
            raise EOFError("the worker ended before it was ready")
        where = json.loads(told)
        return Client(where if isinstance(where, str) else tuple(where), authkey=key)

    def _pipes(self) -> tuple[IO[bytes], IO[bytes]]:
        """What it reads from and what it writes to."""
        return self._process.stdin, self._process.stdout  # pyrefly: ignore[bad-return]  # both PIPE

    def give(self, packed: Packed) -> None:
        """Send a task, first the large arguments that this worker does not hold."""
        for digest in packed.stored.keys() & self._holds.keys():
            self._holds.move_to_end(digest)
        for digest in packed.stored.keys() - self._holds.keys():
            self._hold(digest, packed)
        self._connection.send(("task", packed.data))

    def _hold(self, digest: str, packed: Packed) -> None:
        buffers: list[pickle.PickleBuffer] = []
        data = pickle.dumps(packed.stored[digest], protocol=5, buffer_callback=buffers.append)
        size = len(data) + sum(buffer.raw().nbytes for buffer in buffers)
        for other in [d for d in self._holds if d not in packed.stored]:
            if sum(self._holds.values()) + size <= self._limit // ARGUMENTS_SHARE:
                break
            del self._holds[other]
            self._connection.send(("drop", other))
        self._connection.send(("hold", digest, data, len(buffers)))
        for buffer in buffers:
            self._connection.send_bytes(buffer.raw())  # as it lies: a copy takes as much again
        self._holds[digest] = size

    def receive(self) -> tuple[str, Any, int]:
        """The next message: event, done or failed; what it carries; its size in bytes."""
        data = self._connection.recv_bytes()
        try:
            verb, what = pickle.loads(data)
        except Exception as error:  # any class may fail to be rebuilt; the rest cannot be trusted
            self.kill()
            return "failed", failure(error), len(data)
        return verb, what, len(data)

    def resident(self) -> int | None:
        """Bytes of memory it occupies now, or None where the system does not say."""
        return resident(self.pid)

    def has_swollen(self) -> bool:
        """Whether what runs left behind takes room that the next one may need."""
        return (self.resident() or 0) > self.resident_at_start + self._limit // 2

    def is_alive(self) -> bool:
        """Whether the process still runs."""
        return not self.killed and self._process.poll() is None

    def kill(self) -> None:
        """End it now, whatever it is doing; returns at once."""
        self.killed = True
        self._process.kill()

    def close(self) -> int:
        """Kill it, release what belongs to it and return its exit code."""
        if not self.killed:  # it is ending by itself: let it say why
            with suppress(subprocess.TimeoutExpired):
                self._process.wait(1)
        self.kill()
        code = self._process.wait()
        if hasattr(self, "_connection"):
            self._connection.close()
        for pipe in self._pipes():
            pipe.close()
        return code


def resident(pid: int) -> int | None:
    """Bytes of memory that a process occupies, or None when it is gone or nothing can tell."""
    try:
        pages = (PROC / str(pid) / "statm").read_text().split()[1]
    except (FileNotFoundError, ProcessLookupError):
        return _resident_elsewhere(pid)
    return int(pages) * os.sysconf("SC_PAGE_SIZE")


def _resident_elsewhere(pid: int) -> int | None:
    """The same where there is no /proc, if psutil is installed."""
    if psutil is None:
        return None
    try:
        return psutil.Process(pid).memory_info().rss
    except psutil.Error:
        return None


def memory_is_watched() -> bool:
    """Whether this system says how much memory a worker occupies."""
    return resident(os.getpid()) is not None
