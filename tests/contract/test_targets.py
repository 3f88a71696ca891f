"""Targets that cannot be written: the error names them, nothing is left, and what was there before stays (G9)."""

from __future__ import annotations

import os
import resource
import shutil
import signal
import stat
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import polars as pl
import pytest

import pellucid
from pellucid import PolicyError, SourceError, TargetError
from tests.contract.publishing import ENDINGS, Publisher, files_in, people

MANIFEST_OF = "{}.manifest.json"


@pytest.fixture
def release(publish_hybrid: Publisher) -> pellucid.Release:
    return publish_hybrid(people(), identifier="name")


def names(release: pellucid.Release, ending: str = ".csv") -> set[str]:
    parts = [".qi", ".sensitive"] if release.policy.recoding == "anatomy" else [""]
    return {f"out{part}{ending}" for part in parts} | {f"out{ending}.manifest.json"}


@pytest.mark.parametrize("ending", [*ENDINGS, ".feather", ".ipc", ".CSV"])
def test_what_is_written(release: pellucid.Release, tmp_path: Path, ending: str) -> None:
    written = release.write(tmp_path / f"out{ending}")
    assert {file.name for file in tmp_path.iterdir()} == names(release, ending)
    assert {written.manifest, *written.files} == set(tmp_path.iterdir())


def test_an_old_release_is_replaced(release: pellucid.Release, tmp_path: Path) -> None:
    for name in names(release):
        (tmp_path / name).write_text("old")
    release.write(tmp_path / "out.csv")
    assert all(content != b"old" for content in files_in(tmp_path).values())
    assert {file.name for file in tmp_path.iterdir()} == names(release)


@pytest.mark.parametrize(
    ("target", "message"),
    [
        ("nowhere/out.csv", "There is no folder"),
        ("file.txt/out.csv", "There is no folder"),
        ("out.ods", "no format"),
        ("out.parquet.gz", "no format"),
        ("out", "no format"),
    ],
)
def test_a_target_that_makes_no_sense(release: pellucid.Release, tmp_path: Path, target: str, message: str) -> None:
    (tmp_path / "file.txt").write_text("old")
    with pytest.raises((TargetError, SourceError), match=message):
        release.write(tmp_path / target)
    assert files_in(tmp_path) == {"file.txt": b"old"}


@pytest.mark.parametrize("number", [0, 1, 2])
def test_a_folder_stands_where_a_file_should(release: pellucid.Release, tmp_path: Path, number: int) -> None:
    """Whichever file it is, the others are as they were before."""
    expected = sorted(names(release))
    if number >= len(expected):
        pytest.skip("this recoding writes two files only")
    for name in expected:
        (tmp_path / name).write_text("old")
    (tmp_path / expected[number]).unlink()
    (tmp_path / expected[number]).mkdir()
    with pytest.raises(TargetError, match="folder"):
        release.write(tmp_path / "out.csv")
    assert files_in(tmp_path) == {name: b"old" for name in expected if name != expected[number]}


def test_a_folder_that_may_not_be_written(release: pellucid.Release, tmp_path: Path) -> None:
    if os.geteuid() == 0:
        folder = Path("/proc")  # where not even root makes files
        if not folder.is_dir():
            pytest.skip("as root, and without /proc, every folder may be written")
    else:
        folder = tmp_path / "closed"
        folder.mkdir(mode=0o555)
    with pytest.raises(TargetError, match=r"out(\.qi)?\.csv cannot be written"):
        release.write(folder / "out.csv")
    assert not (folder / "out.csv").exists()


def test_a_name_that_is_too_long(release: pellucid.Release, tmp_path: Path) -> None:
    with pytest.raises(TargetError, match="cannot be written"):
        release.write(tmp_path / f"{'x' * 300}.csv")
    assert files_in(tmp_path) == {}


