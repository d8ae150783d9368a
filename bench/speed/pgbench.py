"""Spins as scripts of pgbench, PostgreSQL's own load tool. Half a coin is wagered for a coin."""

import re
import subprocess
from collections.abc import Iterator, Sequence
from contextlib import closing

import psycopg2

from bench.speed.machine import running_on
from bench.speed.stage import LOAD, Stage
from models import bet_settlement
from models.db.sql import prepared
from services.log.tree import EMPTY_ROOT
from tests.harness.databases import administer, packaged_tool
from tests.harness.players import Player

SHARDS = 64
FIRST_TIME_MS = 1_800_000_000_000
NONCES_A_RUN = 1_000_000
LEAST_SECONDS = 2

TPS = re.compile(r"^tps = ([0-9.]+)", re.MULTILINE)
MADE = re.compile(r"^number of transactions actually processed: (\d+)", re.MULTILINE)

# A commitment of this player and this nonce, in 64 characters.
ZEROS = "0" * 48
SERIAL = "1000000000000000 + ({player} % 1000000) * 1000000000 + {nonce}"
ANNOUNCE = f"""
UPDATE announced_seeds SET
    is_logged = TRUE, nonce = {{nonce}},
    server_seed_commitment = '{ZEROS}' || ({SERIAL.format(player="user_id", nonce="{nonce}")})::text
"""  # noqa: S608  # numbers

# The variables of a spin: its player, its outcome, and values that differ from the last spin.
VARIABLES = rf"""
\set player :first + :client_id
\set shard :player % {SHARDS}
\set nonce :nonce + 1
\set made {FIRST_TIME_MS} + :nonce
\set serial {SERIAL.format(player=":player", nonce=":nonce")}
\set next_serial :serial + 1
\set roll random(0, 9999999)
\set payout case when :roll < 4750000 then 100 else 0 end
"""
BET = {
    "user_id": ":player",
    "token_number": "0",
    "nonce": ":nonce",
    "game": '"upgrader"',
    "algorithm": '"upgrader-1"',
    "wager_cents": "50",
    "payout_cents": ":payout",
    "status": """"' || CASE WHEN :payout > 0 THEN 'won' ELSE 'lost' END || '\"""",
    "item": '"Item of a spin"',
    "price_cents": "100",
    "house_edge_ppm": "50000",
    "threshold": "4750000",
    "roll": ":roll",
    **dict.fromkeys(("snapshot_id", "snapshot_hash", "snapshot_text", "ticket", "case_read_at_ms"), "null"),
    **dict.fromkeys(("case_id", "counted_edge_ppm", "reward_id", "prize_image"), "null"),
    "client_seed": '"a-seed-of-ones-own"',
    "server_seed_commitment": f'"{ZEROS}:serial"',
    "encrypted_server_seed": f'"{"s" * 140}:serial"',
    "next_commitment_hex": f'"{ZEROS}:next_serial"',
    "next_encrypted_server_seed": f'"{"s" * 140}:next_serial"',
    **dict.fromkeys(("request_id", "request_digest"), "null"),
    "shard": ":shard",
    "ledger_kind": '"spin"',
}
"""The bet in JSON. With a blank before each value: two colons would be a cast."""
VALUES = {
    "bets": f"""('[{{{", ".join(f'"{name}": {value}' for name, value in BET.items())}}}]')::json""",
    "count": "1",
    "created_at_ms": ":made",
    "proof_due_at_ms": ":made + 600000",
    "day": "1799971200000",
    "week": "1799625600000",
    "month": "1798761600000",
    "checkpoint_size": "0",
    "checkpoint_root": f"'{EMPTY_ROOT.hex()}'",
    "min_cycle_ms": "0",
    "longest_play_ms": "0",
}
"""The parameters of the settling statement."""

STATEMENT = prepared("settle", bet_settlement.SETTLE)
SETTLE = rf"""
\if :prepared = 0
{STATEMENT.prepare};
\set prepared 1
\endif
{STATEMENT.execute % tuple(VALUES[name] for name in STATEMENT.names)};
"""  # constants
"""A spin as the platform settles it, one at a time."""

STEPS = (LOAD / "spin_in_steps.sql").read_text()
"""The work of a spin as plain statements, one after the other."""


class PgbenchPlayers:
    """Clients of pgbench. Each is a player of this database who spins with this script."""

    def __init__(self, stage: Stage, url: str, script: str, players: Sequence[Player]) -> None:
        self._stage = stage
        self._url = url
        self._script = script
        self._players = players
        self._nonce = 0

    def spins_per_second(self) -> float:
        """Let the clients spin on the server's core. Raises AssertionError unless every spin was whole."""
        # pgbench loses its variables after each run, so each run begins at a round number.
        self._nonce += NONCES_A_RUN
        administer(self._url, ANNOUNCE.format(nonce=self._nonce + 1))
        with running_on(self._stage.cores.server):
            ended = subprocess.run([*self._command(), self._url], capture_output=True, text=True, check=False)
        tps, made = TPS.search(ended.stdout), MADE.search(ended.stdout)
        assert ended.returncode == 0, ended.stderr[-2000:]
        assert tps, ended.stdout
        assert made, ended.stdout
        self._check_played(int(made[1]))
        return float(tps[1])

    def _command(self) -> Iterator[str]:
        yield str(packaged_tool("pgbench"))
        yield from ("--no-vacuum", "--protocol=simple", "--jobs=1")
        yield f"--client={len(self._players)}"
        yield f"--time={max(round(self._stage.seconds), LEAST_SECONDS)}"
        for name, value in {"nonce": self._nonce, "first": self._players[0].user.id, "prepared": 0}.items():
            yield f"--define={name}={value}"
        path = self._stage.directory / "spin.sql"
        path.write_text(VARIABLES + self._script)
        yield f"--file={path}"

    def _check_played(self, spins: int) -> None:
        """Raises AssertionError unless each run of the script moved its player's nonce by one."""
        with closing(psycopg2.connect(self._url)) as connection, connection.cursor() as cursor:
            cursor.execute("SELECT sum(nonce - %s) FROM announced_seeds", [self._nonce + 1])
            (moved,) = cursor.fetchone() or (None,)
        assert moved == spins, f"{moved} of {spins} spins were whole"
