"""Which machines an address may lead to: those of the public internet alone.

A server that fetches what strangers name would else fetch for them what only it can reach: its own
services, its neighbours, and the address at which machines of a cloud hand out their keys.
"""

from __future__ import annotations

import socket
from collections.abc import Collection
from ipaddress import IPv4Address, IPv4Network, IPv6Address, IPv6Network, ip_address, ip_network

from mlcore.spine.errors import FileError

Address = IPv4Address | IPv6Address
# What `ipaddress` calls global in some of its versions, or that stands for an address of version 4.
CLOSED = tuple(
    ip_network(text)
    for text in (
        "0.0.0.0/8",
        "100.64.0.0/10",  # shared by the customers of a provider
        "192.0.0.0/24",
        "192.88.99.0/24",  # the former relays of 6to4
        "198.18.0.0/15",
        "240.0.0.0/4",
        "::/96",  # an address of version 4, as it was once written
        "64:ff9b:1::/48",
        "100::/64",
        "2001::/23",  # Teredo, ORCHID and others
        "2001:db8::/32",
        "3fff::/20",
        "5f00::/16",
        "fec0::/10",  # of a site, as it was once
    )
)
TRANSLATED = IPv6Network("64:ff9b::/96")  # NAT64: the last four bytes are an address of version 4
SIX_TO_FOUR = IPv6Network("2002::/16")  # the four bytes after the first two are


def is_public(address: Address) -> bool:
    """Whether an address belongs to the public internet, and so does each that it stands for."""
    if isinstance(address, IPv6Address) and (inner := _inner(address)) is not None:
        return is_public(inner)
    return (
        address.is_global
        and not address.is_multicast
        and not address.is_reserved
        and not address.is_link_local
        and not address.is_loopback
        and not address.is_unspecified
        and not any(_is_in(address, network) for network in CLOSED)
    )


def _is_in(address: Address, network: IPv4Network | IPv6Network) -> bool:
    return address.version == network.version and address in network


def _inner(address: IPv6Address) -> IPv4Address | None:
    """The address of version 4 for which one of version 6 stands; None where it is its own."""
    if address.ipv4_mapped is not None:
        return address.ipv4_mapped
    packed = address.packed
    if address in TRANSLATED:
        return IPv4Address(packed[-4:])
    return IPv4Address(packed[2:6]) if address in SIX_TO_FOUR else None


def resolved(host: str, port: int, open_to: Collection[tuple[str, int]] = ()) -> str:
    """The address to connect to, of those that a name has now: asked once, and each of them public.

    `open_to` are (address, port) that are taken although they are not, for tests. Raises FileError
    for a name that leads nowhere or to a machine that is not of the public internet.
    """
    try:
        answers = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)
    except (OSError, UnicodeError) as error:
        raise FileError(f"No machine is known by the name {host!r}. Check the address.") from error
    # Where a name has several, one public address beside a private one is how guards are misled.
    addresses = [str(place[0]) for *_, place in answers]
    if any(not _may(address, port, open_to) for address in addresses) or not addresses:
        raise FileError(
            f"{host!r} is no machine of the public internet. Only public addresses are fetched; "
            "bring the file itself."
        )
    return addresses[0]


def _may(text: str, port: int, open_to: Collection[tuple[str, int]]) -> bool:
    if (text, port) in open_to:
        return True
    return "%" not in text and is_public(ip_address(text))  # a zone is of one link alone
