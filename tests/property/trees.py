"""Hierarchies that Hypothesis thinks of."""

from __future__ import annotations

from hypothesis import strategies as st

__all__ = ["Rows", "trees"]

Rows = list[tuple[str, ...]]

_NAMES = st.text(st.sampled_from(' ,;"[]{}*\\\n\r\t=+0123nul-éßЖ漢'), min_size=1, max_size=5) | st.sampled_from(
    ["null", "[1, 2]", "2020-01-01", "007"]
)


@st.composite
def trees(draw: st.DrawFn, *, most_values: int = 12, values: st.SearchStrategy[str] = _NAMES) -> Rows:
    """The rows of a tree of even depth, in any order; a node with one child may be called like it."""
    leaves = draw(st.lists(values, min_size=1, max_size=most_values, unique=True))
    rows: list[list[str]] = [[leaf] for leaf in leaves]
    taken = set(leaves)
    levels = draw(st.integers(0, 3))
    for level in range(levels + 1):
        # Children get parents by number, so that siblings are scattered over the lines.
        below = sorted({row[-1] for row in rows})
        most = 1 if level == levels else len(below)
        parent_of = {node: draw(st.integers(1, most)) for node in below}
        children = {number: [node for node in below if parent_of[node] == number] for number in parent_of.values()}
        name_of = {}
        for number, nodes in sorted(children.items()):
            alike = len(nodes) == 1 and draw(st.booleans())
            name_of[number] = nodes[0] if alike else draw(_NAMES.filter(lambda name: name not in taken))
            taken.add(name_of[number])
        for row in rows:
            row.append(name_of[parent_of[row[-1]]])
    return draw(st.permutations([tuple(row) for row in rows]))
