"""Failures that were seen in other programs of this field; each is a test that fails where one is repeated."""

from __future__ import annotations

import hashlib
import json
from collections import Counter, defaultdict
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pytest

from pellucid import MicrodataError, NotEligibleError, PolicyError
from pellucid.hierarchies import Hierarchy
from pellucid.principles import LDiversity
from pellucid.verify import check_groups
from tests.contract.publishing import Publisher, files_in, frames, people


def groups_of(release: Any) -> list[list[object]]:
    """The sensitive values of each group, as an outsider sees them: rows with the same published QI values."""
    found: dict[tuple[object, ...], list[object]] = defaultdict(list)
    table = frames(release)[-1]
    others = [name for name in table.columns if name != "disease"]
    for *group, value in table.select([*others, "disease"]).rows():
        found[tuple(group)].append(value)
    return list(found.values())


def test_four_identical_hiv_rows_were_published_under_l_3(publish: Publisher) -> None:
    """The release is judged as a whole: each group that can be seen in it is 3-diverse."""
    table = people().with_columns(
        disease=pl.when(pl.int_range(pl.len()) % 3 == 0).then(pl.lit("hiv")).otherwise("disease"),
        age=pl.int_range(pl.len()) % 3 * 20,
    )
    release = publish(table, identifier="name", diversity=3)
    assert all(3 * max(Counter(values).values()) <= len(values) for values in groups_of(release))
    broken = frames(release)[-1].with_columns(disease=pl.lit("hiv"))
    others = [name for name in broken.columns if name != "disease"]
    assert not check_groups(broken, others, ("disease",), 3).diverse


def test_nan_counted_as_a_sensitive_value_and_was_dropped_on_output(publish: Publisher, tmp_path: Path) -> None:
    """No group is left smaller than it was judged: NaN is refused, or a value that is published, or its row is out."""
    values = [1.0, float("nan"), 2.0, 3.0] * 15
    table = people().with_columns(pl.Series("disease", values))
    with pytest.raises(MicrodataError, match="15 in 'disease'"):
        publish(table, identifier="name")
    kept = publish(table, identifier="name", missing="category")
    assert sum(map(len, groups_of(kept))) == 60
    assert kept.write(tmp_path / "out.csv").check.smallest_group >= 2
    without = publish(table, identifier="name", missing="drop")
    assert sum(map(len, groups_of(without))) == 45
    assert min(map(len, groups_of(without))) >= 2


def with_gap() -> pl.DataFrame:
    return people().with_columns(age=pl.when(pl.int_range(pl.len()) == 17).then(None).otherwise("age"))


def test_rows_with_a_missing_qi_value_were_published_raw(publish: Publisher) -> None:
    """As a category it is generalized like any other: nobody stands alone with it."""
    release = publish(with_gap(), identifier="name", missing="category")
    assert min(map(len, groups_of(release))) >= 2
    assert sum(map(len, groups_of(release))) == 60


def test_rows_with_a_missing_qi_value_were_silently_dropped(publish: Publisher) -> None:
    with pytest.raises(MicrodataError, match="1 in 'age'"):
        publish(with_gap(), identifier="name")
    assert publish(with_gap(), identifier="name", missing="drop").dropped_rows == 1


def test_rows_with_a_missing_qi_value_were_ignored_by_the_checker() -> None:
    table = pl.DataFrame({"age": [None, None, "1", "1"], "disease": ["flu", "flu", "flu", "cold"]})
    check = check_groups(table, ["age"], ("disease",), 2)
    assert (check.rows, check.groups, check.groups_not_diverse, check.diverse) == (4, 2, 1, False)


def test_the_original_row_number_was_published_as_an_index_column(publish: Publisher, tmp_path: Path) -> None:
    frame = people().to_pandas()
    frame.index = pd.Index(range(5000, 5060), name="row")
    release = publish(frame, identifier="name")
    release.write(tmp_path / "out.csv")
    assert all("row" not in table.columns and "index" not in table.columns for table in frames(release))
    assert all(
        b"50" + b"%02d" % number not in content
        for content in files_in(tmp_path).values()
        for number in range(60)
        if b"sha256" not in content
    )


def test_a_helper_column_of_row_numbers_leaked(publish: Publisher) -> None:
    """Nothing is published but the columns with a role, and by anatomy the groups, which many rows share."""
    release = publish(people(), identifier="name")
    allowed = {"age", "age_min", "age_max", "place", "disease", "group_id"}
    for table in frames(release):
        assert set(table.columns) <= allowed
        if "group_id" in table.columns:
            assert table["group_id"].value_counts()["count"].to_numpy().min() >= 2


def test_labels_and_positions_of_a_frame_were_mixed_up(publish: Publisher, seed_file: Path) -> None:
    """An index whose labels are other rows' positions changes nothing."""
    frame = people().to_pandas()
    shuffled = frame.set_axis(np.random.default_rng(3).permutation(60), axis="index")
    filtered = pd.concat([frame, frame]).iloc[60:]
    made = [groups_of(publish(f, identifier="name", seed_file=seed_file)) for f in (frame, shuffled, filtered)]
    assert made[0] == made[1] == made[2]


def test_a_numeric_split_had_no_size_check(publish: Publisher) -> None:
    """An outlier is not cut off into a group that is too small."""
    table = people().with_columns(age=pl.when(pl.int_range(pl.len()) == 40).then(1_000_000).otherwise("age"))
    assert min(map(len, groups_of(publish(table, identifier="name", diversity=3)))) >= 3


