"""docs/guide-adversary.md: its commands run, and say what the page says, but for what chance has a part in."""

from __future__ import annotations

import re
import shlex
from pathlib import Path

import pytest

from tests.e2e.command_line import Runner

ROOT = Path(__file__).parents[2]
GUIDE = (ROOT / "docs" / "guide-adversary.md").read_text(encoding="utf-8")
ADULT = ROOT.parent / "shared/data/adult/adult_30162_qi8.parquet"
CHANCE = re.compile(r"[\d,]+ possible tables lead to this release|\d+ groups of 4 or more \(4.\d on average\)")


@pytest.mark.skipif(not ADULT.exists(), reason=f"needs {ADULT}")
def test_commands(pellucid: Runner, folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    tables, audit = re.findall(r"```python\n(.*?)```", GUIDE, re.DOTALL)
    exec(compile(tables.replace("../shared", str(ADULT.parents[2])), "guide-adversary.md", "exec"), {})
    seen = 0
    for block in re.findall(r"```console\n(.*?)```", GUIDE, re.DOTALL):
        for command, shown in re.findall(r"^\$ (.*)\n((?:[^$].*\n)*)", block, re.MULTILINE):
            _, *words = shlex.split(command)
            if "--sample" in words:
                continue  # it draws anew every time, and takes a while
            said = pellucid(*words)
            assert said.status == 0
            told, expected = f"{said.err}{said.out}", shown.rstrip("\n")
            if "hybrid" in words or "weave.csv" in words:
                told, expected = CHANCE.sub("", told), CHANCE.sub("", expected)
            assert expected in told
            seen += 1
    assert seen == 9
    pytest.importorskip("arviz_stats")
    capsys.readouterr()
    exec(compile(audit, "guide-adversary.md", "exec"), {})
    [expected] = re.findall(r"```text\n(.*?)```", GUIDE, re.DOTALL)
    assert capsys.readouterr().out == expected
