"""Spins over real sockets on PostgreSQL: against pgbench with the very statements that a spin sends.

That is one statement, prepared, in which little is left to be saved; so there is a second row, against
the same work as the plain statements that it would be otherwise (bench/load/spin_in_steps.sql).

In one arrangement PostgreSQL shares the load tool's core, and the platform has the other, or in its turn
pgbench; so PostgreSQL has as much of the machine under either. In the other it may use both cores, and then
pgbench leaves it nearly all of the one that the platform needs for itself. The row is of the first
arrangement, the detail has both.
"""

import statistics
from collections.abc import Iterator, Sequence
from contextlib import ExitStack
from functools import partial
from pathlib import Path

from bench.speed.captured import capture_spins
from bench.speed.compare import Comparison, take_turns
from bench.speed.pgbench import PgbenchPlayers, Script, script_in_steps, scripts_of
from bench.speed.players import make_players
from bench.speed.postgres import DurablePostgres
from bench.speed.result import Row
from bench.speed.spinning import NEVER, SOON, spinning
from bench.speed.stage import Stage

CROWDS = (20, 200)


def measure(stage: Stage) -> Iterator[Row]:
    """Spins a second of 20 and of 200 players."""
    with stage.postgres() as server:
        scripts = scripts_of(capture_spins(stage, server))
        for crowd in CROWDS:
            yield from _rows(stage, server, scripts, crowd)


def _rows(stage: Stage, server: DurablePostgres, scripts: Sequence[Script], crowd: int) -> Iterator[Row]:
    with ExitStack() as stack:
        # Databases alike, so that nobody meets the others' bets.
        urls = [stack.enter_context(server.fresh(Path())) for _ in range(4)]
        proving = stack.enter_context(spinning(stage, urls[0], crowd, proof_delay=SOON))
        silent = stack.enter_context(spinning(stage, urls[1], crowd, proof_delay=NEVER))
        pgbench = PgbenchPlayers(stage, urls[2], scripts, make_players(stage, urls[2], crowd))
        in_steps = PgbenchPlayers(stage, urls[3], [script_in_steps()], make_players(stage, urls[3], crowd))
        server.move_to([stage.cores.load])
        played, alone, benched, stepped = take_turns(
            proving.with_proofs,
            silent.without_proofs,
            partial(pgbench.spins_per_second, core=stage.cores.server),
            partial(in_steps.spins_per_second, core=stage.cores.server),
            rounds=1 if stage.quick else 3,
        )
        server.move_to(stage.cores.both)
        wide = take_turns(
            proving.with_proofs, partial(pgbench.spins_per_second, core=stage.cores.load), rounds=1
        )
    compared = Comparison(played, benched)
    yield Row(
        work=f"spins over sockets, {crowd} players, PostgreSQL with fsync",
        against=f"pgbench, the same statements, {crowd} clients",
        goal=0.8,
        measured=compared.ratio,
        detail=(
            f"{compared.told('spins/s')}, with proofs and live bets; without these "
            f"{statistics.median(alone):,.0f}, {Comparison(alone, benched).ratio:.2f} x; "
            f"CPU {proving.cpu_us:,.0f} and {silent.cpu_us:,.0f} us a spin; "
            f"{pgbench.statements} a spin; PostgreSQL on the load tool's core; "
            f"on both cores {Comparison(*wide).told('spins/s')}"
        ),
    )
    plain = Comparison(played, stepped)
    yield Row(
        work=f"the same {crowd} players",
        against=f"pgbench, a spin written as plain statements, {crowd} clients",
        goal=0.8,
        measured=plain.ratio,
        detail=f"{plain.told('spins/s')}",
    )
