"""What does an opening of a case cost, compared with a spin?

    python -m bench.openings
    python -m bench.openings --postgresql --rounds 10

20 players bet over sockets as fast as they are answered: they spin, they all open one case, or they open many
cases in turns. The three take turns on one server and one database. Prints bets a second, and the CPU time of
the server and of PostgreSQL for a bet; proofs are not due meanwhile.

Exits with 1 when an opening takes more than 1.3 times the CPU time of a spin, or when openings of one case
reach less than 0.9 of the rate of openings of many.
"""

import logging
import sys
import tempfile
from contextlib import ExitStack
from functools import partial
from pathlib import Path

import click

from bench.harness.command_line import bench_command
from bench.harness.durable_postgres import durable_postgres
from bench.harness.players import import_prices
from bench.speed.compare import Comparison, take_turns
from bench.speed.players import SPIN, Bet, connected_players, make_players
from bench.speed.spinning import NEVER, Spinning, median
from bench.speed.stage import Stage
from services.cases import importing as cases_importing
from services.shared.clock import now_ms

PLAYERS = 20
CASES, ITEMS = 100, 20
MOST_CPU = 1.3
LEAST_RATE = 0.9

CASE: list[Bet] = [("case:open", {"case": "case-0"})]
MANY_CASES: list[Bet] = [("case:open", {"case": f"case-{number}"}) for number in range(CASES)]


@bench_command(__doc__)
@click.option("--rounds", default=6, help="of each side")
@click.option("--seconds", default=3.0, help="of each round")
@click.option("--postgresql", is_flag=True, help="on a temporary PostgreSQL, with fsync")
def main(*, rounds: int, seconds: float, postgresql: bool) -> None:
    logging.getLogger("platform").setLevel(logging.ERROR)
    with tempfile.TemporaryDirectory() as place, ExitStack() as stack:
        stage = Stage(Path(place), round_seconds=seconds)
        url, database_pid = stage.new_sqlite(), None
        if postgresql:
            postgres = stack.enter_context(durable_postgres())
            url, database_pid = stack.enter_context(postgres.fresh()), postgres.pid
        players = make_players(stage, url, PLAYERS)
        import_cases(stage, url)
        server = stack.enter_context(stage.platform(url, UPGRADER_PROOF_DELAY=NEVER))
        connected = stack.enter_context(connected_players(stage, server, players))
        play = Spinning(stage, url, server, connected, database_pid=database_pid).without_proofs
        sides = (partial(play, bets=bets) for bets in (SPIN, CASE, MANY_CASES))
        spins, one, many = take_turns(*sides, rounds=rounds)
    print(f"{'':<12}{'a second':>12}{'server us':>12}{'database us':>12}")
    for name, figures_of in (("spins", spins), ("one case", one), ("many cases", many)):
        figures = (median(figures_of, field) for field in ("per_second", "server_us", "database_us"))
        print(f"{name:<12}" + "".join(f"{figure:>12,.0f}" for figure in figures))
    cpu, each_another = (Comparison.of("cpu_us", side, spins).ratio for side in (one, many))
    server_cpu = Comparison.of("server_us", one, spins).ratio
    rate = Comparison.of("per_second", one, many).ratio
    print(f"CPU of an opening: {cpu:.2f} of a spin's (server {server_cpu:.2f})")
    print(
        f"the same, each of another case, which is read when it was not for half a second: {each_another:.2f}"
    )
    print(f"openings a second of one case: {rate:.2f} of those of {CASES} cases")
    sys.exit(cpu > MOST_CPU or rate < LEAST_RATE)


def import_cases(stage: Stage, url: str) -> None:
    """Cases with the same items, of which the dearest are the rarest."""
    names = [f"Item {number}" for number in range(ITEMS)]
    items = [{"marketHashName": name, "percentage": 100 // ITEMS} for name in names]
    with stage.platform_here(url):
        import_prices({name: number + 1 for number, name in enumerate(names)})
        cases = [{"name": f"Case {number}", "items": items} for number in range(CASES)]
        cases_importing.import_cases(cases, now=now_ms())


if __name__ == "__main__":
    main()
