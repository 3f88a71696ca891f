"""Every type that can be compared comes as what it is; of the others the error names the column and its type."""

from __future__ import annotations

import datetime
from contextlib import closing
from decimal import Decimal
from typing import Any

import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import pellucid as library
from pellucid import SourceError
from pellucid.sources import open_source
from tests.databases.places import DuckDB, Place, PostgreSQL, Sqlite

NOON = datetime.datetime(2024, 2, 29, 12, 0, 0, 250000)
UTC = NOON.replace(tzinfo=datetime.UTC)
DAY = datetime.date(2024, 2, 29)

POSTGRESQL = {
    "smallint '-7'": -7,
    "2147483647": 2147483647,
    "9223372036854775807": 9223372036854775807,
    "0.1::real": 0.1,
    "1e300::float8": 1e300,
    "1.50::numeric(6,2)": Decimal("1.50"),
    "-12345678901234567890.123456789::numeric": Decimal("-12345678901234567890.123456789"),
    "true": True,
    "'a,\"b''\n\\N'::text": "a,\"b'\n\\N",
    "''::varchar(5)": "",
    "'ab  '::char(9)": "ab",
    "1e-38::numeric": Decimal("1e-38"),
    "'a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11'::uuid": "a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11",
    "'sad'::mood": "sad",
    "date '2024-02-29'": DAY,
    "timestamp '2024-02-29 12:00:00.25'": NOON,
    "timestamptz '2024-02-29 14:00:00.25+02'": UTC,
    "time '12:00:00.25'": NOON.time(),
}
DUCKDB = {
    "(-7)::TINYINT": -7,
    "9223372036854775807": 9223372036854775807,
    "18446744073709551615::UBIGINT": 18446744073709551615,
    "1.5::FLOAT": 1.5,
    "1e300::DOUBLE": 1e300,
    "1.50::DECIMAL(6,2)": Decimal("1.50"),
    "true": True,
    "'a,\"b\\N'": 'a,"b\\N',
    "''": "",
    "('0.' || repeat('0', 37) || '1')::DECIMAL(38, 38)": Decimal("1e-38"),
    "'a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11'::UUID": "a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11",
    "'sad'::ENUM('sad', 'glad')": "sad",
    "DATE '2024-02-29'": DAY,
    "TIMESTAMP '2024-02-29 12:00:00.25'": NOON,
    "TIMESTAMPTZ '2024-02-29 14:00:00.25+02'": UTC,
    "TIME '12:00:00.25'": NOON.time(),
}
SQLITE = {
    "INTEGER, -7": -7,
    "INT, 9223372036854775807": 9223372036854775807,
    "REAL, 0.1": 0.1,
    "NUMERIC, 1.5": 1.5,
    "BOOLEAN, 1": True,
    "TEXT, '007'": "007",
    "VARCHAR(5), ''": "",
    "DATE, '2024-02-29'": DAY,
    "TIMESTAMP, '2024-02-29 12:00:00.25'": NOON,
    "DATETIME, '2024-02-29T12:00:00.25'": NOON,
    "TEXT, '2024-02-29'": "2024-02-29",
    "DATE, 'some day'": "some day",
}


def both(place: Place, values: str) -> list[Any]:
    """What is read of a table with one column, a value and a null."""
    if isinstance(place, Sqlite):
        declared, value = values.split(", ", 1)
        place.run(f"CREATE TABLE t (v {declared})")
        place.run(f"INSERT INTO t VALUES ({value}), (NULL)")
    else:
        place.run(f"CREATE TABLE t AS SELECT {values} AS v UNION ALL SELECT NULL")
    return open_source(place.table("t")).read(["v"])["v"].to_list()


@pytest.mark.xdist_group("postgresql")
@pytest.mark.parametrize("value", POSTGRESQL)
def test_types_of_postgresql(postgresql: PostgreSQL, value: str) -> None:
    postgresql.run("CREATE TYPE mood AS ENUM ('sad', 'glad')")
    assert both(postgresql, value) == [POSTGRESQL[value], None]


@pytest.mark.parametrize("value", DUCKDB)
def test_types_of_duckdb(duckdb: DuckDB, value: str) -> None:
    assert sorted(both(duckdb, value), key=lambda found: found is None) == [DUCKDB[value], None]


@pytest.mark.parametrize("value", SQLITE)
def test_types_of_sqlite(sqlite: Sqlite, value: str) -> None:
    assert both(sqlite, value) == [SQLITE[value], None]


@pytest.mark.xdist_group("postgresql")
@pytest.mark.parametrize(
    ("value", "kind"),
    [
        ("'\\x00'::bytea", "bytea"),
        ("'{}'::jsonb", "jsonb"),
        ("ARRAY[1, 2]", r"integer\[\]"),
        ("interval '1 day'", "interval"),
        ("timetz '12:00+02'", "time with time zone"),
        ("'(1,2)'::point", "point"),
        ("'1'::money", "money"),
    ],
)
def test_types_that_postgresql_alone_has(postgresql: PostgreSQL, value: str, kind: str) -> None:
    refused(postgresql, value, kind)


