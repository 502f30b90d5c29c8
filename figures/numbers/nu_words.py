"""What the rows are called that a chosen share leaves beyond."""

from __future__ import annotations

from typing import Any

from mlcore.spine.asking import can
from mlcore.svm.capabilities import HasMachines, HasRegion


def beyond_what(fit: Any) -> str:
    """Beyond the margin of classes, outside the region, or outside the tube."""
    if can(fit, HasMachines):
        return "beyond the margin"
    return "outside the region" if can(fit, HasRegion) else "outside the tube"
