"""The numbers of a kernel by their paths, as its gradient names them ("gamma", "kernel.gamma")."""

from __future__ import annotations

from dataclasses import replace
from functools import reduce
from operator import attrgetter
from typing import Any

import numpy as np

from mlcore.kernels.kernel import Kernel
from mlcore.spine.params import params_of


def learnable(kernel: Kernel, X: np.ndarray) -> tuple[str, ...]:
    """Paths of the settings by which values of the kernel have slopes at rows X, shape (n, p)."""
    return tuple(kernel.gradient(X[:1])) if kernel.has_gradient else ()


def value_at(kernel: Kernel, path: str) -> float:
    """The setting at a path."""
    return float(attrgetter(path)(kernel))


def with_value(kernel: Any, path: str, value: float) -> Any:
    """The kernel with another value of the setting at a path."""
    name, _, rest = path.partition(".")
    inner = with_value(getattr(kernel, name), rest, value) if rest else value
    return replace(kernel, **{name: inner})


def range_at(kernel: Any, path: str, times: float) -> tuple[float, float]:
    """From a `times`-th to `times` times the value at a path, as far as its limits allow."""
    *parts, name = path.split(".")
    declared: Any = params_of(type(reduce(getattr, parts, kernel)))[name]
    value = value_at(kernel, path)
    return max(value / times, declared.low), min(value * times, declared.high)


def label_at(kernel: Any, path: str) -> str:
    """What people call the setting at a path, such as "inverse width of the first"."""
    *parts, name = path.split(".")
    declared: Any = params_of(type(reduce(getattr, parts, kernel)))[name]
    title = (declared.label or name).lower()
    where = [part for part in parts if part in ("first", "second")]
    return f"{title} of the {' '.join(where)} kernel" if where else title
