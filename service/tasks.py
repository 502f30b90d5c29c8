"""What is carried out: a function named in text, its arguments, its events, its failures.

A worker and the in-place path both go through `carry_out`, so both answer alike.
"""

from __future__ import annotations

import io
import pickle
import traceback
from collections.abc import Callable, Generator
from dataclasses import dataclass
from importlib import import_module
from typing import Any, NamedTuple

from mlcore.spine import errors
from mlcore.spine.errors import MlcoreError

# Only our own functions are carried out, whatever a message says.
ALLOWED = ("mlcore.", "service.")


class Task(NamedTuple):
    """A call: `function` is "package.module:name"; the arguments are anything that pickles."""

    function: str
    args: tuple = ()
    kwargs: dict[str, Any] = {}  # noqa: RUF012  # never written to


def task(function: str | Callable, /, *args: Any, **kwargs: Any) -> Task:
    """A call of a function, given by name or as a function at the top of its module."""
    if callable(function):
        function = f"{function.__module__}:{function.__qualname__}"
    return Task(function, args, kwargs)


@dataclass(frozen=True, eq=False)
class Stored:
    """A large, immutable argument, such as an uploaded table, sent to each worker only once.

    Stands anywhere among the arguments of a task; the function receives `value` itself. Equal
    digests must mean equal values.
    """

    digest: str
    value: Any


@dataclass(frozen=True)
class Failed:
    """Why a task gave no result. `kind` is the name of the error that the user can put right, or
    fault, memory, time, crash or stopped; `detail` is for a bug report."""

    sentence: str
    kind: str
    detail: str = ""

    @property
    def is_for_the_user(self) -> bool:
        """Whether other settings or data are needed; the same again would fail again."""
        return hasattr(errors, self.kind)


class JobError(MlcoreError):
    """Asking for the result of a job that has none; the text says why, `failed` says more."""

    def __init__(self, failed: Failed) -> None:
        super().__init__(failed.sentence)
        self.failed = failed


class Packed(NamedTuple):
    """A task as it travels: large arguments are named in `data` and carried beside it."""

    data: bytes
    stored: dict[str, Any]


class _Packer(pickle.Pickler):
    def __init__(self, file: io.BytesIO) -> None:
        super().__init__(file, protocol=pickle.HIGHEST_PROTOCOL)
        self.stored: dict[str, Any] = {}

    def persistent_id(self, obj: Any) -> str | None:
        if not isinstance(obj, Stored):
            return None
        self.stored[obj.digest] = obj.value
        return obj.digest


class _Unpacker(pickle.Unpickler):
    def __init__(self, data: bytes, stored: dict[str, Any]) -> None:
        super().__init__(io.BytesIO(data))
        self._stored = stored

    def persistent_load(self, pid: str) -> Any:
        return self._stored[pid]


def pack(asked: Task) -> Packed:
    """Make a task ready to travel; arguments that cannot be sent raise here, at the caller."""
    file = io.BytesIO()
    packer = _Packer(file)
    packer.dump(tuple(asked))
    return Packed(file.getvalue(), packer.stored)


def unpack(packed: Packed) -> Task:
    """The task with every large argument put in its place."""
    return Task(*_Unpacker(*packed).load())


def size_of(value: Any) -> int:
    """Bytes that a value takes: its pickle, and its arrays without copying them."""
    arrays: list[pickle.PickleBuffer] = []
    data = pickle.dumps(value, protocol=5, buffer_callback=arrays.append)
    return len(data) + sum(array.raw().nbytes for array in arrays)


def carry_out(packed: Packed, tell: Callable[[Any], None], allowed: tuple[str, ...]) -> Any:
    """Carry out a task to its end and `tell` each event; what it returns is the result."""
    work = walk(packed, allowed)
    while True:
        try:
            event = next(work)
        except StopIteration as end:
            return end.value
        tell(event)


def walk(packed: Packed, allowed: tuple[str, ...], **more: Any) -> Generator[Any, None, Any]:
    """Call the function, with more arguments that do not travel.

    If it is a generator, its events are yielded; returns the result.
    """
    asked = unpack(packed)
    answer = resolve(asked.function, allowed)(*asked.args, **asked.kwargs, **more)
    return (yield from answer) if isinstance(answer, Generator) else answer


def resolve(name: str, allowed: tuple[str, ...] = ALLOWED) -> Callable:
    """The function "package.module:function", if it is defined in an allowed package."""
    module, _, attribute = name.partition(":")
    if not f"{module}.".startswith(allowed) or not attribute.isidentifier():
        raise ValueError(f"{name!r} is not a function of {', '.join(allowed)}")
    function = getattr(import_module(module), attribute)
    # An allowed module also holds what it imported, such as os; that is not offered.
    if not callable(function) or not f"{function.__module__}.".startswith(allowed):
        raise ValueError(f"{name!r} is not a function of {', '.join(allowed)}")
    return function


def called(name: str, *args: Any) -> Any:
    """What an allowed function gives: how workers that are not ours are asked."""
    return resolve(name)(*args)


def failure(error: Exception) -> Failed:
    """An exception as a sentence; call it while the exception is being handled."""
    if isinstance(error, JobError):
        return error.failed
    if isinstance(error, MlcoreError):
        return Failed(str(error), type(error).__name__)
    if isinstance(error, MemoryError):
        sentence = (
            "The run asked for more memory than there is and was stopped; use fewer rows, or a "
            "method that needs less memory."
        )
        return Failed(sentence, "memory", traceback.format_exc())
    sentence = (
        f"Something in MLScope itself went wrong ({type(error).__name__}); the run has no result. "
        "Please report it together with the details."
    )
    return Failed(sentence, "fault", traceback.format_exc())