@pytest.mark.xdist_group("postgresql")
@pytest.mark.parametrize("kind", ["table", "view", "query"])
def test_names_and_types_of_columns(postgresql: PostgreSQL, kind: str) -> None:
    """Those of a table are found without reading it; a query has the same."""
    postgresql.run("CREATE SCHEMA clinic; CREATE TYPE mood AS ENUM ('sad')")
    postgresql.run("CREATE DOMAIN clinic.percent AS smallint; CREATE DOMAIN clinic.share AS clinic.percent")
    postgresql.run('CREATE TABLE clinic."a ""b" (gone int, "A" clinic.share, b mood, c numeric(5, 1), d int[], e xml)')
    postgresql.run('ALTER TABLE clinic."a ""b" DROP COLUMN gone')
    postgresql.run('INSERT INTO clinic."a ""b" ("A") VALUES (7)')
    postgresql.run('CREATE VIEW v AS SELECT * FROM clinic."a ""b"')
    try:
        source = {
            "table": postgresql.table('clinic."a ""b"'),
            "view": postgresql.table("v"),
            "query": postgresql.query('SELECT * FROM clinic."a ""b"'),
        }[kind]
        assert open_source(source).columns == ["A", "b", "c", "d", "e"]
        read = open_source(source).read(["c", "A", "b"])
        assert read.schema == {"c": pl.Decimal(38, 0), "A": pl.Int16, "b": pl.String}
        for column, type_of in {"d": r"integer\[\]", "e": "xml"}.items():
            with pytest.raises(SourceError, match=f"is of type {type_of}, whose values"):
                open_source(source).read([column])
    finally:
        postgresql.run("DROP SCHEMA clinic CASCADE")


@pytest.mark.parametrize(
    ("value", "kind"),
    [("'x'::BLOB", "BLOB"), ("[1]", r"INTEGER\[\]"), ("{'a': 1}", "STRUCT"), ("INTERVAL 1 DAY", "INTERVAL")],
)
def test_types_that_duckdb_alone_has(duckdb: DuckDB, value: str, kind: str) -> None:
    refused(duckdb, value, kind)


def refused(place: Place, value: str, kind: str) -> None:
    """Only where the column is needed."""
    place.run(f"CREATE TABLE t AS SELECT {value} AS v, 1 AS age, 'flu' AS disease")
    roles = {"quasi_identifiers": ["age"], "sensitive": "disease", "diversity": 1}
    assert library.anonymize(place.table("t"), drop=["v"], **roles).check.rows == 1  # type: ignore[arg-type]
    with pytest.raises(SourceError, match=f"The column 'v' of .* is of type {kind}.*, whose values pellucid cannot"):
        library.anonymize(place.table("t"), **{**roles, "quasi_identifiers": ["age", "v"]})  # type: ignore[arg-type]


@pytest.mark.xdist_group("postgresql")
@pytest.mark.parametrize(
    ("values", "message"),
    [
        ("numeric 'NaN'", "'v' holds NaN or infinite numbers"),
        ("numeric 'Infinity'", "'v' holds NaN or infinite numbers"),
        ("1e30::numeric + 1e-30::numeric", "'v' needs numbers of 61 digits; 38 are the most"),
        ("date 'infinity'", "'v' holds a date that is infinite, before the year 1 or after the year 9999"),
        ("date '10000-01-01'", "'v' holds a date that is infinite, before the year 1 or after the year 9999"),
        ("time '24:00'", "'v' holds a time without time zone that is 24:00"),
        ("timestamp '0044-03-15 BC'", "'v' holds a timestamp without time zone that is infinite, before"),
    ],
)
def test_values_of_postgresql_that_nobody_else_has(postgresql: PostgreSQL, values: str, message: str) -> None:
    postgresql.run(f"CREATE TABLE t AS SELECT {values} AS v")
    with pytest.raises(SourceError, match=message):
        open_source(postgresql.table("t")).read(["v"])


@pytest.mark.parametrize(
    ("value", "message"),
    [
        ("DATE 'infinity'", "'v' holds a DATE that is infinite, before the year 1 or after the year 9999"),
        ("DATE '10000-01-01'", "'v' holds a DATE that is infinite"),
        ("DATE '0044-03-15 (BC)'", "'v' holds a DATE that is infinite"),
        ("TIMESTAMP '-infinity'", "'v' holds a TIMESTAMP that is infinite"),
        ("TIMESTAMP_S 'infinity'", "'v' holds a TIMESTAMP_S that is infinite"),
        ("TIMESTAMP_NS 'infinity'", "'v' holds a TIMESTAMP_NS that is infinite"),
        ("TIMESTAMPTZ 'infinity'", "'v' holds a TIMESTAMP WITH TIME ZONE that is infinite"),
        ("TIME '24:00'", "'v' holds a TIME that is 24:00"),
        ("(-170141183460469231731687303715884105727)::HUGEINT", "'v' needs numbers of 39 digits; 38 are the most"),
        ("340282366920938463463374607431768211455::UHUGEINT", "'v' needs numbers of 39 digits; 38 are the most"),
    ],
)
def test_values_of_duckdb_that_nobody_else_has(duckdb: DuckDB, value: str, message: str) -> None:
    """None of them is read as a missing value, and none ends in the middle of the work."""
    duckdb.run(f"CREATE TABLE t AS SELECT {value} AS v UNION ALL SELECT NULL")
    with pytest.raises(SourceError, match=message):
        open_source(duckdb.table("t")).read(["v"])


