"""`pellucid evaluate` and `pellucid compare`: what they print, what they leave behind, how they end."""

from __future__ import annotations

import importlib
import io
import json
import re
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import polars as pl
import pytest
from rich.console import Console
from typer.testing import CliRunner, Result

from pellucid.algorithms import ALGORITHMS
from pellucid.cli import app
from pellucid.hospital import hospital
from pellucid.release import anonymize
from pellucid.utility.comparison import NOTICE

ROLES = ("-q", "age,sex,zipcode", "-s", "disease")


def run(*words: object) -> Result:
    return CliRunner().invoke(app, [str(word) for word in words])


def figures(result: Result, what: str) -> dict[str, Any]:
    """The one JSON object on standard output."""
    assert result.exit_code == 0, result.stderr
    found = json.loads(result.stdout)
    assert found["status"] == 0
    return dict(found[what])


@pytest.fixture
def source(tmp_path: Path) -> Path:
    file = tmp_path / "hospital.csv"
    hospital(400).write_csv(file)
    return file


def publish(source: Path, name: str, **options: Any) -> Path:
    roles: dict[str, Any] = {"quasi_identifiers": ["age", "sex", "zipcode"], "sensitive": "disease"}
    target = source.with_name(name)
    anonymize(source, **roles, diversity=4, drop_others=True, **options).write(target)
    return target


def test_evaluate_every_kind_of_release(source: Path) -> None:
    for number, (options, kind) in enumerate(
        [({}, "csv"), ({"intervals": "bounds"}, "parquet"), ({"recoding": "anatomy"}, "csv")]
    ):
        released = publish(source, f"published{number}.{kind}", **options)
        found = figures(run("evaluate", source, released, *ROLES, "--queries", 50, "--json"), "evaluation")
        assert found["rows"] == found["source_rows"] == 400
        assert found["queries"]["queries"] == 50
        assert found["queries"]["dimensionality"] == 4
        assert 0 < found["queries"]["average_error"] < 1
        assert (found["global_certainty_penalty"] == 0) == ("recoding" in options)
        assert set(found["attributes"]) == {"age", "sex", "zipcode"}


def test_evaluate_in_words(source: Path) -> None:
    result = run("evaluate", source, publish(source, "published.csv"), *ROLES, "--qd", 2, "--selectivity", 0.1)
    assert result.exit_code == 0
    assert "for the curator, not for release" in result.stdout
    assert "1,000 random COUNT queries on 2 columns, expected selectivity 0.1, seed 0" in result.stdout
    assert [line.split()[0] for line in result.stdout.splitlines() if "%" in line][-3:] == ["age", "sex", "zipcode"]


def test_evaluate_of_the_table_itself_is_perfect(source: Path) -> None:
    found = figures(run("evaluate", source, source, *ROLES, "--json"), "evaluation")
    assert found["queries"]["worst_error"] == 0
    assert found["perimeter"] == 0
    assert found["kl_divergence"]["value"] == pytest.approx(0, abs=1e-12)


def test_queries_of_a_file(source: Path, tmp_path: Path) -> None:
    file = tmp_path / "mine.jsonl"
    file.write_text('{"age": {"from": 20, "to": 39}, "sex": "female"}\n\n{"disease": ["stroke", "asthma"]}\n')
    released = publish(source, "published.csv")
    found = figures(run("evaluate", source, released, *ROLES, "--queries-file", file, "--json"), "evaluation")
    assert found["queries"]["file"] == str(file)
    assert found["queries"]["queries"] == 2
    # How often a disease occurs, every release says exactly.
    assert found["queries"]["worst_error"] == 2 * found["queries"]["average_error"]


def test_order_of_categories_comes_from_the_policy(tmp_path: Path) -> None:
    source, policy = tmp_path / "source.csv", tmp_path / "policy.toml"
    grades = ["none", "school", "college", "doctorate"]
    pl.DataFrame({"grade": grades * 2, "ill": ["flu", "cold"] * 4}).write_csv(source)
    policy.write_text(f"[attributes.grade]\norder = {json.dumps(grades)}\n")
    roles = ("-q", "grade", "-s", "ill")
    released = tmp_path / "released.csv"
    pl.DataFrame(
        {"grade": ["[none, school]"] * 4 + ["[college, doctorate]"] * 4, "ill": ["flu", "cold"] * 4}
    ).write_csv(released)
    found = figures(run("evaluate", source, released, *roles, "--policy", policy, "--json"), "evaluation")
    assert found["attributes"]["grade"] == {"exact": 0, "mean": 2, "median": 2, "domain": 4}
    refused = run("evaluate", source, released, *roles)
    assert refused.exit_code == 4
    assert "an interval of an attribute that has no order" in " ".join(refused.stderr.split())


