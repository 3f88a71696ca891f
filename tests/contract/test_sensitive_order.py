"""Weave spreads its classes along an order of the sensitive values that is public, or along none (G1)."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest
from typer.testing import CliRunner

import pellucid
from pellucid import PolicyError, reference
from pellucid.algorithms import weave
from pellucid.cli import app
from pellucid.draws import SeededDraws
from pellucid.hierarchies import Hierarchy
from pellucid.microdata import Microdata, encode
from pellucid.penalties import perimeter, weighted_positions

SEED = b"the seed of this test, long enough"
VALUES = ["cold", "flu", "gout", "mumps"]
ORDER = ["mumps", "gout", "flu", "cold"]
TREE = [("mumps", "glands", "*"), ("flu", "airways", "*"), ("gout", "glands", "*"), ("cold", "airways", "*")]


def table(*, seed: int = 1) -> pl.DataFrame:
    """Counts that tell the rules apart: rule 0 joins cold and flu, rule 2 joins cold and mumps, which are far apart."""
    fill = np.random.default_rng(seed)
    stage = fill.permutation(np.repeat(range(4), [8, 16, 8, 16]))
    rows = len(stage)
    return pl.DataFrame(
        {
            "name": range(rows),
            "age": fill.integers(20, 90, rows),
            "place": fill.integers(0, 50, rows),
            "disease": [VALUES[value] for value in stage],
            "stage": stage,
        }
    )


def publish(source: object, sensitive: str = "disease", **options: Any) -> pellucid.Release:
    return pellucid.anonymize(
        source,
        quasi_identifiers=["age", "place"],
        sensitive=sensitive,
        diversity=2,
        identifier="name",
        drop_others=True,
        **options,
    )


def microdata(sensitive: str, **settings: Any) -> Microdata:
    policy = pellucid.Policy(
        quasi_identifiers=("age", "place"), sensitive=sensitive, diversity=2, identifier="name", **settings
    )
    return encode(table().select("name", "age", "place", sensitive), policy, SeededDraws(SEED), untyped=False)


def by_reference(encoded: Microdata, *, ordered: bool) -> frozenset[frozenset[int]]:
    penalty = perimeter(weighted_positions([a.ticks for a in encoded.attributes], len(encoded)))
    points = zip(*(a.codes.tolist() for a in encoded.attributes), strict=True)
    values = encoded.sensitive.codes.tolist()
    rows = [reference.Row(row, qi, value) for row, (qi, value) in enumerate(zip(points, values, strict=True))]
    draw = reference.smallest_keys(SeededDraws(SEED).keys("Weave", len(rows)).tolist())
    groups = reference.weave(rows, 2, lambda group: penalty([t.qi for t in group]), draw, ordered=ordered)
    return frozenset(frozenset(t.id for t in G) for G in groups)


@pytest.mark.parametrize(
    ("encoded", "ordered"),
    [
        (microdata("stage"), True),
        (microdata("disease"), False),
        (microdata("disease", orders={"disease": tuple(ORDER)}), True),
        (microdata("disease", hierarchies={"disease": Hierarchy.of(TREE)}), True),
    ],
    ids=["numbers", "texts", "texts with an order", "texts with a hierarchy"],
)
def test_which_rule_is_used(encoded: Microdata, ordered: bool) -> None:
    found = weave(encoded, diversity=2, draws=SeededDraws(SEED)).as_sets()
    assert found == by_reference(encoded, ordered=ordered)
    assert found != by_reference(encoded, ordered=not ordered)


def test_the_order_of_the_policy_is_the_order_of_the_codes() -> None:
    encoded = microdata("disease", orders={"disease": ("not in the table", *ORDER)})
    assert encoded.sensitive.values.to_list() == ORDER
    encoded = microdata("disease", hierarchies={"disease": Hierarchy.of(TREE)})
    assert encoded.sensitive.values.to_list() == ORDER


@pytest.mark.parametrize(
    ("sensitive", "options", "told"),
    [
        ("stage", {}, "values"),
        ("disease", {}, "none"),
        ("disease", {"orders": {"disease": ORDER}}, "policy"),
        ("disease", {"sensitive_order": ORDER}, "policy"),
        ("stage", {"sensitive_order": list("3210")}, "policy"),
        ("disease", {"hierarchies": {"disease": TREE}}, "hierarchy"),
    ],
)
def test_the_manifest_says_which(sensitive: str, options: dict[str, Any], told: str, tmp_path: Path) -> None:
    release = publish(table(), sensitive, **options)
    manifest = json.loads(Path(release.write(tmp_path / "out.csv").manifest).read_text())
    assert release.sensitive_order == manifest["sensitive_order"] == told
    assert set(manifest["policy"]["orders"]) == ({sensitive} if told == "policy" else set())


def test_categories_of_a_frame_are_no_order() -> None:
    """Whoever made the categories may have counted first."""
    source = table().with_columns(pl.col("disease").cast(pl.Enum(ORDER)))
    assert publish(source).sensitive_order == "none"


def test_every_value_must_be_listed() -> None:
    with pytest.raises(PolicyError, match="order of 'disease' does not say where 'cold' stands"):
        publish(table(), sensitive_order=ORDER[:-1])


@pytest.fixture
def source(tmp_path: Path) -> Path:
    file = tmp_path / "source.csv"
    table().write_csv(file)
    return file


def run(source: Path, *options: str) -> Any:
    target = str(source.with_name("out.csv"))
    roles = ["-q", "age,place", "-s", "disease", "-l", "2", "--identifier", "name", "--drop-others"]
    return CliRunner().invoke(app, ["anonymize", str(source), "-o", target, *roles, *options])


@pytest.mark.parametrize("ends", ["\n", "\r\n"])
def test_a_file_with_one_value_per_line(source: Path, ends: str) -> None:
    file = source.with_name("order.txt")
    file.write_bytes(ends.join(ORDER).encode() + ends.encode())
    assert run(source, "--sensitive-order", str(file)).exit_code == 0
    manifest = json.loads(source.with_name("out.csv.manifest.json").read_text())
    assert manifest["policy"]["orders"] == {"disease": ORDER}


@pytest.mark.parametrize("odd", ["\v", "\f", "\x1c", "\x85", "\u2028"])
def test_a_line_ends_where_a_text_editor_ends_it(source: Path, odd: str) -> None:
    """Excel ends a line inside a cell with a vertical tab, and 0x85 is an ellipsis that was read as Latin-1."""
    source.write_text(source.read_text().replace("gout", f"gout{odd}foot"))
    file = source.with_name("order.txt")
    file.write_text("\n".join(ORDER).replace("gout", f"gout{odd}foot"), encoding="utf-8")
    assert run(source, "--sensitive-order", str(file)).exit_code == 0


def test_a_policy_file_with_an_order(source: Path) -> None:
    file = source.with_name("policy.toml")
    file.write_text(f"[attributes.disease]\norder = {json.dumps(ORDER)}\n")
    assert run(source, "--policy", str(file)).exit_code == 0
    manifest = json.loads(source.with_name("out.csv.manifest.json").read_text())
    assert manifest["sensitive_order"] == "policy"


@pytest.mark.parametrize("content", [None, b"\xff\xfe", b"cold\nflu\n"])
def test_a_file_that_does_not_serve(source: Path, content: bytes | None) -> None:
    file = source.with_name("order.txt")
    if content is not None:
        file.write_bytes(content)
    assert run(source, "--sensitive-order", str(file)).exit_code == 2
    assert not source.with_name("out.csv").exists()
