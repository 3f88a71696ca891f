"""Figures, by matplotlib, which is an extra.

Colours are those of Okabe and Ito, which people with any colour vision can tell apart; each algorithm keeps its
own in every figure, and has a marker of its own for print without colours.
"""

from __future__ import annotations

import importlib
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from ..errors import MissingExtraError, PolicyError, TargetError, listed
from ..passwords import require_file_name
from ..sources.targets import explained
from .comparison import Comparison, Score

if TYPE_CHECKING:
    from matplotlib.figure import Figure

__all__ = ["ENDINGS", "Look", "drawing", "look", "plot_comparison", "require_plot"]

ENDINGS: Final = (".svg", ".png", ".pdf")
_SETTINGS: Final[Mapping[str, Any]] = {
    "font.size": 9,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.grid": True,
    "axes.axisbelow": True,
    "grid.color": "#e4e4e4",
    "svg.hashsalt": "pellucid",  # the same figure is the same file
    "svg.fonttype": "none",  # words that can be read aloud and searched, in half of the bytes
}


class Look(NamedTuple):
    """How an algorithm looks in every figure."""

    colour: str
    marker: str


_LOOKS: Final[Mapping[str, Look]] = {
    "weave": Look("#000000", "*"),
    "hybrid": Look("#0072b2", "o"),
    "tailor": Look("#009e73", "^"),
    "ace": Look("#e69f00", "s"),
    "mondrian": Look("#d55e00", "D"),
    "mask": Look("#cc79a7", "v"),
}
_OTHERS: Final = (Look("#56b4e9", "P"), Look("#8c8c8c", "X"), Look("#b8a000", "h"))


def look(algorithm: str, algorithms: Sequence[str]) -> Look:
    """The colour and the marker of an algorithm."""
    others = [name for name in algorithms if name not in _LOOKS]
    return _LOOKS[algorithm] if algorithm in _LOOKS else _OTHERS[others.index(algorithm) % len(_OTHERS)]


def require_plot(path: Path) -> None:
    """Refuse a figure that cannot be made, before any work is done."""
    require_file_name(path)
    if path.suffix.lower() not in ENDINGS:
        raise PolicyError(
            f"{path} has the ending {path.suffix!r}, which is no figure.", remedy=f"Use {listed(ENDINGS)}."
        )
    if not path.parent.is_dir():
        raise TargetError(f"There is no folder {path.parent}.", remedy="Create it first.")
    _matplotlib("figure")


def _matplotlib(module: str) -> Any:
    try:
        return importlib.import_module(f"matplotlib.{module}")
    except ImportError:
        raise MissingExtraError("Figures need matplotlib.", extra="plots") from None


@contextmanager
def drawing(
    path: Path, *, width: float, height: float, columns: int, title: str = ""
) -> Iterator[tuple[Figure, list[Any]]]:
    """A figure in inches with panels side by side, to be drawn on; it is written at the end.

    The ending of the path is the format. Neither time nor version is in the file.
    """
    require_plot(path)
    figures, style = _matplotlib("figure"), _matplotlib("style")
    stamp = {".svg": {"Date": None, "Creator": None}, ".png": {"Software": None}, ".pdf": {"CreationDate": None}}
    with style.context(dict(_SETTINGS)):
        figure = figures.Figure(figsize=(width, height), layout="constrained")
        yield figure, list(figure.subplots(1, columns, squeeze=False)[0])
        if title:
            figure.suptitle(title, fontsize=9)
        with explained(path):
            figure.savefig(path, dpi=150, metadata=stamp[path.suffix.lower()])


def plot_comparison(comparison: Comparison, path: Path) -> bool:
    """Bars for utility, time, memory and group size, one per algorithm that came to a result; False if none did."""
    done = [(c.algorithm, c.outcome) for c in comparison.candidates if isinstance(c.outcome, Score)]
    if not done:
        return False
    names = [name for name, _ in done]
    hatches = ["" if c.transparent else "///" for c in comparison.candidates if isinstance(c.outcome, Score)]
    panels: list[tuple[str, str, list[float]]] = [
        ("average error of a query", "%", [100 * score.errors.workload for _, score in done]),
        ("average group", "rows", [score.average_group for _, score in done]),
        ("time", "s", [score.seconds for _, score in done]),
        ("peak memory", "MB", [(score.peak_memory or 0) / 1e6 for _, score in done]),
    ]
    title = (
        f"{comparison.rows:,} rows, l = {comparison.diversity}, qd = {comparison.dimensionality},"
        f" s = {comparison.selectivity:.3g}."
        + (" Hatched: not transparent." if any(hatches) else "")
        + " Not for release."
    )
    height = 0.9 + 0.32 * max(len(done), 2)
    with drawing(path, width=11, height=height, columns=len(panels), title=title) as (_, axes):
        for panel, (what, unit, values) in zip(axes, panels, strict=True):
            colours = [look(name, names).colour for name in names]
            bars = panel.barh(names, values, color=colours, edgecolor="white", linewidth=0, hatch=hatches, height=0.62)
            panel.bar_label(bars, [f"{value:,.3g}" if value < 1000 else f"{value:,.0f}" for value in values], padding=3)
            panel.set_xlabel(f"{what}, {unit}")
            panel.margins(x=0.28)
            panel.grid(axis="y", visible=False)
            panel.invert_yaxis()
            panel.tick_params(labelleft=panel is axes[0], left=False)
    return True
