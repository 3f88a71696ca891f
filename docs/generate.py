"""Write what the documentation says about settings from their one description: `make docs`."""

from __future__ import annotations

import json
import re
from pathlib import Path

from pellucid.policy_schema import policy_schema, reference

__all__ = ["generated"]

_HERE = Path(__file__).parent
_MARKS = ("<!-- settings: written by make docs -->", "<!-- end of settings -->")


def generated() -> dict[Path, str]:
    """The files that follow from the description, and what has to stand in them."""
    guide = _HERE / "guide-policy.md"
    start, end = _MARKS
    old = guide.read_text(encoding="utf-8")
    new = re.sub(f"{start}.*{end}", lambda _: f"{start}\n\n{reference()}\n\n{end}", old, flags=re.DOTALL)
    schema = json.dumps(policy_schema(), indent=2, ensure_ascii=False) + "\n"
    return {guide: new, _HERE / "pellucid.schema.json": schema}


if __name__ == "__main__":
    for file, text in generated().items():
        file.write_text(text, encoding="utf-8")
