"""What do the player's limits add to the statement that settles a spin?

    python -m bench.limits
    python -m bench.limits --rounds 20

One connection of a temporary PostgreSQL settles spins of 20 players without limits and of 20 with all six, in
turns. Prints PostgreSQL's CPU time for a spin.

Exits with 1 when limits take more than 1.1 times the CPU time of a spin without.
"""

import statistics
import sys
import tempfile
from collections.abc import Sequence
from functools import partial
from pathlib import Path

import click
from flask import Flask

from bench.harness.command_line import bench_command
from bench.harness.databases import administer
from bench.harness.many_players import copy_player
from bench.harness.players import Player
from bench.harness.spins import play_spin
from bench.speed.compare import take_turns
from bench.speed.players import ITEM, WAGER_COINS, make_players
from bench.speed.stage import Stage
from models.db.connection import database, reading

PLAYERS, OTHER_PLAYERS = 20, 10_000
MOST_CPU = 1.1
UNREACHED = 10**15
LIMITS = ", ".join(
    f"{period}_{kind}_limit_cents = {UNREACHED}"
    for period in ("day", "week", "month")
    for kind in ("wager", "loss")
)
SET_LIMITS = f"UPDATE users SET {LIMITS} WHERE id > (SELECT min(id) + {PLAYERS - 1} FROM users)"  # noqa: S608


@bench_command(__doc__)
@click.option("--rounds", default=1000, help="of each side")
def main(rounds: int) -> None:
    with tempfile.TemporaryDirectory() as place:
        stage = Stage(Path(place))
        with stage.new_postgres() as url:
            players = make_players(stage, url, 2 * PLAYERS)
            administer(url, SET_LIMITS)
            with stage.platform_here(url) as app:
                # Without many players PostgreSQL would read the whole table instead of its index.
                copy_player(players[0].user, first=1, last=OTHER_PLAYERS)
                spin = partial(cpu_us, app)
                sides = {"no limits": players[:PLAYERS], "six limits": players[PLAYERS:]}
                spins = [partial(spin, each) for each in sides.values()]
                # The first spins read what the others find in memory.
                take_turns(*spins, rounds=1)
                figures = take_turns(*spins, rounds=rounds)
    print(f"{'PostgreSQL us':<14}{'median':>10}{'ratio':>8}{'least tenth':>14}{'ratio':>8}")
    medians, tenths = (dict(zip(sides, map(of, figures), strict=True)) for of in (statistics.median, _tenth))
    for name in sides:
        median, tenth = (f"{us[name]:,.1f}  {us[name] / us['no limits']:.3f}" for us in (medians, tenths))
        print(f"{name:<14}{median:>18}{tenth:>22}")
    sys.exit(medians["six limits"] > MOST_CPU * medians["no limits"])


def _tenth(figures: Sequence[float]) -> float:
    """The tenth of the figures that other work of the machine has affected least."""
    return statistics.quantiles(figures, n=10)[0]


def cpu_us(app: Flask, players: Sequence[Player]) -> float:
    """PostgreSQL's microseconds of CPU time for a spin, while each of these players spins once."""
    with reading():
        # Waiting for the disk would only make the rounds longer.
        database.execute_sql("SET synchronous_commit = off")
        ((pid,),) = database.execute_sql("SELECT pg_backend_pid()").fetchall()
    before = _cpu_ns(pid)
    for player in players:
        play_spin(app, player, ITEM, amount=WAGER_COINS, client_seed="a-seed-of-ones-own")
    return (_cpu_ns(pid) - before) / 1000 / len(players)


def _cpu_ns(pid: int) -> int:
    return int(Path(f"/proc/{pid}/schedstat").read_text().split()[0])


if __name__ == "__main__":
    main()
