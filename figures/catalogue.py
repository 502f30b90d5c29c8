"""Everything that is entered, of `mlcore` and of `figures`, as one JSON list."""

from __future__ import annotations

import json
from typing import Any

from figures.view import views
from mlcore import catalogue as listing


def catalogue() -> list[dict[str, Any]]:
    """One plain record an entry, sorted by kind, family and name."""
    records = [*listing.records(), *(entry.record for entry in views().values())]
    return [r.as_dict() for r in sorted(records, key=lambda r: (r.kind, r.family, r.name))]


if __name__ == "__main__":
    print(json.dumps(catalogue(), indent=1))
