"""TOML files that Hypothesis thinks of, with the line on which everything in them stands."""

from __future__ import annotations

import datetime as dt
import json
import re
from typing import Any, NamedTuple

from hypothesis import strategies as st

from pellucid.errors import Where

__all__ = ["TomlFile", "json_values", "toml_files", "written"]

_BARE = re.compile(r"[A-Za-z0-9_-]+")
_texts = st.text(st.sampled_from(" ab0.#=[]{},\"'\\\n\té漢\x7f"), max_size=5) | st.sampled_from(["", "a", "b", "a.b"])
_keys = st.sampled_from(["a", "b", "c", "a b", "", "1", "é", "#", "a.b", '"', "'", "=", "[a]"])
_scalars = (
    _texts
    | st.integers(-(10**6), 10**6)
    | st.booleans()
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.sampled_from([dt.date(1979, 5, 27), dt.datetime(1979, 5, 27, 7, 32, 0, 500), dt.time(7, 32)])
)
_values: st.SearchStrategy[Any] = st.recursive(
    _scalars,
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(_keys, inner, max_size=3)
        | st.lists(st.dictionaries(_keys, inner, max_size=2), min_size=2, max_size=3)
    ),
    max_leaves=8,
)


class TomlFile(NamedTuple):
    """A text, what it holds, and where."""

    text: str
    data: dict[str, Any]
    lines: dict[Where, int]


def json_values() -> st.SearchStrategy[Any]:
    """Whatever both TOML and JSON can say. JSON takes 4.0 and 4 for the same number, so there are no floats."""
    scalars = _texts | st.integers() | st.booleans()
    return st.recursive(
        scalars, lambda inner: st.lists(inner, max_size=3) | st.dictionaries(_texts, inner, max_size=3), max_leaves=6
    )


@st.composite
def toml_files(draw: st.DrawFn) -> TomlFile:
    """A file in which tables are written in all the ways that there are."""
    data = draw(st.dictionaries(_keys, _values, max_size=4))
    return written(data, draw)


def written(data: dict[str, Any], draw: st.DrawFn | None = None) -> TomlFile:
    """The data as a file; with `draw`, in one of many ways."""
    writer = _Writer(draw)
    writer.table((), data, [])
    return TomlFile("".join(writer.pieces), data, writer.lines)


class _Writer:
    def __init__(self, draw: st.DrawFn | None) -> None:
        self.pieces: list[str] = []
        self.lines: dict[Where, int] = {}
        self._line = 1
        self._draw = draw

    def _chance(self) -> bool:
        return self._draw is not None and self._draw(st.booleans())

    def _put(self, text: str) -> None:
        self.pieces.append(text)
        self._line += text.count("\n")

    def _end_line(self) -> None:
        self._put(self._space() + ("# [no] = 'table'" if self._chance() else ""))
        self._put("\r\n" if self._chance() else "\n")

    def _space(self) -> str:
        return " \t" if self._chance() else ""

    def _mark(self, where: Where) -> None:
        self.lines.setdefault(where, self._line)

    def _key(self, key: str) -> str:
        if _BARE.fullmatch(key) and not self._chance():
            return key
        literal = "'" not in key and not any(ord(c) < 32 or ord(c) == 127 for c in key)
        return f"'{key}'" if literal and self._chance() else _basic(key)

    def table(self, where: Where, data: dict[str, Any], header: list[str]) -> None:
        """Settings first, because what follows a header belongs to it."""
        later: list[tuple[str, Any]] = []
        for key, value in data.items():
            tables = isinstance(value, list) and value and all(isinstance(item, dict) for item in value)
            if (isinstance(value, dict) or tables) and (self._draw is None or self._chance()):
                later.append((key, value))
            elif isinstance(value, dict) and value and self._chance():
                self._dotted((*where, key), value, self._key(key))
            else:
                self._mark((*where, key))
                self._put(f"{self._key(key)}{self._space()}={self._space()}")
                self._value((*where, key), value)
                self._end_line()
        for key, value in later:
            names = [*header, self._key(key)]
            for number, content in enumerate(value if isinstance(value, list) else [value]):
                place: Where = (*where, key)
                self._end_line()
                self._mark(place)
                if isinstance(value, list):
                    place = (*place, number)
                    self._mark(place)
                dots = f"{self._space()}.{self._space()}".join(names)
                self._put(f"[[{dots}]]" if isinstance(value, list) else f"[{self._space()}{dots}]")
                self._end_line()
                self.table(place, content, names)

    def _dotted(self, where: Where, data: dict[str, Any], start: str) -> None:
        for key, value in data.items():
            self._mark(where)
            self._mark((*where, key))
            self._put(f"{start}{self._space()}.{self._key(key)} = ")
            self._value((*where, key), value)
            self._end_line()

    def _value(self, where: Where, value: Any) -> None:
        if isinstance(value, list):
            self._put("[")
            for number, item in enumerate(value):
                if self._chance():
                    self._end_line()
                self._mark((*where, number))
                self._value((*where, number), item)
                self._put("," if number < len(value) - 1 or self._chance() else "")
            if self._chance():
                self._end_line()
            self._put("]")
        elif isinstance(value, dict):
            self._put("{")
            for number, (key, content) in enumerate(value.items()):
                self._mark((*where, key))
                self._put(f"{self._key(key)} = ")
                self._value((*where, key), content)
                self._put(", " if number < len(value) - 1 else "")
            self._put("}")
        elif isinstance(value, str):
            self._put(self._text(value))
        elif isinstance(value, bool):
            self._put("true" if value else "false")
        else:
            self._put(value.isoformat() if hasattr(value, "isoformat") else repr(value))

    def _text(self, value: str) -> str:
        plain = not any((ord(c) < 32 and c not in "\n\t") or ord(c) == 127 for c in value)
        if plain and "'''" not in value and not value.endswith("'") and self._chance():
            return f"'''\n{value}'''"
        if self._chance():
            escaped = "\n".join(_basic(line)[1:-1] for line in value.split("\n"))
            return f'"""{self._space() and chr(10)}{escaped}"""' if not value.startswith("\n") else _basic(value)
        if plain and "'" not in value and "\n" not in value and self._chance():
            return f"'{value}'"
        return _basic(value)


def _basic(value: str) -> str:
    return json.dumps(value, ensure_ascii=False).replace("\x7f", "\\u007f")
