"""`--report`: two pages that are one file each, ask nothing of a network, and show whatever they hold as text."""

from __future__ import annotations

import json
import os
import re
import shlex
from collections.abc import Iterator
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import polars as pl
import pytest

from pellucid import __version__
from tests.e2e.browser import headless, look
from tests.e2e.command_line import Runner

ROLES = ("-q", "age,place", "-s", "disease", "-l", "2", "--identifier", "name")
HOSTILE = "<script>alert(1)</script>\"'<img src=x onerror=alert(2)>javascript:alert(3){{7*7}}&amp;"
SNAPSHOTS = Path(__file__).parent / "snapshots"


@pytest.fixture(scope="module")
def browser() -> Iterator[Any]:
    with headless() as opened:
        yield opened


def text(file: Path) -> str:
    return file.read_text(encoding="utf-8")


def hostile(pellucid: Runner, folder: Path) -> list[Path]:
    """The pages on a table whose every name and value is an attack."""
    table = pl.DataFrame(
        {
            "name": [f"person {number}" for number in range(24)],
            f"q {HOSTILE}": [f"{number % 3} {HOSTILE}" for number in range(24)],
            f"ordered {HOSTILE}": [f"{number % 5} {HOSTILE}" for number in range(24)],
            f"s {HOSTILE}": [f"{number % 4} {HOSTILE}" for number in range(24)],
        }
    )
    table.write_csv(folder / "source.csv")
    names = [json.dumps(name) for name in table.columns]  # JSON's texts are TOML's
    order = [f"{number} {HOSTILE}" for number in range(5)]
    (folder / "policy.toml").write_text(
        f"quasi_identifiers = [{names[1]}, {names[2]}]\nsensitive = {names[3]}\nidentifier = 'name'\ndiversity = 2\n"
        f"[attributes.{names[2]}]\norder = {json.dumps(order)}\n",
        encoding="utf-8",
    )
    target = "out<img src=x onerror=alert(4)>.csv"
    run = pellucid("anonymize", "source.csv", "-o", target, "--policy", "policy.toml", "--report", "r.html", "--json")
    assert run.status == 0, run.err
    return [folder / page for page in run.json["reports"]]


