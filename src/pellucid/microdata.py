"""From a table and a policy to the integers that the algorithms read: all the encoding.

Every attribute becomes codes, the ranks of its values in their order; every row stands at the rank of its
identifier, so that "the smaller identifier" (Def. 9 and 11) is "the smaller row number". Orders come from the policy
or from the values themselves, never from the sensitive column or from the order of the file (G1, G2).
"""

from __future__ import annotations

import difflib
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
import polars as pl

from .attributes import AttributeSettings
from .draws import Draws, secret_order
from .errors import MicrodataError, listed
from .grids import in_steps
from .hierarchies import Subtrees
from .joint import combined_texts
from .packing import Integers, number_combinations
from .policy import Policy
from .runs import side_by_side
from .settings import Grid, Style
from .sources.moments import no_moment
from .typed import as_text, in_the_calendar, infer_type

__all__ = ["Attribute", "Codes", "Microdata", "codes_of", "encode", "require_plain"]

Codes = npt.NDArray[np.unsignedinteger]
"""In the narrowest of 8, 16 and 32 bits."""

Ticks = npt.NDArray[np.uint64]

_MOST_ROWS = 2**32 - 2
_GRID = 2.0**32
_MOST_DECIMALS = 6
_MOST_LISTED = 40
_EXACT = 2.0**52
"""Below this, every whole number is a floating-point number."""


@dataclass(frozen=True, eq=False)
class Attribute:
    """One column: its distinct values in order, and the rank of each row's value among them."""

    name: str
    values: pl.Series
    """The distinct values, smallest first; a missing value, where it is a category, before all others."""
    codes: Codes
    ordered: bool
    """Whether an interval of values means something; without an order a group publishes the set of its values."""
    ticks: Ticks
    """Where each value stands on the attribute's line, in whole numbers from 0: the widths of Eq. 4."""
    style: Style
    """How a group's values are published."""
    ends: pl.Series
    """The last of what each value stands for: the value itself, but for the steps of a grid."""
    subtrees: Subtrees | None = None
    """The hierarchy over the values, if there is one."""
    parts: tuple[pl.Series, ...] = ()
    """Where several columns are one value (`joint`): for each of them, by its name, what every value is in it."""

    @property
    def columns(self) -> tuple[pl.Series, ...]:
        """What the values are in the columns that they stand in: mostly one."""
        return self.parts or (self.values.alias(self.name),)


@dataclass(frozen=True, eq=False)
class Microdata:
    """The table T: d QI attributes and the sensitive attribute, one row per person, in the order of identifiers."""

    attributes: tuple[Attribute, ...]
    sensitive: Attribute
    columns: tuple[str, ...]
    """The names of both, in the order of the source."""
    dropped_rows: int
    """How many rows with missing values were left out at the policy's word. For the curator only (G8)."""

    def __len__(self) -> int:
        return len(self.sensitive.codes)

    def sensitive_counts(self) -> npt.NDArray[np.int64]:
        """How often each sensitive value occurs."""
        return np.bincount(self.sensitive.codes, minlength=len(self.sensitive.values)).astype(np.int64)


def encode(table: pl.DataFrame, policy: Policy, draws: Draws, *, untyped: bool) -> Microdata:
    """Encode a table. `untyped` says that its columns are texts of a text file, whose types are to be inferred."""
    if table.height == 0:
        raise MicrodataError("The table has no rows.", remedy="There is nothing to publish.")
    require_plain(table)
    table = table.with_columns(pl.selectors.float().fill_nan(None))
    table, dropped = _handle_missing(table, policy)
    if table.height > _MOST_ROWS:
        raise MicrodataError(f"The table has {table.height} rows; {_MOST_ROWS} are the most.")
    order = _identifier_order(table, policy, draws, untyped=untyped)
    names = (*policy.quasi_identifiers, *policy.sensitive_columns)
    attributes = side_by_side(
        lambda name: _attribute(table[name], order, policy.of_column(name), untyped=untyped), names
    )
    qi = len(policy.quasi_identifiers)
    return Microdata(
        attributes=tuple(attributes[:qi]),
        sensitive=_as_one(attributes[qi:]),
        columns=tuple(name for name in table.columns if name in names),
        dropped_rows=dropped,
    )


