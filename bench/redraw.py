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
import time
from pathlib import Path

import click
import requests

from bench.harness.command_line import bench_command
from bench.harness.databases import bench_env
from bench.harness.local_app import local_app
from bench.harness.many_players import copy_player
from bench.harness.players import Player, create_player
from bench.harness.servers import ROOT, flask_command, gunicorn, server_process


@bench_command(__doc__)
@click.option("--players", default=1_000_000)
@click.option("--postgresql", is_flag=True, help="on a temporary PostgreSQL")
def main(*, players: int, postgresql: bool) -> None:
    print(f"{'players':>10} {'restart':>10} {'redraw':>10} {'command':>10}   seconds")
    for count in (10, players):
        with bench_env(postgresql=postgresql) as env:
            measure(env, count)


def measure(env: dict[str, str], count: int) -> None:
    directory = Path(env["INSTANCE_DIR"])
    with local_app(env) as app:
        player = create_player(app)
        copy_player(player.user, first=1, last=count)
    commitments, seconds = [], []
    for without_witness in (False, False, True):
        if without_witness:
            (directory / "seeds.witness").unlink()
        began = time.monotonic()
        with server_process(gunicorn(), env, directory) as server:
            commitments.append(commitment(server.url, player))
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


def commitment(url: str, player: Player) -> str:
    answer = requests.get(f"{url}/upgrader/commitment", headers=player.headers, timeout=60)
    return str(answer.json()["serverSeedCommitment"])


if __name__ == "__main__":
    main()
