"""Passwords in what somebody typed: whatever could hold one is not repeated, in no message and no list."""

from __future__ import annotations

import re

__all__ = ["may_hold_a_password"]

_LIKE = re.compile(
    r"^(?:[A-Z]:(?=[\\/]))?+[^:]*+:.*@|(pass(word|wd)?|pwd|secret|token)\s*=|[?&;]\w*key\s*=", re.IGNORECASE | re.DOTALL
)
"""USER:PASSWORD@HOST and password=PASSWORD in whatever kind of address, right or wrong; `C:/` is the root of a disk.

Only the first colon is looked for: in a text of many, each of them would be compared with all that follows.
"""


def may_hold_a_password(text: str) -> bool:
    """Whether a text may hold a password: rather too often than once too few."""
    return _LIKE.search(text) is not None
