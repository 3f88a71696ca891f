"""Hierarchies: what is no tree is refused, and everything that is wrong with it is said."""

from __future__ import annotations

import datetime as dt
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest

import pellucid
from pellucid import HierarchyError, MicrodataError, Policy, PolicyError
from pellucid.attributes import columns_of
from pellucid.draws import SystemDraws
from pellucid.hierarchies import Hierarchy
from pellucid.microdata import encode
from pellucid.partition import Partition
from pellucid.recodings import mbr
from pellucid.utility.domains import domains_of
from pellucid.utility.evaluation import evaluate
from pellucid.utility.reading import read_release
from pellucid.utility.released import Intervals, of_partition

CITIES = [
    ("Vienna", "Austria", "Europe", "*"),
    ("Lagos", "Nigeria", "Africa", "*"),
    ("Graz", "Austria", "Europe", "*"),
    ("Rome", "Italy", "Europe", "*"),
]


@pytest.mark.parametrize(
    ("text", "faults"),
    [
        ("Rome;Italy;*\nRome;Italy;*\n", ["line 2 repeats 'Rome' of line 1"]),
        ("Rome;Italy;*\nBonn;*\n\nUlm;Germany;*", ["line 2 has 2 cells where the others have 3"]),
        ("Rome;Italy;*\nBonn;;*\n;Germany;*\n", ["line 2 has an empty cell", "line 3 has an empty cell"]),
        ("a;X;E;*\nb;X;F;*\nc;X;F;*\n", ["'X' lies in 'E' on line 1 and in 'F' on line 2"]),
        ("Rome;Italy;*\nBonn;Germany;All\n", ["there is more than one root: '*' on line 1, 'All' on line 2"]),
        ("a;b;*\nb;c;*\nd;b;*\n", ["'b' is the name of two things: in cell 2 of line 1 and in cell 1 of line 2"]),
        ("?;*;*\na;b;*\n", ["'*' is the name of two things: in cell 2 of line 1 and in cell 3 of line 1"]),
        ("Rome,Italy,*\n", ["its lines have no semicolons, so that no value has an ancestor"]),
        (
            '"Ro\nme";Italy;*\nBonn;Germany;*\n"Ro\nme";Italy;All\nUlm;*\n',
            ["line 4 repeats 'Ro\\nme' of line 1", "line 6 has 2 cells where the others have 3"],
        ),
    ],
)
def test_all_that_is_wrong_is_said_with_its_line(tmp_path: Path, text: str, faults: list[str]) -> None:
    file = tmp_path / "cities.csv"
    file.write_text(text, encoding="utf-8", newline="")
    with pytest.raises(HierarchyError) as found:
        Hierarchy.read(file)
    assert [str(problem) for problem in found.value.problems] == faults
    assert str(found.value).startswith(f"The hierarchy {file} is no tree: {'; '.join(faults)}.")


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (None, "cannot be read"),
        (b"", "is empty"),
        (b"\xef\xbb\xbf\r\n", "is empty"),
        ("Köln;Germany;*".encode("latin-1"), "not UTF-8"),
        (b'Rome;Italy;*\n"Bonn;Germany;*\n', "line 2 has quotes that do not fit together"),
        (b'"Rome"x;Italy;*\n', "is no CSV file: line 1 has quotes that do not fit together"),
    ],
)
def test_files_that_cannot_be_read(tmp_path: Path, content: bytes | None, message: str) -> None:
    file = tmp_path / "cities.csv"
    if content is not None:
        file.write_bytes(content)
    with pytest.raises(HierarchyError, match=message):
        Hierarchy.read(file)


@pytest.mark.parametrize(
    ("given", "message"),
    [
        (5, "A hierarchy is a path, a list of rows, or a mapping from values to their ancestors, not 5"),
        (["Rome;Italy;*"], "A row of a hierarchy lists a value, its ancestors and the root; 'Rome;Italy;*' is no list"),
        ([5], "A row of a hierarchy lists .*; 5 is no list"),
        ({"Rome": 5.5}, "A row of a hierarchy lists .*; 5.5 is no list"),
        ({"Rome": ["Italy", None]}, "A hierarchy holds texts and whole numbers, not None"),
        ([("Rome", 1.5, "*")], "A hierarchy holds texts and whole numbers, not 1.5"),
        ([("Rome", None)], "A hierarchy holds texts and whole numbers, not None"),
        ([("Rome", True)], "A hierarchy holds texts and whole numbers, not True"),
        ([], "The hierarchy is empty. It needs one line per value"),
        ([(f"{number}", "") for number in range(50)], "line 40 has an empty cell; and 10 more. Each line holds"),
    ],
)
def test_what_is_no_hierarchy(given: Any, message: str) -> None:
    with pytest.raises(HierarchyError, match=message.replace("*", r"\*").replace(r".\*", ".*")):
        Hierarchy.of(given)


