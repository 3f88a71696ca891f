"""Hierarchies against a slow and obvious reading of them; what groups publish of them."""

from __future__ import annotations

import csv
import io
import itertools
import tempfile
from collections import Counter, defaultdict
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
from hypothesis import given, settings
from hypothesis import strategies as st

import pellucid
from pellucid import HierarchyError, Policy
from pellucid.attributes import AttributeSettings
from pellucid.draws import SystemDraws
from pellucid.hierarchies import Hierarchy
from pellucid.microdata import Microdata, encode
from pellucid.partition import Partition
from pellucid.recodings import labels, mbr
from pellucid.utility.domains import domains_of
from pellucid.utility.reading import read_release
from pellucid.utility.released import Sets, of_partition
from tests.property.trees import Rows, trees


def way_up(rows: Rows, value: str | None) -> list[str | None]:
    """A value and its ancestors; a missing value is a child of the root."""
    if value is None:
        return [*[None] * (len(rows[0]) - 1), rows[0][-1]]
    [row] = [row for row in rows if row[0] == value]
    return list(row)


def lowest_common_ancestor(rows: Rows, values: set[str | None]) -> str | None:
    if values == {None}:
        return None
    for nodes in zip(*(way_up(rows, value) for value in values), strict=True):
        if len(set(nodes)) == 1:
            return str(nodes[0])
    raise AssertionError("no tree")


@given(rows=trees())
def test_the_order_is_that_of_the_tree(rows: Rows) -> None:
    """The values under every node are neighbours, and siblings stand in the order of the lines."""
    found = Hierarchy.of(rows).values
    assert sorted(found) == sorted(row[0] for row in rows)
    for level in range(len(rows[0])):
        nodes = [way_up(rows, value)[level] for value in found]
        runs = [node for node, _ in itertools.groupby(nodes)]
        assert len(runs) == len(set(runs))
    if pl.Series(found).str.contains(r"^-?[0-9]").any():
        return  # these may be numbers
    for level in reversed(range(len(rows[0]) - 1)):
        in_lines: dict[str | None, list[str | None]] = defaultdict(list)
        in_order: dict[str | None, list[str | None]] = defaultdict(list)
        for values, siblings in (([row[0] for row in rows], in_lines), (list(found), in_order)):
            for value in values:
                above = "/".join(map(str, way_up(rows, value)[level + 1 :]))
                node = way_up(rows, value)[level]
                if node not in siblings[above]:
                    siblings[above].append(node)
        assert in_order == in_lines


@given(
    rows=trees(values=st.integers(-(10**6), 10**6).map(str)) | trees(values=st.dates().map(lambda date: f"{date}")),
)
def test_numbers_and_dates_are_in_their_own_order(rows: Rows) -> None:
    """Siblings stand in the order of the smallest number under them."""

    def key(value: str) -> Any:
        return int(value) if value.lstrip("-").isdigit() else value

    found = [key(value) for value in Hierarchy.of(rows).values]
    for level in range(1, len(rows[0])):
        nodes: dict[str, list[Any]] = defaultdict(list)
        for value in found:
            nodes[str(way_up(rows, str(value))[level])].append(value)
        for values in nodes.values():
            if level == 1:
                assert values == sorted(values)
            assert values[0] == min(values)


@given(rows=trees(), line=st.sampled_from(["\n", "\r\n"]), mark=st.booleans())
def test_files(rows: Rows, line: str, mark: bool) -> None:
    """What is written is read; a byte order mark and the ends of lines make no difference."""
    hierarchy = Hierarchy.of(rows)
    text = io.StringIO()
    csv.writer(text, delimiter=";", lineterminator=line, quoting=csv.QUOTE_ALL).writerows(rows)
    with tempfile.TemporaryDirectory() as folder:
        theirs, ours = Path(folder, "theirs.csv"), Path(folder, "ours.csv")
        theirs.write_bytes((b"\xef\xbb\xbf" if mark else b"") + text.getvalue().encode())
        assert Hierarchy.read(theirs) == hierarchy
        hierarchy.write(ours)
        assert Hierarchy.read(ours) == hierarchy
        assert Hierarchy.of({row[0]: row[1:] for row in rows}) == hierarchy
        assert Hierarchy.read(ours).sha256 == hierarchy.sha256


