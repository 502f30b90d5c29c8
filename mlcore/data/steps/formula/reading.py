"""A formula as a tree, by how strongly its marks bind (Pratt, 1973).

From weak to strong: or; and; not; comparisons; + and -; * and /; a sign; ^, from the right.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from mlcore.data.steps.formula.tokens import FormulaError, Token, tokens, wrong

__all__ = ["LONGEST", "Call", "FormulaError", "Name", "Number", "Text", "names_in", "read"]

LONGEST = 500  # letters
DEEPEST = 32  # brackets, signs and functions inside each other
MOST = 200  # parts: each costs a pass over the rows

COMPARISONS = {
    "=": "=", "==": "=", "!=": "!=", "<>": "!=", "<": "<", "<=": "<=", ">": ">", ">=": ">=",
}  # fmt: skip
SIGN, POWER, NOT, COMPARED = 60, 70, 30, 40
BINDING = {"or": 10, "and": 20, "+": 50, "-": 50, "*": 55, "/": 55, "^": POWER, "**": POWER}
BINDING |= dict.fromkeys(COMPARISONS, COMPARED)


class Number(NamedTuple):
    """A number as it is written."""

    value: float
    at: int


class Text(NamedTuple):
    """A text between quotation marks."""

    value: str
    at: int


class Name(NamedTuple):
    """The name of a column."""

    value: str
    at: int


class Call(NamedTuple):
    """A function, or a mark, of other nodes."""

    function: str
    of: tuple[Node, ...]
    at: int


Node = Number | Text | Name | Call


def read(formula: str) -> Node:
    """The tree of a formula. Raises FormulaError with the place where it cannot be read."""
    if len(formula) > LONGEST:
        raise FormulaError(
            f"A formula has at most {LONGEST} letters; this one has {len(formula):,}. Make a "
            "column of a part of it first."
        )
    return _Reader(formula).whole()


def names_in(node: Node) -> tuple[str, ...]:
    """The columns that a formula names, each once, in order."""
    if isinstance(node, Name):
        return (node.value,)
    inner = node.of if isinstance(node, Call) else ()
    return tuple(dict.fromkeys(name for each in inner for name in names_in(each)))


class _Reader:
    """One reading; it stands before one token."""

    def __init__(self, formula: str) -> None:
        self.formula, self.depth, self.parts = formula, 0, 0
        self._rest: Iterator[Token] = tokens(formula)
        self.now = next(self._rest)

    def whole(self) -> Node:
        node = self._bound(0)
        if self.now.kind != "end":
            raise self._wrong(f"an operator is expected before {self.now.text!r}{self._comma()}")
        return node

    def _comma(self) -> str:
        """What to do where a comma stands as the decimal mark; "" elsewhere."""
        digits = (self.formula[self.now.at - 1 : self.now.at], self.formula[self.now.at + 1 :][:1])
        is_decimal = self.now.text == "," and all(map(str.isdecimal, digits))
        return ". Write the decimal mark of a number as a point" if is_decimal else ""

    def _bound(self, least: int) -> Node:
        """What binds at least so strongly, from here on."""
        self.depth += 1
        if self.depth > DEEPEST:
            raise self._wrong(f"more than {DEEPEST} parts lie inside each other. Make two columns")
        node = self._first()
        while (binding := BINDING.get(self._mark(), 0)) > least:
            node = self._joined(node, binding)
        self.depth -= 1
        return node

    def _joined(self, left: Node, binding: int) -> Node:
        """What stands before a mark, joined with what stands behind it."""
        mark, at = self._mark(), self.now.at
        self._step()
        right = self._bound(binding - 1 if binding == POWER else binding)
        if binding == COMPARED and BINDING.get(self._mark()) == COMPARED:
            raise self._wrong("two comparisons stand in a row. Join them by and")
        function = COMPARISONS.get(mark, "^" if mark == "**" else mark)
        return self._counted(Call(function, (left, right), at))

    def _first(self) -> Node:
        """A value: a number, a text, a column, a function, a sign, not, or brackets."""
        token = self.now
        if token.kind in ("number", "text", "name"):
            return self._leaf()
        if token.kind == "word" and token.text.lower() not in ("and", "or", "not"):
            return self._word()
        if self._mark() == "not":
            self._step()
            return self._counted(Call("not", (self._bound(NOT),), token.at))
        if token.text in ("-", "+"):
            self._step()
            return self._counted(Call(f"sign {token.text}", (self._bound(SIGN),), token.at))
        if token.text == "(":
            self._step()
            inner = self._bound(0)
            self._close(token)
            return inner
        got = repr(token.text) if token.text else "the end"
        raise self._wrong(f"a number, a text or a column is expected and not {got}")

    def _leaf(self) -> Node:
        token = self.now
        self._step()
        if token.kind == "number":
            return self._counted(Number(float(token.text), token.at))
        kind = Text if token.kind == "text" else Name
        return self._counted(kind(token.text, token.at))

    def _word(self) -> Node:
        """A column, or a function with what it is of."""
        word = self.now
        self._step()
        if self._mark() != "(":
            return self._counted(Name(word.text, word.at))
        opened, of = self.now, []
        self._step()
        if self._mark() != ")":
            of.append(self._bound(0))
            while self._mark() == ",":
                self._step()
                of.append(self._bound(0))
        self._close(opened)
        return self._counted(Call(word.text.lower(), tuple(of), word.at))

    def _close(self, opened: Token) -> None:
        if self._mark() != ")":
            raise self._wrong(f"the bracket of letter {opened.at + 1} is not closed. Close it")
        self._step()

    def _counted(self, node: Node) -> Node:
        self.parts += 1
        if self.parts > MOST:
            raise self._wrong(f"the formula has more than {MOST} parts. Make two columns of it")
        return node

    def _mark(self) -> str:
        """The mark or joining word here; "" if it is something else."""
        if self.now.kind == "mark":
            return self.now.text
        word = self.now.text.lower() if self.now.kind == "word" else ""
        return word if word in ("and", "or", "not") else ""

    def _step(self) -> None:
        self.now = next(self._rest)

    def _wrong(self, what: str) -> FormulaError:
        return wrong(self.formula, self.now.at, what)