@pytest.mark.parametrize(
    "value",
    ["DATE '0001-01-01'", "DATE '9999-12-31'", "TIMESTAMP '9999-12-31 23:59:59.999999'", "TIME '23:59:59.999999'"],
)
def test_the_last_moments_of_duckdb_are_read(duckdb: DuckDB, value: str) -> None:
    duckdb.run(f"CREATE TABLE t AS SELECT {value} AS v")
    assert str(open_source(duckdb.table("t")).read(["v"])["v"][0]) in value


@pytest.mark.xdist_group("postgresql")
def test_decimals_without_a_declared_scale_get_one(postgresql: PostgreSQL) -> None:
    postgresql.run("CREATE TABLE t AS SELECT v::numeric FROM (VALUES ('1'), ('-0.25'), ('17.5')) AS x (v)")
    table = open_source(postgresql.table("t")).read(["v"])
    assert table.schema["v"] == pl.Decimal(38, 2)
    assert table["v"].to_list() == [Decimal("1.00"), Decimal("-0.25"), Decimal("17.50")]


@pytest.mark.parametrize(
    ("values", "held"),
    [
        ("(1), ('x')", "whole numbers and texts"),
        ("(1.5), ('x'), (NULL)", "numbers and texts"),
        ("(x'00')", "bytes"),
        ("('x'), (x'00')", "texts and bytes"),
        ("(9007199254740993), (0.5)", "whole numbers and numbers"),
    ],
)
@pytest.mark.parametrize("far", [False, True])
def test_a_column_of_sqlite_that_mixes_types(sqlite: Sqlite, values: str, held: str, far: bool) -> None:
    sqlite.run("CREATE TABLE t (v)")
    if far:  # beyond the first rows that are looked at together
        first = values.partition(", ")[0]
        many = f"WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 60000) SELECT {first} FROM n"
        sqlite.run(f"INSERT INTO t {many}")
    sqlite.run(f"INSERT INTO t VALUES {values}")
    with pytest.raises(SourceError, match=f"The column 'v' holds {held}; a column needs values of one type"):
        open_source(sqlite.table("t")).read(["v"])


def test_text_of_sqlite_that_is_not_utf_8(sqlite: Sqlite) -> None:
    """The value is not repeated."""
    sqlite.run("CREATE TABLE t (v TEXT)")
    sqlite.run("INSERT INTO t VALUES (CAST(x'736563726574ff' AS TEXT))")
    with pytest.raises(SourceError, match="the column 'v' holds text that is not UTF-8") as refused:
        open_source(sqlite.table("t")).read(["v"])
    assert "secret" not in str(refused.value)


def test_whole_numbers_among_others_are_numbers(sqlite: Sqlite) -> None:
    sqlite.run("CREATE TABLE t (v NUMERIC)")
    sqlite.run("INSERT INTO t VALUES (1), (2.5), (NULL)")
    assert open_source(sqlite.table("t")).read(["v"])["v"].to_list() == [1.0, 2.5, None]


TEXTS = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0"), max_size=8)


@pytest.mark.parametrize(
    "engine", ["sqlite", "duckdb", pytest.param("postgresql", marks=pytest.mark.xdist_group("postgresql"))]
)
def test_whatever_a_text_is_it_is_read_as_it_is(engine: str, request: pytest.FixtureRequest) -> None:
    place: Place = request.getfixturevalue(engine)

    @settings(max_examples=15)
    @given(st.lists(st.tuples(st.none() | TEXTS, st.none() | TEXTS), min_size=1, max_size=20))
    def check(rows: list[tuple[str | None, str | None]]) -> None:
        place.run("DROP TABLE IF EXISTS t")
        place.put("t", pl.DataFrame(rows, schema={"a": pl.String, 'b"; --': pl.String}, orient="row"))
        source = open_source(place.table("t"))
        for columns in (["a"], source.columns, source.columns[::-1]):
            table = source.read(columns)
            wanted = [tuple(row[source.columns.index(name)] for name in columns) for row in rows]
            assert sorted(table.rows(), key=repr) == sorted(wanted, key=repr)

    check()


def test_only_the_columns_that_are_needed_are_read(sqlite: Sqlite) -> None:
    """A column that cannot be read does not matter if nobody asks for it."""
    with closing(sqlite.connection()) as connection:
        connection.execute("CREATE TABLE t (age INTEGER, disease TEXT, photo BLOB)")
        connection.execute("INSERT INTO t VALUES (21, 'flu', x'00ff')")
    made = library.anonymize(
        sqlite.table("t"), quasi_identifiers=["age"], sensitive="disease", diversity=1, drop_others=True
    )
    assert made.table.rows() == [("21", "flu")]
