"""Pages about tables: one HTML file each, that asks nothing of a network and shows whatever it is given as text.

What is said is a plain model of frozen dataclasses; autoescaping templates turn it into a page at the end.
"""

from __future__ import annotations

from .pages import page

__all__ = ["page"]
