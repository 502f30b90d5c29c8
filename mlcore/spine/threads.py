"""How many threads the libraries under a run use, on which its last bits depend."""

from __future__ import annotations

# Every pool of threads under numpy, scipy and numba; each is read when its library is imported.
THREAD_VARIABLES = (
    "OMP_NUM_THREADS",
    "OPENBLAS_NUM_THREADS",
    "MKL_NUM_THREADS",
    "VECLIB_MAXIMUM_THREADS",
    "NUMBA_NUM_THREADS",
)


def thread_settings(threads: int | str) -> dict[str, str]:
    """The variables that hold every library to `threads`, to be set before numpy is imported."""
    return dict.fromkeys(("MLSCOPE_THREADS", *THREAD_VARIABLES), str(threads))
