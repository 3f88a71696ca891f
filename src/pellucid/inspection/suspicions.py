"""From what was counted in a column to what it may be. Suspicions are suggestions: the curator decides."""

from __future__ import annotations

import datetime
import math
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from .facts import Facts
from .patterns import CODES, IDENTIFIERS, share_of, vocabulary_of
from .words import Topic, topics_of

__all__ = ["AGES", "Kind", "Suspicion", "suspicions"]

Kind = Literal["identifier", "row number", "quasi-identifier", "sensitive", "code", "free text"]

BIRTHS = "dates or years of birth"
AGES = ("age", BIRTHS)
"""What says how old somebody is."""

_MANY_VALUES = 0.1
_LONG_TEXT = 40
_OLDEST = 120
_LEAST_AGES = 15
_BIRTH_YEARS = (1900, 2030)
_LEAST_YEARS = 5
_YEARS_OF_BIRTHS = 30
_INTERVAL = re.compile(r"[\[(]?[0-9]{1,3} ?(?:-|–|to|,|;) ?[0-9]{1,3}[\])]?|[<>]=? ?[0-9]{1,3}|[0-9]{1,3}\+")
_LEAST_CODES = 10
_FEW_ROWS = 20
"""In a table of fewer rows, that all values differ says little."""


@dataclass(frozen=True)
class Suspicion:
    """What a column may be, and why."""

    kind: Kind
    what: str
    """Such as "age"."""
    because: str
    """What it is based on: it may say how many values there are, and is for the curator."""
    basis: tuple[Literal["name", "values"], ...] = ("values",)

    def as_dict(self) -> dict[str, Any]:
        """The suspicion as plain values."""
        return {"kind": self.kind, "what": self.what, "because": self.because, "basis": list(self.basis)}


def suspicions(facts: Facts, *, age_is_named: bool) -> tuple[Suspicion, ...]:
    """What a column may be, the most telling first; nothing for a measured value without a telling name.

    `age_is_named` says that the table has a column named like an age: then others that look so are none.
    """
    if not facts.usable:
        return ()
    if facts.counts_rows_from is not None:
        because = f"whole numbers from {facts.low} to {facts.high} that count the rows in the order of the file"
        return (Suspicion("row number", "positions", because),)
    found = [*_by_pattern(facts)]
    by_name = [*_by_name(facts)]
    if not any(each.kind == "identifier" for each in (*found, *by_name)) and _is_free_text(facts):
        return (_free_text(facts),)  # whatever its name says: nobody can tell what stands in it
    found += by_name
    if not found and not facts.years_of_dates:
        found += _by_uniqueness(facts)
    if not any(each.kind in ("identifier", "free text") for each in found):
        said = {each.what for each in by_name} | ({"age"} if age_is_named else set())
        found += [each for each in _by_values(facts) if each.what not in said]
    return tuple(_joined([*found, *_codes(facts)]))


def _joined(found: Sequence[Suspicion]) -> Iterator[Suspicion]:
    """Each suspicion once, with all that it is based on."""
    for kind, what in dict.fromkeys((each.kind, each.what) for each in found):
        same = [each for each in found if (each.kind, each.what) == (kind, what)]
        because = "; ".join(each.because for each in same)
        yield Suspicion(kind, what, because, tuple(dict.fromkeys(basis for each in same for basis in each.basis)))


def _by_pattern(facts: Facts) -> Iterator[Suspicion]:
    """Values that look like something that only one person has."""
    if facts.type != "text" and not facts.whole:
        return
    for pattern in IDENTIFIERS:
        share = share_of(pattern, facts.texts)
        if share >= pattern.least and facts.distinct >= min(_FEW_ROWS, facts.rows / 2):
            yield Suspicion("identifier", pattern.what, f"{_share(share)} of its values look like {pattern.what}")
            return


def _by_name(facts: Facts) -> Iterator[Suspicion]:
    for topic, words in topics_of(facts.name):
        if _goes_with(topic, facts):
            because = f"its name has {words!r} in it"
            if topic.needs != "nothing":
                because += f", and {_how_different(facts)}"
            yield Suspicion(topic.role, topic.what, because, ("name",))


def _goes_with(topic: Topic, facts: Facts) -> bool:
    """Whether the values may be what the name says."""
    if topic.role == "identifier" and _is_measured(facts):
        return False
    if topic.needs == "many values":
        return facts.distinct >= max(2, _MANY_VALUES * facts.present)
    return topic.needs == "nothing" or facts.near_unique


def _by_uniqueness(facts: Facts) -> Iterator[Suspicion]:
    """Columns in which nearly every value is another. Measurements are so as well, and no identifiers."""
    if not facts.near_unique or facts.type not in ("text", "whole number", "number") or _is_measured(facts):
        return
    if facts.type == "text" or (facts.all_different and facts.present >= _FEW_ROWS):
        yield Suspicion("identifier", "nearly unique values", _how_different(facts))


