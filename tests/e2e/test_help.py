"""What `--help` says is what was written: square brackets are no markup."""

from __future__ import annotations

import pytest
import typer

from pellucid.cli import app
from tests.e2e.command_line import Runner

COMMANDS = {
    name: [str(getattr(option, "help", None) or "") for option in command.params]
    for name, command in typer.main.get_command(app).commands.items()  # type: ignore[attr-defined]
}


@pytest.mark.parametrize("name", COMMANDS)
def test_every_default_is_shown(pellucid: Runner, name: str) -> None:
    told = pellucid(name, "--help")
    assert told.status == 0
    assert told.out.count("[default:") >= sum(text.count("[default:") for text in COMMANDS[name])


def test_the_default_algorithm_is_shown(pellucid: Runner, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "200")
    assert "How to cut [default: weave]." in pellucid("anonymize", "--help").out


@pytest.mark.parametrize("name", COMMANDS)
def test_a_switch_asks_for_no_value(pellucid: Runner, name: str) -> None:
    """Typer says `<bool>` of switches, and `--json true` is an error. Its own --help is left."""
    switches = [line for line in pellucid(name, "--help").out.splitlines() if "<bool>" in line]
    assert all("--help" in line for line in switches)