def test_category_order_followed_order_of_appearance(publish: Publisher, seed_file: Path) -> None:
    """Reversing the rows, and so the order in which categories appear, changes nothing."""
    for column in ("place", "disease"):
        table = people().with_columns(pl.col(column).cast(pl.Categorical))
        one, other = (publish(t, identifier="name", seed_file=seed_file) for t in (table, table.reverse()))
        assert [t.rows() for t in frames(one)] == [t.rows() for t in frames(other)]


def test_an_impossible_parameter_printed_a_sentence_and_returned_an_empty_table(publish: Publisher) -> None:
    with pytest.raises(NotEligibleError) as refused:
        publish(people(), identifier="name", diversity=59)
    assert refused.value.exit_status == 3
    with pytest.raises(PolicyError):
        publish(people(), identifier="name", diversity=0)


def test_an_imported_hierarchy_was_shown_but_the_previous_one_was_applied(tmp_path: Path) -> None:
    """The hierarchy in the manifest is the one that is applied: after the file changed, and over an option."""
    rows = {
        "first": [("Bonn", "Rhine", "*"), ("Köln", "Rhine", "*"), ("Ulm", "Danube", "*")],
        "second": [("Bonn", "west", "*"), ("Köln", "west", "*"), ("Ulm", "south", "*")],
        "third": [("Köln", "new", "all"), ("Bonn", "new", "all"), ("Ulm", "old", "all")],
    }
    table = people().filter(pl.col("place") != "Ulm")
    tree, file = tmp_path / "tree.csv", tmp_path / "policy.toml"
    file.write_text('[attributes.place]\nhierarchy = "tree.csv"\n')
    publish = Publisher("tailor", "text")

    def published(applied: str, **options: Any) -> None:
        release = publish(table, identifier="name", diversity=2, policy=file, **options)
        manifest = json.loads(Path(release.write(tmp_path / "out.csv").manifest).read_text())
        Hierarchy.of(rows[applied]).write(tmp_path / "applied.csv")
        shown = manifest["policy"]["hierarchies"]["place"]
        assert shown["sha256"] == hashlib.sha256((tmp_path / "applied.csv").read_bytes()).hexdigest()
        assert set(release.table["place"]) - {"Bonn", "Köln"} == {rows[applied][0][1]}

    for name in ("first", "second"):
        Hierarchy.of(rows[name]).write(tree)
        published(name)
    published("third", hierarchies={"place": rows["third"]})
    published("second")


def test_an_imported_order_was_shown_but_the_previous_one_was_applied(tmp_path: Path) -> None:
    """The order in the manifest is the order that is applied, wherever it came from."""
    file = tmp_path / "policy.toml"
    file.write_text('[attributes.place]\norder = ["Ulm", "Köln", "Bonn"]\n')
    publish = Publisher("hybrid", "text")
    table = people().filter(pl.col("place") != "Köln")
    # Köln stands between the two, or does not.
    from_file = publish(table, identifier="name", diversity=2, policy=file)
    given = publish(table, identifier="name", diversity=2, policy=file, orders={"place": ["Köln", "Bonn", "Ulm"]})
    assert from_file.policy.as_dict()["orders"] == {"place": ["Ulm", "Köln", "Bonn"]}
    assert given.policy.as_dict()["orders"] == {"place": ["Köln", "Bonn", "Ulm"]}
    assert set(from_file.table["place"]) <= {"Ulm", "Bonn", "[Ulm, Bonn]"}
    assert set(given.table["place"]) <= {"Ulm", "Bonn", "[Bonn, Ulm]"}
    assert "[Ulm, Bonn]" in set(
        publish(table, identifier="name", diversity=2, policy=file, algorithm="ace").table["place"]
    )


def test_distinct_l_diversity_left_a_group_with_one_value_in_99_percent(publish: Publisher) -> None:
    """l counts how frequent a value is, not how many values there are."""
    table = pl.DataFrame({"name": range(250), "age": 1, "place": "x", "disease": ["flu"] * 249 + ["cold"]})
    with pytest.raises(NotEligibleError):
        publish(table, identifier="name")
    assert not LDiversity(2).satisfied([249, 1])
    assert not check_groups(table, ["age"], ("disease",), 2).diverse


def test_unlisted_columns_silently_became_quasi_identifiers(publish: Publisher) -> None:
    table = people().with_columns(shoe=pl.lit(43))
    with pytest.raises(PolicyError, match="'shoe' has none"):
        publish(table, identifier="name")


@pytest.mark.parametrize("limit", range(1, 7))
def test_every_l_gave_the_same_result(publish: Publisher, limit: int) -> None:
    """What is asked is what is done, run after run in one process."""
    table = people().with_columns(disease=pl.int_range(pl.len()) % 12)
    release = publish(table, identifier="name", diversity=limit)
    assert release.check.diversity == limit
    assert all(limit * max(Counter(values).values()) <= len(values) for values in groups_of(release))
    assert min(map(len, groups_of(release))) >= limit


def test_the_reported_l_was_wrong(csv_file: Callable[[str], Path]) -> None:
    """The worst frequency is an exact fraction, not a rounded one: 1/3 and a bit is not 3-diverse."""
    third = pl.DataFrame({"q": [1] * 3000, "disease": ["a"] * 1001 + ["b"] * 1000 + ["c"] * 999})
    assert not check_groups(third, ["q"], ("disease",), 3).diverse
    assert check_groups(third[1:], ["q"], ("disease",), 3).worst_frequency.denominator == 2999
    exact = pl.DataFrame({"q": [1] * 3000, "disease": ["a"] * 1000 + ["b"] * 1000 + ["c"] * 1000})
    assert check_groups(exact, ["q"], ("disease",), 3).diverse
