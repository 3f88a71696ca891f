"""Texts out of a table as they are shown: no control character of theirs reaches a terminal, a page or a file."""

from __future__ import annotations

import re

__all__ = ["key", "printable", "quoted"]

_BARE_KEY = re.compile(r"[A-Za-z0-9_-]+")
_SHORT = {"\\": "\\\\", '"': '\\"'}


def printable(text: str) -> str:
    """A text in which everything can be seen: what would move a cursor or change a colour becomes its number."""
    return "".join(map(_seen, text))


def quoted(text: str) -> str:
    """A text in double quotes, as TOML reads it."""
    return f'"{"".join(_SHORT.get(letter) or _seen(letter) for letter in text)}"'


def key(text: str) -> str:
    """A name as TOML has it in the head of a table."""
    return text if _BARE_KEY.fullmatch(text) else quoted(text)


def _seen(letter: str) -> str:
    if letter.isprintable():
        return letter
    return f"\\u{ord(letter):04x}" if ord(letter) < 2**16 else f"\\U{ord(letter):08x}"
