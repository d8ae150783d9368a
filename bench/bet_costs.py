"""What do the opening of a case and a player's limits cost, compared with a spin?

    python -m bench.bet_costs
    python -m bench.bet_costs --postgresql --rounds 10

20 players among 10,000 bet over sockets as fast as they are answered: they spin, they all open one case, or
they open many cases in turns. 20 others with all six limits spin. The four take turns on one server and one
database. Prints bets a second, and the CPU time of the server and of the database for a bet; proofs are not
due meanwhile.

Exits with 1 when an opening takes more than 1.3 times the CPU time of a spin, or a spin with limits more than
1.1 times, or when openings of one case reach less than 0.9 of the rate of openings of many.
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
from bench.harness.many_players import copy_player
from bench.harness.players import Player, import_prices
from bench.speed.compare import Comparison, take_turns
from bench.speed.players import SPIN, Bet, connected_players, make_players
from bench.speed.spinning import NEVER, Spinning, median
from bench.speed.stage import Stage
from models.db.connection import writing
from models.users import User
from services.cases import importing as cases_importing
from services.shared.clock import now_ms

PLAYERS, OTHER_PLAYERS = 20, 10_000
CASES, ITEMS = 100, 20
MOST_CPU, MOST_CPU_OF_LIMITS = 1.3, 1.1
LEAST_RATE = 0.9
UNREACHED = 10**15
LIMITS = {
    f"{period}_{kind}_limit_cents": UNREACHED
    for period in ("day", "week", "month")
    for kind in ("wager", "loss")
}

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
        players = make_players(stage, url, 2 * PLAYERS)
        prepare(stage, url, limited=players[PLAYERS:])
        server = stack.enter_context(stage.platform(url, UPGRADER_PROOF_DELAY=NEVER))
        play, play_limited = [
            Spinning(
                stage,
                url,
                server,
                stack.enter_context(connected_players(stage, server, some)),
                database_pid=database_pid,
            ).without_proofs
            for some in (players[:PLAYERS], players[PLAYERS:])
        ]
        sides = (partial(play, bets=bets) for bets in (SPIN, CASE, MANY_CASES))
        spins, one, many, limited = take_turns(*sides, play_limited, rounds=rounds)
    print(f"{'':<12}{'a second':>12}{'server us':>12}{'database us':>12}")
    named = {"spins": spins, "one case": one, "many cases": many, "six limits": limited}
    for name, figures_of in named.items():
        figures = (median(figures_of, field) for field in ("per_second", "server_us", "database_us"))
        print(f"{name:<12}" + "".join(f"{figure:>12,.0f}" for figure in figures))
    cpu, each_another, of_limits = (
        Comparison.of("cpu_us", side, spins).ratio for side in (one, many, limited)
    )
    rate = Comparison.of("per_second", one, many).ratio
    print(f"CPU of an opening: {cpu:.2f} of a spin's")
    print(
        f"the same, each of another case, which is read when it was not for half a second: {each_another:.2f}"
    )
    print(f"CPU of a spin with six limits: {of_limits:.2f} of one without")
    print(f"openings a second of one case: {rate:.2f} of those of {CASES} cases")
    sys.exit(cpu > MOST_CPU or of_limits > MOST_CPU_OF_LIMITS or rate < LEAST_RATE)


def prepare(stage: Stage, url: str, *, limited: list[Player]) -> None:
    """Import cases with the same items, of which the dearest are the rarest; set limits, and add players."""
    names = [f"Item {number}" for number in range(ITEMS)]
    items = [{"marketHashName": name, "percentage": 100 // ITEMS} for name in names]
    with stage.platform_here(url):
        import_prices({name: number + 1 for number, name in enumerate(names)})
        cases = [{"name": f"Case {number}", "items": items} for number in range(CASES)]
        cases_importing.import_cases(cases, now=now_ms())
        # With few players PostgreSQL would read the whole table instead of its index.
        copy_player(limited[0].user, first=1, last=OTHER_PLAYERS)
        with writing():
            User.update(LIMITS).where(User.id.in_([player.id for player in limited])).execute()


if __name__ == "__main__":
    main()
