"""From a model to a page: the templates, and how numbers look in them.

A page is one file. Its policy (Content-Security-Policy) forbids everything but its own style sheet, which it knows by
its hash: should a text ever escape the escaping, the browser still runs and loads nothing.
"""

from __future__ import annotations

import base64
import hashlib
from functools import cache
from importlib.resources import files

from jinja2 import Environment, PackageLoader, StrictUndefined
from markupsafe import Markup

from ..shown import printable
from ..version import __version__

__all__ = ["clipped", "number", "page", "percent"]

_LONGEST = 120
_MOST_READABLE = 1e15


def page(template: str, **model: object) -> str:
    """The page of a template. The same model makes the same page: there is no time and no machine in it."""
    return _environment().get_template(template).render(model)


@cache
def _environment() -> Environment:
    environment = Environment(
        loader=PackageLoader(__package__),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
    )
    environment.filters |= {"clipped": clipped, "number": number, "percent": percent}
    style = (files(__package__) / "templates" / "style.css").read_text(encoding="utf-8")
    digest = base64.b64encode(hashlib.sha256(style.encode()).digest()).decode()
    environment.globals |= {"style": Markup(style), "style_hash": digest, "version": __version__}  # noqa: S704 - ours
    return environment


def number(value: float) -> str:
    """A number with commas, and no more digits than somebody reads."""
    if abs(value) >= _MOST_READABLE:
        return f"{value:.3g}"
    if value == int(value):
        return f"{int(value):,}"
    return f"{value:,.0f}" if abs(value) >= 1000 else f"{value:,.3g}"


def percent(share: float) -> str:
    """A share in percent."""
    text = f"{share:.1%}"
    if share > 0 and text == "0.0%":
        return "under 0.1%"
    return "over 99.9%" if share < 1 and text == "100.0%" else text.replace(".0%", "%")


def clipped(value: object) -> str:
    """A cell as text that can be seen, cut where it would fill the page; a missing value has a word of its own."""
    text = "(missing)" if value is None else printable(str(value))
    return text if len(text) <= _LONGEST else f"{text[: _LONGEST - 1]}…"