def test_values_that_lie_apart_in_the_file_stand_together() -> None:
    assert Hierarchy.of(CITIES).values == ("Vienna", "Graz", "Rome", "Lagos")


def test_a_level_may_repeat_a_name_that_means_the_same() -> None:
    """So do files in which a small branch is drawn out to the depth of the others."""
    hierarchy = Hierarchy.of([("Rome", "Italy", "*"), ("Monaco", "Monaco", "*"), ("Milan", "Italy", "*")])
    assert hierarchy.ranges["Monaco"] == (2, 2)


def test_values_without_a_line_are_listed() -> None:
    table = people().with_columns(city=pl.Series(["Rome", "Mu", "Atlantis", None] * 3))
    with pytest.raises(MicrodataError, match="hierarchy of 'city' has no line for 'Atlantis', 'Mu'"):
        publish(table, missing="category")


def people() -> pl.DataFrame:
    return pl.DataFrame(
        {
            "name": range(12),
            "age": [20, 21, 22, 23, 24, 25, 30, 31, 32, 33, 34, 35],
            "city": ["Rome", "Graz", "Vienna", "Lagos"] * 3,
            "disease": ["flu", "cold", "gout"] * 4,
        }
    )


def publish(table: pl.DataFrame, **options: Any) -> pellucid.Release:
    settings: dict[str, Any] = {
        "quasi_identifiers": ["age", "city"],
        "sensitive": "disease",
        "diversity": 2,
        "identifier": "name",
        "algorithm": "tailor",
        "hierarchies": {"city": CITIES},
        **options,
    }
    return pellucid.anonymize(table, **settings)


def test_anatomy_publishes_the_values_themselves() -> None:
    release = publish(people(), recoding="anatomy")
    assert sorted(release.qi_table["city"]) == sorted(people()["city"])


def test_bounds_of_a_range_are_values_and_an_ancestor_stays_one_column() -> None:
    assert publish(people(), intervals="bounds").table.columns == ["age_min", "age_max", "city", "disease"]
    table = publish(people(), intervals="bounds", styles={"city": "range"}).table
    assert table.columns == ["age_min", "age_max", "city_min", "city_max", "disease"]
    values = Hierarchy.of(CITIES).values
    assert all(values.index(low) <= values.index(high) for low, high in table.select("city_min", "city_max").rows())


def test_numbers_may_be_published_as_sets() -> None:
    ages = publish(people(), styles={"age": "set"}).table["age"]
    assert any(age.startswith("{") for age in ages)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"orders": {"city": ["Rome"]}}, "'city' has more than one of order and hierarchy"),
        ({"grids": {"city": 5}}, "'city' has more than one of hierarchy and grid"),
        ({"styles": {"age": "ancestor"}}, "'age' cannot be published as ancestors: it has no hierarchy"),
        ({"styles": {"city": "interval"}}, "style in .* must be one of 'ancestor', 'set', 'range', not 'interval'"),
        ({"styles": {"disease": "set"}}, "A style is given for 'disease', the sensitive column"),
        ({"grids": {"disease": 5}}, "A grid is given for 'disease', the sensitive column"),
        ({"grids": {"age": 5}, "styles": {"age": "set"}}, "'age' has a grid"),
        ({"grids": {"age": 0}}, "must be a number above 0"),
        ({"grids": {"age": True}}, "must be a number above 0"),
        ({"grids": {"age": "moth"}}, "Did you mean 'month'"),
        ({"hierarchies": {"name": CITIES}}, "A hierarchy is given for 'name', which is not a quasi-identifier"),
        ({"hierarchies": {"city": "/no/such/file"}}, "'city': The hierarchy /no/such/file cannot be read"),
        ({"hierarchies": {"city": [("a", "b"), ("a", "b")]}}, "'city': The hierarchy is no tree: line 2 repeats 'a'"),
    ],
)
def test_settings_that_do_not_go_together(options: dict[str, Any], message: str) -> None:
    with pytest.raises(PolicyError, match=message):
        publish(people(), **options)


def test_ranges_of_texts_without_an_order() -> None:
    with pytest.raises(MicrodataError, match="Ranges of 'city' mean nothing"):
        publish(people(), hierarchies=None, styles={"city": "range"})


