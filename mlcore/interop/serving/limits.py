"""What one service allows: sizes, times, and how many at once."""

from __future__ import annotations

from dataclasses import dataclass, fields
from typing import Any

from mlcore.spine.errors import ParamError

MB = 2**20


@dataclass(frozen=True, kw_only=True)
class Limits:
    """The limits of one service; each is a whole number of at least 1."""

    rows: int = 10_000  # of one request
    body_mb: int = 10  # of one request
    seconds: int = 30  # until its body has come, and again until it is answered
    workers: int = 2  # requests that are answered at a time, each by a process of its own
    waiting: int = 8  # more requests that may wait for one of these processes
    memory_mb: int = 1024  # that a process may take beside what its model takes

    def __post_init__(self) -> None:
        for limit in fields(self):
            value: Any = getattr(self, limit.name)
            if value < 1:
                raise ParamError(
                    f"The service needs {limit.name} of at least 1; got {value}. Give it another, "
                    "or leave it out."
                )

    @property
    def body(self) -> int:
        """Bytes of one request."""
        return self.body_mb * MB

    @property
    def bodies(self) -> int:
        """Bytes of all bodies together that have come in part."""
        return self.body * self.at_once

    @property
    def at_once(self) -> int:
        """Requests whose bodies are here at a time, those that wait too."""
        return self.workers + self.waiting
