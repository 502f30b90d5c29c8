"""Which of the old encodings a text has: the one in which its letters form words."""

from __future__ import annotations

from collections.abc import Iterator, Set
from typing import NamedTuple

# A few hundred letters decide.
LOOKED_AT = 400_000
WESTERN = set("äöüßéèêëàâáãåæçñíìîïóòôõøúùûœ")
TURKISH = {*"çğıöşüâîû", "İ".lower()}  # of two signs, the second a dot
ICELANDIC = set("áéíóúýðþæö")
CENTRAL = set("ąćęłńóśźżáčďéěíňřšťúůýžőűäöüăâîșțĺľŕ")
CYRILLIC = set("абвгдежзийклмнопрстуфхцчшщъыьэюяёіїєґўјљњђћџ")
GREEK = set("αβγδεζηθικλμνξοπρσςτυφχψωάέήίόύώ")
HEBREW = set("אבגדהוזחטיךכלםמןנסעףפץצקרשת")
ARABIC = set("ءآأؤإئابةتثجحخدذرزسشصضطظعغفقكلمنهوىيپچژگ")
FINALS = set("ךםןףץς")  # stand at the end of words only
NON_LATIN = (CYRILLIC, GREEK, HEBREW, ARABIC)  # whose words hold no letters of ASCII
# Signs that stand in tables of any language, between words rather than in them.
SIGNS = set("€£¥°±²³µ·§©®«»„“”‚‘’–—…•½¼¾×÷¿¡\u00a0№ªº™†‰√≤≥≈−")
# One byte a letter: the encoding and the small letters of its languages; the first wins a draw.
SINGLE_BYTE = (
    ("cp1252", WESTERN),
    ("iso-8859-15", WESTERN),
    ("cp1254", TURKISH),
    ("cp1252", ICELANDIC),
    ("cp1250", CENTRAL),
    ("iso-8859-2", CENTRAL),
    ("cp1255", HEBREW),
    ("cp1251", CYRILLIC),
    ("koi8-r", CYRILLIC),
    ("cp1253", GREEK),
    ("cp1256", ARABIC),
    ("mac-roman", WESTERN),
    ("cp850", WESTERN),
)
# What a sign costs that the language does not use, or that stands where it does not belong.
RARE, ODD_CASE, INSIDE, STRANGERS = 1.0, 1.5, 2.0, 1.0


class MultibyteEncoding(NamedTuple):
    """An encoding of several bytes a sign."""

    name: str
    common: range  # first bytes of the signs in daily use
    syllables: frozenset[int] = frozenset()  # first bytes of syllables, where texts have them


MULTIBYTE = (
    MultibyteEncoding("shift_jis", range(0x88, 0x98), frozenset({0x82, 0x83})),
    MultibyteEncoding("euc-jp", range(0xB0, 0xD0), frozenset({0xA4, 0xA5})),
    MultibyteEncoding("euc-kr", range(0xB0, 0xC9)),
    MultibyteEncoding("gb18030", range(0xB0, 0xD8)),
    MultibyteEncoding("big5", range(0xA4, 0xC7)),
)
# Japanese without any syllable is rarer than Chinese.
NO_SYLLABLE = 0.05


def guesses(data: bytes, start: int) -> list[str]:
    """Encodings by how well the letters beyond ASCII fit their places, the best first.

    `start` is the place of a first byte that is not UTF-8.
    """
    begin = max(data.rfind(b"\n", 0, start), data.rfind(b"\r", 0, start)) + 1
    lines = data[begin : begin + LOOKED_AT].splitlines()
    head = b"\n".join(line for line in lines if not line.isascii())
    misfits = sorted(
        [*_single_byte_misfits(head), *_multibyte_misfits(head)], key=lambda pair: pair[1]
    )
    return list(dict.fromkeys(name for name, _ in misfits))


def _single_byte_misfits(head: bytes) -> Iterator[tuple[str, float]]:
    for name, letters in SINGLE_BYTE:
        text = head.decode(name, errors="replace")
        places = [at for at, sign in enumerate(text) if not sign.isascii()]
        costs = [_misfit(text[at - 1 : at], text[at], text[at + 1 : at + 2], letters)
                 for at in places]  # fmt: skip
        yield name, sum(costs) / max(len(costs), 1)


def _misfit(before: str, sign: str, after: str, letters: Set[str]) -> float:
    """How badly a sign fits between its neighbours."""
    if sign.isalpha() and sign not in SIGNS:  # µ is a letter, and stands before units
        is_odd = (sign.isupper() and before.islower()) or (sign in FINALS and after.isalpha())
        strange = _are_strangers(before, after, own=letters in NON_LATIN)
        is_rare = sign.lower() not in letters
        return ODD_CASE * is_odd + RARE * is_rare + STRANGERS * strange
    is_rare, inside = sign not in SIGNS, before.isalpha() and after.isalpha()
    return RARE * is_rare + INSIDE * (inside or (is_rare and not sign.isprintable()))


def _are_strangers(before: str, after: str, *, own: bool) -> bool:
    """Whether the letters beside one beyond ASCII cannot belong to the same word.

    Accents stand between plain letters; words of a script of its `own` have no plain ones.
    """
    beside = [letter for letter in (before, after) if letter.isalpha()]
    plain = sum(letter.isascii() for letter in beside)
    return plain > 0 if own else len(beside) == 2 and not plain


def _multibyte_misfits(head: bytes) -> Iterator[tuple[str, float]]:
    for encoding in MULTIBYTE:
        signs = [s for s in head.decode(encoding.name, errors="replace") if not s.isascii()]
        first = [sign.encode(encoding.name, errors="replace")[0] for sign in signs]
        fits = sum(byte in encoding.common or byte in encoding.syllables for byte in first)
        spoken = not encoding.syllables or not encoding.syllables.isdisjoint(first)
        # A byte that means nothing here comes back as a question mark, which is not common.
        yield encoding.name, 1 - fits / max(len(first), 1) + NO_SYLLABLE * (not spoken)
