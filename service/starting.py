"""How a worker process begins: as a copy of one that is ready, or from nothing."""

from __future__ import annotations

import json
import os
import selectors
import signal
import socket
import subprocess
import sys
import threading
import weakref
from contextlib import ExitStack, suppress
from pathlib import Path
from typing import IO, Any

from mlcore.spine.threads import thread_settings

PROJECT = Path(__file__).resolve().parents[1]
START_SECONDS = 120  # ready in about one; many starting at once on a busy machine
CAN_COPY = sys.platform.startswith("linux")  # elsewhere a process has no file that stands for it


class Starter:
    """Starts workers that hold every library to a number of threads.

    Where the system can, they are copies of a fork server, which is started with the first of them
    and again if it ends.
    """

    def __init__(self, threads: int) -> None:
        self._environment = _environment(threads)
        self._lock = threading.Lock()
        self._is_closed = False
        self._server: ForkServer | None = None

    def start(self) -> subprocess.Popen | Copy:
        """A process that becomes a worker; OSError where none can be started."""
        if not CAN_COPY:
            pipe = subprocess.PIPE
            return _module("service.worker", self._environment, stdin=pipe, stdout=pipe)
        server = self._ready_server()
        try:
            return server.copy()
        except ConnectionError:  # it was ending, which for a moment cannot be seen
            self._let_go(server)
            return self._ready_server().copy()

    def _ready_server(self) -> ForkServer:
        with self._lock:
            if self._is_closed:
                raise OSError("no worker is started any more")
            if not (self._server and self._server.is_alive()):
                self._end()
                self._server = ForkServer(self._environment)
            return self._server

    def _let_go(self, server: ForkServer) -> None:
        """Take another server for the next one, unless somebody else has seen to it."""
        with self._lock:
            if self._server is server:
                self._end()

    def _end(self) -> None:
        """Locked: end the fork server, if there is one."""
        if self._server:
            self._server.close()
        self._server = None

    def close(self) -> None:
        """End the fork server; its workers are ended by who asked for them."""
        with self._lock:
            self._is_closed = True
            self._end()


class ForkServer:
    """The process of `service.fork_server`."""

    def __init__(self, env: dict[str, str]) -> None:
        self._lock = threading.Lock()  # one message and its answer at a time
        self._channel, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        self._channel.settimeout(START_SECONDS)
        with theirs:
            number = theirs.fileno()
            self._process = _module(
                "service.fork_server", env, str(number), stdin=subprocess.DEVNULL, pass_fds=[number]
            )

    def is_alive(self) -> bool:
        """Whether it still runs."""
        return self._process.poll() is None

    def copy(self) -> Copy:
        """A process of its kind, as a worker; OSError when it has ended."""
        with self._lock, ExitStack() as theirs:
            input_, to_worker = os.pipe()
            from_worker, output = os.pipe()
            code, to_code = os.pipe()
            for file in (input_, output, to_code):
                theirs.callback(os.close, file)
            try:
                socket.send_fds(self._channel, [b"copy"], [input_, output, to_code])
                answer, handles, _, _ = socket.recv_fds(self._channel, 16, 1)
                if not answer:
                    raise ConnectionError("the fork server ended before the worker began")
            except OSError:
                for file in (to_worker, from_worker, code):
                    os.close(file)
                raise
            return Copy(json.loads(answer), handles[0], to_worker, from_worker, code)

    def close(self) -> None:
        """End it."""
        self._process.kill()
        self._process.wait()
        with self._lock:
            self._channel.close()


class Copy:
    """A copy of the fork server, with as much of `subprocess.Popen` as a worker needs.

    It is no child of ours, so its process id may belong to another process once it has ended. The
    file `handle` stands for it alone.
    """

    def __init__(self, pid: int, handle: int, input_: int, output: int, code: int) -> None:
        self.pid = pid
        self.stdin: IO[bytes] = open(input_, "wb", buffering=0)  # noqa: SIM115  # closed by the owner
        self.stdout: IO[bytes] = open(output, "rb", buffering=0)  # noqa: SIM115  # likewise
        self._handle, self._code = handle, code
        self._lock = threading.Lock()
        self._returned: int | None = None
        weakref.finalize(self, _close, handle, code)  # any thread may ask for them until then

    def poll(self) -> int | None:
        """Its exit code, or None while it runs."""
        return self._returned_code() if _is_readable(self._handle, 0) else None

    def wait(self, timeout: float | None = None) -> int:
        """Its exit code, once it has ended; subprocess.TimeoutExpired when that takes longer."""
        if not _is_readable(self._handle, timeout):
            raise subprocess.TimeoutExpired("service.worker", timeout or 0)
        return self._returned_code()

    def kill(self) -> None:
        """End it now; nothing happens if it has ended."""
        with suppress(ProcessLookupError):
            signal.pidfd_send_signal(self._handle, signal.SIGKILL)

    def _returned_code(self) -> int:
        """The code that the fork server writes when it has buried a process that has ended.

        Where it was ended itself nothing is written: that of a process that was killed.
        """
        with self._lock:
            if self._returned is None:
                self._returned = int(os.read(self._code, 16) or -signal.SIGKILL)
            return self._returned


def _close(*files: int) -> None:
    for file in files:
        os.close(file)


def _is_readable(file: int, timeout: float | None) -> bool:
    with selectors.DefaultSelector() as selector:
        selector.register(file, selectors.EVENT_READ)
        return bool(selector.select(timeout))


def _module(name: str, env: dict[str, str], *arguments: str, **files: Any) -> subprocess.Popen:
    """Start a module of ours; nothing waits in its pipes, so none is lost with it."""
    return subprocess.Popen([sys.executable, "-m", name, *arguments], env=env, bufsize=0, **files)


def _environment(threads: int) -> dict[str, str]:
    """Ours, with the project importable and every library held to its threads."""
    paths = [str(PROJECT), os.environ.get("PYTHONPATH", "")]
    return {
        **os.environ,
        **thread_settings(threads),
        "PYTHONPATH": os.pathsep.join(path for path in paths if path),
    }
