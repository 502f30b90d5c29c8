"""What goes back to whoever asked: rows, or a sentence with the places that it is about."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from http import HTTPStatus
from typing import Any, NamedTuple

JSON, CSV, PROBLEM = "application/json", "text/csv", "application/problem+json"
ASKED = "threshold"  # what a request may ask for beside its rows, as ?threshold=0.3


class Reply(NamedTuple):
    """A whole answer."""

    status: int
    type: str
    body: bytes


class Place(NamedTuple):
    """One cell of a request that cannot be used."""

    row: int  # from 1
    column: str
    says: str  # a sentence


class Refused(Exception):  # noqa: N818  # it is an answer, with its number
    """A request that is not answered with rows."""

    def __init__(self, status: int, detail: str, places: Sequence[Place] = ()) -> None:
        super().__init__(detail)
        self.status, self.detail, self.places = status, detail, tuple(places)

    def reply(self) -> Reply:
        """The sentence as an answer (RFC 9457)."""
        content: dict[str, Any] = {
            "title": HTTPStatus(self.status).phrase,
            "status": self.status,
            "detail": self.detail,
        }
        if self.places:
            content["problems"] = [place._asdict() for place in self.places]
        return Reply(self.status, PROBLEM, as_json(content))


def as_json(content: Mapping[str, Any]) -> bytes:
    """Plain values as JSON text; every digit of a number stays."""
    return json.dumps(content, ensure_ascii=False, allow_nan=False).encode("utf-8", "replace")
