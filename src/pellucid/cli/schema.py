"""`pellucid schema`: what may stand in a policy file, for editors that read JSON schema."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from ..errors import TargetError
from ..passwords import require_file_name
from ..policy_schema import policy_schema
from .console import guarded, json_text, print_json, say

__all__ = ["schema"]


def schema(
    *,
    output: Annotated[
        Path | None, typer.Option("-o", "--output", metavar="FILE.json", help="Write it there, not to the screen.")
    ] = None,
) -> None:
    """Print the JSON schema of policy files: an editor that has it completes settings and marks mistakes."""
    with guarded(as_json=False):
        if output is None:
            print_json(policy_schema())
            return
        require_file_name(output)
        try:
            output.write_text(json_text(policy_schema()), encoding="utf-8")
        except OSError as problem:
            raise TargetError(f"{output} cannot be written: {problem.strerror}.") from problem
        say(f"Wrote {output}. An editor finds it by the first line of the policy file:\n#:schema {output}")
