"""Passwords in what somebody typed: whatever could hold one is not repeated, in no message and no list."""

from __future__ import annotations

import os
import re

from .errors import PolicyError

__all__ = ["may_hold_a_password", "may_only_be_a_password", "require_file_name"]

_LIKE = re.compile(
    r"^(?:[A-Z]:(?=[\\/]))?+[^:]*+:.*@|(pass(word|wd)?|pwd|secret|token)\s*=|[?&;]\w*key\s*=", re.IGNORECASE | re.DOTALL
)
"""USER:PASSWORD@HOST and password=PASSWORD in whatever kind of address, right or wrong; `C:/` is the root of a disk.

Only the first colon is looked for: in a text of many, each of them would be compared with all that follows.
"""


def may_hold_a_password(text: str) -> bool:
    """Whether a text may hold a password: rather too often than once too few."""
    return _LIKE.search(text) is not None


def may_only_be_a_password(path: str | os.PathLike[str]) -> bool:
    """Whether this is no file that is there, and may hold a password.

    What stands in the name of a folder that is there is none.
    """
    folder, name = os.path.split(str(path))
    new = name if os.path.isdir(folder) else str(path)  # noqa: PTH112 - a path of any text raises nothing there
    return may_hold_a_password(new) and not os.path.exists(path)  # noqa: PTH110


def require_file_name(path: str | os.PathLike[str]) -> None:
    """Refuse the address of a database where a file is asked for, if it may hold a password."""
    if may_only_be_a_password(path):
        raise PolicyError(
            "What is given as the name of a file may be an address with a password; so it is not repeated here.",
            remedy="Give the name of a file.",
        )
