"""What the numbers of a result come from: run, seed, versions, processor, threads."""

from __future__ import annotations

import platform
from collections.abc import Iterable
from functools import cache
from importlib.metadata import version

from mlcore import __version__
from mlcore.runs.run import AnyRun
from mlcore.spine.pool import threads
from mlcore.spine.registry import packages


def stamp(run: AnyRun, made_with: Iterable[tuple[str, str]] = ()) -> str:
    """Digest of the run, seed, and the versions it was carried out with, or those of now."""
    listing = ", ".join(f"{name} {version}" for name, version in made_with or versions())
    return f"run {run.digest()}, seed {getattr(run, 'seed', 0)}, {listing}"


def versions() -> tuple[tuple[str, str], ...]:
    """What the numbers of an outcome may depend on beside the run."""
    return (
        ("mlcore", __version__),
        ("python", platform.python_version()),
        *_libraries(),
        *((package.name, package.version) for package in packages()),
        ("processor", platform.machine()),
        ("threads", str(threads())),
    )


@cache
def _libraries() -> tuple[tuple[str, str], ...]:
    # Asked by name: importing numba takes a second.
    return tuple((name, version(name)) for name in ("numpy", "scipy", "numba"))