_PIECES = st.sampled_from(["a", "b", "*", ";", ";", "\n", "\r\n", "\r", '"', '""', "é", "\0", "\ufeff", " ", "1", "2"])


@settings(max_examples=150)
@given(
    content=st.binary(max_size=20)
    | st.lists(_PIECES, max_size=20).map(lambda pieces: "".join(pieces).encode())
    | trees().map(lambda rows: "\n".join(map(";".join, rows)).encode())
)
def test_whatever_stands_in_a_file_is_a_hierarchy_or_is_refused(content: bytes) -> None:
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder, "tree.csv")
        file.write_bytes(content)
        try:
            found = Hierarchy.read(file)
        except HierarchyError:
            return
        found.write(file)
        assert Hierarchy.read(file) == found
        assert found.levels >= 2


@st.composite
def partitioned(draw: st.DrawFn) -> tuple[Rows, list[str | None], Microdata, Partition]:
    """People with values of a hierarchy, in groups."""
    rows = draw(trees())
    possible = [row[0] for row in rows]
    people = draw(st.lists(st.sampled_from([*possible, None] if draw(st.booleans()) else possible), min_size=1))
    table = pl.DataFrame({"id": range(len(people)), "a": pl.Series(people, dtype=pl.String), "s": ["x"] * len(people)})
    style: dict[str, Any] = draw(st.sampled_from([{}, {"a": "ancestor"}, {"a": "set"}, {"a": "range"}]))
    policy = Policy(
        quasi_identifiers=("a",),
        sensitive="s",
        diversity=1,
        identifier="id",
        missing="category",
        hierarchies={"a": Hierarchy.of(rows)},
        styles=style,
    )
    members = draw(st.permutations(range(len(people))))
    ends = sorted(draw(st.sets(st.integers(1, len(people)))) | {len(people)})
    partition = Partition(np.array(members, dtype=np.uint32), np.array([0, *ends], dtype=np.int64))
    return rows, people, encode(table, policy, SystemDraws(), untyped=False), partition


@given(drawn=partitioned())
def test_what_groups_publish(drawn: tuple[Rows, list[str | None], Microdata, Partition]) -> None:
    """The lowest common ancestor, the set, or the first and the last value in the order of the tree."""
    rows, people, microdata, partition = drawn
    [attribute] = microdata.attributes
    order = [None, *Hierarchy.of(rows).values]
    expected = []
    for group in partition:
        values = {people[row] for row in group.tolist()}
        inside = tuple(sorted(values, key=order.index))
        if attribute.style == "ancestor":
            shown: object = lowest_common_ancestor(rows, values)
            # An ancestor of everybody, or everybody's value itself.
            assert all(shown in way_up(rows, value) for value in values)
        elif len(inside) == 1:
            shown = ("alone", inside)
        else:
            shown = ("set", inside) if attribute.style == "set" else ("interval", (inside[0], inside[-1]))
        expected += [shown] * len(group)
    found: list[object] = mbr(microdata, partition).frame()["a"].to_list()
    if attribute.style != "ancestor":
        found = [tuple(labels.parse(label)) for label in found]  # type: ignore[arg-type]
    assert Counter(found) == Counter(expected)


