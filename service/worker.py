"""The worker process, which `service.starting` starts and nothing else.

It reads one line from standard input (a key and what it may call), listens where only this user
can reach it, says where on standard output, and serves the one caller that knows the key.
Standard input then stays open as a lifeline: when the parent dies, it ends, and so does the worker.
"""

from __future__ import annotations

import json
import os
import pickle
import signal
import socket
import sys
import tempfile
import threading
import traceback
from importlib import import_module
from multiprocessing import AuthenticationError
from multiprocessing.connection import Connection, Listener
from pathlib import Path
from typing import Any

from mlcore.spine import registry
from service import tasks

READER = "mlcore.data.importing"  # with the libraries of others that it stands on


def main() -> None:
    """Connect, get ready, and carry out one task after another until the parent is gone."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is for the parent, which then ends us
    greeting = json.loads(sys.stdin.readline())
    connection = _connected(bytes.fromhex(greeting["key"]))
    threading.Thread(target=_end_with_parent, name="lifeline", daemon=True).start()
    if sys.platform.startswith("linux"):
        _end_even_when_busy()
    _prefer_as_victim()
    warm()
    _send(connection, "ready", None)
    stored: dict[str, Any] = {}
    while True:
        try:
            message = connection.recv()
        except EOFError:
            return
        _answer(connection, stored, tuple(greeting["allowed"]), *message)
        del message  # arguments must not outlive their task


def _connected(key: bytes) -> Connection:
    """Listen, tell the parent where, and take the call of whoever has the key."""
    with tempfile.TemporaryDirectory(prefix="mlscope-") as private:
        unix = hasattr(socket, "AF_UNIX")
        where = os.path.join(private, "worker") if unix else ("127.0.0.1", 0)
        with Listener(where, authkey=key) as door:
            print(json.dumps(door.address), flush=True)
            os.dup2(sys.stderr.fileno(), sys.stdout.fileno())  # nobody reads our output from here
            while True:
                try:
                    return door.accept()
                except AuthenticationError:
                    continue  # on loopback anybody may knock; only the parent has the key


def _end_with_parent() -> None:
    """Block until standard input ends, then leave at once, whatever is being computed."""
    while os.read(sys.stdin.fileno(), 1024):
        pass
    os._exit(1)


def _end_even_when_busy() -> None:
    """Have Linux kill us when standard input ends.

    A compiled loop that keeps the interpreter to itself would keep `_end_with_parent` from running.
    Nothing is written to standard input after the greeting, so its next news is its end.
    """
    import fcntl  # Windows has none

    lifeline = sys.stdin.fileno()
    fcntl.fcntl(lifeline, fcntl.F_SETOWN, os.getpid())
    fcntl.fcntl(lifeline, fcntl.F_SETSIG, signal.SIGKILL)
    flags = fcntl.fcntl(lifeline, fcntl.F_GETFL)
    fcntl.fcntl(lifeline, fcntl.F_SETFL, flags | os.O_ASYNC)


def warm() -> None:
    """Import the catalogue and what files are read with, so that the first run need not."""
    try:
        registry.warm()
        import_module(READER)
    except Exception:
        # A broken entry fails with its own sentence when it is asked for; the others must not.
        traceback.print_exc()


def _prefer_as_victim() -> None:
    """When the machine runs out of memory, Linux is to end a worker and not the server."""
    score = Path("/proc/self/oom_score_adj")
    if score.exists():
        score.write_text("500")


def _answer(
    connection: Connection, stored: dict[str, Any], allowed: tuple[str, ...], verb: str, *rest: Any
) -> None:
    """Do what one message asks: hold or drop a large argument, or carry out a task."""
    if verb == "hold":
        digest, data, count = rest
        buffers = [connection.recv_bytes() for _ in range(count)]
        # Arrays made over bytes are read-only: no task can spoil what the next one is given.
        stored[digest] = pickle.loads(data, buffers=buffers)
    elif verb == "drop":
        del stored[rest[0]]
    else:
        _carry_out(connection, tasks.Packed(rest[0], stored), allowed)


def _carry_out(connection: Connection, packed: tasks.Packed, allowed: tuple[str, ...]) -> None:
    try:
        result = tasks.carry_out(packed, lambda e: _send(connection, "event", e), allowed)
        _send(connection, "done", result)
    except ConnectionError:
        os._exit(1)  # the parent is gone
    except Exception as error:  # whatever goes wrong in a task is a sentence on the page
        _send(connection, "failed", tasks.failure(error))


def _send(connection: Connection, verb: str, what: Any) -> None:
    connection.send_bytes(pickle.dumps((verb, what), protocol=pickle.HIGHEST_PROTOCOL))


if __name__ == "__main__":
    main()
