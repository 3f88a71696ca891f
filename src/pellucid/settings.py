"""Everything that can be set, described once: name, kind of value, default, what it means.

The policy file is judged by this description, its JSON schema and its documentation are written from it, and the
command line takes its help from it: they cannot say different things. A new setting is one more entry in one of the
tables below.
"""

from __future__ import annotations

import difflib
import json
import math
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal, Protocol, cast, get_args

from .errors import Problem, Where, listed
from .passwords import may_hold_a_password

__all__ = [
    "ATTRIBUTE",
    "POLICY",
    "REGISTER",
    "SOURCE",
    "TARGET",
    "Algorithm",
    "Choice",
    "Encoding",
    "FilePath",
    "Flag",
    "Grid",
    "Intervals",
    "Kind",
    "Missing",
    "NameOrNames",
    "NameOrNumber",
    "Names",
    "PenaltyName",
    "Recoding",
    "Separator",
    "Setting",
    "Step",
    "Style",
    "Table",
    "Tables",
    "Text",
    "Texts",
    "WholeNumber",
    "absolute",
    "near",
    "repeated",
    "title",
]

Algorithm = Literal["weave", "hybrid", "tailor", "ace", "mondrian", "mondrian-relaxed", "mask"]
Recoding = Literal["mbr", "anatomy"]
Intervals = Literal["text", "bounds"]
Missing = Literal["error", "category", "drop"]
PenaltyName = Literal["perimeter", "discernibility", "custom"]
"""`custom` is a function of the library's user: it can be named neither on the command line nor in a file."""
Style = Literal["ancestor", "set", "range"]
"""How a group publishes its values of an attribute: as their lowest common ancestor, all of them, or an interval."""
CalendarStep = Literal["day", "week", "month", "quarter", "year"]
Grid = int | float | CalendarStep

_BARE_KEY = re.compile(r"[A-Za-z0-9_-]+")
_MOST_SHOWN = 60
_OF_FILES = ("sqlite", "duckdb")
"""The schemes of databases that are files."""


class Kind(Protocol):
    """What the value of a setting may be."""

    @property
    def words(self) -> str:
        """As in "l must be ..."."""

    def problems(self, value: object, where: Where) -> Iterator[Problem]:
        """What is wrong with a value that stands at `where` in the file."""

    def schema(self) -> dict[str, Any]:
        """The same as JSON schema."""


@dataclass(frozen=True)
class Text:
    """A text."""

    words: str = "a text"

    def problems(self, value: object, where: Where) -> Iterator[Problem]:
        """What is not a text."""
        if not isinstance(value, str):
            yield _must_be(self.words, value, where)

    def schema(self) -> dict[str, Any]:
        """A string."""
        return {"type": "string"}


@dataclass(frozen=True)
class FilePath(Text):
    """The path of a file; in a policy file, relative to the folder of the policy file."""

    words: str = "the path of a file"

    def problems(self, value: object, where: Where) -> Iterator[Problem]:
        """What is not the path of a file."""
        if not isinstance(value, str) or not value or "\0" in value:
            yield _must_be(self.words, value, where)

    def schema(self) -> dict[str, Any]:
        """A string that is not empty, without NUL."""
        return {"type": "string", "minLength": 1, "pattern": r"^[^\u0000]*$"}


@dataclass(frozen=True)
class Flag:
    """True or false."""

    words: str = "true or false"

    def problems(self, value: object, where: Where) -> Iterator[Problem]:
        """What is neither."""
        if not isinstance(value, bool):
            yield _must_be(self.words, value, where)

    def schema(self) -> dict[str, Any]:
        """A boolean."""
        return {"type": "boolean"}


@dataclass(frozen=True)
class WholeNumber:
    """A whole number of at least `least`."""

    least: int
    most: int = 2**63 - 1

    @property
    def words(self) -> str:
        """With its limit."""
        return f"a whole number of at least {self.least}"

    def problems(self, value: object, where: Where) -> Iterator[Problem]:
        """What is not whole, or too small."""
        if not isinstance(value, int) or isinstance(value, bool) or value < self.least:
            yield _must_be(self.words, value, where)
        elif value > self.most:
            yield Problem(where, f"{title(where)} must be {self.most} at most.")

    def schema(self) -> dict[str, Any]:
        """An integer with its limits."""
        return {"type": "integer", "minimum": self.least, "maximum": self.most}