def _as_one(attributes: Sequence[Attribute]) -> Attribute:
    """Several columns as one value: their combination. Its order is theirs, the first one first, if all have one."""
    if len(attributes) == 1:
        return attributes[0]
    row_of_value, codes = number_combinations(
        [attribute.codes for attribute in attributes], [len(attribute.values) for attribute in attributes]
    )
    parts = tuple(
        attribute.values.gather(pl.Series(attribute.codes[row_of_value])).alias(attribute.name)
        for attribute in attributes
    )
    texts = combined_texts(parts)
    return Attribute(
        name=texts.name,
        values=texts,
        codes=codes.astype(_narrowest(len(texts))),
        ordered=all(attribute.ordered for attribute in attributes),
        ticks=np.arange(len(texts), dtype=np.uint64),
        style="set",
        ends=texts,
        parts=parts,
    )


def require_plain(table: pl.DataFrame) -> None:
    """Refuse columns of lists, structs, bytes and the like: their values cannot be compared and written as one.

    And dates that no file can say in four digits and Python cannot hold, whatever source they come from.
    """
    for name, dtype in table.schema.items():
        if not in_the_calendar(table[name]):
            raise no_moment(name, "date" if dtype == pl.Date else "datetime")
        if dtype.is_nested() or dtype in (pl.Binary, pl.Object, pl.Null) or isinstance(dtype, pl.BaseExtension):
            raise MicrodataError(
                f"The column {name!r} holds {dtype}, which has no single values to compare.",
                remedy="Turn it into text or numbers, or drop it.",
            )


def _handle_missing(table: pl.DataFrame, policy: Policy) -> tuple[pl.DataFrame, int]:
    """Missing values are an error, a category of their own, or reason to leave the row out: the policy says."""
    missing = {name: count for name, count in table.null_count().row(0, named=True).items() if count}
    if policy.missing == "drop":
        kept = table.drop_nulls()
        if kept.height == 0:
            raise MicrodataError("Every row has a missing value; without those rows nothing is left.")
        return kept, table.height - kept.height
    if policy.missing == "category" and policy.identifier not in missing:
        return table, 0
    if missing:
        where = ", ".join(f"{count} in {name!r}" for name, count in missing.items())
        remedy = (
            "Everybody needs an identifier: give one to those who have none, or leave these rows out with"
            ' missing = "drop" in the policy (--missing drop).'
            if policy.identifier in missing
            else 'With missing = "category" in the policy (--missing category), "missing" becomes a value of its own;'
            ' with missing = "drop", these rows are left out.'
        )
        raise MicrodataError(f"There are missing values: {where}.", remedy=remedy)
    return table, 0


def _identifier_order(
    table: pl.DataFrame, policy: Policy, draws: Draws, *, untyped: bool
) -> npt.NDArray[np.int64] | npt.NDArray[np.uint32]:
    """The rows in the order of their identifiers; without identifiers, in a random and secret order (G2)."""
    if policy.identifier is None:
        return secret_order(draws.keys("order of rows without identifier", table.height))
    column = _without_dictionary(table[policy.identifier])
    if untyped:
        column = infer_type(column)
    repeated = column.len() - column.n_unique()
    if repeated:
        raise MicrodataError(
            f"The identifier {policy.identifier!r} does not tell people apart: {repeated} of {column.len()} rows"
            " repeat one that occurs before.",
            remedy="The guarantee is for one row per person: keep one row each (or join their values into one), or"
            " name the column that is different for everybody.",
        )
    return column.arg_sort().to_numpy()


def _attribute(
    column: pl.Series,
    rows: npt.NDArray[np.int64] | npt.NDArray[np.uint32],
    settings: AttributeSettings,
    *,
    untyped: bool,
) -> Attribute:
    ranks: Integers
    values, ranks = _distinct(column, untyped=untyped, listed=settings.listed is not None)
    ordered = settings.listed is not None or values.dtype != pl.String
    if settings.listed is not None:
        place = _places(values, settings, column.name)
        by_place = np.argsort(place)
        ranks = np.argsort(by_place).astype(np.uint32)[ranks]
        values = values.gather(by_place)
        ticks = (place[by_place] - place.min()).astype(np.uint64)
        ends = values
    elif settings.grid is not None:
        values, ends, ranks, ticks = _in_steps(values, ranks, settings.grid)
    else:
        ticks = _ticks(values)
        ends = values
    style = settings.style_where(ordered=ordered)
    if style == "range" and not ordered:
        raise MicrodataError(
            f"Ranges of {column.name!r} mean nothing: it holds texts without an order.",
            remedy="Give their order in the policy file, or a hierarchy, or take the style out.",
        )
    codes: Codes = np.asarray(ranks, dtype=_narrowest(len(values)))
    return Attribute(
        name=column.name,
        values=values,
        codes=codes.take(rows),
        ordered=ordered,
        ticks=ticks,
        style=style,
        ends=ends,
        subtrees=None if settings.hierarchy is None else settings.hierarchy.subtrees(as_text(values).to_list()),
    )


