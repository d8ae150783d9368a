"""Spins over sockets on PostgreSQL, compared with a small Node.js server with socket.io and pg.

Both servers send the same settling statement and the same events to the same load tool, one core each
(bench/peers/socketio_spins.mjs says what the Node.js server leaves out).
"""

import json
from collections.abc import Iterator
from contextlib import ExitStack

from bench.harness.durable_postgres import DurablePostgres, durable_postgres
from bench.speed.compare import Comparison, take_turns
from bench.speed.players import connected_players, make_players
from bench.speed.result import Row
from bench.speed.spinning import NEVER, SOON, Spinning, median, spinning
from bench.speed.stage import Stage
from models.bet_settlement import PARAMETERS, SETTLE
from models.db.postgres import Postgres
from models.db.sql import PARAMETER, with_clock

CROWD = 20
GOAL = 0.6


def measure(stage: Stage) -> Iterator[Row]:
    """Spins a second of 20 players, without and with their proofs."""
    with durable_postgres() as server:
        server.move_to([stage.cores.load])
        yield _row(stage, server, proof_delay=NEVER)
        yield _row(stage, server, proof_delay=SOON)


def _row(stage: Stage, server: DurablePostgres, *, proof_delay: str) -> Row:
    with ExitStack() as stack:
        own_url, peer_url = (stack.enter_context(server.fresh()) for _ in range(2))
        own = stack.enter_context(spinning(stage, own_url, CROWD, proof_delay=proof_delay))
        players = make_players(stage, peer_url, CROWD)
        node = stack.enter_context(
            stage.node_peer(
                "socketio_spins.mjs",
                DATABASE_URL=peer_url,
                SETTLEMENT=settlement(),
                UPGRADER_PROOF_DELAY=proof_delay,
            )
        )
        peer = Spinning(stage, peer_url, node, stack.enter_context(connected_players(stage, node, players)))
        measured = [own.without_proofs, peer.without_proofs]
        if proof_delay == SOON:
            measured = [own.with_proofs, peer.with_proofs]
        sides = take_turns(*measured, rounds=stage.rounds)
    compared = Comparison.of("per_second", *sides)
    own_us, peer_us = (median(side, "server_us") for side in sides)
    with_proofs = ", with their proofs and live bets" if proof_delay == SOON else ""
    return Row(
        work=f"spins over sockets, {CROWD} players, PostgreSQL with fsync{with_proofs}",
        against="Node.js with socket.io and pg, the same statement and events",
        goal=GOAL,
        measured=compared.ratio,
        detail=(
            f"{compared.text('spins/s')}; CPU {own_us:,.0f} to {peer_us:,.0f} us a spin; "
            "PostgreSQL on the load tool's core"
        ),
    )


def settlement() -> str:
    """The settling statement with numbered parameters, each cast to its type, and their names in order."""
    numbers = {name: f"${number}::{PARAMETERS[name]}" for number, name in enumerate(PARAMETERS, start=1)}
    text = PARAMETER.sub(lambda name: numbers[name[1]], with_clock(SETTLE, Postgres))
    return json.dumps({"text": text, "parameters": list(PARAMETERS)})