@dataclass(frozen=True)
class Choice:
    """One of a few words."""

    of: tuple[str, ...]

    @property
    def words(self) -> str:
        """All of them."""
        return f"one of {listed(self.of, most=99)}"

    def problems(self, value: object, where: Where) -> Iterator[Problem]:
        """What is none of them."""
        if value not in self.of:
            yield _must_be(self.words, value, where, remedy=near(value, self.of))

    def schema(self) -> dict[str, Any]:
        """An enumeration."""
        return {"enum": list(self.of)}


@dataclass(frozen=True)
class Step:
    """A step of numbers, or one of the calendar."""

    words: str = f"a number above 0 or one of {listed(get_args(CalendarStep))}"

    def problems(self, value: object, where: Where) -> Iterator[Problem]:
        """What is no step."""
        calendar = get_args(CalendarStep)
        if isinstance(value, str) and value in calendar:
            return
        if not isinstance(value, int | float) or isinstance(value, bool) or not 0 < value < math.inf:
            yield _must_be(self.words, value, where, remedy=near(value, calendar))

    def schema(self) -> dict[str, Any]:
        """A positive number, or one of the words."""
        return {"anyOf": [{"type": "number", "exclusiveMinimum": 0}, {"enum": list(get_args(CalendarStep))}]}


@dataclass(frozen=True)
class Separator:
    """One character that stands between values."""

    words: str = 'one character that is no letter and no digit, or "tab" or "space"'
    _meant: str = r"tab|space|\\t|\t|[ !#$%&*+,./:;<=>?@\\^_`|~()\[\]{}-]"

    def problems(self, value: object, where: Where) -> Iterator[Problem]:
        """What separates nothing."""
        if not isinstance(value, str) or not re.fullmatch(self._meant, value):
            yield _must_be(self.words, value, where)

    def schema(self) -> dict[str, Any]:
        """A string of one character, or one of the names."""
        return {"type": "string", "pattern": f"^({self._meant})$"}


@dataclass(frozen=True)
class Encoding(Text):
    """The name of an encoding of texts."""

    words: str = "the name of an encoding, such as utf-8, utf-16, windows-1252 or iso-8859-15"

    def problems(self, value: object, where: Where) -> Iterator[Problem]:
        """What nobody knows how to read."""
        try:
            known = isinstance(value, str) and bool("a".encode(value))
        except (LookupError, ValueError):
            known = False
        if not known:
            yield _must_be(self.words, value, where)

    def schema(self) -> dict[str, Any]:
        """A string that is not empty: the names that this Python knows are more than a schema can list."""
        return {"type": "string", "minLength": 1}


@dataclass(frozen=True)
class NameOrNumber:
    """A name, or a number from 1."""

    words: str = "a name, or a number from 1"

    def problems(self, value: object, where: Where) -> Iterator[Problem]:
        """What is neither."""
        named = isinstance(value, str) and value != ""
        numbered = isinstance(value, int) and not isinstance(value, bool) and value >= 1
        if not (named or numbered):
            yield _must_be(self.words, value, where)

    def schema(self) -> dict[str, Any]:
        """A string or a positive integer."""
        return {"anyOf": [{"type": "string", "minLength": 1}, {"type": "integer", "minimum": 1}]}


@dataclass(frozen=True)
class Texts:
    """A list of texts, none of them twice."""

    least: int = 0
    words: str = "a list of texts"

    def problems(self, value: object, where: Where) -> Iterator[Problem]:
        """What is no list of texts, and texts that occur twice."""
        if not isinstance(value, list | tuple):
            yield _must_be(self.words, value, where)
            return
        if len(value) < self.least:
            yield Problem(where, f"{title(where)} is an empty list.")
        for number, item in enumerate(value):
            if not isinstance(item, str):
                what = f"{title(where)} must be {self.words}, and holds {_shown(item)}."
                yield Problem((*where, number), what)
        for name in repeated(item for item in value if isinstance(item, str)):
            again = value.index(name, value.index(name) + 1)
            yield Problem((*where, again), f"{title(where)} lists {name!r} more than once.", "List it once.")

    def schema(self) -> dict[str, Any]:
        """An array of different strings."""
        least = {"minItems": self.least} if self.least else {}
        return {"type": "array", "items": {"type": "string"}, "uniqueItems": True, **least}


@dataclass(frozen=True)
class Names(Texts):
    """A list of columns."""

    words: str = "a list of column names"


