"""A file, and what its owner says of it in the words of [source] in a policy file and of the command line."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import KW_ONLY, asdict, dataclass, replace
from typing import Any

from ..errors import PolicyError
from ..settings import SOURCE
from .formats import EXCEL, Format

__all__ = ["File"]

_OF_TEXT = ("separator", "quote", "encoding", "decimal")
_SEPARATORS = {"tab": "\t", "\\t": "\t", "space": " "}


@dataclass(frozen=True)
class File:
    """A table in a file, with what is to be known of it where the file does not say it.

    pellucid.File("patients.csv", separator=";", encoding="windows-1252", decimal=",", null=["NA"])
    """

    path: str | os.PathLike[str]
    _: KW_ONLY
    separator: str | None = None
    """What separates the values of a text file: one character."""
    quote: str | None = None
    """What stands around values of a text file: '"', "'" or "none"."""
    encoding: str | None = None
    """Of a text file: utf-8, utf-16, windows-1252 or another."""
    decimal: str | None = None
    """What separates the decimals of the numbers in a text file: "." or ","."""
    null: Sequence[str] | None = None
    """The texts that mean a missing value."""
    sheet: str | int | None = None
    """Of an Excel file: the name of a sheet, or its number from 1."""

    def __post_init__(self) -> None:
        said = self.said
        problems = [problem for name, value in said.items() for problem in SOURCE[name].problems(value, (name,))]
        if self.separator is not None and _SEPARATORS.get(self.separator, self.separator) == self.quote:
            raise PolicyError("separator and quote are the same.", remedy="Give another separator or quote.")
        if problems:
            raise PolicyError.of(problems)

    @property
    def said(self) -> dict[str, Any]:
        """What is said of it."""
        return {name: value for name, value in asdict(self).items() if name != "path" and value is not None}

    def over(self, written: Mapping[str, Any]) -> File:
        """The same file; what is not said of it, a policy file may have said in [source]."""
        known = {name: written[name] for name in asdict(self) if name != "path" and name in written}
        return replace(self, **{**known, **self.said})

    def require_fitting(self, form: Format) -> None:
        """Refuse what can mean nothing for a file of this format."""
        for name in self.said:
            if name in _OF_TEXT and not form.textual:
                raise PolicyError(
                    f"{name} is a setting of text files, and {self.path} is none.", remedy="Leave it out."
                )
            if name == "sheet" and form.ending != EXCEL:
                raise PolicyError(
                    f"sheet is a setting of Excel files, and {self.path} is none.", remedy="Leave it out."
                )

    @property
    def separator_character(self) -> str | None:
        """The separator itself, where it was said by name."""
        return None if self.separator is None else _SEPARATORS.get(self.separator, self.separator)

    @property
    def quote_character(self) -> str | None:
        """The quote; nothing where there is none."""
        return "" if self.quote == "none" else self.quote
