"""A steward's own queries, from a file.

TOML, one table per query, or JSON, one object per line (``.jsonl``, ``.json``); a query names the columns that it asks
for, and leaves out those that may have any value::

    [[query]]
    age = { from = 20, to = 39 }           # an interval of numbers, dates, or categories with an order
    sex = "female"                         # a single value
    disease = ["asthma", "pneumonia"]      # one of several values, where there is no order

    {"age": {"from": 20, "to": 39}, "sex": "female", "disease": ["asthma", "pneumonia"]}

``from`` and ``to`` belong to the interval; either may be left out.
"""

from __future__ import annotations

import json
import math
import os
import tomllib
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import polars as pl

from ..errors import PolicyError, SourceError, listed
from ..passwords import require_file_name
from ..typed import as_text
from .domains import Categories, Domain, Line
from .queries import Among, Between, Predicate, Query

__all__ = ["read_queries"]

_EXAMPLE = 'For example: {"age": {"from": 20, "to": 39}, "disease": ["asthma", "pneumonia"]}'


def read_queries(path: str | os.PathLike[str], domains: Sequence[Domain]) -> list[Query]:
    """The queries of a file, about attributes with these domains."""
    require_file_name(path)
    path = Path(path)
    try:
        text = path.read_text(encoding="utf-8-sig")  # some editors write a mark first
    except OSError as problem:
        raise SourceError(f"The file of queries {path} cannot be read: {problem.strerror}.") from problem
    except UnicodeDecodeError as problem:
        raise SourceError(f"The file of queries {path} is not UTF-8 text.") from problem
    named = {domain.name: domain for domain in domains}
    given = _from_toml(text, path) if path.suffix.lower() == ".toml" else _from_json_lines(text, path)
    if not given:
        raise PolicyError(f"The file of queries {path} holds no query.", remedy=_EXAMPLE)
    return [_query(where, query, named) for where, query in given]


def _from_toml(text: str, path: Path) -> list[tuple[str, Any]]:
    try:
        content = tomllib.loads(text)
    except tomllib.TOMLDecodeError as problem:
        raise PolicyError(f"The file of queries {path} is not valid TOML: {problem}.") from problem
    queries = content.get("query", [])
    if set(content) - {"query"} or not isinstance(queries, list):
        raise PolicyError(f"The file of queries {path} must hold tables [[query]] and nothing else.")
    return [(f"{path}, query {number}", query) for number, query in enumerate(queries, start=1)]


def _from_json_lines(text: str, path: Path) -> list[tuple[str, Any]]:
    queries = []
    for number, line in enumerate(text.splitlines(), start=1):
        if line.strip():
            try:
                queries.append((f"{path}, line {number}", json.loads(line)))
            except json.JSONDecodeError as problem:
                raise PolicyError(f"{path}, line {number} is not valid JSON: {problem}.", remedy=_EXAMPLE) from problem
    return queries


def _query(where: str, query: object, domains: dict[str, Domain]) -> Query:
    if not isinstance(query, dict):
        raise PolicyError(f"{where}: a query names columns and what they must be.", remedy=_EXAMPLE)
    unknown = [name for name in query if name not in domains]
    if unknown:
        raise PolicyError(
            f"{where} asks for {listed(unknown)}.", remedy=f"A query may ask for {listed(domains)}, as -q and -s say."
        )
    return {name: _predicate(f"{where}, {name}", asked, domains[name]) for name, asked in query.items()}


def _predicate(where: str, asked: object, domain: Domain) -> Predicate:
    try:
        return _on_line(asked, domain) if isinstance(domain, Line) else _among(asked, domain)
    except ValueError as problem:
        raise PolicyError(f"{where}: {problem}.") from None


def _on_line(asked: object, domain: Line) -> Between:
    if isinstance(asked, list):
        raise ValueError('this column has an order: ask for an interval, such as {"from": 20, "to": 39}')
    if not isinstance(asked, dict):
        return Between(domain.position(_text(asked)), domain.position(_text(asked)))
    if not asked or set(asked) - {"from", "to"}:
        raise ValueError('an interval has "from", "to" or both, and nothing else')
    low = domain.position(_text(asked["from"])) if "from" in asked else -math.inf
    high = domain.position(_text(asked["to"])) if "to" in asked else math.inf
    if low > high:
        raise ValueError("the interval ends before it begins")
    return Between(low, high)


def _among(asked: object, domain: Categories) -> Among:
    if isinstance(asked, dict):
        raise ValueError(
            'this column has no order: ask for values, such as ["a", "b"], or give its order in the policy'
        )
    texts = [_text(value) for value in (asked if isinstance(asked, list) else [asked])]
    unknown = [text for text in texts if text not in domain.code]
    if unknown:
        raise ValueError(f"nobody in the source has {listed(unknown)}")
    return Among(frozenset(domain.code[text] for text in texts))


def _text(value: object) -> str | None:
    """A value of the file as the text that a table shows."""
    if isinstance(value, list | dict):
        raise ValueError(f"{value} is no single value")
    text: str | None = as_text(pl.Series([value])).item()
    return text