@dataclass(frozen=True)
class NameOrNames:
    """A column, or a list of several."""

    words: str = "a column name, or a list of column names"

    def problems(self, value: object, where: Where) -> Iterator[Problem]:
        """What is neither."""
        if isinstance(value, list | tuple):
            yield from Names(least=1).problems(value, where)
        elif not isinstance(value, str):
            yield _must_be(self.words, value, where)

    def schema(self) -> dict[str, Any]:
        """A string, or an array of different strings."""
        return {"anyOf": [{"type": "string"}, Names(least=1).schema()]}


@dataclass(frozen=True, kw_only=True)
class Setting:
    """One setting."""

    name: str
    kind: Kind
    meaning: str
    """What it decides, in a sentence: for the help, the schema and the documentation."""
    default: Any = None
    option: str = ""
    """The same on the command line."""
    example: Any = None
    remedy: str = ""
    """What to say besides, when it is missing or wrong."""

    def problems(self, value: object, where: Where) -> Iterator[Problem]:
        """What is wrong with the value of this setting."""
        for problem in self.kind.problems(value, where):
            yield problem if problem.remedy else Problem(problem.where, problem.what, self.remedy)

    def schema(self) -> dict[str, Any]:
        """The schema of its value, with its meaning."""
        facts: dict[str, Any] = {"description": self.meaning}
        if self.default is not None:
            facts["default"] = self.default
        if self.example is not None:
            facts["examples"] = [self.example]
        return {**self.kind.schema(), **facts}


@dataclass(frozen=True)
class Table:
    """A table of settings: nothing else may stand in it."""

    settings: tuple[Setting, ...]
    words: str = "a table of settings"

    def __getitem__(self, name: str) -> Setting:
        return next(setting for setting in self.settings if setting.name == name)

    @property
    def names(self) -> list[str]:
        """The names of the settings."""
        return [setting.name for setting in self.settings]

    def problems(self, value: object, where: Where) -> Iterator[Problem]:
        """What is no setting, and what is wrong with the values of the others."""
        if not isinstance(value, dict):
            yield _must_be(self.words, value, where, remedy=f"For example: [{_dotted(where)}]")
            return
        for name, content in cast("Mapping[str, object]", value).items():
            place = (*where, name)
            if name in self.names:
                yield from self[name].problems(content, place)
            else:
                hint = near(name, self.names) or f"It may hold {listed(sorted(self.names), most=99)}."
                yield Problem(place, f"{name!r} is no setting of {_table(where)}.", hint)

    def schema(self) -> dict[str, Any]:
        """An object with these properties only."""
        return {
            "type": "object",
            "properties": {setting.name: setting.schema() for setting in self.settings},
            "additionalProperties": False,
        }


@dataclass(frozen=True)
class Tables:
    """Tables of settings by name, such as [attributes.education]."""

    each: Table
    example: str
    words: str = "tables of settings by name"

    def problems(self, value: object, where: Where) -> Iterator[Problem]:
        """What is wrong with each of the tables."""
        if not isinstance(value, dict):
            yield Problem(where, f"{title(where)} must be tables such as [{_dotted((*where, self.example))}].")
            return
        for name, content in cast("Mapping[str, object]", value).items():
            yield from self.each.problems(content, (*where, name))

    def schema(self) -> dict[str, Any]:
        """An object whose properties are such tables."""
        return {"type": "object", "additionalProperties": self.each.schema()}


ATTRIBUTE = Table(
    (
        Setting(
            name="order",
            kind=Texts(least=1),
            meaning="All values of a column of categories, smallest first: it is then published as intervals. For the"
            " sensitive column (on the command line, --sensitive-order FILE): all its values, those that are alike next"
            " to each other. Public, and never taken from the table.",
            example=["none", "school", "university"],
            remedy='For example: order = ["none", "school", "university"]',
        ),
        Setting(
            name="hierarchy",
            kind=FilePath(),
            meaning="A file that says which values are alike: one line per value, with semicolons between the value,"
            " its ancestors and the root, such as Vienna;Austria;Europe;*. Public, and never made from the sensitive"
            " values. `pellucid hierarchy` builds such files.",
            option="--hierarchy",
            example="country.csv",
        ),
        Setting(
            name="style",
            kind=Choice(get_args(Style)),
            meaning="How a group publishes its values: their lowest common ancestor in the hierarchy, the set of them,"
            " or the range from the first to the last. By default an ancestor where there is a hierarchy, a range where"
            " there is an order, else a set.",
            option="--style",
            example="ancestor",
        ),
        Setting(
            name="grid",
            kind=Step(),
            meaning="Numbers in steps of this width, or dates in steps of the calendar; every value becomes its step"
            " before anything else happens.",
            option="--grid",
            example=5,
        ),
    )
)
"""The settings of one column, in [attributes.NAME]."""

