"""Spins over sockets on PostgreSQL, compared with two small servers: on Node.js, and on Python's asyncio.

All use the same settling statement, and send the same events to the same load tool, one core each.
bench/peers/socketio_spins.mjs and bench/peers/asyncio_spins.py say what they leave out. Two rows are of the
server on Node.js that keeps the platform's promises for each spin: bench/peers/promises.mjs.
"""

import json
import re
import sys
from collections.abc import Iterator, Mapping
from contextlib import ExitStack
from dataclasses import dataclass, field

from bench.speed.compare import Comparison, take_turns
from bench.speed.players import connected_players, make_players
from bench.speed.result import Row
from bench.speed.spinning import NEVER, SOON, Spinning, median, spinning
from bench.speed.stage import PEERS, Stage
from tests.harness.databases import DurablePostgres, durable_postgres
from tests.harness.node import NODE

CROWD = 20

STATEMENT = (PEERS / "settlement.sql").read_text()
PARAMETER = re.compile(r"(?<!:):([a-z_]+)(?=::)")
"""Such as ``:user_id::bigint``: a name and a type."""


@dataclass(frozen=True)
class Peer:
    """A server with the same events, and the goals of the platform against it."""

    name: str
    command: list[str]
    goal: float
    goal_with_proofs: float
    env: Mapping[str, str] = field(default_factory=dict)


NODE_JS = Peer(
    "Node.js with socket.io and pg",
    [str(NODE), str(PEERS / "socketio_spins.mjs")],
    goal=0.75,
    goal_with_proofs=1.0,
)
NODE_JS_WITH_PROMISES = Peer(
    "Node.js with the same promises",
    NODE_JS.command,
    goal=0.75,
    goal_with_proofs=1.0,
    env={"PROMISES": "1"},
)
ASYNCIO = Peer(
    "uvicorn with python-socketio and asyncpg",
    [sys.executable, "-m", "bench.peers.asyncio_spins"],
    goal=1.0,
    goal_with_proofs=1.5,
)


def measure(stage: Stage) -> Iterator[Row]:
    """Spins a second of 20 players, without and with their proofs."""
    with durable_postgres() as server:
        server.move_to([stage.cores.load])
        for peer in (NODE_JS, NODE_JS_WITH_PROMISES, ASYNCIO):
            yield _row(stage, server, peer, proof_delay=NEVER)
            yield _row(stage, server, peer, proof_delay=SOON)


def _row(stage: Stage, server: DurablePostgres, compared: Peer, *, proof_delay: str) -> Row:
    has_proofs = proof_delay == SOON
    with ExitStack() as stack:
        own_url, peer_url = (stack.enter_context(server.fresh()) for _ in range(2))
        own = stack.enter_context(spinning(stage, own_url, CROWD, proof_delay=proof_delay))
        players = make_players(stage, peer_url, CROWD)
        env = {
            **stage.env_of(peer_url),
            "SETTLEMENT": settlement(),
            "UPGRADER_PROOF_DELAY": proof_delay,
            "NODE_ENV": "production",
            **compared.env,
        }
        running = stack.enter_context(stage.server(compared.command, env))
        connected = stack.enter_context(connected_players(stage, running, players))
        peer = Spinning(stage, peer_url, running, connected)
        measured = [own.without_proofs, peer.without_proofs]
        if has_proofs:
            measured = [own.with_proofs, peer.with_proofs]
        sides = take_turns(*measured, rounds=stage.rounds)
    result = Comparison.of("per_second", *sides)
    own_us, peer_us = (median(side, "server_us") for side in sides)
    with_proofs = ", with their proofs and live bets" if has_proofs else ""
    return Row(
        work=f"spins over sockets, {CROWD} players, PostgreSQL with fsync{with_proofs}",
        against=f"{compared.name}, the same statement and events",
        goal=compared.goal_with_proofs if has_proofs else compared.goal,
        measured=result.ratio,
        detail=(
            f"{result.text('spins/s')}; CPU {own_us:,.0f} to {peer_us:,.0f} us a spin; "
            "PostgreSQL on the load tool's core"
        ),
    )


def settlement() -> str:
    """The statement of bench/peers/settlement.sql with numbered parameters, and their names in order."""
    names = list(dict.fromkeys(PARAMETER.findall(STATEMENT)))
    text = PARAMETER.sub(lambda found: f"${names.index(found[1]) + 1}", STATEMENT)
    return json.dumps({"text": text, "parameters": names})
