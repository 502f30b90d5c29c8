"""All capabilities, of whatever kind of fit: what names them or counts them goes through this."""

from __future__ import annotations

from typing import Protocol

from mlcore.spine import capabilities, capabilities_of_groups, capabilities_of_members

CAPABILITIES: tuple[type, ...] = tuple(
    dict.fromkeys(
        each
        for module in (capabilities, capabilities_of_groups, capabilities_of_members)
        for each in vars(module).values()
        if isinstance(each, type) and each is not Protocol and Protocol in each.__mro__
    )
)
