"""What `import pellucid` promises: names, errors and their exit statuses."""

from __future__ import annotations

import inspect
import subprocess
import sys

import pytest

import pellucid

STATUSES = {
    "PellucidError": 2,
    "PolicyError": 2,
    "MicrodataError": 2,
    "HierarchyError": 2,
    "NotEligibleError": 3,
    "NoResultError": 3,
    "CheckFailedError": 4,
    "SourceError": 5,
    "TargetError": 5,
    "MissingExtraError": 2,
}


def test_all_names_exist() -> None:
    assert all(hasattr(pellucid, name) for name in pellucid.__all__)
    assert sorted(pellucid.__all__) == list(pellucid.__all__)


@pytest.mark.parametrize("name", STATUSES)
def test_exit_statuses(name: str) -> None:
    error = getattr(pellucid, name)
    assert issubclass(error, pellucid.PellucidError)
    assert error.exit_status == STATUSES[name]


def test_every_error_is_listed() -> None:
    errors = {name for name in pellucid.__all__ if inspect.isclass(getattr(pellucid, name)) and name.endswith("Error")}
    assert errors == set(STATUSES)


def test_options_are_keyword_only() -> None:
    parameters = list(inspect.signature(pellucid.anonymize).parameters.values())
    assert parameters[0].kind is inspect.Parameter.POSITIONAL_OR_KEYWORD
    assert all(parameter.kind is inspect.Parameter.KEYWORD_ONLY for parameter in parameters[1:])


def test_errors_carry_what_and_remedy() -> None:
    error = pellucid.PolicyError("This is wrong.", remedy="Do that.")
    assert (str(error), error.what, error.remedy) == ("This is wrong. Do that.", "This is wrong.", "Do that.")


@pytest.mark.parametrize("module", ["pandas", "pyarrow", "matplotlib", "jinja2", "scipy", "typer"])
def test_import_does_not_need(module: str) -> None:
    """Extras, and the command line, are loaded when they are used."""
    code = f"import sys; sys.modules[{module!r}] = None; import pellucid; print(pellucid.__version__)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == pellucid.__version__


def test_a_missing_extra_says_how_to_install_it() -> None:
    code = (
        "import sys; sys.modules['pyarrow'] = None\n"
        "import polars, pellucid\n"
        "class pandas_frame:\n"
        "    columns = ['a', 's']\n"
        "pandas_frame.__module__ = 'pandas.core.frame'\n"
        "try:\n"
        "    pellucid.anonymize(pandas_frame(), quasi_identifiers=['a'], sensitive='s', diversity=2)\n"
        "except pellucid.MissingExtraError as missing:\n"
        "    print(missing)\n"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert "pip install 'pellucid[pandas]'" in done.stdout
