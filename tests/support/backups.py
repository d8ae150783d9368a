"""Backing up and restoring with the commands of docs/operating.md."""

import shutil
import sqlite3
import subprocess
import sys
from contextlib import closing
from pathlib import Path
from urllib.parse import urlsplit, urlunsplit

from tests.harness.databases import administer, packaged_tool
from tests.harness.servers import ROOT

DISCONNECT = "SELECT pg_terminate_backend(pid, 5000) FROM pg_stat_activity WHERE datname = '{}'"


def back_up(env: dict[str, str], file: Path) -> None:
    """Write the database of this environment to a file."""
    url = env["DATABASE_URL"]
    if url.startswith("sqlite"):
        command = [sys.executable, "-m", "flask", "db", "backup", str(file)]
        subprocess.run(command, cwd=ROOT, env=env, check=True, capture_output=True, timeout=60)
    else:
        command = [packaged_tool("pg_dump"), "--format=custom", f"--file={file}", url]
        subprocess.run(command, check=True, timeout=60)


def restore(file: Path, url: str) -> None:
    """Put the backup in the place of the database at this URL; a server may be connected to it."""
    if url.startswith("sqlite"):
        path = Path(url.removeprefix("sqlite:///"))
        for leftover in (path, Path(f"{path}-wal"), Path(f"{path}-shm")):
            leftover.unlink(missing_ok=True)
        shutil.copy(file, path)
        return
    address = urlsplit(url)
    name = address.path[1:]
    admin = urlunsplit(address._replace(path="/postgres"))
    administer(admin, f'DROP DATABASE "{name}" WITH (FORCE)', f'CREATE DATABASE "{name}"')
    # In one transaction, so that a server that runs meanwhile writes nothing into half a database.
    options = ("--single-transaction", "--no-owner", f"--dbname={url}")
    subprocess.run([packaged_tool("pg_restore"), *options, str(file)], check=True, timeout=60)


def restore_in_place(file: Path, url: str) -> None:
    """Overwrite the contents of a SQLite database that is in use, through SQLite's own backup interface."""
    path = url.removeprefix("sqlite:///")
    with closing(sqlite3.connect(file)) as backup, closing(sqlite3.connect(path)) as target:
        backup.backup(target)
