"""What a run was made of and with: data, sizes, machine, versions, commit. It stands beside the measurements.

The page is written from both, so that it can be written again without measuring.
"""

from __future__ import annotations

import json
import os
import platform
import subprocess
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from importlib.metadata import version
from pathlib import Path
from typing import Any

__all__ = ["Conditions", "commit", "machine", "software"]

_ROOT = Path(__file__).resolve().parents[2]
_LIBRARIES = ("numpy", "polars", "matplotlib")
_CPUINFO = Path("/proc/cpuinfo")


@dataclass(frozen=True, kw_only=True)
class Conditions:
    """What the measurements alone do not say."""

    data: str
    """The name of the data: occsal, table14, census, or that of a file."""
    origin: str
    rows: Mapping[str, int]
    """Of each table."""
    correlations: Mapping[str, Mapping[str, float]]
    """Table XIV: of each table, the correlation ratio of each QI attribute."""
    quick: bool
    algorithms: tuple[str, ...]
    runs: int
    workloads: int
    queries: int
    repetitions: int
    notes: tuple[str, ...]
    """What was left out, and why."""
    seconds: float
    """What the run took in all."""
    commit: str
    software: str
    machine: str

    def write(self, path: Path) -> None:
        """Write them as JSON."""
        path.write_text(json.dumps(asdict(self), indent=2, ensure_ascii=False) + "\n", encoding="utf-8")

    @classmethod
    def read(cls, path: Path) -> Conditions:
        """What `write` wrote."""
        found: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
        lists = {name: tuple(found[name]) for name in ("algorithms", "notes")}
        return cls(**{**found, **lists})


def commit(besides: Path, root: Path = _ROOT) -> str:
    """The commit that the program was built from, and whether tracked files differ from it.

    `besides` is the folder that is being written: what changes there does not change the program.
    """
    try:
        found = _git(root, "rev-parse", "--short=12", "HEAD")
        excluded = [f":(exclude){besides.resolve()}"] if besides.resolve().is_relative_to(root) else []
        changed = _git(root, "status", "--porcelain", "--untracked-files=no", "--", ".", *excluded)
    except (OSError, subprocess.CalledProcessError):
        return "unknown"
    return f"{found}, with changes that are not committed" if changed else found


def _git(root: Path, *words: str) -> str:
    done = subprocess.run(["git", "-C", str(root), *words], capture_output=True, text=True, check=True)
    return done.stdout.strip()


def software() -> str:
    """The versions of what computes and draws."""
    libraries = ", ".join(f"{library} {version(library)}" for library in _LIBRARIES)
    return (
        f"pellucid {version('pellucid')}, {platform.python_implementation()} {platform.python_version()}, {libraries}"
    )


def machine() -> str:
    """The machine in words that do not name it."""
    parts = [f"{platform.system()} on {platform.machine()}"]
    if processor := _processor():
        parts.append(processor)
    parts.append(f"{os.cpu_count()} cores")
    if memory := _memory():
        parts.append(f"{memory / 2**30:.0f} GB of memory")
    return ", ".join(parts)


def _processor() -> str:
    if _CPUINFO.exists():
        for line in _CPUINFO.read_text(encoding="utf-8", errors="replace").splitlines():
            name, _, value = line.partition(":")
            if name.strip() == "model name":
                return " ".join(value.split())
    return platform.processor()


def _memory() -> int:
    try:
        return os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    except (AttributeError, ValueError, OSError):
        return 0
