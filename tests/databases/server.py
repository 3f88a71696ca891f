"""A PostgreSQL server of the tests' own: on the loopback interface, with passwords, in a folder that goes away."""

from __future__ import annotations

import os
import pwd
import shutil
import signal
import socket
import subprocess
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import psycopg
import pytest

__all__ = ["PASSWORD", "STEWARD", "Server", "running"]

STEWARD = "steward"
PASSWORD = "correct-horse;battery staple"
_BINARIES = sorted(Path("/usr/lib/postgresql").glob("*/bin/postgres"))
_START_SECONDS = 60


@dataclass(frozen=True)
class Server:
    """A server that runs."""

    port: int
    folder: Path

    @property
    def address(self) -> str:
        """Without a password."""
        return f"postgresql://{STEWARD}@127.0.0.1:{self.port}/postgres"

    @property
    def passwords(self) -> Path:
        """A password file as libpq wants it (PGPASSFILE)."""
        return self.folder / "pgpass"

    def connection(self) -> Any:
        """A connection of the tests' own, not of pellucid."""
        return psycopg.connect(self.address, password=PASSWORD, autocommit=True)


@contextmanager
def running() -> Iterator[Server]:
    """A new server with an empty database; the test is skipped where PostgreSQL is not installed."""
    if not _BINARIES:
        pytest.skip("PostgreSQL is not installed: apt-get install postgresql")
    folder = Path(tempfile.mkdtemp(prefix="pellucid-postgresql-"))
    try:
        yield from _in(folder)
    finally:
        shutil.rmtree(folder)


def _in(folder: Path) -> Iterator[Server]:
    binaries, data, secret = _BINARIES[-1].parent, folder / "data", folder / "secret"
    secret.write_text(PASSWORD)
    server = Server(_free_port(), folder)
    server.passwords.write_text(f"127.0.0.1:*:*:{STEWARD}:{PASSWORD.replace(':', chr(92) + ':')}\n")
    server.passwords.chmod(0o600)
    owner: dict[str, Any] = {}
    if os.geteuid() == 0:  # as root, PostgreSQL does not run
        nobody = pwd.getpwnam("nobody")
        owner = {"user": nobody.pw_uid, "group": nobody.pw_gid, "extra_groups": []}
        for path in (folder, secret):
            os.chown(path, nobody.pw_uid, nobody.pw_gid)
    initdb = ["initdb", "-U", "steward", "-A", "scram-sha-256", "-E", "UTF8", "--locale=C", "--no-sync"]
    subprocess.run(
        [binaries / initdb[0], *initdb[1:], "-D", data, "--pwfile", secret],
        check=True,
        capture_output=True,
        cwd=folder,
        **owner,
    )
    settings = {"listen_addresses": "127.0.0.1", "port": server.port, "unix_socket_directories": "", "fsync": "off"}
    words = [word for name, value in settings.items() for word in ("-c", f"{name}={value}")]
    with (folder / "log").open("wb") as log:
        process = subprocess.Popen([binaries / "postgres", "-D", data, *words], stderr=log, cwd=folder, **owner)
    try:
        _wait_for(server, process)
        yield server
    finally:
        process.send_signal(signal.SIGINT)  # a fast end, which waits for nobody
        try:
            process.wait(timeout=30)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()


def _wait_for(server: Server, process: subprocess.Popen[bytes]) -> None:
    last = time.monotonic() + _START_SECONDS
    while True:
        try:
            server.connection().close()
        except psycopg.OperationalError:
            if process.poll() is not None or time.monotonic() > last:
                raise RuntimeError((server.folder / "log").read_text()) from None
            time.sleep(0.05)
        else:
            return


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])
