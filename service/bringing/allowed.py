"""Whether tables may be brought by an address, or by SQL, and why not.

Both are for whoever runs MLScope on a machine of their own. A server for others fetches nothing for
them unless its settings say so, and opens no database of its machine for anybody.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from ipaddress import ip_address
from typing import NamedTuple

from mlcore.spine.errors import ParamError

ADDRESSES, SQL = "MLSCOPE_ADDRESSES", "MLSCOPE_SQL"
CHOICES = {ADDRESSES: ("", "0", "1"), SQL: ("", "0")}
# What a proxy says of whom it speaks for: with any of these, others than this machine ask.
FORWARDED = ("forwarded", "via", "x-forwarded-for", "x-forwarded-host", "x-real-ip")
NO_ADDRESSES = (
    "Tables by their address are switched off on this server. Whoever runs it can switch them on "
    f"({ADDRESSES}=1); on a machine of your own they are on. Bring the file instead."
)
NO_SQL = (
    "Databases are opened where MLScope runs on a machine of your own and serves that machine "
    "alone. Save the result of a query as CSV or Parquet, and bring that."
)


class Asking(NamedTuple):
    """Where a server listens, and how it was asked."""

    listens: str  # its address; "" is every one
    host: str  # the name in the request
    headers: frozenset[str]  # names of all of them, in small letters
    origin: str = ""  # the site whose page asks, as a browser says it; "" where none is said


def why_no_address(asking: Asking, environment: Mapping[str, str] | None = None) -> str:
    """Why no table is fetched from an address; "" if one is."""
    setting = _setting(ADDRESSES, environment)
    return "" if setting == "1" or (not setting and is_own(asking)) else NO_ADDRESSES


def why_no_sql(asking: Asking, environment: Mapping[str, str] | None = None) -> str:
    """Why no database is asked; "" if one is. No setting opens one to others."""
    return "" if not _setting(SQL, environment) and is_own(asking) else NO_SQL


def is_own(asking: Asking) -> bool:
    """Whether a server listens on its own machine alone and was asked from there, by its name.

    Behind a proxy it listens there too, so the request must have come through none; and a page of
    the web that has its own name lead here asks by that name. A proxy that says nothing of itself
    and puts its own name in the place of the asked one is told by the site whose page asks.
    """
    is_direct = not asking.headers & set(FORWARDED)
    site = asking.origin.partition("://")[2]
    is_here = _is_loopback(_name(asking.host)) and (not asking.origin or _is_loopback(_name(site)))
    return is_direct and _is_loopback(asking.listens) and is_here


def _name(host: str) -> str:
    """The name in a Host header, without its port."""
    if host.startswith("["):
        return host[1:].partition("]")[0]
    return host.rpartition(":")[0] if host.count(":") == 1 else host


def _is_loopback(name: str) -> bool:
    if name.lower() == "localhost":
        return True
    try:
        return ip_address(name).is_loopback
    except ValueError:
        return False


def _setting(name: str, environment: Mapping[str, str] | None) -> str:
    given = (os.environ if environment is None else environment).get(name, "").strip()
    if given not in CHOICES[name]:
        choices = " or ".join(filter(None, CHOICES[name]))
        raise ParamError(f"{name} must be {choices}; got {given!r}. Correct it or leave it out.")
    return given
