"""The proofs in docs/proofs and the code name each other: nothing that is named may disappear, on either side."""

from __future__ import annotations

import importlib
import inspect
import pkgutil
import re
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

import pellucid.algorithms
import pellucid.reference
from tests.property.broken import BROKEN_WEAVES

ROOT = Path(__file__).parents[2]
PROOFS = ROOT / "docs/proofs"
STATEMENTS = {
    "tailor": ("Lemma 2", "Lemma 3", "Theorem 1"),
    "ace": ("Lemma 4", "Lemma 5", "Lemma 6", "Theorem 2"),
    "hybrid": ("Theorem 3",),
    "weave": (
        *("Lemma A", "Lemma B", "Lemma C (i)", "Lemma C (ii)", "Lemma C (iii)", "Lemma C (iv)", "Lemma D"),
        "Theorem",
    ),
}
CITED = re.compile(r"Proof: docs/proofs/(\w+)\.md, (.+)\.$", re.MULTILINE)


def sections(page: str) -> dict[str, str]:
    """The text under every heading."""
    parts = re.split(r"^#+ (.+)$", (PROOFS / f"{page}.md").read_text(encoding="utf-8"), flags=re.MULTILINE)
    return dict(zip(parts[1::2], parts[2::2], strict=True))


def named(page: str, statement: str, pattern: str) -> list[str]:
    """What is named in backquotes under a heading."""
    return re.findall(rf"`({pattern})`", sections(page)[statement])


def every(pattern: str) -> list[Any]:
    return [
        pytest.param(page, statement, name, id=f"{page}, {statement}: {name}")
        for page, statements in STATEMENTS.items()
        for statement in statements
        for name in named(page, statement, pattern)
    ]


def resolved(name: str) -> Any:
    """The object with this dotted name; a module goes before a function that its package has under the same name."""
    parts = name.split(".")
    for length in range(len(parts) - 1, 0, -1):
        try:
            found: Any = importlib.import_module(".".join(parts[:length]))
        except ModuleNotFoundError:
            continue
        for part in parts[length:]:
            found = getattr(found, part)
        return found
    raise AttributeError(name)


def modules(package: ModuleType) -> Iterator[ModuleType]:
    for module in pkgutil.iter_modules(package.__path__, f"{package.__name__}."):
        if not module.ispkg:
            yield importlib.import_module(module.name)


def citations() -> Iterator[tuple[str, str, str]]:
    """Page, statement and name of everything whose docstring says that it realises a statement."""
    for package in (pellucid.reference, pellucid.algorithms):
        for module in modules(package):
            for name, thing in vars(module).items():
                if getattr(thing, "__module__", None) == module.__name__:
                    for page, statement in CITED.findall(inspect.getdoc(thing) or ""):
                        yield page, statement, f"{module.__name__}.{name}"


@pytest.mark.parametrize("page", STATEMENTS)
def test_every_statement_is_there_with_code_and_tests(page: str) -> None:
    for statement in STATEMENTS[page]:
        assert named(page, statement, r"pellucid\.[\w.]+"), statement
        assert named(page, statement, r"tests/[\w/.:]+"), statement


@pytest.mark.parametrize(("page", "statement", "name"), every(r"pellucid\.[\w.]+"))
def test_code_that_a_proof_names_cites_it(page: str, statement: str, name: str) -> None:
    assert (page, statement) in CITED.findall(inspect.getdoc(resolved(name)) or "")


def test_code_that_cites_a_proof_is_named_in_it() -> None:
    found = set(citations())
    assert found == {
        (page, statement, name)
        for page, statements in STATEMENTS.items()
        for statement in statements
        for name in named(page, statement, r"pellucid\.[\w.]+")
    }


@pytest.mark.parametrize(("page", "statement", "name"), every(r"native/[\w.]+:\w+"))
def test_kernels_that_a_proof_names_are_there(page: str, statement: str, name: str) -> None:
    file, symbol = name.split(":")
    source = (ROOT / file).read_text(encoding="utf-8")
    assert re.search(rf"^(class|void|Cut) {symbol}\b", source, re.MULTILINE)


@pytest.mark.parametrize(("page", "statement", "name"), every(r"tests/[\w/.:]+"))
def test_tests_that_a_proof_names_are_there(page: str, statement: str, name: str) -> None:
    file, *path = name.split("::")
    source = (ROOT / file).read_text(encoding="utf-8")
    for part in path:
        assert re.search(rf"^ *(def|class) {part}\b", source, re.MULTILINE)


def test_every_way_to_break_weave_is_built() -> None:
    rows = re.findall(r"^\| ([^,:|]+)", sections("weave")["What breaks it"], re.MULTILINE)
    assert sorted(row.strip() for row in rows[1:]) == sorted(BROKEN_WEAVES)