def _in_steps(values: pl.Series, ranks: Codes, grid: Grid) -> tuple[pl.Series, pl.Series, Integers, Ticks]:
    """The steps that values lie in, the last of each, the step of every row, and where it stands."""
    present = values.drop_nulls()
    if present.is_empty():
        return values, values, ranks, _ticks(values)
    steps = in_steps(present, grid)
    if len(present) == len(values):
        return steps.low, steps.high, steps.step_of_value[ranks], steps.place
    step_of_value = np.append(0, steps.step_of_value + 1)
    place = np.append(np.zeros(1, np.uint64), steps.place + np.uint64(1))
    return _null_first(steps.low), _null_first(steps.high), step_of_value[ranks], place


def _narrowest(values: int) -> type[np.uint8 | np.uint16 | np.uint32]:
    if values <= 2**8:
        return np.uint8
    return np.uint16 if values <= 2**16 else np.uint32


def _distinct(column: pl.Series, *, untyped: bool, listed: bool) -> tuple[pl.Series, Codes]:
    """The distinct values in order, null first, and the rank of every row's value among them.

    `listed` says that the policy lists them, as a text file shows them.
    """
    dtype = column.dtype
    if dtype == pl.Boolean:
        values, ranks = _distinct_numbers(column.cast(pl.UInt8))
    elif dtype.is_temporal() or (dtype.is_integer() and dtype not in (pl.Int128, pl.UInt128)):
        values, ranks = _distinct_numbers(column.to_physical())
    elif dtype.is_float():
        values, ranks = _distinct_numbers(column.cast(pl.Float64))
    else:
        return _distinct_by_dictionary(column, untyped=untyped, listed=listed)
    return values.cast(dtype), ranks


def _distinct_numbers(column: pl.Series) -> tuple[pl.Series, Codes]:
    present = column.drop_nulls().to_numpy()
    has_nulls = len(present) < len(column)
    shift = int(has_nulls)
    low, high = (present.min(), present.max()) if len(present) else (0, -1)
    if present.dtype.kind in "iu" and int(high) - int(low) <= max(2**16, 4 * len(present)):
        # In 32-bit words the difference is right even where a narrower one would overflow.
        offsets = present.astype(np.uint32) - np.uint32(int(low) % 2**32)
        occurs = np.zeros(int(high) - int(low) + 1, dtype=bool)
        occurs[offsets] = True
        found = np.flatnonzero(occurs).astype(present.dtype) + low
        width = _narrowest(len(found) + shift)
        ranks = (np.cumsum(occurs) - 1 + shift).astype(width)[offsets]
    else:
        # Adding zero makes -0.0, which equals 0.0, look like it.
        found, inverse = np.unique(present + present.dtype.type(0), return_inverse=True)
        width = _narrowest(len(found) + shift)
        ranks = (inverse + shift).astype(width)
    values = pl.Series(column.name, found, dtype=column.dtype)
    if not has_nulls:
        return values, ranks
    all_ranks = np.zeros(len(column), dtype=width)
    all_ranks[column.is_not_null().to_numpy()] = ranks
    return _null_first(values), all_ranks


def _distinct_by_dictionary(column: pl.Series, *, untyped: bool, listed: bool) -> tuple[pl.Series, Codes]:
    """Texts, categories and decimals: work on a dictionary of the distinct ones."""
    dtype = column.dtype
    if not isinstance(dtype, pl.Categorical | pl.Enum):
        column = column.cast(pl.String).cast(pl.Categorical(pl.Categories.random()))
    entries = _occurring(column.drop_nulls().to_physical().to_numpy())
    texts = pl.Series(column.name, entries).cat.to(column.dtype).cast(pl.String)
    typed = texts.cast(pl.String if isinstance(dtype, pl.Categorical | pl.Enum) else dtype)
    if untyped:
        inferred = infer_type(typed)
        # 250.00 in a list of codes is not 250.0, though both are the same number.
        typed = typed if listed and not as_text(inferred).equals(typed) else inferred
    values = typed.unique().sort()
    shift = int(column.has_nulls())
    rank_of = np.zeros(int(entries.max(initial=0)) + 1, dtype=_narrowest(len(values) + shift))
    rank_of[entries] = values.search_sorted(typed).to_numpy() + shift
    ranks = rank_of[column.to_physical().fill_null(0).to_numpy()]
    if not shift:
        return values, ranks
    ranks[column.is_null().to_numpy()] = 0
    return _null_first(values), ranks