@pytest.mark.parametrize("kind", ["itself", "relative", "symbolic link", "hard link"])
def test_the_target_is_the_source(
    publish_hybrid: Publisher, tmp_path: Path, kind: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """By anatomy the files have other names than the target; it is they that must not be the source."""
    written = "out.qi.csv" if publish_hybrid.recoding == "anatomy" else "out.csv"
    source = tmp_path / ("source.csv" if "link" in kind else written)
    people().write_csv(source)
    before = source.read_bytes()
    target = tmp_path / "out.csv"
    if kind == "symbolic link":
        (tmp_path / written).symlink_to(source)
    elif kind == "hard link":
        os.link(source, tmp_path / written)
    elif kind == "relative":
        monkeypatch.chdir(tmp_path)
        target = Path("out.csv")
    made = publish_hybrid(source, identifier="name")
    with pytest.raises(TargetError, match="is the source itself"):
        made.write(target)
    with pytest.raises(TargetError, match="is the source itself"):
        publish_hybrid(source, identifier="name", target=target)
    assert source.read_bytes() == before
    assert {file.name for file in tmp_path.iterdir()} == {source.name, written}


def test_a_bad_target_is_refused_before_the_work(publish_hybrid: Publisher, tmp_path: Path) -> None:
    heard: list[str] = []
    with pytest.raises(TargetError, match="There is no folder"):
        publish_hybrid(
            people(),
            identifier="name",
            target=tmp_path / "nowhere" / "out.csv",
            monitor=lambda stage, share: heard.append(stage),
        )
    assert heard == []


@pytest.fixture
def small_disk(tmp_path: Path) -> Iterator[Path]:
    """A file system of 64 KB."""
    folder = tmp_path / "disk"
    folder.mkdir()
    mount = shutil.which("mount")
    if mount is None or os.geteuid() != 0:
        pytest.skip("only root can mount a small file system")
    mounted = subprocess.run(
        [mount, "-t", "tmpfs", "-o", "size=64k", "tmpfs", folder], capture_output=True, text=True, check=False
    )
    if mounted.returncode:
        pytest.skip(f"no small file system can be mounted: {mounted.stderr}")
    try:
        yield folder
    finally:
        subprocess.run(["umount", folder], check=True)


@pytest.mark.parametrize("ending", ENDINGS)
def test_a_full_disk(publish_hybrid: Publisher, small_disk: Path, ending: str) -> None:
    small, large = publish_hybrid(people(), identifier="name"), publish_hybrid(wide(), identifier="name")
    small.write(small_disk / f"out{ending}")
    before = files_in(small_disk)
    with pytest.raises(TargetError, match=r"out.* cannot be written: .*(No space left|os error 28)"):
        large.write(small_disk / f"out{ending}")
    assert files_in(small_disk) == before


def wide() -> pl.DataFrame:
    """A table that takes more than 64 KB in every format."""
    return people(12_000).with_columns(disease=pl.int_range(12_000).hash(7).cast(pl.String))


@pytest.mark.parametrize("ending", ENDINGS)
@pytest.mark.parametrize("recoding", ["text", "anatomy"])
def test_a_limit_on_the_size_of_files(tmp_path: Path, ending: str, recoding: str) -> None:
    """As with a full disk, a write ends in the middle; this one needs no root."""
    release = Publisher("hybrid", recoding)(wide(), identifier="name")
    (tmp_path / f"out{ending}").write_text("old")
    before = files_in(tmp_path)
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    ignored = signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    resource.setrlimit(resource.RLIMIT_FSIZE, (16 * 1024, hard))
    try:
        with pytest.raises(TargetError, match=r"cannot be written: .*File too large"):
            release.write(tmp_path / f"out{ending}")
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))
        signal.signal(signal.SIGXFSZ, ignored)
    assert files_in(tmp_path) == before


@pytest.mark.parametrize("step", ["fsync", "replace"])
def test_the_disk_fails_at_the_last_moment(
    release: pellucid.Release, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, step: str
) -> None:
    def fail(*args: object, **options: object) -> None:
        raise OSError(5, "Input/output error")

    if step == "fsync":
        monkeypatch.setattr(os, "fsync", fail)
    else:
        monkeypatch.setattr(Path, "replace", fail)
    with pytest.raises(TargetError, match=r"cannot be written: Input/output error\."):
        release.write(tmp_path / "out.csv")
    assert files_in(tmp_path) == {}