def test_a_policy_file_names_a_hierarchy_beside_it(tmp_path: Path) -> None:
    folder = tmp_path / "policies"
    folder.mkdir()
    Hierarchy.of(CITIES).write(folder / "cities.csv")
    file = folder / "policy.toml"
    file.write_text('[attributes.city]\nhierarchy = "cities.csv"\nstyle = "range"\n[attributes.age]\ngrid = 10\n')
    policy = Policy.from_options(
        {"quasi_identifiers": ["age", "city"], "sensitive": "disease", "diversity": 2}, file=file
    )
    assert policy.hierarchies == {"city": Hierarchy.of(CITIES)}
    assert (policy.styles, policy.grids) == ({"city": "range"}, {"age": 10})


def test_a_faulty_hierarchy_is_reported_with_the_line_of_the_policy_file(tmp_path: Path) -> None:
    (tmp_path / "cities.csv").write_text("Rome;*\nRome;*\n")
    file = tmp_path / "policy.toml"
    file.write_text('diversity = 2\n[attributes.city]\nhierarchy = "cities.csv"\nstyle = "ancestor"\n')
    with pytest.raises(PolicyError, match=r"policy.toml, line 3: 'city': .* line 2 repeats 'Rome' of line 1"):
        Policy.from_options({"quasi_identifiers": ["city"], "sensitive": "disease"}, file=file)


def test_what_an_option_says_replaces_what_the_file_says_of_that_column(tmp_path: Path) -> None:
    file = tmp_path / "policy.toml"
    file.write_text(
        '[attributes.city]\norder = ["Rome", "Lagos"]\n[attributes.age]\ngrid = 10\n[attributes.job]\norder = ["a"]\n'
    )
    policy = Policy.from_options(
        {
            "quasi_identifiers": ["age", "city", "job"],
            "sensitive": "disease",
            "diversity": 2,
            "hierarchies": {"city": CITIES},
        },
        file=file,
    )
    assert policy.orders == {"job": ("a",)}
    assert policy.hierarchies == {"city": Hierarchy.of(CITIES)}
    assert policy.grids == {"age": 10}


@pytest.mark.parametrize(
    ("values", "grid", "published"),
    [
        ([0, 4, 5, 9, -1, 12], 5, ["[-5, -1]", "[0, 4]", "[5, 9]", "[10, 14]"]),
        ([7, 8], 1, ["7", "8"]),
        ([0.3, 0.1, 0.29, -0.05], 0.1, ["[-0.1, 0.0]", "[0.1, 0.2]", "[0.2, 0.3]", "[0.3, 0.4]"]),
        (["2024-02-29", "2024-02-01", "2024-12-31"], "month", ["[2024-02-01, 2024-02-29]", "[2024-12-01, 2024-12-31]"]),
        (["2024-02-29", "2024-05-01"], "quarter", ["[2024-01-01, 2024-03-31]", "[2024-04-01, 2024-06-30]"]),
        (["2023-02-28"], "year", ["[2023-01-01, 2023-12-31]"]),
        (["2026-11-19"], "week", ["[2026-11-16, 2026-11-22]"]),
        (["2026-11-19 10:00", "2026-11-19 11:30"], "day", ["2026-11-19"]),
    ],
)
def test_steps_of_a_grid(tmp_path: Path, values: list[Any], grid: Any, published: list[str]) -> None:
    """By anatomy everybody's step can be seen."""
    source = tmp_path / "source.csv"
    pl.DataFrame({"name": range(len(values)), "a": values, "s": map(str, range(len(values)))}).write_csv(source)
    release = pellucid.anonymize(
        source,
        quasi_identifiers=["a"],
        sensitive="s",
        diversity=1,
        identifier="name",
        grids={"a": grid},
        recoding="anatomy",
    )
    assert release.qi_table["a"].unique(maintain_order=False).sort().to_list() == sorted(published)


@pytest.mark.parametrize(
    ("values", "grid", "message"),
    [
        ([1, 2], 0.5, "holds whole numbers"),
        ([1, 2], "month", "is a month, but the column holds numbers"),
        (["2024-02-29"], 5, "is a number, but the column holds dates"),
        (["a"], 5, "holds texts"),
        ([float("inf")], 5, "holds infinite numbers, which lie in no step. Replace them"),
    ],
)
def test_grids_that_do_not_fit(values: list[Any], grid: Any, message: str) -> None:
    table = pl.DataFrame({"a": values, "s": ["x"] * len(values)})
    if message.endswith("dates"):
        table = table.with_columns(pl.col("a").str.to_date())
    with pytest.raises(MicrodataError, match=message):
        pellucid.anonymize(table, quasi_identifiers=["a"], sensitive="s", diversity=1, grids={"a": grid})


def test_bounds_of_steps_are_numbers() -> None:
    table = publish(people(), grids={"age": 10}, intervals="bounds").table
    assert table.schema["age_min"] == table.schema["age_max"] == people().schema["age"]
    assert set(table["age_min"]) <= {20, 30}
    assert set(table["age_max"]) <= {29, 39}


