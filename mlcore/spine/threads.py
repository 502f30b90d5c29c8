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
# Idle threads of OpenBLAS keep their processors busy for 2^26 cycles, 20 to 30 ms, before they
# sleep. numpy and scipy each bring a library of their own, and the threads of one take that long
# from the other at every change between them. 2^16 cycles still bridge two products of one loop.
IDLE_VARIABLE, IDLE = "OPENBLAS_THREAD_TIMEOUT", "16"


def thread_settings(threads: int | str) -> dict[str, str]:
    """The variables that hold every library to `threads`, to be set before numpy is imported."""
    counts = dict.fromkeys(("MLSCOPE_THREADS", *THREAD_VARIABLES), str(threads))
    return counts | {IDLE_VARIABLE: IDLE}