@pytest.mark.parametrize(
    ("words", "status", "message"),
    [
        (("-q", "age,zip", "-s", "disease"), 2, "no column named 'zip'"),
        (("-s", "disease"), 2, "The policy lacks quasi-identifiers."),
        ((*ROLES, "--qd", "5"), 2, "qd must be from 2 to 4, with 3 QI attributes, not 5."),
        ((*ROLES, "--qd", "1"), 2, "qd must be from 2 to 4"),
        ((*ROLES, "--selectivity", "0"), 2, "selectivity must be above 0 and at most 1, not 0.0."),
        ((*ROLES, "--queries", "0"), 2, "queries must be a whole number of at least 1, not 0."),
        ((*ROLES, "--seed", "-1"), 2, "seed must be a whole number of at least 0, not -1."),
        ((*ROLES, "--queries-file", "nowhere.toml"), 5, "cannot be read: No such file or directory."),
        (("-q", "age,sex", "-s", "patient"), 5, "no column named 'patient'"),
    ],
)
def test_evaluate_refuses(source: Path, words: tuple[str, ...], status: int, message: str) -> None:
    released = publish(source, "published.csv")
    result = run("evaluate", source, released, *words, "--json")
    assert result.exit_code == status
    assert message in " ".join(result.stderr.split())
    assert json.loads(result.stdout)["status"] == status


def test_a_release_of_another_table(source: Path, tmp_path: Path) -> None:
    released = pl.read_csv(publish(source, "published.csv"), infer_schema=False)
    other = tmp_path / "other.csv"
    released.with_columns(disease=pl.lit("plague")).write_csv(other)
    result = run("evaluate", source, other, *ROLES)
    assert result.exit_code == 4
    assert "'plague' in 'disease'" in result.stderr
    assert run("evaluate", source, tmp_path / "nowhere.csv", *ROLES).exit_code == 5
    other.write_text("age,sex,zipcode,disease\n")
    assert run("evaluate", source, other, *ROLES).exit_code == 5


def test_releases_that_do_not_belong_to_their_source(source: Path, tmp_path: Path) -> None:
    """More rows cannot be of it; other values can, if a program changes them, and are said."""
    released = pl.read_csv(publish(source, "published.csv"), infer_schema=False)
    other = tmp_path / "other.csv"
    pl.concat([released, released.head(1)]).write_csv(other)
    result = run("evaluate", source, other, *ROLES)
    assert result.exit_code == 4
    assert "The release has 401 rows, and its source 400." in result.stderr
    released.with_columns(age=pl.lit("[200, 300]")).write_csv(other)
    result = run("evaluate", source, other, *ROLES)
    assert result.exit_code == 4
    assert "'[200, 300]' in 'age' cannot be read: nobody in the source is there" in result.stderr
    [most] = released["disease"].value_counts(sort=True)["disease"].head(1)
    left = 400 - released.filter(pl.col("disease") == most).height
    released.with_columns(disease=pl.lit(most)).write_csv(other)
    result = run("evaluate", source, other, *ROLES)
    assert result.exit_code == 0
    assert f"{left:,} rows have a sensitive value that the source does not have so often" in result.stdout
    assert "KL divergence               infinite: the release rules out people of the source" in result.stdout
    found = figures(run("evaluate", source, other, *ROLES, "--json"), "evaluation")
    assert found["changed_values"] == left
    assert found["kl_divergence"]["value"] is None


def test_c_avg_needs_the_l_of_the_release(source: Path) -> None:
    released = publish(source, "published.csv")
    found = figures(run("evaluate", source, released, *ROLES, "-l", 4, "--json"), "evaluation")
    assert found["c_avg"] == found["average_group"] / 4 >= 1
    assert found["changed_values"] == 0
    shown = run("evaluate", source, released, *ROLES, "-l", 4).stdout
    assert f", C_avg {found['c_avg']:.2f})" in shown
    assert "so often" not in shown
    assert figures(run("evaluate", source, released, *ROLES, "--json"), "evaluation")["c_avg"] is None


def test_figures_stand_in_columns_of_a_narrow_window(source: Path) -> None:
    released = publish(source, "published.csv")
    lines = run("evaluate", source, released, *ROLES).stdout.splitlines()
    assert max(len(line) for line in lines if not line.startswith(str(source.parent))) < 80
    table = run("compare", source, *ROLES, "-l", 4, "--queries", 50).stdout.split("\n\n")[1].splitlines()
    assert {len(line.split()) for line in table[1:]} == {8}
    assert max(map(len, table)) < 80


