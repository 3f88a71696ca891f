"""What can be published, and what cannot (G6): the smallest tables, and the largest l."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import numpy as np
import polars as pl
import pytest

from pellucid import MicrodataError, NotEligibleError, PolicyError
from tests.contract.publishing import Publisher, files_in, frames, people


def test_l_of_one_publishes_every_table(publish: Publisher) -> None:
    table = people().with_columns(disease=pl.lit("flu"))
    release = publish(table, diversity=1, identifier="name")
    assert release.check.rows == 60
    assert release.check.diverse


def test_one_row(publish: Publisher, tmp_path: Path) -> None:
    table = people(1)
    written = publish(table, diversity=1, identifier="name").write(tmp_path / "out.csv")
    assert (written.check.rows, written.check.groups) == (1, 1)
    with pytest.raises(NotEligibleError, match="No l above 1 is possible"):
        publish(table, diversity=2, identifier="name")


def test_no_row_is_an_error(publish: Publisher) -> None:
    with pytest.raises(MicrodataError, match="no rows"):
        publish(people().clear(), identifier="name")


def test_one_distinct_qi_row(publish: Publisher) -> None:
    """Everybody is alike: groups with one box are one in a generalization."""
    table = people().with_columns(age=pl.lit(40), place=pl.lit("Ulm"))
    release = publish(table, identifier="name")
    if publish.recoding != "anatomy":
        assert release.check.groups == 1
    assert Counter(frames(release)[-1]["disease"].to_list()) == Counter(table["disease"].to_list())


@pytest.mark.parametrize("column", ["age", "place"])
def test_a_domain_with_one_value(publish: Publisher, column: str) -> None:
    """Eq. 4 divides by the width of the domain, which is nothing here."""
    table = people().with_columns(pl.col(column).first())
    release = publish(table, identifier="name")
    assert release.check.rows == 60
    value = table[column][0]
    for released in frames(release):
        for name in set(released.columns) & {column, f"{column}_min", f"{column}_max"}:
            assert set(released[name].cast(pl.String)) == {str(value)}


def test_one_value_that_is_missing(publish: Publisher) -> None:
    table = people().with_columns(age=pl.lit(None, dtype=pl.Int64))
    release = publish(table, identifier="name", missing="category")
    assert release.check.rows == 60


def test_the_largest_l(publish: Publisher) -> None:
    table = pl.DataFrame({"name": range(12), "age": range(12), "place": "x", "disease": list("aaabbbcccddd")})
    assert publish(table, diversity=4, identifier="name").check.diverse
    with pytest.raises(NotEligibleError) as refused:
        publish(table, diversity=5, identifier="name")
    assert refused.value.largest_diversity == 4
    assert "The largest l that this table allows is 4." in str(refused.value)


def test_l_as_large_as_the_table(publish: Publisher) -> None:
    table = pl.DataFrame({"name": range(9), "age": range(9), "place": "x", "disease": range(9)})
    release = publish(table, diversity=9, identifier="name")
    assert (release.check.groups, release.check.smallest_group) == (1, 9)


@pytest.mark.parametrize("diversity", [61, 10**6, 2**63 - 1])
def test_l_above_the_number_of_people(publish: Publisher, diversity: int) -> None:
    with pytest.raises(NotEligibleError):
        publish(people(), diversity=diversity, identifier="name")


@pytest.mark.parametrize("diversity", [2**63, 2**70])
def test_l_above_what_a_policy_file_can_say(publish_hybrid: Publisher, diversity: int) -> None:
    with pytest.raises(PolicyError, match=f"diversity must be {2**63 - 1} at most"):
        publish_hybrid(people(), diversity=diversity, identifier="name")


def test_not_eligible_says_which_limit_was_missed(publish: Publisher, tmp_path: Path) -> None:
    table = people().with_columns(disease=pl.when(pl.int_range(pl.len()) < 31).then(pl.lit("flu")).otherwise("disease"))
    count = table["disease"].to_list().count("flu")
    with pytest.raises(NotEligibleError, match=rf"'flu' occurs {count} times in 60 rows.*l = 2.*more than 30 times"):
        publish(table, identifier="name").write(tmp_path / "out.csv")
    assert files_in(tmp_path) == {}


@pytest.mark.parametrize("diversity", [0, -3, 1.0, 2.5, True, "2", None, np.float64(2)])
def test_l_that_is_no_whole_number(publish_hybrid: Publisher, diversity: object) -> None:
    with pytest.raises(PolicyError, match="diversity"):
        publish_hybrid(people(), diversity=diversity, identifier="name")


@pytest.mark.parametrize("threads", [0, -1, "2", 2.0])
def test_threads_must_be_positive(publish_text: Publisher, threads: object) -> None:
    """Nobody waits for a table to be read before this is said."""
    with pytest.raises(PolicyError, match="threads"):
        publish_text("nowhere.csv", identifier="name", threads=threads)


def test_more_threads_than_there_can_be(publish_text: Publisher) -> None:
    assert publish_text(people(), identifier="name", threads=10**30).check.rows == 60
