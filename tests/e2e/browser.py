"""A page as a browser shows it, and whatever it tried to do besides."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

__all__ = ["Seen", "headless", "look"]

CHROMIUM = shutil.which("chromium")


@dataclass(frozen=True)
class Seen:
    """A page at one width."""

    requests: tuple[str, ...]
    """What was asked for besides the page itself, granted or not."""
    complaints: tuple[str, ...]
    """What the browser had to say, and windows that opened."""
    text: str
    overflow: int
    """By how many pixels the page is wider than the window."""


@contextmanager
def headless() -> Iterator[Any]:
    """Debian's Chromium without a window; the test is skipped where it is not installed."""
    playwright = pytest.importorskip("playwright.sync_api", reason="playwright is not installed")
    if CHROMIUM is None:
        pytest.skip("chromium is not installed: apt-get install chromium")
    with playwright.sync_playwright() as driver:
        browser = driver.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"])
        yield browser
        browser.close()


def look(browser: Any, file: Path, *, width: int = 1280) -> Seen:
    """Open a page, unfold all of it, and watch."""
    requests: list[str] = []
    complaints: list[str] = []

    def answer(dialog: Any) -> None:
        complaints.append(f"a dialog: {dialog.message}")
        dialog.dismiss()

    tab = browser.new_page(viewport={"width": width, "height": 900})
    tab.on("request", lambda request: requests.append(request.url))
    tab.on("console", lambda message: complaints.append(message.text))
    tab.on("pageerror", lambda error: complaints.append(str(error)))
    tab.on("dialog", answer)
    tab.on("popup", lambda popup: complaints.append(f"a window: {popup.url}"))
    tab.goto(file.as_uri())
    for summary in tab.locator("summary").all():
        summary.click()
    overflow = tab.evaluate("document.documentElement.scrollWidth - window.innerWidth")
    text = tab.inner_text("body")
    tab.close()
    return Seen(tuple(url for url in requests if url != file.as_uri()), tuple(complaints), text, overflow)