@pytest.mark.parametrize(
    ("dtype", "ends", "first", "last"),
    [
        (pl.Int8, (-128, 127), {-200, 100}, {-101, 199}),
        (pl.Int64, (-(2**63), 2**63 - 1), {-9223372036854775900, 9223372036854775800}, {-(2**63) + 7, 2**63 + 91}),
    ],
)
def test_steps_reach_beyond_a_narrow_type(
    dtype: type[pl.DataType], ends: tuple[int, int], first: set[int], last: set[int]
) -> None:
    table = people().with_columns(age=pl.Series([*ends] * 6, dtype=dtype))
    released = publish(table, grids={"age": 100}, intervals="bounds").table
    assert set(released["age_min"]) <= first
    assert set(released["age_max"]) <= last


def test_a_faulty_hierarchy_of_another_function_than_a_release() -> None:
    """Risks and evaluations take the settings of columns by themselves."""
    with pytest.raises(PolicyError, match="'city': The hierarchy is no tree: line 2 repeats 'Rome' of line 1"):
        columns_of(hierarchies={"city": [("Rome", "*"), ("Rome", "*")]}, styles=None)


def test_an_evaluation_reads_ancestors_and_steps(tmp_path: Path) -> None:
    """Against the values themselves, of which those in the first step are 20 to 29, those in the last 30 to 35."""
    release = publish(people(), grids={"age": 10})
    roles: dict[str, Any] = {"quasi_identifiers": ["age", "city"], "sensitive": "disease", "queries": 20}
    found = evaluate(people(), release, hierarchies={"city": CITIES}, **roles)
    assert found.rows == found.source_rows == 12
    age, city = found.widths
    assert (age.domain, city.domain) == (16, 4)
    assert age.mean <= 16
    ancestors = pl.DataFrame({"age": ["*"] * 12, "city": ["Europe"] * 12, "disease": people()["disease"]})
    with pytest.raises(pellucid.CheckFailedError, match="nobody in the source has 'Europe'"):
        evaluate(people(), ancestors, **roles)


def test_an_evaluation_of_an_anatomy_with_steps() -> None:
    release = publish(people(), grids={"age": 10}, recoding="anatomy")
    found = evaluate(
        people(), release, quasi_identifiers=["age", "city"], sensitive="disease", hierarchies={"city": CITIES}
    )
    assert found.rows == 12
    assert [each.mean for each in found.widths] == [(10 + 6) / 2, 1]


def test_times_in_steps_of_days_are_whole_days() -> None:
    moments = [dt.datetime(2026, 11, day, hour) for day in (19, 20) for hour in (0, 6, 12, 18)]
    table = pl.DataFrame({"name": range(8), "at": moments, "disease": ["flu", "cold"] * 4})
    release = pellucid.anonymize(
        table, quasi_identifiers=["at"], sensitive="disease", diversity=2, identifier="name", grids={"at": "day"}
    )
    assert set(release.table["at"]) <= {"2026-11-19", "2026-11-20", "[2026-11-19, 2026-11-20]"}
    found = evaluate(table, release, quasi_identifiers=["at"], sensitive="disease", queries=10)
    [at] = found.widths
    day = dt.timedelta(days=1).total_seconds()
    assert at.mean == pytest.approx((day + day * 3 / 4) / 2)


@pytest.mark.parametrize("grid", [{"age": 10}, {"dose": 0.5}, {"age": 7, "dose": 0.1}])
def test_steps_are_read_where_the_table_holds_steps(grid: dict[str, Any]) -> None:
    """What is read from the release is what the partition says, wherever steps touch."""
    table = people().with_columns(dose=pl.Series([0.1, 0.3, 0.5, 1.0, 1.2, 0.29] * 2))
    policy = Policy(quasi_identifiers=("age", "dose"), sensitive="disease", diversity=2, identifier="name", grids=grid)
    microdata = encode(table.drop("city"), policy, SystemDraws(), untyped=False)
    domains, sensitive = domains_of(microdata, policy.columns)
    partition = Partition(
        np.array([0, 4, 2, 5, 1, 3, 6, 7, 8, 9, 10, 11], dtype=np.uint32), np.array([0, 2, 4, 6, 9, 12])
    )
    read = read_release(mbr(microdata, partition).frame(), domains, sensitive)
    said = of_partition(microdata, partition, domains, sensitive)
    for one, other, cells, others in zip(read.sides, said.sides, read.cells, said.cells, strict=True):
        assert isinstance(one, Intervals)
        assert isinstance(other, Intervals)
        found = sorted(zip(one.low[cells].tolist(), one.high[cells].tolist(), strict=True))
        assert found == sorted(zip(other.low[others].tolist(), other.high[others].tolist(), strict=True))