SOURCE = Table(
    (
        Setting(
            name="path",
            kind=FilePath(),
            meaning="The file to read, or the address of a database: sqlite:///PATH, duckdb:///PATH,"
            " postgresql://USER@HOST:PORT/DATABASE.",
            option="SOURCE",
            example="patients.csv",
        ),
        Setting(
            name="separator",
            kind=Separator(),
            meaning="What separates the values of a text file. By default a tab in .tsv files, and in .csv files the"
            " comma, semicolon, tab or bar that separates the column names.",
            option="--separator",
            example=";",
        ),
        Setting(
            name="quote",
            kind=Choice(('"', "'", "none")),
            meaning="What stands around the values of a text file that hold separators, quotes or line ends.",
            option="--quote",
            default='"',
        ),
        Setting(
            name="encoding",
            kind=Encoding(),
            meaning="The encoding of a text file. By default UTF-8, or what a byte order mark says.",
            option="--encoding",
            example="windows-1252",
        ),
        Setting(
            name="decimal",
            kind=Choice((".", ",")),
            meaning="What stands before the decimals of numbers in a text file. By default a point; numbers with"
            " commas are then an error where the separator is another.",
            option="--decimal",
            example=",",
        ),
        Setting(
            name="null",
            kind=Texts(least=1),
            meaning="Texts that mean a missing value. Besides them, an empty value without quotes always does.",
            option="--null",
            example=["NA", "?"],
        ),
        Setting(
            name="sheet",
            kind=NameOrNumber(),
            meaning="The sheet of an Excel file that is read, by its name or number. By default the only one that"
            " holds anything.",
            option="--sheet",
            example="Patients",
        ),
        Setting(
            name="table",
            kind=Text(),
            meaning="Of a database: the table or view to read, such as patients or clinic.patients.",
            option="--table",
            example="patients",
        ),
        Setting(
            name="query",
            kind=Text(),
            meaning="Of a database: a query to read instead of a table.",
            option="--query",
            example="SELECT * FROM patients WHERE consent",
        ),
    )
)
"""The table that is published, in [source]."""

TARGET = Table(
    (
        Setting(
            name="path",
            kind=FilePath(),
            meaning="The file to write; its ending is its format. Or the address of a database.",
            option="-o, --output",
            example="published.csv",
        ),
        Setting(
            name="table",
            kind=Text(),
            meaning="Of a database: the new table to write; there must not be one of this name.",
            option="--target-table",
            example="published",
        ),
    )
)
"""Where it is published, in [target]."""

REGISTER = Table(
    (
        Setting(
            name="path",
            kind=FilePath(),
            meaning="A file of your own that remembers whose data were published, and warns of people who were in an"
            " earlier release. It is made if there is none. Never publish it.",
            option="--register",
            example="releases.register",
        ),
    )
)
"""What remembers earlier releases, in [register]."""

