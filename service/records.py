"""A shared run as it is written down, and read back without trust in what stands there."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import sqlalchemy as sql

from mlcore.data import stored
from mlcore.data.table import Table
from mlcore.runs import differences
from mlcore.runs.run import from_json
from service.database import StoreError

PAGE = re.compile(r"[a-z][a-z_]{0,63}")
END_OF_TIME = 253_402_300_800.0  # the year 10,000, which no calendar of Python knows


@dataclass(frozen=True, eq=False, kw_only=True)
class Shared:
    """A run as somebody shared it."""

    run: Any  # of any kind
    page: str  # where it was looked at
    view: Mapping[str, str]  # pairs of a link
    numbers: Any  # as mlcore.runs.differences gives them; None if nothing was computed
    parts: tuple[str, ...] | None  # of a run that was stopped, as mlcore.runs.repeat names them
    tables: Mapping[str, Table]  # the uploads that the run needs, by digest
    created: float = 0.0  # seconds since 1970
    expires: float = 0.0

    def texts(self) -> dict[str, str]:
        """Everything but the tables, as it is stored."""
        return {
            "page": self.page,
            "run": self.run.to_json(),
            "view": json.dumps(dict(self.view)),
            "numbers": json.dumps(self.numbers),
            "parts": json.dumps(self.parts),
        }

    def size(self) -> int:
        """Bytes that it takes, before tables are packed."""
        texts = sum(map(len, self.texts().values()))
        return texts + sum(map(stored.size, self.tables.values()))


def read(row: sql.Row[Any], packed: Mapping[str, bytes]) -> Shared:
    """The run of a row with its tables. Raises an MlcoreError where anything there is damaged."""
    parts = _json(row, "parts", _is_parts)
    return Shared(
        run=from_json(_sound("run", row.run, _is_text)),
        page=_sound("page", row.page, _is_page),
        view=_json(row, "view", _is_view),
        numbers=_json(row, "numbers", differences.is_record_or_none),
        parts=None if parts is None else tuple(parts),
        tables={digest: _table(digest, content) for digest, content in packed.items()},
        created=_sound("time of sharing", row.created, _is_time),
        expires=_sound("time of expiry", row.expires, _is_time),
    )


def damaged(what: str) -> StoreError:
    """The error of a part of a shared run that is not as it was stored."""
    return StoreError(
        f"This shared run is damaged: its {what} cannot be read. Ask whoever gave you the link to "
        "share the run again."
    )


def _sound(what: str, value: Any, is_sound: Callable[[Any], bool]) -> Any:
    if not is_sound(value):
        raise damaged(what)
    return value


def _json(row: sql.Row[Any], what: str, is_sound: Callable[[Any], bool]) -> Any:
    """What a column of JSON holds."""
    try:
        document = json.loads(getattr(row, what))
    except (TypeError, ValueError, RecursionError):
        raise damaged(what) from None
    return _sound(what, document, is_sound)


def _table(digest: str, content: Any) -> Table:
    """The table that was stored under this digest; StoreError where it is another one now."""
    if not isinstance(content, bytes):
        raise damaged("table")
    table = stored.from_bytes(content)
    if table.digest() != digest:
        raise damaged("table")
    return table


def _is_text(value: Any) -> bool:
    return isinstance(value, str)


def _is_page(value: Any) -> bool:
    return isinstance(value, str) and PAGE.fullmatch(value) is not None


def _is_view(value: Any) -> bool:
    return isinstance(value, dict) and all(map(_is_text, value.values()))


def _is_parts(value: Any) -> bool:
    return value is None or (isinstance(value, list) and all(map(_is_text, value)))


def _is_time(value: Any) -> bool:
    return isinstance(value, float) and 0.0 <= value < END_OF_TIME
