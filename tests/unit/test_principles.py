"""l-diversity and the least size from which every part of a group has it (Def. 2, Def. 9)."""

from __future__ import annotations

from collections import Counter
from itertools import combinations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pellucid.principles import LDiversity

COUNTS = st.lists(st.integers(1, 4), min_size=1, max_size=4).filter(lambda counts: sum(counts) <= 9)


@given(counts=COUNTS, diversity=st.integers(1, 5))
def test_satisfied_is_definition_2(counts: list[int], diversity: int) -> None:
    assert LDiversity(diversity).satisfied(counts) == all(count <= sum(counts) / diversity for count in counts)


@given(counts=COUNTS, diversity=st.integers(1, 4))
def test_every_part_of_the_safe_size_is_diverse(counts: list[int], diversity: int) -> None:
    """Over all sub-multisets: those with at least l * c elements satisfy it, and that cannot be said of one fewer."""
    principle = LDiversity(diversity)
    group = [value for value, count in enumerate(counts) for _ in range(count)]
    safe = principle.safe_size(counts)
    for size in range(1, len(group) + 1):
        parts = {tuple(sorted(part)) for part in combinations(group, size)}
        if size >= safe:
            assert all(principle.satisfied(list(Counter(part).values())) for part in parts)
        elif size == safe - 1 and size >= max(counts):
            assert any(not principle.satisfied(list(Counter(part).values())) for part in parts)


@given(counts=COUNTS)
def test_largest_is_the_largest(counts: list[int]) -> None:
    largest = LDiversity(1).largest(counts)
    assert LDiversity(largest).satisfied(counts)
    assert not LDiversity(largest + 1).satisfied(counts)


@pytest.mark.parametrize("counts", [[], [0]])
def test_nobody(counts: list[int]) -> None:
    assert LDiversity(3).satisfied(counts)
    assert LDiversity(3).safe_size(counts) == 0