def _occurring(codes: Codes) -> Codes:
    """The codes that occur, smallest first."""
    occurs = np.zeros(int(codes.max(initial=0)) + 1, dtype=bool)
    occurs[codes] = True
    return np.flatnonzero(occurs).astype(np.uint32)


def _null_first(values: pl.Series) -> pl.Series:
    return pl.concat([pl.Series(values.name, [None], dtype=values.dtype), values])


def _without_dictionary(column: pl.Series) -> pl.Series:
    return column.cast(pl.String) if isinstance(column.dtype, pl.Categorical | pl.Enum) else column


def _places(values: pl.Series, settings: AttributeSettings, name: str) -> npt.NDArray[np.int64]:
    """The place of each value in the policy's order; a missing value stands before all of them."""
    places = {text: place for place, text in enumerate(settings.listed or ())}
    texts = as_text(values).to_list()
    unknown = [text for text in texts if text is not None and text not in places]
    if unknown and settings.hierarchy is not None:
        raise MicrodataError(
            f"The hierarchy of {name!r} has no line for {listed(unknown, most=_MOST_LISTED)}.",
            remedy="Add a line for each of them: the value, its ancestors and the root.",
        )
    if unknown:
        raise MicrodataError(
            f"The order of {name!r} does not say where {listed(unknown)} stand{'s' if len(unknown) == 1 else ''}.",
            remedy="List every value of the column.",
        )
    return np.array([-1 if text is None else places[text] for text in texts], dtype=np.int64)


def codes_of(attribute: Attribute, texts: Sequence[str]) -> list[int]:
    """The codes of values that are given as a text file shows them."""
    code_of = {text: code for code, text in enumerate(as_text(attribute.values).to_list())}
    for text in texts:
        if text not in code_of:
            near = difflib.get_close_matches(text, [known for known in code_of if known is not None], n=3)
            raise MicrodataError(
                f"No row has {text!r} in {attribute.name!r}.", remedy=f"Did you mean {listed(near)}?" if near else ""
            )
    return [code_of[text] for text in texts]


def _ticks(values: pl.Series) -> Ticks:
    """The values on a line of whole numbers from 0; a missing value stands one tick before the smallest."""
    present = values.drop_nulls()
    missing = len(values) - len(present)
    if present.is_empty():
        return np.zeros(missing, dtype=np.uint64)
    line = _line(present)
    if not missing:
        return line
    if line[-1] == np.iinfo(np.uint64).max:
        line = line >> np.uint64(1)
    return np.concatenate([np.zeros(1, np.uint64), line + np.uint64(1)])


def _line(values: pl.Series) -> Ticks:
    dtype = values.dtype
    if dtype.is_float():
        return _line_of_floats(values)
    if dtype.is_decimal() or dtype in (pl.Int128, pl.UInt128):
        # Python's decimals would be rounded to as many digits as the thread's context says.
        whole = values.to_physical().to_list()
        shift = max(0, (whole[-1] - whole[0]).bit_length() - 62)
        return np.array([(value - whole[0]) >> shift for value in whole], dtype=np.uint64)
    if dtype.is_integer() or dtype.is_temporal():
        whole_numbers = values.to_physical().to_numpy()
        # In 64-bit words the difference is right even where the signed one would overflow.
        line: Ticks = np.asarray(whole_numbers, dtype=f"{whole_numbers.dtype.kind}8").view(np.uint64)
        distance: Ticks = line - line[0]
        return distance
    return np.arange(len(values), dtype=np.uint64)


def _line_of_floats(values: pl.Series) -> Ticks:
    """Numbers with few decimals stand on exact multiples of 0.1, 0.01, ..; others on a grid of 2**32 steps.

    Every operation rounds correctly and keeps the order, so the line is the same on every machine.
    """
    numbers = values.cast(pl.Float64).to_numpy()
    if not np.isfinite(numbers).all():
        raise MicrodataError(
            f"The column {values.name!r} holds infinite numbers, which stand nowhere on a line of numbers.",
            remedy="Replace them, leave those rows out, or turn the column into text.",
        )
    for decimals in range(_MOST_DECIMALS + 1):
        if np.abs(numbers).max() * 10.0**decimals >= _EXACT:
            break
        whole = np.rint(numbers * 10.0**decimals)
        if np.array_equal(whole / 10.0**decimals, numbers):
            exact: Ticks = (whole - whole[0]).astype(np.uint64)
            return exact
    halves = numbers / 2 - numbers[0] / 2  # their difference itself may be too large
    line: Ticks = np.zeros(len(numbers), dtype=np.uint64)
    if halves[-1] > 0:
        line = np.floor(halves / halves[-1] * _GRID).astype(np.uint64)
    return line