def _is_free_text(facts: Facts) -> bool:
    """Long texts that hardly repeat: notes, letters, answers in words of one's own."""
    return facts.type == "text" and 2 * facts.distinct > facts.present and _mean_length(facts) >= _LONG_TEXT


def _free_text(facts: Facts) -> Suspicion:
    length = f"texts of {_mean_length(facts):.0f} letters on average"
    return Suspicion("free text", "free text", f"{length}, and {_how_different(facts)}: they may name people")


def _is_measured(facts: Facts) -> bool:
    """Numbers with decimals: nearly all different because they are measured finely, not because they name people."""
    return facts.type in ("number", "duration", "yes or no") and not facts.whole


def _by_values(facts: Facts) -> Iterator[Suspicion]:
    """Values that look like something that others may know about a person."""
    if facts.type in ("date", "date and time"):
        what = BIRTHS if _are_births(facts) else "dates that others may know"
        span = "" if facts.low is None else f" from {_day(facts.low)} to {_day(facts.high)}"
        yield Suspicion("quasi-identifier", what, f"dates{span}")
    elif years := facts.years_of_dates:
        what = BIRTHS if years[-1] - years[0] > _YEARS_OF_BIRTHS else "dates that others may know"
        yield Suspicion("quasi-identifier", what, "dates, but kept as text")
    elif facts.whole and _BIRTH_YEARS[0] <= facts.low and facts.high <= _BIRTH_YEARS[1]:
        if facts.distinct >= _LEAST_YEARS:
            yield Suspicion(
                "quasi-identifier", "years", f"whole numbers from {facts.low} to {facts.high}, as years are"
            )
    elif facts.whole and _are_ages(facts):
        because = f"whole numbers from {facts.low} to {facts.high}, nearly all of them in use, as ages are"
        yield Suspicion("quasi-identifier", "age", because)
    elif facts.type == "text" and facts.all_shown:
        if facts.distinct >= 3 and all(_INTERVAL.fullmatch(text) for text in facts.texts):
            yield Suspicion("quasi-identifier", "age", "intervals of numbers up to three digits, as groups of ages are")
        elif (words_for := vocabulary_of(facts.texts)) is not None:
            yield Suspicion("quasi-identifier", words_for, f"many of its values are words for {words_for}")


def _are_ages(facts: Facts) -> bool:
    """Whole numbers within a life, nearly without gaps, that reach from the young to the old."""
    span = facts.high - facts.low + 1
    within = facts.low >= 0 and 60 <= facts.high <= _OLDEST
    return bool(within and facts.distinct >= max(_LEAST_AGES, 0.75 * min(span, facts.present)))


def _are_births(facts: Facts) -> bool:
    """Dates that spread over more than thirty years."""
    return facts.low is not None and bool((facts.high - facts.low) > datetime.timedelta(days=_YEARS_OF_BIRTHS * 365))


def _codes(facts: Facts) -> Iterator[Suspicion]:
    """Codes that look like numbers, or are those of diseases: their arithmetic means nothing."""
    texts = facts.texts
    if facts.type == "text" and all(text.isascii() and text.isdigit() for text in texts):
        reason = "with leading zeros, which numbers have not" if any(_leads(text) for text in texts) else "kept as text"
        yield Suspicion("code", "digits", f"all of its values are digits, {reason}")
    elif facts.type == "text" and _LEAST_CODES <= facts.distinct <= facts.present / 2:
        for pattern in CODES:
            if share_of(pattern, texts) >= pattern.least and any(pattern.fits(t) and not t.isdigit() for t in texts):
                because = f"{_share(share_of(pattern, texts))} of its values look like {pattern.what}"
                yield Suspicion("sensitive", "health", because)
                yield Suspicion("code", pattern.what, because)
                return
    elif facts.whole and _has_one_width(facts):
        because = f"all of its values have {len(str(facts.low))} digits, and they repeat"
        yield Suspicion("code", "digits", because)


def _leads(text: str) -> bool:
    return len(text) > 1 and text.startswith("0")


def _has_one_width(facts: Facts) -> bool:
    """Numbers of at least four digits, all of one length, few and far apart: codes rather than amounts."""
    if facts.low < 0 or facts.high <= _BIRTH_YEARS[1] or facts.distinct < 3 or 4 * facts.distinct > facts.present:
        return False
    width = len(str(facts.high))
    return bool(width >= 4 and len(str(facts.low)) == width and facts.distinct < (facts.high - facts.low) / 4)


def _how_different(facts: Facts) -> str:
    if facts.all_different:
        return "every value is another"
    return f"{_share(facts.distinct / facts.present)} of its values are different"


def _mean_length(facts: Facts) -> float:
    return sum(map(len, facts.texts)) / max(1, len(facts.texts))


def _share(share: float) -> str:
    return "all" if share == 1 else f"{math.floor(100 * share)} %"


def _day(moment: datetime.date) -> str:
    return moment.isoformat()[:10]
