"""One line that says what a file comes from."""

from __future__ import annotations

from collections.abc import Iterable

from mlcore.carry import versions
from mlcore.run import AnyRun


def stamp(run: AnyRun, made_with: Iterable[tuple[str, str]] = ()) -> str:
    """Digest of the run, seed, and the versions it was carried out with, or those of now."""
    said = ", ".join(f"{name} {version}" for name, version in made_with or versions())
    return f"run {run.digest()}, seed {getattr(run, 'seed', 0)}, {said}"
