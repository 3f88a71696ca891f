"""The figures: the paper's axes, OCC to the left and SAL to the right, means as lines and every measurement's range."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from matplotlib.ticker import FuncFormatter, LogLocator, NullFormatter
from PIL import Image

from paper.results import Figure, Line, Lines
from pellucid.algorithms import NOT_TRANSPARENT
from pellucid.utility.plots import drawing, look

__all__ = ["draw"]

_COLOURS = 64


def draw(figure: Figure, lines: Lines, folder: Path) -> list[Path]:
    """Draw a figure as SVG and as PNG."""
    tables = list(dict.fromkeys(table for table, _ in lines))
    algorithms = list(dict.fromkeys(algorithm for _, algorithm in lines))
    paths = [folder / f"{figure.stem}{ending}" for ending in (".svg", ".png")]
    for path in paths:
        with drawing(path, width=8.6, height=3.3, columns=len(tables)) as (whole, panels):
            for panel, table in zip(panels, tables, strict=True):
                for algorithm in algorithms:
                    if line := lines.get((table, algorithm)):
                        _draw_line(panel, algorithm, algorithms, line)
                _dress(panel, figure, table, [line for (name, _), line in lines.items() if name == table])
            _share_scale(panels)
            handles, labels = panels[0].get_legend_handles_labels()
            whole.legend(handles, labels, loc="outside upper center", ncols=len(labels), frameon=False)
    _shrink(paths[1])
    return paths


def _shrink(picture: Path) -> None:
    """Few colours, in a quarter of the bytes: the pictures are kept in the repository."""
    with Image.open(picture) as whole:
        small = whole.convert("RGB").quantize(_COLOURS)
    small.save(picture, optimize=True)


def _draw_line(panel: Any, algorithm: str, algorithms: Sequence[str], line: Line) -> None:
    style = look(algorithm, algorithms)
    down = [point.value - min(point.values) for point in line]
    up = [max(point.values) - point.value for point in line]
    panel.errorbar(
        [point.x for point in line],
        [point.value for point in line],
        yerr=[down, up],
        label=algorithm.capitalize(),
        color=style.colour,
        marker=style.marker,
        markersize=7 if style.marker == "*" else 5,
        linestyle="--" if algorithm in NOT_TRANSPARENT else "-",
        linewidth=1.4,
        capsize=2.5,
        elinewidth=0.9,
    )


def _share_scale(panels: Sequence[Any]) -> None:
    """Both tables on one scale, so that they can be compared."""
    ends = [panel.get_ylim() for panel in panels]
    for panel in panels:
        panel.set_ylim(min(low for low, _ in ends), max(high for _, high in ends))


def _dress(panel: Any, figure: Figure, table: str, lines: Sequence[Line]) -> None:
    places = sorted({point.x for line in lines for point in line})
    panel.set_title(table, fontsize=9)
    panel.set_xlabel(figure.axis, fontstyle="italic" if len(figure.axis) < 3 else "normal")
    panel.set_ylabel(figure.quantity)
    if figure.logarithmic:
        panel.set_yscale("log")
        panel.yaxis.set_major_locator(LogLocator(subs=(1, 2, 5)))
        panel.yaxis.set_major_formatter(FuncFormatter(lambda seconds, _: f"{seconds:g}"))
        panel.yaxis.set_minor_formatter(NullFormatter())
    else:
        panel.set_ylim(bottom=0)
    if figure.number == 14:
        panel.set_xscale("log")
        panel.set_xticks([], minor=True)
    panel.set_xticks(places, [f"{place:.3g}" for place in places])
