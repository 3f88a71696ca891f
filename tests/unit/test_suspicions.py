"""What columns are suspected to be, and what they are not."""

from __future__ import annotations

import datetime
import json
import random
from collections.abc import Sequence
from decimal import Decimal
from pathlib import Path
from typing import Any

import polars as pl
import pytest

import pellucid
from pellucid.inspection import Column, facts, patterns
from pellucid.inspection.findings import misread
from pellucid.inspection.proposal import propose
from pellucid.inspection.words import TOPICS, topics_of

ROWS = 400
DATA = Path(__file__).parents[3] / "shared" / "data"
random.seed(20100401)


def column(name: str, values: Sequence[Any], *, dtype: Any = None) -> Column:
    """What is seen of one column."""
    return pellucid.inspect(pl.DataFrame({name: pl.Series(values, dtype=dtype)}))[name]


def kinds(seen: Column) -> set[str]:
    return {each.kind for each in seen.suspicions}


def about(seen: Column) -> set[tuple[str, str]]:
    return {(each.kind, each.what) for each in seen.suspicions}


def digits(count: int) -> str:
    return "".join(random.choices("0123456789", k=count))


def with_check(make: Any, pattern: str) -> list[str]:
    """Made-up values of which a pattern's check digits are right."""
    [wanted] = [each for each in patterns.IDENTIFIERS if each.what.startswith(pattern)]
    found: list[str] = []
    while len(found) < ROWS // 10:
        value = make()
        if wanted.fits(value):
            found.append(value)
    return found


@pytest.mark.parametrize(
    ("name", "what"),
    [
        ("Surname", "names of persons"),
        ("vorname", "names of persons"),
        ("Prénom", "names of persons"),
        ("e-mail", "e-mail addresses"),
        ("telefon_privat", "telephone numbers"),
        ("homeAddress", "addresses"),
        ("Straße", "addresses"),
        ("SSN", "numbers of an insurance, a tax office or a passport"),
        ("numer PESEL", "numbers of an insurance, a tax office or a passport"),
    ],
)
def test_names_of_identifiers(name: str, what: str) -> None:
    """Whatever the values are: these words are enough."""
    assert ("identifier", what) in about(column(name, ["a", "b", "a", "c"] * 5))


@pytest.mark.parametrize(
    ("name", "what"),
    [
        ("age", "age"),
        ("Alter", "age"),
        ("AGE_AT_ADMISSION", "age"),
        ("geschlecht", "sex"),
        ("patientSex", "sex"),
        ("date of birth", "dates or years of birth"),
        ("Geburtsjahr", "dates or years of birth"),
        ("fecha_de_nacimiento", "dates or years of birth"),
        ("PLZ", "where somebody lives or comes from"),
        ("code postal", "where somebody lives or comes from"),
        ("native_country", "where somebody lives or comes from"),
        ("marital-status", "marital status"),
        ("Familienstand", "marital status"),
        ("education_num", "education"),
        ("Beruf", "occupation"),
    ],
)
def test_names_of_quasi_identifiers(name: str, what: str) -> None:
    assert ("quasi-identifier", what) in about(column(name, [1, 2, 3, 1] * 5))


@pytest.mark.parametrize(
    ("name", "what"), [("Diagnose", "health"), ("icd10", "health"), ("income", "income or debt"), ("religion", None)]
)
def test_names_of_sensitive_columns(name: str, what: str | None) -> None:
    seen = column(name, ["a", "b", "c", "a"] * 5)
    assert "sensitive" in kinds(seen)
    assert what is None or ("sensitive", what) in about(seen)


@pytest.mark.parametrize("name", ["", " ", "x", "drug_dose", "storage", "average", "sextant", "🙂", "Unterhalt", "v1"])
def test_names_that_only_look_so(name: str) -> None:
    found = {topic.what for topic, _ in topics_of(name)}
    assert found <= {"treatments"}


def test_words_are_written_as_they_are_looked_for() -> None:
    """Every word of the lists is found when it is the name of a column, alone or with another word."""
    for topic in TOPICS:
        for word in topic.words.split():
            name = word.replace("*", "xx").removeprefix("=")
            found = [each for name in (name, f"xx {name}") for each, _ in topics_of(name)]
            assert topic in found, word


@pytest.mark.parametrize(
    ("name", "is_one"), [("name", True), ("Name", True), ("country_name", False), ("file name", False)]
)
def test_a_name_is_one_of_a_person_if_it_says_no_more(name: str, is_one: bool) -> None:
    """However often names repeat: a draft must not take them for something to publish."""
    table = pl.DataFrame({"age": range(40, 60), name: ["Ann Fox", "Bob Lee", "Cy Ray", "Di Fox"] * 5})
    found = pellucid.inspect(table)
    assert (("identifier", "names of persons") in about(found[name])) is is_one
    assert found.repeats.identifiers == {}, "many people have the same name"


