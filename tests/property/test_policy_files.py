"""Policy files: where things stand in them, and that everything that may stand in one is either a policy or refused."""

from __future__ import annotations

import tempfile
import tomllib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import jsonschema
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from pellucid import Policy, PolicyError
from pellucid.errors import Where
from pellucid.policy_file import read_policy_file
from pellucid.policy_schema import policy_schema
from pellucid.settings import POLICY, Choice, Flag, Kind, Table, Tables, Texts, WholeNumber
from pellucid.toml_lines import lines_of
from tests.property.toml_files import TomlFile, json_values, toml_files, written

ROLES: dict[str, Any] = {"quasi_identifiers": ["q"], "sensitive": "s", "diversity": 2}


def ways(data: Any, where: Where = ()) -> Iterator[Where]:
    """All keys and items of lists, by the way that leads to them."""
    inside = data.items() if isinstance(data, dict) else enumerate(data) if isinstance(data, list) else ()
    for key, value in inside:
        yield (*where, key)
        yield from ways(value, (*where, key))


@settings(max_examples=300)
@given(toml_files())
def test_everything_is_found_on_its_line(file: TomlFile) -> None:
    assert tomllib.loads(file.text) == file.data  # the writer of this test is right
    assert lines_of(file.text) == file.lines
    assert set(file.lines) == set(ways(file.data))


def test_texts_that_end_in_quotes() -> None:
    """Three quotes end a text of several lines, and two more may stand right before them."""
    text = 'a = """x""\n"""""\nb = \'\'\'y\'\n\'\'\'\'\nc = 1\n'
    assert tomllib.loads(text) == {"a": 'x""\n""', "b": "y'\n'", "c": 1}
    assert lines_of(text) == {("a",): 1, ("b",): 3, ("c",): 5}


def valid(kind: Kind) -> st.SearchStrategy[Any]:
    """Values of a setting that are right, as far as they can be made up without knowing what they mean."""
    match kind:
        case Choice(of):
            made: st.SearchStrategy[Any] = st.sampled_from(of)
        case Flag():
            made = st.booleans()
        case WholeNumber(least, most):
            made = st.integers(least, most)
        case Texts(least):
            made = st.lists(st.text("abc", max_size=2), min_size=least, max_size=3, unique=True)
        case Tables(each):
            made = st.dictionaries(st.sampled_from(["q", "s", "other"]), settings_of(each), max_size=2)
        case Table():
            made = settings_of(kind)
        case _:
            made = st.text("abc", max_size=3)
    return made


def settings_of(table: Table) -> st.SearchStrategy[dict[str, Any]]:
    """Tables whose settings are mostly right, with mistakes in them."""
    known = st.fixed_dictionaries(
        {}, optional={setting.name: valid(setting.kind) | json_values() for setting in table.settings}
    )
    unknown = st.dictionaries(st.sampled_from(["", "ordr", "grid ", "seed"]), json_values(), max_size=1)
    return st.tuples(known, st.just({}) | st.just({}) | unknown).map(lambda parts: {**parts[0], **parts[1]})


schema = jsonschema.Draft7Validator(policy_schema())


def test_the_schema_is_one() -> None:
    jsonschema.Draft7Validator.check_schema(policy_schema())


def names_an_encoding(data: Any, where: Where) -> bool:
    """Whether a text stands there that may be the name of an encoding: no schema lists those that Python knows."""
    if where[-1:] != ("encoding",):
        return False
    for key in where:
        data = data[key]
    return isinstance(data, str) and data != ""


@settings(max_examples=400)
@given(settings_of(POLICY))
@example({"drop": ["a", "a"]})
@example({"diversity": True})
@example({"diversity": 2**63})
@example({"attributes": {"q": {"order": []}}})
@example({"source": {"path": ""}})
@example({"source": {"path": "\0"}})
@example({"source": {"encoding": ""}})
@example({"source": {"encoding": "nobody knows it"}})
@example({"source": {"encoding": "utf-8"}})
@example({"sensitive": "\n"})
def test_the_schema_says_what_the_loader_says(data: dict[str, Any]) -> None:
    """One setting at a time: whatever is wrong with several together, the schema cannot know."""
    text = written(data).text
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "pellucid.toml"
        file.write_text(text, encoding="utf-8", newline="")
        problems = read_policy_file(file).problems
    knowable = [problem for problem in problems if not names_an_encoding(data, problem.where)]
    assert schema.is_valid(data) == (not knowable), [str(problem) for problem in problems]
    assert all(problem.line is not None for problem in problems)
    assert len(problems) == len(list(POLICY.problems(data, ())))


def policy_or_refusal(content: bytes) -> Policy | PolicyError:
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "pellucid.toml"
        file.write_bytes(content)
        try:
            return Policy.from_options({}, file=file)
        except PolicyError as problem:
            return problem


@settings(max_examples=300)
@given(settings_of(POLICY) | settings_of(POLICY).map(lambda data: {**data, **ROLES}))
@example(ROLES)
@example({**ROLES, "attributes": {"s": {"order": ["a", "b"]}}})
@example({**ROLES, "sensitive": ""})
def test_a_file_is_a_policy_or_is_refused(data: dict[str, Any]) -> None:
    found = policy_or_refusal(written(data).text.encode())
    if isinstance(found, Policy):
        assert schema.is_valid(data)
        assert found.diversity == data["diversity"]
        assert found.quasi_identifiers == tuple(data["quasi_identifiers"])
    else:
        assert data != ROLES


_WORDS = ["quasi_identifiers", "sensitive", "attributes", "source", "path", "order", "a", "é", "nan", "inf", "true"]
_MARKS = [
    "=",
    ".",
    "[",
    "]",
    "{",
    "}",
    ",",
    '"',
    "'",
    '"""',
    "'''",
    "\\",
    "\\u00e9",
    "#",
    "\n",
    "\r",
    " ",
    "\0",
    "\ufeff",
]
_NUMBERS = ["1", "-", "1e5", "0x1f", "1979-05-27", "07:32:00", "1979-05-27T07:32:00Z", "\0", "9" * 5000]


@given(
    st.binary(max_size=30)
    | st.lists(st.sampled_from([*_WORDS, *_MARKS, *_NUMBERS]), max_size=25).map(lambda pieces: "".join(pieces).encode())
    | toml_files().map(lambda file: file.text.encode())
)
def test_whatever_stands_in_a_file_is_a_policy_or_is_refused(content: bytes) -> None:
    policy_or_refusal(content)


@pytest.mark.parametrize("depth", [50, 500, 3000])
@pytest.mark.parametrize(
    ("start", "repeated", "end"), [("drop = ", "[", "]"), ("drop = ", "{a = ", "}"), ("[a", ".a", ""), ("a", ".a", "")]
)
def test_nested_too_deeply(start: str, repeated: str, end: str, depth: int) -> None:
    last = {"": "]" if start == "[a" else " = 1", "]": "", "}": "{}"}[end]
    text = start + repeated * depth + last + end * depth
    assert isinstance(policy_or_refusal(text.encode()), PolicyError)
