"""Which column of a new table stands for which column of a model, by their names alone."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence

UNITS = frozenset((
    "mm", "cm", "m", "km", "um", "nm", "in", "inch", "inches", "ft", "kg", "g", "mg", "lb", "lbs",
    "oz", "l", "ml", "dl", "pct", "percent", "eur", "usd", "gbp", "c", "f", "k", "s", "sec", "min",
    "h", "hr", "ms", "days", "years", "yr",
))  # fmt: skip
BY_NAME, ALIKE = "by name", "by a similar name"


def paired(wanted: Sequence[str], names: Sequence[str]) -> dict[str, tuple[str, str]]:
    """For each wanted name the name in the table that stands for it, and how it was found.

    Equal names first, then those that differ in case, blanks and signs alone, then those of which
    one holds every word of the other, units aside, where no other name does.
    """
    pairs = {name: (name, BY_NAME) for name in wanted if name in names}
    for alike, how in ((_letters, BY_NAME), (_words, ALIKE)):
        open_wanted = [name for name in wanted if name not in pairs]
        taken = {source for source, _ in pairs.values()}
        free = [name for name in names if name not in taken]
        pairs |= {name: (source, how) for name, source in _only(open_wanted, free, alike)}
    return pairs


def _only(
    wanted: list[str], free: list[str], alike: Callable[[str, str], bool]
) -> Iterator[tuple[str, str]]:
    """Pairs of which neither name fits another one as well."""
    fits = {name: [other for other in free if alike(name, other)] for name in wanted}
    for name, others in fits.items():
        if len(others) == 1 and sum(others[0] in near for near in fits.values()) == 1:
            yield name, others[0]


def _letters(a: str, b: str) -> bool:
    return bool(_bare(a)) and _bare(a) == _bare(b)


def _bare(name: str) -> str:
    return re.sub(r"[\W_]+", "", name.casefold())


def _words(a: str, b: str) -> bool:
    first, second = _meaning(a), _meaning(b)
    return bool(first) and bool(second) and (first <= second or second <= first)


def _meaning(name: str) -> frozenset[str]:
    """The words of a name, units aside: bodyMass (g) is body and mass."""
    parted = re.sub(r"(?<=[a-z])(?=[A-Z])", " ", name).casefold()
    return frozenset(re.findall(r"[^\W_]+", parted)) - UNITS
