"""On which line of a TOML text each setting stands: Python's own parser does not say.

The text has been parsed already, so it is known to be right: only what tells keys from values is looked at.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterator
from typing import NamedTuple

from .errors import Where

__all__ = ["lines_of"]

_TOKEN = re.compile(
    r'''
      (?P<string>  """(?:[^\\]|\\.)*?"{3,5} | \'\'\'.*?\'{3,5} | "(?:[^"\\\n]|\\.)*" | '[^'\n]*' )
    | (?P<comment> \#[^\n]* )
    | (?P<newline> \r?\n )
    | (?P<space>   [ \t]+ )
    | (?P<mark>    [\[\]{},.=] )
    | (?P<bare>    [^\s\[\]{},.=\#"']+ )
    ''',
    re.VERBOSE | re.DOTALL,
)


class _Token(NamedTuple):
    kind: str
    text: str
    line: int


def lines_of(text: str) -> dict[Where, int]:
    """The line of every key, table and item of a list, by the way that leads to it."""
    reader = _Reader(_tokens(text))
    reader.document()
    return reader.lines


def _tokens(text: str) -> Iterator[_Token]:
    line = 1
    for found in _TOKEN.finditer(text):
        kind = found.lastgroup or ""
        if kind not in ("space", "comment"):
            yield _Token(kind, found[0], line)
        line += found[0].count("\n")
    yield _Token("end", "", line)


class _Reader:
    """Reads tokens one after the other."""

    def __init__(self, tokens: Iterator[_Token]) -> None:
        self.lines: dict[Where, int] = {}
        self._tokens = tokens
        self._next = next(tokens)
        self._tables: dict[Where, int] = {}
        """How many tables an array of tables has so far."""

    def document(self) -> None:
        table: Where = ()
        while self._next.kind != "end":
            if self._next.kind == "newline":
                self._take()
            elif self._next.text == "[":
                table = self._header()
            else:
                self._assignment(table)

    def _take(self) -> _Token:
        taken, self._next = self._next, next(self._tokens, self._next)
        return taken

    def _header(self) -> Where:
        line = self._take().line
        many = self._next.text == "["
        if many:
            self._take()
        keys = self._keys()
        while self._next.kind not in ("newline", "end"):
            self._take()
        where: Where = ()
        for key in keys[:-1]:
            where = self._known((*where, key), line)
        where = (*where, keys[-1])
        self.lines.setdefault(where, line)
        if many:
            self._tables[where] = self._tables.get(where, 0) + 1
        return self._known(where, line)

    def _known(self, where: Where, line: int) -> Where:
        """The table at `where`; of an array of tables, the last one."""
        self.lines.setdefault(where, line)
        if where in self._tables:
            where = (*where, self._tables[where] - 1)
            self.lines.setdefault(where, line)
        return where

    def _keys(self) -> list[str]:
        keys: list[str] = []
        while self._next.kind in ("bare", "string") or self._next.text == ".":
            token = self._take()
            if token.kind == "string":
                keys.append(tomllib.loads(f"key = {token.text}")["key"])
            elif token.kind == "bare":
                keys.append(token.text)
        return keys

    def _assignment(self, table: Where) -> None:
        line = self._next.line
        where = table
        for key in self._keys():
            where = (*where, key)
            self.lines.setdefault(where, line)
        self._take()  # the equals sign
        self._value(where)

    def _value(self, where: Where) -> None:
        if self._next.text == "[":
            self._array(where)
        elif self._next.text == "{":
            self._inline_table(where)
        else:
            # A number such as 1.5 is several tokens, a date with its time too.
            while self._next.kind in ("bare", "string") or self._next.text == ".":
                self._take()

    def _array(self, where: Where) -> None:
        self._take()
        number = 0
        while self._next.text not in ("]", ""):
            if self._next.kind == "newline" or self._next.text == ",":
                self._take()
                continue
            item = (*where, number)
            self.lines[item] = self._next.line
            self._value(item)
            number += 1
        self._take()

    def _inline_table(self, where: Where) -> None:
        self._take()
        while self._next.text not in ("}", ""):
            if self._next.kind == "newline" or self._next.text == ",":
                self._take()
            else:
                self._assignment(where)
        self._take()
