"""The calls of one run, a few at once, in any `concurrent.futures.Executor`.

A thread of the server walks the run; what takes time are the calls that it hands to its place.
"""

from __future__ import annotations

import pickle
import threading
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import CancelledError, Executor, Future
from hashlib import blake2b
from itertools import islice
from queue import SimpleQueue
from typing import Any

from mlcore.data.dataset import Dataset
from mlcore.spine import errors
from service.tasks import Failed, JobError


class CallFailed(Exception):  # noqa: N818  # no MlcoreError: no part of a run may take it as its own
    """A call ended without result for a reason that is not in its arguments."""

    def __init__(self, failed: Failed) -> None:
        super().__init__(failed.sentence)
        self.failed = failed


class Fan:
    """A place (`mlcore.runs.places.Place`): at most `at_once` calls of a run in an executor.

    `send` turns a data set into what stands for it among the arguments of a call, so that each
    process gets it once. Several threads may stop it; one asks for its results.
    """

    def __init__(
        self, executor: Executor, at_once: int, send: Callable[[str, Any], Any] | None = None
    ) -> None:
        self._executor, self._at_once, self._send = executor, at_once, send
        self._lock = threading.Lock()
        self._open: set[Future] = set()
        self._is_stopped = False
        self._sent: dict[int, tuple[Any, Any]] = {}  # by identity, with what keeps that in use

    def each(self, function: Callable, calls: Iterable[tuple]) -> Iterator[tuple[int, Any]]:
        """Yield (position, result) of each call as it ends, whichever is first."""
        waiting, ended = iter(enumerate(calls)), SimpleQueue()
        open_: dict[Future, int] = {}
        try:
            for k, call in islice(waiting, self._at_once):
                open_[self._begun(function, call, ended)] = k
            while open_:
                future = ended.get()
                at = open_.pop(future)
                for k, call in islice(waiting, 1):  # before the result is looked at
                    open_[self._begun(function, call, ended)] = k
                yield at, _result(future)
        finally:
            for future in open_:
                future.cancel()

    def stop(self) -> None:
        """End every call now; whoever waits for a result gets CancelledError."""
        with self._lock:
            self._is_stopped, left = True, list(self._open)
        for future in left:
            future.cancel()

    def _begun(self, function: Callable, call: tuple, ended: SimpleQueue) -> Future:
        arguments = [self._argument(value) for value in call]
        with self._lock:
            if self._is_stopped:
                raise CancelledError
            future = self._executor.submit(function, *arguments)
            self._open.add(future)
        future.add_done_callback(self._open.discard)
        future.add_done_callback(ended.put)
        return future

    def _argument(self, value: Any) -> Any:
        """What stands for an argument: a data set travels once, whatever the number of calls."""
        if self._send is None or not isinstance(value, Dataset):
            return value
        if id(value) not in self._sent:
            self._sent[id(value)] = (value, self._send(digest(value), value))
        return self._sent[id(value)][1]


def _result(future: Future) -> Any:
    """The result of a call that ended; what a person can put right is raised as it was there."""
    try:
        return future.result()
    except JobError as error:
        kind = getattr(errors, error.failed.kind, None)
        if kind is not None:
            raise kind(error.failed.sentence) from None
        raise CallFailed(error.failed) from None
    except Exception as error:
        # A cluster raises errors of ours as they were, and errors of its own.
        if type(error).__module__.partition(".")[0] != "distributed":
            raise
        raise CallFailed(Failed(str(error), "crash", repr(error))) from error


def digest(value: Any) -> str:
    """Digest of the content of a value that pickles, without copying its arrays."""
    arrays: list[pickle.PickleBuffer] = []
    digester = blake2b(pickle.dumps(value, protocol=5, buffer_callback=arrays.append))
    for array in arrays:
        digester.update(array.raw())
    return digester.hexdigest()
