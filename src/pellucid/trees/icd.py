"""Hierarchies of diagnoses: ICD-9-CM and ICD-10 codes, from the code to the chapter.

A code stands under what it begins with up to the first place behind the point, then under its category (three
places; E and three digits for external causes in ICD-9), then under the chapter of the classification.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterable, Mapping, Sequence
from operator import itemgetter
from typing import Literal, NamedTuple

from ..errors import HierarchyError
from ..hierarchies import Hierarchy
from .column import Column, Values

__all__ = ["by_icd"]

_CODE = {
    9: re.compile(r"(?:(V[0-9]{2}|E[0-9]{3}|[0-9]{3})\.?([0-9]{0,2})|([0-9]{1,2})(?:\.([0-9]{1,2}))?)"),
    10: re.compile(r"([A-Z][0-9][0-9A-Z])\.?([0-9A-Z]{0,4})"),
}
"""Without a point, or with one; in ICD-9 with leading zeros, or without them if what is left is clear."""

_CHAPTERS: Mapping[int, Sequence[tuple[str, str, str]]] = {
    9: (
        ("001", "139", "Infections and parasites"),
        ("140", "239", "Neoplasms"),
        ("240", "279", "Endocrine, nutrition, metabolism, immunity"),
        ("280", "289", "Blood"),
        ("290", "319", "Mental disorders"),
        ("320", "389", "Nervous system and senses"),
        ("390", "459", "Circulation"),
        ("460", "519", "Respiration"),
        ("520", "579", "Digestion"),
        ("580", "629", "Genitals and urinary tract"),
        ("630", "679", "Pregnancy and childbirth"),
        ("680", "709", "Skin"),
        ("710", "739", "Muscles, bones, connective tissue"),
        ("740", "759", "Congenital anomalies"),
        ("760", "779", "Perinatal conditions"),
        ("780", "799", "Symptoms and ill-defined conditions"),
        ("800", "999", "Injury and poisoning"),
        ("E000", "E999", "External causes"),
        ("V01", "V91", "Contact with health services"),
    ),
    10: (
        ("A00", "B99", "Infections and parasites"),
        ("C00", "D49", "Neoplasms"),
        ("D50", "D89", "Blood and immunity"),
        ("E00", "E90", "Endocrine, nutrition, metabolism"),
        ("F00", "F99", "Mental and behavioural disorders"),
        ("G00", "G99", "Nervous system"),
        ("H00", "H59", "Eye"),
        ("H60", "H95", "Ear"),
        ("I00", "I99", "Circulation"),
        ("J00", "J99", "Respiration"),
        ("K00", "K95", "Digestion"),
        ("L00", "L99", "Skin"),
        ("M00", "M99", "Muscles, bones, connective tissue"),
        ("N00", "N99", "Genitals and urinary tract"),
        ("O00", "O9A", "Pregnancy and childbirth"),
        ("P00", "P96", "Perinatal conditions"),
        ("Q00", "Q99", "Congenital anomalies"),
        ("R00", "R99", "Symptoms and ill-defined conditions"),
        ("S00", "T98", "Injury and poisoning"),
        ("U00", "U99", "Special purposes"),
        ("V00", "Y99", "External causes"),
        ("Z00", "Z99", "Contact with health services"),
    ),
}
"""First and last category of every chapter, and what it is about; in ICD-10, wide enough for its national versions."""


class _Diagnosis(NamedTuple):
    category: str
    more: str
    """What stands behind the point."""
    chapter: str


def by_icd(values: Values, *, edition: Literal[9, 10], apart: Iterable[str] = ()) -> Hierarchy:
    """Diagnoses under their category and chapter: 401.9, 401*, `390-459 Circulation`; 250.83 under 250.8* first."""
    if edition not in _CODE:
        raise HierarchyError(f"There are editions 9 and 10 of the ICD here, not {edition!r}.")
    column = Column.of(values, apart)
    read = {text: _diagnosis(text, edition) for text in column.texts}
    column.refuse((text for text, code in read.items() if code is None), f"no code of ICD-{edition}")
    codes = [code for code in read.values() if code is not None]
    levels = [[code.chapter for code in codes]]
    if any(code.more for code in codes):
        levels.insert(0, [f"{code.category}*" for code in codes])
    if any(len(code.more) > 1 for code in codes):
        places = zip(column.texts, codes, strict=True)
        levels.insert(0, [f"{code.category}.{code.more[0]}*" if code.more else text for text, code in places])
    return column.hierarchy(codes, levels)


def _diagnosis(text: str, edition: int) -> _Diagnosis | None:
    found = _CODE[edition].fullmatch(text.strip().upper())
    if found is None:
        return None
    category, more, *short = (part or "" for part in found.groups())
    if not category:
        category, more = short[0].zfill(3), short[1]
    chapters = _CHAPTERS[edition]
    # In the order of texts, digits stand before letters.
    first, last, about = chapters[max(0, bisect_right(chapters, category, key=itemgetter(0)) - 1)]
    return _Diagnosis(category, more, f"{first}-{last} {about}") if first <= category <= last else None