def test_compare_runs_every_algorithm_and_publishes_nothing(source: Path, tmp_path: Path) -> None:
    plot = tmp_path / "plot.svg"
    result = run("compare", source, *ROLES, "-l", 4, "--queries", 50, "--plot", plot, "--json")
    found = figures(result, "comparison")
    assert [each["algorithm"] for each in found["algorithms"]] == list(ALGORITHMS)
    assert found["notice"] == NOTICE
    assert NOTICE in " ".join(result.stderr.split())
    for each in found["algorithms"]:
        if "failed" not in each:
            assert each["smallest_group"] >= 4
            assert each["c_avg"] == each["average_group"] / 4 >= 1
            assert each["peak_memory_bytes"] is None or each["peak_memory_bytes"] > 1e6
    assert {each["algorithm"]: each["transparent"] for each in found["algorithms"]}["hybrid"]
    assert sorted(file.name for file in tmp_path.iterdir()) == ["hospital.csv", "plot.svg"]
    texts = "".join(ElementTree.parse(plot).getroot().itertext())
    assert "svg" in ElementTree.parse(plot).getroot().tag
    assert str(tmp_path) not in texts


def test_changed_values_are_told(tmp_path: Path) -> None:
    """Mask looks precise to whoever measures intervals alone."""
    source = tmp_path / "source.csv"
    pl.DataFrame({"age": range(400), "ill": [*"aabcde" * 10, *"abcde" * 68]}).write_csv(source)
    words = ("compare", source, "-q", "age", "-s", "ill", "-l", 3, "--algorithms", "hybrid,mask", "--queries", 20)
    hybrid, mask = figures(run(*words, "--json"), "comparison")["algorithms"]
    assert hybrid["changed_values"] == 0 < mask["changed_values"]
    said = run(*words).stdout
    assert re.search(r"^mask changes sensitive values, [1-9][0-9]* at least\.", said, re.MULTILINE)
    assert "hybrid changes" not in said


def test_no_figure_without_a_result(tmp_path: Path) -> None:
    """Mask finds no distribution that fits where every age tells the disease."""
    source, plot = tmp_path / "source.csv", tmp_path / "plot.png"
    pl.DataFrame({"age": [1, 2, 3, 4] * 5, "ill": ["a", "b"] * 10}).write_csv(source)
    words = ("compare", source, "-q", "age", "-s", "ill", "-l", 2, "--algorithms", "mask", "--plot", plot)
    [mask] = figures(run(*words, "--json"), "comparison")["algorithms"]
    assert "Nothing is released" in mask["failed"]
    result = run(*words)
    assert result.exit_code == 0
    assert "so there is no figure" in result.stderr
    assert not plot.exists()


def test_compare_in_words(source: Path) -> None:
    result = run("compare", source, *ROLES, "-l", 4, "--algorithms", "tailor,hybrid", "--queries", 50)
    assert result.exit_code == 0
    table = [line.split() for line in result.stdout.splitlines() if line]
    assert [line[:2] for line in table[-2:]] == [["tailor", "yes"], ["hybrid", "yes"]]
    assert "the choice is part of the algorithm" in " ".join(result.stderr.split())


def test_a_terminal_shows_what_is_running(source: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    shown = io.StringIO()
    terminal = Console(file=shown, force_terminal=True, width=80, soft_wrap=True, highlight=False, markup=False)
    monkeypatch.setattr("pellucid.cli.console._err", terminal)
    result = run("compare", source, *ROLES, "-l", 4, "--algorithms", "tailor", "--queries", 5, "--json")
    assert json.loads(result.stdout)["status"] == 0
    assert "running tailor" in shown.getvalue()


def test_bars_of_what_is_not_transparent_are_hatched(source: Path, tmp_path: Path) -> None:
    for algorithms, said in (("tailor,mondrian", True), ("tailor,hybrid", False)):
        plot = tmp_path / "plot.svg"
        assert run("compare", source, *ROLES, "-l", 4, "--algorithms", algorithms, "--plot", plot).exit_code == 0
        text = plot.read_text(encoding="utf-8")
        assert ("Hatched: not transparent." in text) == ("<pattern" in text) == said


@pytest.mark.parametrize(
    ("words", "status", "message"),
    [
        (("-l", "4", "--algorithms", "hybird"), 2, "There is no algorithm 'hybird'."),
        (("-l", "4", "--algorithms", ""), 2, "There is no algorithm to compare."),
        (("-l", "300"), 3, "Nothing is released"),
        ((), 2, "The policy lacks diversity."),
        (("-l", "4", "--plot", "figure.jpeg"), 2, "which is no figure"),
        (("-l", "4", "--plot", "/nowhere/figure.svg"), 5, "There is no folder /nowhere."),
    ],
)
def test_compare_refuses(source: Path, words: tuple[str, ...], status: int, message: str) -> None:
    result = run("compare", source, *ROLES, *words, "--json")
    assert result.exit_code == status
    assert message in " ".join(result.stderr.split())


def test_a_missing_extra_is_named(source: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    whole = importlib.import_module

    def without(name: str, package: str | None = None) -> Any:
        if name.startswith("matplotlib"):
            raise ImportError(name)
        return whole(name, package)

    monkeypatch.setattr(importlib, "import_module", without)
    result = run("compare", source, *ROLES, "-l", 4, "--plot", source.with_name("plot.png"))
    assert result.exit_code == 2
    assert "pip install 'pellucid[plots]'" in result.stderr