@given(drawn=partitioned())
def test_what_a_reader_makes_of_it(drawn: tuple[Rows, list[str | None], Microdata, Partition]) -> None:
    """An ancestor means all values under it, each as likely, also those that do not occur."""
    rows, people, microdata, partition = drawn
    [attribute] = microdata.attributes
    style = {"set": "set", "range": "range"}.get(attribute.style)
    domains, sensitive = domains_of(
        microdata,
        {"a": AttributeSettings(hierarchy=Hierarchy.of(rows), style=style)},  # type: ignore[arg-type]
    )
    order: list[str | None] = [*([None] if None in people else []), *Hierarchy.of(rows).values]
    expected = Counter[tuple[float, ...]]()
    for group in partition:
        values = {people[row] for row in group.tolist()}
        if attribute.style == "ancestor":
            node = lowest_common_ancestor(rows, values)
            values = {value for value in order if node in way_up(rows, value)}
        places = sorted(order.index(value) - (None in people) for value in values)
        if attribute.style == "set":
            places = sorted(attribute.values.to_list().index(value) for value in values)
        side = tuple(places) if attribute.style == "set" else (places[0], places[-1])
        expected[side] += len(group)
    for released in (
        read_release(mbr(microdata, partition).frame(), domains, sensitive),
        of_partition(microdata, partition, domains, sensitive),
    ):
        [side_of_cell], [cells] = released.sides, released.cells
        found = Counter[tuple[float, ...]]()
        for cell, size in zip(cells.tolist(), released.sizes.tolist(), strict=True):
            if isinstance(side_of_cell, Sets):
                members = side_of_cell.members[side_of_cell.starts[cell] : side_of_cell.starts[cell + 1]]
                found[tuple(members.tolist())] += size
            else:
                found[side_of_cell.low[cell], side_of_cell.high[cell]] += size
        assert found == expected


@given(drawn=partitioned())
def test_positions_are_places_in_the_tree(drawn: tuple[Rows, list[str | None], Microdata, Partition]) -> None:
    """A step of the order costs the same in every subtree, whether a value between occurs or not."""
    rows, people, microdata, _ = drawn
    [attribute] = microdata.attributes
    places = {value: place for place, value in enumerate([None, *Hierarchy.of(rows).values])}
    occurring = sorted({places[value] for value in people})
    assert attribute.values.to_list() == [value for value in places if places[value] in occurring]
    assert attribute.ticks.tolist() == [place - occurring[0] for place in occurring]


@st.composite
def tables(draw: st.DrawFn) -> tuple[Rows, pl.DataFrame, int]:
    """People with a place of a hierarchy and a disease, and an l that is feasible."""
    rows = draw(trees())
    number = draw(st.integers(1, 40))
    fill = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    table = pl.DataFrame(
        {
            "name": fill.permutation(number),
            "age": fill.integers(20, 60, number),
            "place": fill.choice(np.array([row[0] for row in rows], dtype=object), number),
            "disease": fill.choice(["cold", "flu", "gout", "mumps"], number),
        },
        schema_overrides={"place": pl.String},
    )
    feasible = number // max(Counter(table["disease"].to_list()).values())
    return rows, table, draw(st.integers(1, min(feasible, 3)))


@settings(max_examples=40)
@given(drawn=tables(), options=st.data())
def test_releases(drawn: tuple[Rows, pl.DataFrame, int], options: st.DataObject) -> None:
    """Every group that can be seen is l-diverse, and the order of the rows makes no difference."""
    rows, table, diversity = drawn
    settings_of_run: dict[str, Any] = {
        "quasi_identifiers": ["age", "place"],
        "sensitive": "disease",
        "diversity": diversity,
        "identifier": "name",
        "hierarchies": {"place": rows},
        "algorithm": options.draw(st.sampled_from(["tailor", "mondrian"])),
        "styles": options.draw(st.sampled_from([{}, {"place": "set"}, {"place": "range"}])),
        "intervals": options.draw(st.sampled_from(["text", "bounds"])),
        "grids": options.draw(st.sampled_from([{}, {"age": 7}])),
    }
    release = pellucid.anonymize(table, **settings_of_run)
    shuffled = table.sample(fraction=1, shuffle=True, seed=options.draw(st.integers(0, 99)))
    assert pellucid.anonymize(shuffled, **settings_of_run).table.equals(release.table)
    groups = release.table.group_by(pl.exclude("disease")).agg("disease")
    for values in groups["disease"]:
        assert diversity * values.value_counts()["count"].max() <= len(values)
    if settings_of_run["styles"] == {}:
        nodes = {node for row in rows for node in row}
        assert set(release.table["place"]) <= nodes
        # As many people stand under a node as rows are published under it, or more.
        for node in set(release.table["place"]):
            under = [name for name in table["place"] if node in way_up(rows, name)]
            assert len(under) >= (release.table["place"] == node).sum()
