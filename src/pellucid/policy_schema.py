"""The settings of a policy file for editors (JSON schema) and for people (tables in Markdown).

Both follow from `settings`. The schema knows each setting for itself; that a column has one role only, no schema says.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

from .settings import POLICY, Setting, Table, Tables

__all__ = ["policy_schema", "reference"]

_DRAFT = "http://json-schema.org/draft-07/schema#"
"""What editors of TOML understand."""


def policy_schema() -> dict[str, Any]:
    """The JSON schema of a policy file."""
    return {
        "$schema": _DRAFT,
        "title": "pellucid.toml",
        "description": "How pellucid publishes a table.",
        **POLICY.schema(),
    }


def reference() -> str:
    """All settings as tables in Markdown."""
    return "\n\n".join(_tables("", POLICY))


def _tables(name: str, table: Table) -> Iterator[str]:
    rows = [setting for setting in table.settings if not isinstance(setting.kind, Table | Tables)]
    head = "| setting | it is | default | meaning |\n| --- | --- | --- | --- |"
    title = f"### `[{name}]`\n\n" if name else ""
    yield "\n".join([title + head, *map(_row, rows)])
    for setting in table.settings:
        way = f"{name}.{setting.name}" if name else setting.name
        if isinstance(setting.kind, Tables):
            yield from _tables(f"{way}.NAME", setting.kind.each)
        elif isinstance(setting.kind, Table):
            yield from _tables(way, setting.kind)


def _row(setting: Setting) -> str:
    default = "" if setting.default is None else f"`{json.dumps(setting.default, ensure_ascii=False)}`"
    option = f" On the command line: `{setting.option}`." if setting.option else ""
    cells = (f"`{setting.name}`", setting.kind.words, default, setting.meaning + option)
    return f"| {' | '.join(cell.replace('|', chr(92) + '|') for cell in cells)} |"