def test_bytes_are_on_the_disk_before_the_name_is(
    release: pellucid.Release, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Each file is flushed before any is renamed, and the folder afterwards: a power cut leaves old or new."""
    steps: list[str] = []
    fsync, replace = os.fsync, Path.replace

    def flush(handle: int) -> None:
        steps.append("flush")
        fsync(handle)

    def move(self: Path, target: Path) -> Path:
        steps.append("move")
        return replace(self, target)

    monkeypatch.setattr(os, "fsync", flush)
    monkeypatch.setattr(Path, "replace", move)
    release.write(tmp_path / "out.csv")
    files = len(names(release))
    assert steps == ["flush"] * files + ["move"] * files + ["flush"]


# A run that is ended from outside while its target is written.
WRITES_SLOWLY = """
import sys, time
from pathlib import Path
import pellucid

folder, ending, recoding, diversity = Path(sys.argv[1]), *sys.argv[2:4], int(sys.argv[4])

def stop(stage, share):
    if stage == "verify":
        print(sorted(file.name for file in folder.iterdir()), flush=True)
        time.sleep(600)

pellucid.anonymize(
    folder / "source.csv", quasi_identifiers=["age", "place"], sensitive="disease", identifier="name",
    diversity=diversity, recoding=recoding, monitor=stop,
).write(folder / f"out{ending}")
"""


@pytest.mark.parametrize(
    ("ending", "recoding", "old"),
    [(".csv", "mbr", True), (".parquet", "anatomy", False), (".csv.gz", "mbr", True), (".xlsx", "mbr", False)],
    ids=["old release", "nothing there", "compressed", "Excel"],
)
@pytest.mark.parametrize("end", [signal.SIGKILL, signal.SIGINT], ids=lambda end: end.name)
def test_a_run_that_is_ended_in_the_middle(
    tmp_path: Path, ending: str, recoding: str, old: bool, end: signal.Signals
) -> None:
    """Nothing half-written stands under the target's name, and an old release is untouched."""
    people().write_csv(tmp_path / "source.csv")
    if old:
        made = Publisher("hybrid", "anatomy" if recoding == "anatomy" else "text")
        made(tmp_path / "source.csv", identifier="name", diversity=1).write(tmp_path / f"out{ending}")
    before = files_in(tmp_path)
    command = [sys.executable, "-c", WRITES_SLOWLY, str(tmp_path), ending, recoding, "2"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True) as run:
        assert run.stdout is not None
        assert ".part" in run.stdout.readline()
        run.send_signal(end)
        run.wait(timeout=60)
    after = files_in(tmp_path)
    temporary = [name for name in after if name.endswith(".part")]
    assert {name: content for name, content in after.items() if name not in temporary} == before
    assert bool(temporary) is (end is signal.SIGKILL)
    assert all(name.startswith(".") for name in temporary)


@pytest.mark.parametrize("ending", [".csv", ".tsv", ".csv.gz"])
def test_text_files_hold_no_nul(publish_hybrid: Publisher, tmp_path: Path, ending: str) -> None:
    in_a_value = publish_hybrid(people().with_columns(place=pl.col("place") + "\0"), identifier="name")
    in_a_name = publish_hybrid(people().rename({"disease": "a\0b"}), sensitive="a\0b", identifier="name")
    for release, column in ((in_a_value, "place"), (in_a_name, "a\\x00b")):
        with pytest.raises(TargetError) as refused:
            release.write(tmp_path / f"out{ending}")
        assert f"cannot hold the character NUL, which stands in '{column}'" in str(refused.value)
    assert files_in(tmp_path) == {}


@pytest.mark.parametrize("ending", [".csv", ".tsv", ".csv.gz"])
def test_a_byte_order_mark_in_the_first_name(publish_hybrid: Publisher, tmp_path: Path, ending: str) -> None:
    """It is left behind by programs that read one as text; further on it is a letter like any other."""
    first = publish_hybrid(people().rename({"age": "\ufeffage"}), quasi_identifiers=["\ufeffage"], drop_others=True)
    with pytest.raises(TargetError, match=r"cannot begin with '.ufeffage"):
        first.write(tmp_path / f"out{ending}")
    assert files_in(tmp_path) == {}
    later = publish_hybrid(
        people().rename({"place": "\ufeffplace"}), quasi_identifiers=["age", "\ufeffplace"], drop=["name"]
    )
    assert later.write(tmp_path / f"out{ending}").check.rows == 60


@pytest.mark.parametrize("number", [0, 1, 2])
@pytest.mark.parametrize("kind", ["link", "link to nothing", "pipe"])
def test_what_is_no_file_is_not_replaced(
    release: pellucid.Release, publish_hybrid: Publisher, tmp_path: Path, kind: str, number: int
) -> None:
    """Who follows a link would find the old release behind it, and believe that it is the new one."""
    expected = sorted(names(release))
    if number >= len(expected):
        pytest.skip("this recoding writes two files only")
    place = tmp_path / expected[number]
    if kind == "pipe":
        os.mkfifo(place)
    else:
        place.symlink_to("elsewhere.csv")
    if kind == "link":
        (tmp_path / "elsewhere.csv").write_text("old")
    before = {file.name for file in tmp_path.iterdir()}
    heard: list[str] = []
    with pytest.raises(TargetError, match="is a pipe or a device" if kind == "pipe" else "is a link to elsewhere.csv"):
        publish_hybrid(
            people(), identifier="name", target=tmp_path / "out.csv", monitor=lambda stage, share: heard.append(stage)
        )
    assert heard == []
    with pytest.raises(TargetError):
        release.write(tmp_path / "out.csv")
    assert {file.name for file in tmp_path.iterdir()} == before


@pytest.mark.parametrize("number", [0, 1, 2])
@pytest.mark.parametrize("old", [True, False], ids=["old release", "nothing there"])
@pytest.mark.parametrize("links", [True, False], ids=["links", "no links"])
def test_a_name_that_cannot_be_given_in_the_end(
    release: pellucid.Release, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, *, number: int, old: bool, links: bool
) -> None:
    """As where a manifest belongs to somebody else: what has its name already gives it back."""

    def no_links(self: Path, target: Path) -> None:
        target.stat()
        raise PermissionError(1, "Operation not permitted")

    if not links:
        monkeypatch.setattr(Path, "hardlink_to", no_links)
    expected = sorted(names(release))
    if number >= len(expected):
        pytest.skip("this recoding writes two files only")
    if old:
        for name in expected:
            (tmp_path / name).write_text(f"old {name}")
    before = files_in(tmp_path)
    replace = Path.replace

    def move(self: Path, target: Path) -> Path:
        if target.name == expected[number] and len(self.read_bytes()) > 100:
            raise PermissionError(1, "Operation not permitted")
        return replace(self, target)

    monkeypatch.setattr(Path, "replace", move)
    with pytest.raises(TargetError, match="Operation not permitted"):
        release.write(tmp_path / "out.csv")
    assert files_in(tmp_path) == before


@pytest.mark.parametrize("end", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP], ids=lambda end: end.name)
def test_between_two_names_nobody_is_heard(
    release: pellucid.Release, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, end: signal.Signals
) -> None:
    """What is there in the end is all of a release, and nobody is told that nothing was written."""
    replace = Path.replace

    def move(self: Path, target: Path) -> Path:
        os.kill(os.getpid(), end)
        return replace(self, target)

    def heard(number: int, frame: object) -> None:
        raise KeyboardInterrupt

    before = signal.signal(end, heard)
    monkeypatch.setattr(Path, "replace", move)
    try:
        release.write(tmp_path / "out.csv")
        assert signal.getsignal(end) is heard
    finally:
        signal.signal(end, before)
    assert {file.name for file in tmp_path.iterdir()} == names(release)


