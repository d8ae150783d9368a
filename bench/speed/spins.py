"""Spins over real sockets on PostgreSQL: against pgbench with the very statements that a spin sends.

In one arrangement PostgreSQL shares the load tool's core, and the platform has the other, or in its turn
pgbench; so PostgreSQL has as much of the machine under either. In the other it may use both cores, and then pgbench
leaves it nearly all of the one that the platform needs for itself. The row is of the first arrangement, the
detail has both.
"""

import statistics
import time
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, closing
from pathlib import Path

import psycopg2

from bench.speed.captured import capture_spins
from bench.speed.compare import Comparison, take_turns
from bench.speed.pgbench import PgbenchPlayers, Script, scripts_of
from bench.speed.players import AtTheirSockets, at_their_sockets, make_players
from bench.speed.postgres import DurablePostgres
from bench.speed.result import Row
from bench.speed.stage import Stage

CROWDS = (20, 200)
SOON, NEVER = "0.5", "600"
"""Seconds until a proof is due: so that proofs are part of what is measured, or none of it."""

UNDER_WAY_SECONDS = 2.5
"""Until spins, their proofs, and the marks that these were delivered, keep step."""

WARMUP_SECONDS = 0.5
REST_SECONDS = 60


def measure(stage: Stage) -> Iterator[Row]:
    """Spins a second of 20 and of 200 players."""
    with stage.postgres() as server:
        scripts = scripts_of(capture_spins(stage, server))
        for crowd in CROWDS:
            yield _row(stage, server, scripts, crowd)


def _row(stage: Stage, server: DurablePostgres, scripts: Sequence[Script], crowd: int) -> Row:
    with ExitStack() as stack:
        # Three databases alike, so that nobody meets the others' bets.
        proving_url, silent_url, pgbench_url = (stack.enter_context(server.fresh(Path())) for _ in range(3))
        proving = _players(stage, stack, proving_url, crowd, proof_delay=SOON)
        silent = _players(stage, stack, silent_url, crowd, proof_delay=NEVER)
        pgbench = PgbenchPlayers(stage, pgbench_url, scripts, make_players(stage, pgbench_url, crowd))

        def spins() -> float:
            load = proving.play(seconds=stage.seconds, warmup_seconds=UNDER_WAY_SECONDS)
            _rest(proving_url)
            return load.per_second

        def spins_without_proofs() -> float:
            return silent.play(seconds=stage.seconds, warmup_seconds=WARMUP_SECONDS).per_second

        server.move_to([stage.cores.load])
        played, unproven, benched = take_turns(
            spins,
            spins_without_proofs,
            lambda: pgbench.spins_per_second(core=stage.cores.server),
            rounds=1 if stage.quick else 3,
        )
        server.move_to(stage.cores.both)
        wide = Comparison(
            *take_turns(spins, lambda: pgbench.spins_per_second(core=stage.cores.load), rounds=1)
        )
    compared, bare = Comparison(played, benched), Comparison(unproven, benched)
    return Row(
        work=f"spins over sockets, {crowd} players, PostgreSQL with fsync",
        against=f"pgbench, the same statements, {crowd} clients",
        goal=0.8,
        measured=compared.ratio,
        detail=(
            f"{compared.told('spins/s')}, with proofs and live bets; without these "
            f"{statistics.median(unproven):,.0f}, {bare.ratio:.2f} x; "
            f"{pgbench.statements} statements a spin; "
            f"PostgreSQL on the load tool's core; on both cores {wide.told('spins/s')}"
        ),
    )


def _players(stage: Stage, stack: ExitStack, url: str, crowd: int, *, proof_delay: str) -> AtTheirSockets:
    players = make_players(stage, url, crowd)
    platform = stack.enter_context(stage.platform(url, UPGRADER_PROOF_DELAY=proof_delay))
    return stack.enter_context(at_their_sockets(stage, platform, players))


def _rest(url: str) -> None:
    """Wait until every proof has been delivered."""
    deadline = time.monotonic() + REST_SECONDS
    with closing(psycopg2.connect(url)) as connection, connection.cursor() as cursor:
        connection.autocommit = True
        while time.monotonic() < deadline:
            cursor.execute("SELECT 1 FROM bets WHERE proof_delivered_at_ms IS NULL LIMIT 1")
            if cursor.fetchone() is None:
                return
            time.sleep(0.1)
    raise AssertionError(f"proofs were still on their way after {REST_SECONDS} s")