@pytest.mark.parametrize("name", ["x", "notes", "diagnosis", "occupation"])
def test_free_text_is_nothing_else_whatever_it_is_called(name: str) -> None:
    texts = [f"seen on day {number}, complains of pain in the arm, the daughter says otherwise" for number in range(30)]
    seen = column(name, texts + texts[:15])
    assert kinds(seen) == {"free text"}
    assert not seen.may_be_sensitive
    found = pellucid.inspect(
        pl.DataFrame(
            {
                "age": [20 + 7 * number % 31 for number in range(45)],
                "city": ["Bonn", "Ulm", "Kiel"] * 15,
                name: texts + texts[:15],
            }
        )
    )
    assert name in propose(found).drop


@pytest.mark.parametrize(
    ("values", "what"),
    [
        ([f"somebody.{number}@example.org" for number in range(ROWS)], "e-mail addresses"),
        ([f"+49 30 {number:07}" for number in range(ROWS)], "telephone numbers"),
        ([f"0{30 + number % 7}/{number:06}" for number in range(ROWS)], "telephone numbers"),
        ([f"(212) 555-{number:04}" for number in range(ROWS)], "telephone numbers"),
        ([f"06 12 34 {number % 100:02} {number // 100:02}" for number in range(ROWS)], "telephone numbers"),
        ([f"{number:03}-12-{number:04}" for number in range(ROWS)], "numbers of an insurance or a tax office (USA)"),
        ([f"M{number:09}" for number in range(ROWS)], "numbers of an insurance or a tax office (Germany)"),
        ([f"10.0.{number % 256}.{number // 256}" for number in range(ROWS)], "addresses of computers"),
        ([f"{number:032x}" for number in range(ROWS)], "unique codes made by a computer"),
        (with_check(lambda: f"DE{digits(20)}", "IBANs"), "IBANs"),
        (with_check(lambda: digits(11), "numbers of an insurance or a tax office (Pol"), None),
        (with_check(lambda: digits(9), "numbers of an insurance or a tax office (Net"), None),
        (
            with_check(
                lambda: digits(8) + random.choice("ABCDEFGHJKLMNPQRSTVWXYZ"),
                "numbers of an insurance or a tax office (Spa",
            ),
            None,
        ),
        (
            with_check(
                lambda: f"756.{digits(4)}.{digits(4)}.{digits(2)}", "numbers of an insurance or a tax office (Swi"
            ),
            None,
        ),
        (with_check(lambda: f"4{digits(15)}", "numbers of payment cards"), "numbers of payment cards"),
    ],
)
def test_values_that_name_people(values: list[str], what: str | None) -> None:
    seen = column("x", values)
    [found] = [each for each in seen.suspicions if each.kind == "identifier"]
    assert found.what == what or (what is None and found.what.startswith("numbers of an insurance"))
    assert found.basis == ("values",)
    assert seen.facts.distinct <= ROWS


@pytest.mark.parametrize(
    ("value", "pattern"),
    [
        ("DE89370400440532013000", "IBANs"),
        ("GB82 WEST 1234 5698 7654 32", "IBANs"),
        ("4111 1111 1111 1111", "numbers of payment cards"),
        ("756.9217.0769.85", "numbers of an insurance or a tax office (Switzerland)"),
        ("RSSMRA85T10A562S", "numbers of an insurance or a tax office (Italy)"),
        ("12345678Z", "numbers of an insurance or a tax office (Spain)"),
        ("943 476 5919", "NHS numbers"),
        ("111222333", "numbers of an insurance or a tax office (Netherlands)"),
        ("44051401359", "numbers of an insurance or a tax office (Poland)"),
        ("1237 010180", "numbers of an insurance or a tax office (Austria)"),
    ],
)
def test_check_digits(value: str, pattern: str) -> None:
    """Examples that the agencies give, and the same with one digit changed."""
    [wanted] = [each for each in patterns.IDENTIFIERS if each.what == pattern]
    assert wanted.fits(value)
    if wanted.check is not None:
        place = next(place for place in range(len(value) - 1, -1, -1) if value[place].isdigit())
        changed = value[:place] + str((int(value[place]) + 1) % 10) + value[place + 1 :]
        assert not wanted.fits(changed)