@pytest.mark.parametrize("what", ["register", "seed_file", "hierarchies", "policy", "hierarchy in a policy"])
def test_a_target_that_the_run_needs(publish_hybrid: Publisher, tmp_path: Path, what: str) -> None:
    """A register that is replaced forgets everybody, and a seed or a hierarchy is gone."""
    needed = tmp_path / ("out.qi.csv" if publish_hybrid.recoding == "anatomy" else "out.csv")
    needed.write_text("Ulm;South;*\nBonn;West;*\nKöln;West;*\n", encoding="utf-8")
    if what == "register":
        needed.unlink()
    before = files_in(tmp_path)
    other: object = {"place": needed} if what == "hierarchies" else needed
    if what == "policy":
        needed.write_text("diversity = 2\n", encoding="utf-8")
        before = files_in(tmp_path)
    elif what == "hierarchy in a policy":
        what, other = "policy", tmp_path / "policy.toml"
        other.write_text(f'[attributes.place]\nhierarchy = "{needed.name}"\n', encoding="utf-8")
        before = files_in(tmp_path)
    with pytest.raises(TargetError, match="this run needs itself"):
        publish_hybrid(people(), identifier="name", target=tmp_path / "out.csv", **{what: other})
    assert files_in(tmp_path) == before


@pytest.mark.parametrize("late", [False, True], ids=["target", "write"])
def test_a_target_that_the_policy_file_needs(publish_hybrid: Publisher, tmp_path: Path, late: bool) -> None:
    hierarchy = tmp_path / ("out.qi.csv" if publish_hybrid.recoding == "anatomy" else "out.csv")
    hierarchy.write_text("Ulm;South;*\nBonn;West;*\nKöln;West;*\n", encoding="utf-8")
    policy = tmp_path / "policy.toml"
    policy.write_text(f'[attributes.place]\nhierarchy = "{hierarchy.name}"\n', encoding="utf-8")
    before = files_in(tmp_path)
    target = tmp_path / "out.csv"
    with pytest.raises(TargetError, match="this run needs itself"):
        publish_hybrid(people(), identifier="name", policy=policy, target=None if late else target).write(target)
    assert files_in(tmp_path) == before


def test_a_folder_that_cannot_be_flushed(
    release: pellucid.Release, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As where nobody may list it, or on a network: the release is there, and whoever hears otherwise makes another."""
    fsync = os.fsync

    def flush(handle: int) -> None:
        if stat.S_ISDIR(os.fstat(handle).st_mode):
            raise OSError(22, "Invalid argument")
        fsync(handle)

    monkeypatch.setattr(os, "fsync", flush)
    release.write(tmp_path / "out.csv")
    assert {file.name for file in tmp_path.iterdir()} == names(release)


def test_a_folder_whose_name_looks_like_an_address(release: pellucid.Release, tmp_path: Path) -> None:
    """As desktops name those of other machines. It is there, so that no password is in it."""
    folder = tmp_path / "sftp:host=server,user=anna@hospital"
    folder.mkdir()
    release.write(folder / "out.csv")
    with pytest.raises(PolicyError, match="what could be one"):
        release.write(folder / "anna:b@c.csv")
    assert {file.name for file in folder.iterdir()} == names(release)