POLICY = Table(
    (
        Setting(
            name="quasi_identifiers",
            kind=Names(least=1),
            meaning="The columns that somebody could know about a person.",
            option="-q, --quasi-identifiers",
            example=["age", "sex", "zipcode"],
            remedy="Name the columns that somebody could know about a person, such as -q age,sex,zipcode.",
        ),
        Setting(
            name="sensitive",
            kind=NameOrNames(),
            meaning="The column that nobody must be tied to. Several columns must be declared joint.",
            option="-s, --sensitive",
            example="disease",
            remedy="Name the column to protect, such as -s disease.",
        ),
        Setting(
            name="joint",
            kind=Flag(),
            meaning="The sensitive columns are one value: their combination. Nobody is tied to a combination, but"
            " everybody of a group may have the same value of one of the columns.",
            option="--joint",
            default=False,
        ),
        Setting(
            name="diversity",
            kind=WholeNumber(1),
            meaning="The l of l-diversity: no one is tied to a sensitive value with more than 1/l confidence.",
            option="-l, --diversity",
            example=8,
            remedy="Give l, such as -l 8: nobody is tied to a sensitive value with more than 1/8 confidence.",
        ),
        Setting(
            name="identifier",
            kind=Text(),
            meaning="The column that names the person: different for everybody, and not published.",
            option="--identifier",
            example="patient",
        ),
        Setting(
            name="drop",
            kind=Names(),
            meaning="Columns to leave out.",
            option="--drop",
            default=[],
            example=["phone", "email"],
        ),
        Setting(
            name="drop_others",
            kind=Flag(),
            meaning="Leave out every column without a role; otherwise such a column is an error.",
            option="--drop-others",
            default=False,
        ),
        Setting(
            name="algorithm",
            kind=Choice(get_args(Algorithm)),
            meaning="How the table is cut into groups.",
            option="--algorithm",
            default="weave",
        ),
        Setting(
            name="penalty",
            kind=Choice(tuple(name for name in get_args(PenaltyName) if name != "custom")),
            meaning="What is kept small: the perimeter of groups (Eq. 4), or their sizes.",
            option="--penalty",
            default="perimeter",
        ),
        Setting(
            name="recoding",
            kind=Choice(get_args(Recoding)),
            meaning="Intervals, or two separate tables joined by a group number only.",
            option="--recoding",
            default="mbr",
        ),
        Setting(
            name="intervals",
            kind=Choice(get_args(Intervals)),
            meaning="Intervals as a text '[21, 27]', or as columns A_min and A_max.",
            option="--intervals",
            default="text",
        ),
        Setting(
            name="missing",
            kind=Choice(get_args(Missing)),
            meaning="Missing values: refuse them, count them as a value, or leave the row out.",
            option="--missing",
            default="error",
        ),
        Setting(
            name="anonymity",
            kind=WholeNumber(1),
            meaning="Of the algorithm mask: the smallest group (the paper's k); by default l.",
            option="--anonymity",
            example=8,
        ),
        Setting(
            name="protected",
            kind=Texts(least=1),
            meaning="Of the algorithm mask: the sensitive values that it bounds (the paper's V); by default all.",
            option="--protected",
            example=["cancer", "stroke"],
        ),
        Setting(name="attributes", kind=Tables(ATTRIBUTE, "education"), meaning="Settings of single columns."),
        Setting(name="source", kind=SOURCE, meaning="The table that is published."),
        Setting(name="target", kind=TARGET, meaning="Where it is published."),
        Setting(name="register", kind=REGISTER, meaning="What remembers earlier releases."),
    ),
    words="a policy",
)
"""A whole policy file."""


def title(where: Where) -> str:
    """The name of a setting in messages: `order in [attributes.education]`."""
    *table, name = where
    return f"{name} in [{_dotted(tuple(table))}]" if table else str(name)


def near(name: object, known: Iterable[str]) -> str:
    """What somebody may have meant, as a question; nothing if nothing is near."""
    found = difflib.get_close_matches(str(name), list(known), n=1)
    return f"Did you mean {found[0]!r}?" if found else ""


def repeated(names: Iterable[str]) -> list[str]:
    """The names that occur more than once."""
    seen: set[str] = set()
    twice: dict[str, None] = {}
    for name in names:
        if name in seen:
            twice[name] = None
        seen.add(name)
    return list(twice)


def absolute(kind: Kind, value: Any, folder: Path) -> Any:
    """The value with all paths in it taken from `folder`; that of `sqlite:///PATH` as well."""
    if isinstance(kind, FilePath):
        scheme, is_address, rest = value.partition("://")
        if not is_address:
            return str(folder / value)
        return f"{scheme}:///{folder / rest[1:]}" if scheme in _OF_FILES and rest.startswith("/") else value
    if isinstance(kind, Tables):
        return {name: absolute(kind.each, content, folder) for name, content in value.items()}
    if isinstance(kind, Table):
        return {name: absolute(kind[name].kind, content, folder) for name, content in value.items()}
    return value


def _must_be(words: str, value: object, where: Where, *, remedy: str = "") -> Problem:
    return Problem(where, f"{title(where)} must be {words}, not {_shown(value)}.", remedy)


def _shown(value: object) -> str:
    try:
        text = repr(value)
    except ValueError:  # a number of thousands of digits
        return "that number"
    if may_hold_a_password(text):
        return "what may hold a password"
    return text if len(text) <= _MOST_SHOWN else f"{text[: _MOST_SHOWN - 1]}…"


def _table(where: Where) -> str:
    return f"[{_dotted(where)}]" if where else "a policy"


def _dotted(where: Where) -> str:
    return ".".join(
        part if _BARE_KEY.fullmatch(part) else json.dumps(part, ensure_ascii=False)
        for part in where
        if isinstance(part, str)
    )
