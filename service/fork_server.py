"""The fork server: `python -m service.fork_server N`, started by `service.starting` alone.

It imports once what every worker needs and then makes workers as copies of itself, in some
milliseconds and mostly in the same memory. Each message on its socket N brings three files for the
next worker: its standard input, its standard output, and where its exit code is to be written. The
answer is its process id, with a file that stands for the process. It ends when its socket does.

Nothing is carried out here, so there is no thread but the first (and those of libraries, which are
made for it) and nothing that a copy could inherit halfway.
"""

from __future__ import annotations

import gc
import json
import os
import selectors
import signal
import socket
import sys
import warnings

from service import worker

FILES = 3  # that come with each message


def main() -> None:
    """Get ready, then make a worker for each message until the socket ends."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is for the server, which then ends us
    # Arrow's allocator has a thread in the background and knows what to do in a copy.
    warnings.filterwarnings("ignore", ".*multi-threaded.*fork", DeprecationWarning)
    worker.warm()
    gc.freeze()  # a collector that marks what is shared would copy it
    server = _Server(socket.socket(fileno=int(sys.argv[1])))
    while server.serve():
        pass


class _Server:
    """The socket and the living workers."""

    def __init__(self, channel: socket.socket) -> None:
        self._channel = channel
        self._selector = selectors.DefaultSelector()
        self._selector.register(channel, selectors.EVENT_READ)

    def serve(self) -> bool:
        """Wait for messages and for workers that end; False when there is nobody to serve."""
        for key, _ in self._selector.select():
            if key.fileobj is not self._channel:
                self._bury(*key.data, handle=key.fd)
            elif not self._begin():
                return False
        return True

    def _begin(self) -> bool:
        """Make the worker that the next message asks for; False when the socket has ended."""
        message, files, _, _ = socket.recv_fds(self._channel, 16, FILES)
        if not message:
            return False
        pid = os.fork()
        if not pid:
            self._leave()
            _become_worker(files)
        *pipes, code = files
        for pipe in pipes:
            os.close(pipe)
        handle = os.pidfd_open(pid)
        self._selector.register(handle, selectors.EVENT_READ, (pid, code))
        socket.send_fds(self._channel, [json.dumps(pid).encode()], [handle])
        return True

    def _leave(self) -> None:
        """In a copy: let go what is the server's, or the others would never see the end of it."""
        for key in self._selector.get_map().values():
            os.close(key.fd)
            if key.data:
                os.close(key.data[1])

    def _bury(self, pid: int, code: int, *, handle: int) -> None:
        """Pass on how a worker ended."""
        _, status = os.waitpid(pid, 0)
        try:
            os.write(code, json.dumps(os.waitstatus_to_exitcode(status)).encode())
        except BrokenPipeError:
            sys.stderr.write(f"Nobody waits for worker {pid} any more.\n")
        self._selector.unregister(handle)
        os.close(handle)
        os.close(code)


def _become_worker(files: list[int]) -> None:
    """Be the worker that reads and writes these files; does not return."""
    try:
        for number, file in enumerate(files[:2]):
            os.dup2(file, number)
        for file in files:
            os.close(file)
        worker.main()
    finally:
        sys.stderr.flush()
        os._exit(0 if sys.exc_info()[0] is None else 1)


if __name__ == "__main__":
    main()