def test_measurements_are_no_identifiers() -> None:
    """Nearly every value is another, because they are measured finely."""
    seen = column("x", [random.gauss(120, 15) for _ in range(ROWS)])
    assert seen.facts.all_different
    assert seen.suspicions == ()


@pytest.mark.parametrize(
    "values",
    [
        [round(random.gauss(120, 15), 2) for _ in range(ROWS)],
        [random.randrange(10**9) * 3 % 1000 for _ in range(ROWS)],
        [random.choice(["red", "green", "blue"]) for _ in range(ROWS)],
        [True, False] * (ROWS // 2),
        [datetime.timedelta(seconds=number) for number in range(ROWS)],
        [None] * ROWS,
        [None, 1.5] * (ROWS // 2),
        [random.randrange(100_000_000, 999_999_999) // 1000 * 1000 for _ in range(40)] * 10,
    ],
)
def test_other_values_are_no_identifiers(values: list[Any]) -> None:
    assert "identifier" not in kinds(column("x", values))


def test_nearly_unique_values() -> None:
    assert about(column("x", [f"{number * 7919 % 10007:05}-{number}" for number in range(ROWS)])) == {
        ("identifier", "nearly unique values")
    }
    numbers = random.sample(range(10**6, 10**7), ROWS)
    assert about(column("x", numbers)) == {("identifier", "nearly unique values")}
    assert kinds(column("x", [float(number) for number in numbers])) == {"identifier"}, "whole, but written as floats"
    assert kinds(column("x", [f"{'word ' * 12}{number}" for number in range(ROWS)])) == {"free text"}


@pytest.mark.parametrize("first", [0, 1, 1000])
@pytest.mark.parametrize("dtype", [pl.Int64, pl.Float64])
def test_row_numbers(first: int, dtype: Any) -> None:
    seen = column("patient_id", range(first, first + ROWS), dtype=dtype)
    assert kinds(seen) == {"row number"}
    assert f"from {first} to {first + ROWS - 1}" in seen.suspicions[0].because
    assert not seen.may_be("identifier")


def test_numbers_in_another_order_are_no_row_numbers() -> None:
    numbers = list(range(ROWS))
    random.shuffle(numbers)
    assert kinds(column("patient_id", numbers)) == {"identifier"}
    assert "row number" not in kinds(column("x", [*range(ROWS - 1), None]))


def test_row_numbers_in_a_text_file(tmp_path: Path) -> None:
    for rows in (3, ROWS):
        (tmp_path / "t.csv").write_text("n,x\n" + "".join(f"{row},{row % 3}\n" for row in range(1, rows + 1)))
        assert kinds(pellucid.inspect(tmp_path / "t.csv")["n"]) == {"row number"}


@pytest.mark.parametrize(
    ("values", "what"),
    [
        (["male", "female", "female", "male"], "sex"),
        (["m", "w", "d", "m"], "sex"),
        (["homme", "femme", "femme", "homme"], "sex"),
        (["Divorced", "Never-married", "Widowed"] * 3, "marital status"),
        ([random.randrange(18, 95) for _ in range(ROWS)], "age"),
        (["[0-10)", "[10-20)", "[20-30)", "[30-40)"] * 3, "age"),
        (["18-24", "25-34", "35-44", "45+"] * 3, "age"),
        ([random.randrange(1930, 2005) for _ in range(ROWS)], "years"),
        ([datetime.date(1930, 1, 1) + datetime.timedelta(days=60 * n) for n in range(ROWS)], "dates or years of birth"),
        ([datetime.date(2020, 1, 1) + datetime.timedelta(days=n) for n in range(ROWS)], "dates that others may know"),
    ],
)
def test_values_that_others_may_know(values: list[Any], what: str) -> None:
    assert ("quasi-identifier", what) in about(column("x", values))


@pytest.mark.parametrize(
    "values",
    [
        [random.randrange(0, 8) for _ in range(ROWS)],
        [random.randrange(0, 4000) for _ in range(ROWS)],
        ["d", "x", "other"] * 5,
        ["m", "n", "o", "p", "f"] * 5,
        ["1-2", "flu", "gout"] * 5,
    ],
)
def test_values_that_say_nothing(values: list[Any]) -> None:
    assert "quasi-identifier" not in kinds(column("x", values))


def test_ages_are_not_looked_for_where_they_are_named() -> None:
    ages = [random.randrange(18, 95) for _ in range(ROWS)]
    found = pellucid.inspect(pl.DataFrame({"hours": ages, "age": ages}))
    assert "quasi-identifier" not in kinds(found["hours"])
    assert found.combination is not None
    assert found.combination.columns == ("age",)


@pytest.mark.parametrize(
    ("values", "what"),
    [
        ([f"0{number % 40 + 1000}" for number in range(ROWS)], "digits"),
        ([str(number % 8) for number in range(ROWS)], "digits"),
        ([1010 + 90 * (number % 30) for number in range(ROWS)], "digits"),
        ([f"{letter}{number:02}.{number % 9}" for letter in "ABCEF" for number in range(40)] * 2, "ICD-10 codes"),
        (["250.83", "V57", "401", "428", "E812", "786.5", "10", "11", "112", "V58"] * 40, "ICD-9 codes"),
    ],
)
def test_codes(values: list[Any], what: str) -> None:
    seen = column("x", values)
    assert ("code", what) in about(seen)
    assert (("sensitive", "health") in about(seen)) is what.startswith("ICD")


def test_amounts_and_years_are_no_codes() -> None:
    assert "code" not in kinds(column("x", [random.randrange(0, 9999) for _ in range(ROWS)]))
    assert "code" not in kinds(column("x", [random.randrange(1930, 2005) for _ in range(ROWS)]))
    assert "code" not in kinds(column("x", [f"P{number:02}" for number in range(ROWS)])), "different for everybody"


DAYS = [datetime.date(1930 + number % 70, 1 + number % 12, 1 + number % 28) for number in range(ROWS)]


@pytest.mark.parametrize("form", ["%d.%m.%Y", "%m/%d/%Y", "%d-%m-%y", "%Y/%m/%d", "%d/%m/%Y %H:%M"])
def test_dates_that_are_kept_as_text(form: str) -> None:
    seen = column("x", [day.strftime(form) for day in DAYS] + ["unknown"])
    assert about(seen) == {("quasi-identifier", "dates or years of birth")}
    assert titles({"x": [day.strftime(form) for day in DAYS]}) == ["Dates that are text"]
    recent = column("x", [day.replace(year=2019 + day.year % 3).strftime(form) for day in DAYS])
    assert about(recent) == {("quasi-identifier", "dates that others may know")}


def titles(columns: dict[str, Sequence[Any]]) -> list[str]:
    """What is said of texts that may be something else."""
    return [each.title for each in misread(pellucid.inspect(pl.DataFrame(columns)))]


@pytest.mark.parametrize(
    ("values", "said"),
    [
        ([*map(str, range(90)), "NA"], ["Numbers that are text"]),
        ([*map(str, range(9)), "N"], ["Numbers that are text"]),
        (["1.5", "2", "-3", "4,5", "5", "6", "7", "8", "9", "10", ">10"], ["Numbers that are text"]),
        (["White", "Black", "?"], ["Missing values that are written out"]),
        (["White", "N/A", "-"], ["Missing values that are written out"]),
        (["none", "unknown", "other"], []),
        (["1", "2", "N"], []),
        (["01", "02", "03", "04", "05", "06", "07", "08", "09", "N"], []),
        (["250.83", "V57", "401", "428", "E812", "786.5", "10", "11", "112", "V58"], []),
        (["A1", "B2", "C3"], []),
        (range(20), []),
        ([datetime.date(2020, 1, 2), None], []),
        (["1.2.3", "10.0.0.1", "12.2021", "1/2"], []),
    ],
)
def test_texts_that_may_be_something_else(values: Sequence[Any], said: list[str]) -> None:
    assert titles({"x": values}) == said


def test_what_to_do_about_numbers_that_are_text(tmp_path: Path) -> None:
    """What is said works: and of a table that has types, the source must be changed."""
    table = pl.DataFrame({"age": [*map(str, range(30)), "?", "N A"], "sex": ["f", "m"] * 16})
    [said] = misread(pellucid.inspect(table))
    assert "make this a column of numbers in the source" in said.text
    table.write_csv(tmp_path / "t.csv")
    [said] = misread(pellucid.inspect(tmp_path / "t.csv"))
    assert "but for '?', 'N A' in 'age'." in said.text
    assert "say so (--null '?,N A')" in said.text
    found = pellucid.inspect(pellucid.File(tmp_path / "t.csv", null=["?", "N A"]))
    assert (found["age"].facts.type, found["age"].facts.missing, [*misread(found)]) == ("whole number", 2, [])


def test_the_largest_l_is_what_eligibility_allows() -> None:
    """Held against the program itself: that l is accepted, and the next is not."""
    values = ["flu"] * 7 + ["cold"] * 6 + ["gout"] * 5 + [None] * 7
    table = pl.DataFrame({"age": range(25), "disease": values})
    largest = pellucid.inspect(table)["disease"].facts.largest_diversity
    assert largest == 3
    roles: dict[str, Any] = {"quasi_identifiers": ["age"], "sensitive": "disease", "missing": "category"}
    assert pellucid.anonymize(table, diversity=largest, **roles).check.diverse
    with pytest.raises(pellucid.NotEligibleError) as refused:
        pellucid.anonymize(table, diversity=largest + 1, **roles)
    assert refused.value.largest_diversity == largest


def test_counts() -> None:
    seen = column("x", [1.0, 1.5, -0.0, 0.0, float("nan"), None, 1.5]).facts
    assert (seen.rows, seen.missing, seen.distinct, seen.most_frequent) == (7, 2, 3, 2)
    assert (seen.low, seen.high, seen.type) == (0.0, 1.5, "number")


@pytest.mark.parametrize(
    ("values", "kind", "low"),
    [
        (pl.Series([5_000_000, 1, 2], dtype=pl.Int32).cast(pl.Date), "date", None),
        (pl.Series([-(2**62), 1, 2]).cast(pl.Datetime("us")), "date and time", None),
        (pl.Series([2**62, 1, 2]).cast(pl.Duration("ms")), "duration", None),
        (pl.Series([1e308, 0.0, 1.0]), "number", 0.0),
        (pl.Series([2**100, 1, 2], dtype=pl.Int128), "whole number", 1),
        (pl.Series(["1", "2", None], dtype=pl.Categorical), "text", None),
        (pl.Series([Decimal("1.5"), Decimal("2.25"), None]), "number", Decimal("1.5")),
    ],
)
def test_values_at_the_ends_of_their_types(values: pl.Series, kind: str, low: object) -> None:
    found = pellucid.inspect(pl.DataFrame({"x": values, "disease": ["flu", "cold", "flu"]}))
    assert (found["x"].facts.type, found["x"].facts.low) == (kind, low)
    assert found["x"].facts.distinct == 3 - values.null_count()
    json.dumps(found.as_dict())
    assert len(found.report()) < 20_000


def test_numbers_that_are_written_differently_are_one(tmp_path: Path) -> None:
    (tmp_path / "t.csv").write_text("x,y\n1.0,a\n1.00,a\n1e0,b\n2.5,b\n")
    seen = pellucid.inspect(tmp_path / "t.csv", quasi_identifiers=["x"])
    assert seen["x"].facts.distinct == 2
    assert seen.combination is not None
    assert seen.combination.groups == 2


@pytest.mark.parametrize(
    "values",
    [
        [[1], [2]],
        [{"a": 1}, {"a": 2}],
        [b"1", b"2"],
        [None, None],
        [float("inf"), 1.0],
    ],
)
def test_what_can_have_no_role(values: list[Any]) -> None:
    seen = column("x", values)
    assert not seen.facts.usable
    assert not seen.may_be_sensitive
    assert seen.suspicions == ()


def test_of_very_many_values_some_are_looked_at(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(facts, "_MOST_LOOKED_AT", 50)
    seen = column("x", [f"somebody.{number}@example.org" for number in range(ROWS)])
    assert len(seen.facts.texts) <= 60
    assert ("identifier", "e-mail addresses") in about(seen)


def of(file: str) -> pellucid.Inspection:
    if not (DATA / file).exists():
        pytest.skip("../shared/data is not there: real tables are no part of the repository")
    return pellucid.inspect(DATA / file)


def test_adult() -> None:
    found = of("adult/adult_48842.parquet")
    suspected = {column.name for column in found.that_may_be("quasi-identifier")}
    assert suspected >= {"age", "workclass", "education", "marital_status", "race", "sex", "native_country"}
    assert suspected.isdisjoint({"fnlwgt", "capital_gain", "capital_loss", "hours_per_week", "income", "split"})
    assert {column.name for column in found.that_may_be("sensitive")} == {"income", "occupation"}
    assert found.that_may_be("identifier") == []
    assert found.that_may_be("row number") == []
    assert found["occupation"].facts.largest_diversity == 7
    assert found["workclass"].facts.missing == 2799
    assert found.combination is not None
    assert found.combination.unique_rows > 20_000


def test_diabetes() -> None:
    found = of("diabetes/diabetes130_patients.parquet")
    assert {column.name for column in found.that_may_be("quasi-identifier")} == {"race", "gender", "age"}
    assert {column.name for column in found.that_may_be("sensitive")} == {"diag_1", "diag_1_chapter"}
    assert ("code", "ICD-9 codes") in about(found["diag_1"])
    assert "code" in kinds(found["admission_type_id"])
    assert found.that_may_be("identifier") == []
    assert found["diag_1"].facts.largest_diversity == 13
