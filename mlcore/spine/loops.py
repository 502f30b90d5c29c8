"""How loops are compiled: with no more ways in than are gone."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NoReturn

import numba
from numba.core.registry import CPUDispatcher


class Inner(CPUDispatcher):
    """A loop that only loops call: it has no way in from Python, and going there would end the
    process."""

    def __call__(self, *_: Any) -> NoReturn:
        raise TypeError(
            f"Only compiled loops may call {self.py_func.__name__}; for Python too, it says "
            "`no_cpython_wrapper=False`."
        )


def njit(**options: Any) -> Callable[[Callable[..., Any]], Any]:
    """Numba's decorator, without the ways into a loop that nobody goes.

    Numba adds two functions to each loop: one by which C, and one by which Python may call it. Both
    are optimised, and linked into every loop that calls this one. C calls none of ours, and Python
    none whose name begins with `_`.
    """

    def compiled(loop: Callable[..., Any]) -> Any:
        ways: dict[str, Any] = {
            "no_cfunc_wrapper": True, "no_cpython_wrapper": loop.__name__.startswith("_"), **options
        }  # fmt: skip
        dispatcher = numba.njit(**ways)(loop)
        # Where NUMBA_DISABLE_JIT is set, numba hands the function itself back.
        if ways["no_cpython_wrapper"] and isinstance(dispatcher, CPUDispatcher):
            dispatcher.__class__ = Inner
        return dispatcher

    return compiled
