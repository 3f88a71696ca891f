"""What values look like, whatever their column is called: e-mail addresses, telephone and account numbers, codes.

A pattern is a regular expression; numbers with check digits are held against those as well, so that a column of
measurements with as many digits is not taken for one.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Sequence
from dataclasses import dataclass

__all__ = ["CODES", "IDENTIFIERS", "Pattern", "share_of", "vocabulary_of"]

_LETTER_VALUES = {letter: str(number) for number, letter in enumerate("ABCDEFGHIJKLMNOPQRSTUVWXYZ", 10)}


@dataclass(frozen=True)
class Pattern:
    """What a kind of value looks like."""

    what: str
    form: re.Pattern[str]
    check: Callable[[str], bool] | None = None
    """Whether its check digits are right; it is given letters and digits alone."""
    least: float = 0.8
    """The share of values from which on a column is suspected to hold them."""

    def fits(self, value: str) -> bool:
        """Whether a value looks so."""
        if not self.form.fullmatch(value):
            return False
        return self.check is None or self.check(re.sub(r"[^0-9A-Z]", "", value))


def share_of(pattern: Pattern, values: Sequence[str]) -> float:
    """The share of these values that look so."""
    return sum(map(pattern.fits, values)) / len(values) if values else 0.0


def _weighted(weights: Sequence[int], modulus: int, right: int = 0) -> Callable[[str], bool]:
    """The digits, times their weights, leave this rest."""
    return lambda digits: sum(w * int(d) for w, d in zip(weights, digits, strict=True)) % modulus == right


def _iban(value: str) -> bool:
    turned = value[4:] + value[:4]
    return int("".join(_LETTER_VALUES.get(letter, letter) for letter in turned)) % 97 == 1


def _luhn(digits: str) -> bool:
    doubled = (sum(divmod(2 * int(d), 10)) for d in digits[-2::-2])
    return (sum(map(int, digits[-1::-2])) + sum(doubled)) % 10 == 0


def _nir(digits: str) -> bool:
    return int(digits[:13]) % 97 == 97 - int(digits[13:])


def _dni(value: str) -> bool:
    number = value[:-1].translate(str.maketrans("XYZ", "012"))
    return "TRWAGMYFPDXBNJZSQVHLCKE"[int(number) % 23] == value[-1]


def _svnr(digits: str) -> bool:
    weights = (3, 7, 9, 0, 5, 8, 4, 2, 1, 6)
    return sum(w * int(d) for w, d in zip(weights, digits, strict=True)) % 11 == int(digits[3])


def _nhs(digits: str) -> bool:
    return sum(w * int(d) for w, d in zip(range(10, 1, -1), digits[:9], strict=True)) % 11 == -int(digits[9]) % 11


_INSURANCE = "numbers of an insurance or a tax office"

IDENTIFIERS = (
    Pattern("e-mail addresses", re.compile(r"[^@\s]+@[^@\s]+\.[A-Za-z]{2,}"), least=0.2),
    Pattern("IBANs", re.compile(r"[A-Z]{2}[0-9]{2}(?: ?[A-Z0-9]){11,30}"), _iban, least=0.2),
    Pattern(
        "telephone numbers",
        re.compile(
            r"(?:\+|00)[1-9](?:[ ()/.-]?[0-9]){6,14}"
            r"|\(?0[1-9][0-9]{1,4}\)?[ /-](?:[ -]?[0-9]){4,10}"
            r"|(?:\([2-9][0-9]{2}\) ?|[2-9][0-9]{2}[ .-])[0-9]{3}[ .-][0-9]{4}"
            r"|0[1-9](?:[ .][0-9]{2}){4}"
        ),
    ),
    Pattern(_INSURANCE + " (USA)", re.compile(r"[0-9]{3}-[0-9]{2}-[0-9]{4}")),
    Pattern(_INSURANCE + " (Germany)", re.compile(r"[A-Z][0-9]{9}|[0-9]{8}[A-Z][0-9]{3}")),
    Pattern(_INSURANCE + " (Austria)", re.compile(r"[1-9][0-9]{3} ?[0-3][0-9][0-1][0-9]{3}"), _svnr),
    Pattern(
        _INSURANCE + " (Switzerland)",
        re.compile(r"756\.?[0-9]{4}\.?[0-9]{4}\.?[0-9]{2}"),
        _weighted((1, 3) * 6 + (1,), 10),
    ),
    Pattern(_INSURANCE + " (France)", re.compile(r"[1-478](?: ?[0-9]){14}"), _nir),
    Pattern(_INSURANCE + " (Italy)", re.compile(r"[A-Z]{6}[0-9]{2}[A-EHLMPRST][0-9]{2}[A-Z][0-9]{3}[A-Z]")),
    Pattern(_INSURANCE + " (Spain)", re.compile(r"[XYZ0-9][0-9]{7}-?[A-Z]"), _dni),
    Pattern(
        _INSURANCE + " (United Kingdom)",
        re.compile(r"[A-CEGHJ-PR-TW-Z][A-CEGHJ-NPR-TW-Z] ?[0-9]{2} ?[0-9]{2} ?[0-9]{2} ?[A-D]"),
    ),
    Pattern("NHS numbers", re.compile(r"[0-9]{3}[ -]?[0-9]{3}[ -]?[0-9]{4}"), _nhs),
    Pattern(_INSURANCE + " (Netherlands)", re.compile(r"[0-9]{9}"), _weighted((9, 8, 7, 6, 5, 4, 3, 2, -1), 11)),
    Pattern(_INSURANCE + " (Poland)", re.compile(r"[0-9]{11}"), _weighted((1, 3, 7, 9, 1, 3, 7, 9, 1, 3, 1), 10)),
    Pattern(
        "personal numbers (Scandinavia, Czechia)",
        re.compile(
            r"(?:[0-9]{2})?[0-9]{2}[0-1][0-9][0-3][0-9][-+A][0-9]{3}[0-9A-Y]|[0-9]{2}[0-8][0-9][0-3][0-9]/[0-9]{3,4}"
        ),
    ),
    Pattern("numbers of payment cards", re.compile(r"[3-6][0-9]{3}(?:[ -]?[0-9]{4}){2}[ -]?[0-9]{3,4}"), _luhn),
    Pattern(
        "addresses of computers", re.compile(r"(?:[0-9]{1,3}\.){3}[0-9]{1,3}|(?:[0-9A-Fa-f]{2}:){5}[0-9A-Fa-f]{2}")
    ),
    Pattern(
        "unique codes made by a computer",
        re.compile(r"[0-9a-fA-F]{8}-(?:[0-9a-fA-F]{4}-){3}[0-9a-fA-F]{12}|[0-9a-f]{32}|[0-9a-f]{40}|[0-9a-f]{64}"),
    ),
)
"""Values that belong to one person."""

CODES = (
    Pattern("ICD-10 codes", re.compile(r"[A-TV-Z][0-9][0-9A-Z](?:\.[0-9A-Z]{1,4})?[-!+*]?"), least=0.95),
    Pattern(
        "ICD-9 codes",
        re.compile(r"[0-9]{3}(?:\.[0-9]{1,2})?|[0-9]{1,3}|V[0-9]{2}(?:\.[0-9]{1,2})?|E[0-9]{3}(?:\.[0-9])?"),
        least=0.95,
    ),
)

_VOCABULARIES = {
    "sex": """m f w male female man woman männlich weiblich homme femme hombre mujer masculino femenino feminino
    maschio femmina uomo donna vrouw kvinna kobieta mężczyzna herr frau boy girl""",
    "ethnic origin": """white black asian hispanic latino caucasian africanamerican amerindianeskimo asianpacislander
    nativeamerican""",
    "marital status": """single married divorced widowed separated nevermarried marriedcivspouse ledig verheiratet
    geschieden verwitwet célibataire marié mariée divorcé divorcée veuf veuve soltero casado divorciado viudo celibe
    sposato divorziato""",
    "education": """bachelor bachelors master masters doctorate phd hsgrad highschool somecollege primary secondary
    university hauptschule realschule abitur gymnasium lehre hochschule""",
}
_ALSO = frozenset(["d", "x", "divers", "other", "others", "unknown", "unbekannt", "na", "none"])
_LEAST_KNOWN = 2
_MOST_VALUES = 40


def vocabulary_of(values: Sequence[str]) -> str | None:
    """What these values are words for, if at least two of them, and half of all, are."""
    if not values or len(values) > _MOST_VALUES:
        return None
    plain = [_plain(value) for value in values]
    rest = [value for value in plain if value not in _ALSO]
    for what, words in _VOCABULARIES.items():
        known = {_plain(word) for word in words.split()}
        found = sum(value in known for value in rest)
        all_of_them = found == len(rest) if what == "sex" else 2 * found >= len(rest)
        if found >= _LEAST_KNOWN and all_of_them:
            return what
    return None


def _plain(value: str) -> str:
    letters = unicodedata.normalize("NFKD", value.lower().replace("ł", "l"))
    return "".join(letter for letter in letters if letter.isalnum())
