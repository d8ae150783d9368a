"""Spins over real sockets on PostgreSQL, compared with pgbench and the statements of a spin.

A spin is one prepared statement, which both sides execute. The second row includes everything that follows a
spin, which pgbench does not do: finding, decrypting and sending the proof, storing its delivery, and sending
the live bet. The third row compares that with a spin as plain statements (bench/load/spin_in_steps.sql).

PostgreSQL shares the load tool's core, and the platform or pgbench has the other, so PostgreSQL has the same
share of the machine on both sides.
"""

from collections.abc import Iterator
from contextlib import ExitStack

from bench.speed.compare import Comparison, take_turns
from bench.speed.pgbench import SETTLE, STEPS, PgbenchPlayers
from bench.speed.players import make_players
from bench.speed.result import Row
from bench.speed.spinning import NEVER, SOON, median, rates, spinning
from bench.speed.stage import Stage
from tests.harness.databases import DurablePostgres, durable_postgres

CROWDS = (20, 200)
GOAL = 0.8


def measure(stage: Stage) -> Iterator[Row]:
    """Spins a second of 20 and of 200 players."""
    with durable_postgres() as server:
        server.move_to([stage.cores.load])
        for crowd in CROWDS:
            yield from _rows(stage, server, crowd)


def _rows(stage: Stage, server: DurablePostgres, crowd: int) -> Iterator[Row]:
    with ExitStack() as stack:
        # Equal databases, so that no side has the bets of the other.
        urls = [stack.enter_context(server.fresh()) for _ in range(4)]
        proving = stack.enter_context(spinning(stage, urls[0], crowd, proof_delay=SOON))
        silent = stack.enter_context(spinning(stage, urls[1], crowd, proof_delay=NEVER))
        pgbench, in_steps = (
            PgbenchPlayers(stage, url, script, make_players(stage, url, crowd))
            for url, script in zip(urls[2:], (SETTLE, STEPS), strict=True)
        )
        played, alone, benched, stepped = take_turns(
            proving.with_proofs,
            silent.without_proofs,
            pgbench.spins_per_second,
            in_steps.spins_per_second,
            rounds=stage.rounds,
        )
    both_alike, with_all = Comparison(rates(alone), benched), Comparison(rates(played), benched)
    yield Row(
        work=f"spins over sockets, {crowd} players, PostgreSQL with fsync",
        against=f"pgbench, the same statements, {crowd} clients",
        goal=GOAL,
        measured=both_alike.ratio,
        detail=(
            f"{both_alike.text('spins/s')}; CPU {median(alone, 'server_us'):,.0f} us a spin; "
            "PostgreSQL on the load tool's core"
        ),
    )
    yield Row(
        work=f"the same {crowd} players, with their proofs and live bets",
        against="the same, which has no proofs",
        goal=GOAL,
        measured=with_all.ratio,
        detail=f"{with_all.text('spins/s')}; CPU {median(played, 'server_us'):,.0f} us a spin",
    )
    in_plain_statements = Comparison(rates(played), stepped)
    yield Row(
        work=f"the same {crowd} players, with their proofs and live bets",
        against=f"pgbench, a spin written as plain statements, {crowd} clients",
        goal=GOAL,
        measured=in_plain_statements.ratio,
        detail=in_plain_statements.text("spins/s"),
    )
