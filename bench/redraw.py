"""Does a restore delay the start of a server with many accounts?

    python -m bench.redraw
    python -m bench.redraw --players 1000000 --postgresql

Starts the production server on a database with few and with many players, once as after an ordinary restart
and once without its witness file, so that it redraws every announced seed. Prints the seconds from the start
of the process to a player's commitment, and the time of ``flask seeds redraw``.
"""

import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import requests

from bench.harness.command_line import option_parser
from bench.harness.databases import bench_database
from bench.harness.local_app import local_app
from bench.harness.many_players import copy_player
from bench.harness.servers import ROOT, flask_command, gunicorn, server_process
from services.accounts import users
from services.shared.clock import now_ms


def main() -> None:
    parser = option_parser("redraw", __doc__)
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
    with local_app(env) as app:
        services = app.extensions["services"]
        user = users.create(username="first", seeds=services.seeds, now=now_ms())
        token = services.tokens.issue(platform_id=user.platform_id, session=0, now=now_ms())
        copy_player(user, first=1, last=count)
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


def commitment(url: str, token: str) -> str:
    headers = {"Authorization": f"Bearer {token}"}
    answer = requests.get(f"{url}/upgrader/commitment", headers=headers, timeout=60)
    return str(answer.json()["serverSeedCommitment"])


if __name__ == "__main__":
    main()
