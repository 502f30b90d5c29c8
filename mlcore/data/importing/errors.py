"""Where a file is passed to a foreign library, which may raise errors that it does not document."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from mlcore.spine.errors import FileError, MlcoreError

# How a library written in Rust tells that it found a fault in itself; its class has no module.
PANIC = "PanicException"


@contextmanager
def as_file_error(what: str, advice: str) -> Iterator[None]:
    """Turn any error of a library over a damaged file into one sentence.

    Raises FileError, with the error as its cause. A lack of memory is no fault of the file, and is
    passed on.
    """
    try:
        yield
    except (MlcoreError, MemoryError):
        raise
    # A damaged byte may break any rule that a library takes for granted, and each breaks otherwise.
    except Exception as error:
        raise _damaged(what, advice, error) from error
    except BaseException as error:
        if type(error).__name__ != PANIC:
            raise
        raise _damaged(what, advice, error) from error


def _damaged(what: str, advice: str, error: BaseException) -> FileError:
    return FileError(
        f"The {what} cannot be read: it is cut off, damaged or encrypted "
        f"({type(error).__name__}). {advice}"
    )