class Elements(HTMLParser):
    """The elements of a page with their attributes, and its text."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.found: list[tuple[str, dict[str, str | None]]] = []
        self.text = ""
        self.feed(page)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.found.append((tag, dict(attrs)))

    def handle_data(self, data: str) -> None:
        self.text += data


def test_writes_two_pages_and_says_so(pellucid: Runner, folder: Path) -> None:
    run = pellucid("anonymize", "source.csv", "-o", "out.csv", *ROLES, "--report", "report.html")
    assert run.status == 0
    assert "report: report.html (may be published), report.not-for-release.html (for you alone)" in run.out
    assert sorted(file.name for file in folder.iterdir()) == [
        "out.csv",
        "out.csv.manifest.json",
        "report.html",
        "report.not-for-release.html",
        "source.csv",
    ]
    as_json = pellucid("anonymize", "source.csv", "-o", "out.csv", *ROLES, "--report", "report.html", "--json").json
    assert as_json["reports"] == ["report.html", "report.not-for-release.html"]
    assert pellucid("anonymize", "source.csv", "-o", "out.csv", *ROLES, "--json").json["reports"] == []


def test_the_help_says_which_page_is_for_whom(pellucid: Runner, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "160")
    said = " ".join(pellucid("anonymize", "--help").out.replace("│", " ").split())
    assert "to be published with it" in said
    assert "FILE.not-for-release.html for you alone" in said


@pytest.mark.parametrize(
    ("words", "status", "message"),
    [
        (("--report", "report.pdf"), 5, "The report report.pdf is no HTML file. Give it the ending .html."),
        (("--report", "nowhere/report.html"), 5, "There is no folder nowhere"),
        (("--report", "report.html", "-l", "5"), 3, "The largest l that this table allows is 4."),
    ],
)
def test_refused(pellucid: Runner, folder: Path, words: tuple[str, ...], status: int, message: str) -> None:
    pellucid("anonymize", "source.csv", "-o", "out.csv", *ROLES, *words).refused(status, message)
    assert [file.name for file in folder.iterdir()] == ["source.csv"]


def commands(page: Path) -> list[list[str]]:
    """The commands of a page, as a shell splits what was copied from it."""
    found = re.findall(r"<pre>(.*?)</pre>", text(page), re.DOTALL)
    lines = [line for block in found for line in Elements(block).text.splitlines()]
    return [shlex.split(line) for line in lines if line.startswith("pellucid ")]


@pytest.mark.parametrize(
    "words",
    [(), ("--recoding", "anatomy"), ("--intervals", "bounds", "--penalty", "discernibility", "--drop-others")],
    ids=" ".join,
)
def test_its_commands_verify_measure_and_reproduce(pellucid: Runner, folder: Path, words: tuple[str, ...]) -> None:
    """With column names that a shell and a list of names must be kept from reading."""
    source = pl.read_csv("source.csv").rename({"age": "age, in $years", "place": "-the 'place'"})
    source.write_csv("source.csv")
    roles = ("-q", "\"age, in $years\",-the 'place'", *ROLES[2:], "--algorithm", "tailor")
    run = pellucid("anonymize", "source.csv", "-o", "o u t.csv", *roles, *words, "--report", "report.html")
    assert run.status == 0, run.err
    files = {file: file.read_bytes() for file in folder.glob("o u t*")}
    check, anonymize = commands(folder / "report.html")
    assert pellucid(*check[1:]).status == 0
    assert commands(folder / "report.not-for-release.html")[1:] == [check, anonymize]
    for file in files:
        file.unlink()
    run = pellucid(*("source.csv" if word == "SOURCE" else word for word in anonymize[1:]))
    assert run.status == 0, run.err
    assert {file: file.read_bytes() for file in folder.glob("o u t*")} == files


def test_the_errors_can_be_measured_again(pellucid: Runner, folder: Path) -> None:
    assert pellucid("anonymize", "source.csv", "-o", "out.csv", *ROLES, "--report", "report.html").status == 0
    page = folder / "report.not-for-release.html"
    evaluate = next(command for command in commands(page) if command[1] == "evaluate")
    run = pellucid(*("source.csv" if word == "SOURCE" else word for word in evaluate[1:]), "--json")
    average = run.json["evaluation"]["queries"]["average_error"]
    assert f"<dt>average error</dt><dd>{average:.1%}</dd>".replace(".0%", "%") in text(page)


def test_nothing_in_it_asks_a_network_or_runs(pellucid: Runner, folder: Path) -> None:
    for page in hostile(pellucid, folder):
        found = Elements(text(page)).found
        assert {
            "script",
            "img",
            "link",
            "iframe",
            "object",
            "embed",
            "form",
            "base",
            "video",
            "audio",
            "use",
        }.isdisjoint(tag for tag, _ in found)
        for tag, attributes in found:
            assert not any(
                name.startswith("on") or name in ("src", "srcset", "style", "xlink:href") for name in attributes
            )
            assert (attributes.get("href") or "#").startswith("#"), tag
        style = re.findall(r"<style>(.*?)</style>", text(page), re.DOTALL)
        assert len(style) == 1
        assert "url(" not in style[0]
        assert "@import" not in style[0]
        assert "http" not in text(page).replace("http-equiv", "")


def test_every_name_and_value_is_shown_as_text(pellucid: Runner, folder: Path) -> None:
    for page in hostile(pellucid, folder):
        shown = Elements(text(page)).text
        for piece in ("q ", "ordered ", "s ", *(f"{number} " for number in range(5))):
            assert piece + HOSTILE in shown
        assert "out<img src=x onerror=alert(4)>.csv" in shown
        assert "49" not in re.sub(r"[0-9a-f]{64}|[0-9.]+%|[0-9,.]{3,}", "", shown)


@pytest.mark.parametrize("width", [390, 1280])
def test_in_a_browser(pellucid: Runner, folder: Path, browser: Any, width: int) -> None:
    for page in hostile(pellucid, folder):
        seen = look(browser, page, width=width)
        assert seen.requests == ()
        assert seen.complaints == ()
        assert seen.overflow <= 0
        assert f"0 {HOSTILE}" in seen.text
        assert "The numbers" in seen.text
        assert ("NOT FOR RELEASE" in seen.text) is page.name.endswith(".not-for-release.html")


@pytest.mark.parametrize("columns", [3, 6, 12])
def test_columns_fit_on_paper(pellucid: Runner, folder: Path, browser: Any, columns: int) -> None:
    """A window can be scrolled; what stands beside a sheet of paper is lost."""
    names = [f"zip_of_the_person_no_{number:02}" for number in range(columns)]
    values = "a_value_of_23_letters_" if columns == 6 else "long " * 9
    rows = [[f"{values}{(row * place) % 7}" for place in range(columns)] for row in range(24)]
    lines = [",".join([*row, f"disease {number % 4}"]) for number, row in enumerate(rows)]
    (folder / "wide.csv").write_text("\n".join([",".join([*names, "disease"]), *lines]) + "\n")
    words = ("wide.csv", "-q", ",".join(names), "-s", "disease", "-l", "2", "-o", "out.csv", "--report", "r.html")
    assert pellucid("anonymize", *words).status == 0
    tab = browser.new_page(viewport={"width": 673, "height": 1000})
    tab.emulate_media(media="print")
    assert pellucid("inspect", "wide.csv", "--html", "look.html").status == 0
    for page in ("r.html", "r.not-for-release.html", "look.html"):
        tab.goto((folder / page).as_uri())
        assert tab.evaluate("document.documentElement.scrollWidth") <= 673
    tab.close()


def test_every_sheet_of_a_private_page_says_so(pellucid: Runner, folder: Path, browser: Any) -> None:
    """Sheets are parted, and the banner stands on the first one alone."""
    assert pellucid("anonymize", "source.csv", "-o", "out.csv", *ROLES, "--report", "r.html").status == 0
    assert pellucid("inspect", "source.csv", "--html", "look.html").status == 0
    tab = browser.new_page()
    tab.emulate_media(media="print")
    for page, sheet in (("r.html", "auto"), ("r.not-for-release.html", "private"), ("look.html", "private")):
        tab.goto((folder / page).as_uri())
        assert tab.evaluate("getComputedStyle(document.body).page") == sheet
        assert '@page private { @top-center { content: "FOR THE CURATOR ALONE";' in text(folder / page)
    tab.close()


LINES = """cell => {
    const text = document.createRange();
    text.selectNodeContents(cell);
    return new Set([...text.getClientRects()].map(line => line.top)).size;
}"""


@pytest.mark.parametrize("width", [390, 1280])
def test_names_of_columns_are_not_broken(pellucid: Runner, folder: Path, browser: Any, width: int) -> None:
    """Where a table is too wide for its window, it is scrolled; `marital_statu` above `s` is no name."""
    names = ["hours_worked_per_week", "native_country"]
    table = pl.read_csv("source.csv").rename({"age": names[0], "place": names[1]})
    table.write_csv("source.csv")
    words = ("source.csv", "-q", ",".join(names), *ROLES[2:], "-o", "out.csv", "--report", "r.html")
    assert pellucid("anonymize", *words).status == 0
    assert pellucid("inspect", "source.csv", "--html", "look.html").status == 0
    for page in ("r.html", "look.html"):
        tab = browser.new_page(viewport={"width": width, "height": 900})
        tab.goto((folder / page).as_uri())
        for name in names:
            cells = tab.locator("tbody th", has_text=name).all()
            assert cells
            assert [cell.evaluate(LINES) for cell in cells] == [1] * len(cells), (page, name)
        tab.close()


def test_a_browser_would_notice(folder: Path, browser: Any) -> None:
    """The tests above can fail: a page without escaping and without a policy is caught at all of it."""
    (folder / "bad.html").write_text(
        "<body style='width: 3000px'>text<script>alert(1); console.error('error')</script>"
        "<img src='http://127.0.0.1:9/x.png'></body>"
    )
    seen = look(browser, folder / "bad.html", width=390)
    assert seen.requests == ("http://127.0.0.1:9/x.png",)
    assert "a dialog: 1" in seen.complaints
    assert "error" in seen.complaints
    assert seen.overflow > 0


@pytest.mark.parametrize("recoding", ["mbr", "anatomy"])
def test_the_page_is_what_it_was(pellucid: Runner, folder: Path, recoding: str) -> None:
    """If it is meant to be another: UPDATE_SNAPSHOTS=1 pytest tests/e2e/test_report.py, and look at the difference.

    Style, version and settings are left out: what is added to them changes no snapshot.
    """
    words = ("--algorithm", "tailor", "--recoding", recoding, "--report", "report.html")
    assert pellucid("anonymize", "source.csv", "-o", "out.csv", *ROLES, *words).status == 0
    made = text(folder / "report.html").replace(__version__, "VERSION")
    made = re.sub(r"(<style>|<table class=\"settings\">).*?(</style>|</table>)", r"\1\2", made, flags=re.DOTALL)
    made = re.sub(r"'sha256-[^']*'", "'sha256-STYLE'", made)
    kept = SNAPSHOTS / f"report-{recoding}.html"
    if os.environ.get("UPDATE_SNAPSHOTS"):
        kept.write_text(made, encoding="utf-8")
    assert made == text(kept)
