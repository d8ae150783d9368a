"""Does a restore delay the start of a server with many accounts?

    python -m bench.redraw
    python -m bench.redraw --players 1000000 --postgresql

Starts the production server on a database with few and with many players, once as after an ordinary restart
and once without its witness file, so that it redraws every announced seed. Prints the seconds from the start
of the process to a player's commitment, and the time of ``flask seeds redraw``.
"""

import argparse
import json
import os
import subprocess
import sys
import tempfile
import time
import urllib.request
from pathlib import Path

from app import create_app
from bench.harness.databases import bench_database
from bench.harness.servers import ROOT, flask_command, gunicorn, server_process
from models.db.connection import database, writing
from models.users import AnnouncedSeed, User
from services.accounts import users
from services.shared.clock import now_ms
from settings import Settings

NUMBERS = "WITH RECURSIVE numbers(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM numbers WHERE i < {count})"
OWN = {"platform_id", "username", "username_folded"}


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m bench.redraw", description=__doc__)
    parser.formatter_class = argparse.RawDescriptionHelpFormatter
    parser.add_argument("--players", type=int, default=1_000_000, help="(%(default)s)")
    parser.add_argument("--postgresql", action="store_true", help="on a temporary PostgreSQL")
    options = parser.parse_args()
    print(f"{'players':>10} {'restart':>10} {'redraw':>10} {'command':>10}   seconds")
    for count in (10, options.players):
        with (
            tempfile.TemporaryDirectory() as place,
            bench_database(Path(place), postgresql=options.postgresql) as url,
        ):
            measure(url, Path(place), count)


def measure(url: str, place: Path, count: int) -> None:
    env = {"DATABASE_URL": url, "INSTANCE_DIR": str(place / "instance"), "BASE_URL": "http://127.0.0.1:5000"}
    app = create_app(Settings.from_env(env))
    services = app.extensions["services"]
    user = users.create(username="first", seeds=services.seeds, now=now_ms())
    token = services.tokens.issue(platform_id=user.platform_id, session=0, now=now_ms())
    copy_player(user, count)
    database.obj.close_all()
    commitments, seconds = [], []
    for without_witness in (False, False, True):
        if without_witness:
            (place / "instance" / "seeds.witness").unlink()
        began = time.monotonic()
        with server_process(gunicorn(), env, place) as server:
            commitments.append(commitment(server.url, token))
            seconds.append(time.monotonic() - began)
            server.stop()
    began = time.monotonic()
    subprocess.run(
        [*flask_command(), "seeds", "redraw"],
        cwd=ROOT,
        env=os.environ | env,
        check=True,
        stdout=subprocess.PIPE,
    )
    command = time.monotonic() - began
    if commitments[0] != commitments[1] or commitments[1] == commitments[2]:
        sys.exit("the restart has not kept the commitment, or the redraw has")
    print(f"{count:>10,} {seconds[1]:>10.2f} {seconds[2]:>10.2f} {command:>10.2f}")


def copy_player(user: User, count: int) -> None:
    """Fill the tables with players like this one."""
    columns = [field.column_name for field in User._meta.sorted_fields if field.column_name != "id"]  # noqa: SLF001
    values = [f"{name} || '-' || i" if name in OWN else name for name in columns]
    numbers = NUMBERS.format(count=count)
    copied = (
        f"INSERT INTO users ({', '.join(columns)}) {numbers}"  # noqa: S608
        f" SELECT {', '.join(values)} FROM users, numbers WHERE users.id = {user.id}"
    )
    seeds = (
        "INSERT INTO announced_seeds (user_id, nonce, server_seed_commitment, sealed_server_seed, epoch)"  # noqa: S608
        f" SELECT users.id, 1, 'copy ' || users.id, sealed_server_seed, epoch FROM users, announced_seeds"
        f" WHERE users.id <> {user.id} AND announced_seeds.user_id = {user.id}"
    )
    with writing():
        database.obj.lift_statement_limit()
        database.execute_sql(copied)
        database.execute_sql(seeds)
        database.obj.analyze_tables(User, AnnouncedSeed)


def commitment(url: str, token: str) -> str:
    asked = urllib.request.Request(  # noqa: S310  # our own server
        f"{url}/upgrader/commitment", headers={"Authorization": f"Bearer {token}"}
    )
    with urllib.request.urlopen(asked, timeout=60) as answer:  # noqa: S310
        return str(json.load(answer)["serverSeedCommitment"])


if __name__ == "__main__":
    main()
