"""What do the player's limits add to the statement that settles a spin?

    python -m bench.limits
    python -m bench.limits --rounds 20

One connection of a temporary PostgreSQL settles spins of 20 players, in turns in two databases: one whose
players have no limits, and one whose players have all six. Prints PostgreSQL's CPU time for a spin.

Exits with 1 when limits take more than 1.1 times the CPU time of a spin without.
"""

import argparse
import itertools
import statistics
import sys
import tempfile
from collections.abc import Sequence
from contextlib import ExitStack, closing
from functools import partial
from pathlib import Path
from typing import Any

import psycopg2

from bench.harness.databases import administer, migrate_once
from bench.speed.compare import take_turns
from bench.speed.players import make_players
from bench.speed.postgres import DurablePostgres, durable_postgres
from bench.speed.stage import Stage
from models.bet_settlement import EXECUTE, PARAMETERS, PREPARE
from models.db.connection import database
from services.shared.clock import now_ms

PLAYERS, OTHER_PLAYERS = 20, 10_000
MOST_CPU = 1.1
WAGER, PRICE = 50, 100
UNREACHED = 10**15
LIMITS = [f"{period}_{kind}_limit_cents" for period in ("day", "week", "month") for kind in ("wager", "loss")]

OTHERS = f"""
INSERT INTO users (
    platform_id, username, username_folded, avatar, trade_url, client_seed, registered_at_ms, balance_cents,
    vault_cents, sweepstake_cents, granted_experience, wagered_cents, earned_cents, free_cases,
    two_factor_enabled, deposit_bonus
)
SELECT number, number, number, '', '', 'seed', 0, 0, 0, 0, 0, 0, 0, 0, FALSE, FALSE
FROM generate_series(1, {OTHER_PLAYERS}) AS number;
INSERT INTO announced_seeds (user_id, nonce, server_seed_commitment, sealed_server_seed, epoch)
SELECT id, 1, lpad(id::text, 64, '0'), repeat('s', 140), 0 FROM users WHERE username NOT LIKE 'player-%';
ANALYZE
"""  # noqa: S608  # a number
"""Without many players PostgreSQL would read the whole table instead of its index."""


class Spins:
    """Settles spins over one connection, as the platform does."""

    def __init__(self, url: str) -> None:
        self._connection = psycopg2.connect(url)
        self._connection.autocommit = True
        self._cursor = self._connection.cursor()
        self._seeds = dict(self._all("SELECT user_id, server_seed_commitment FROM announced_seeds"))
        self._cursor.execute(OTHERS)
        # Waiting for the disk would only make the rounds longer.
        self._cursor.execute(f"SET synchronous_commit = off; {PREPARE}")
        self._mark = self._all("SELECT number, token FROM seed_marks ORDER BY number DESC LIMIT 1")[0]
        self._numbers = itertools.count(1)
        ((pid,),) = self._all("SELECT pg_backend_pid()")
        self._cpu_time = Path(f"/proc/{pid}/schedstat")

    def cpu_us(self) -> float:
        """PostgreSQL's microseconds of CPU time for a spin, while each player spins once."""
        before, nonce = self._cpu_ns(), next(self._numbers)
        for user_id in self._seeds:
            self._spin(user_id, nonce)
        return (self._cpu_ns() - before) / 1000 / len(self._seeds)

    def close(self) -> None:
        self._connection.close()

    def _spin(self, user_id: int, nonce: int) -> None:
        values = self._values(user_id, nonce)
        self._cursor.execute(EXECUTE, [values[name] for name in PARAMETERS])
        row = self._cursor.fetchone()
        assert row[3] is not None, row
        self._seeds[user_id] = values["next_commitment"]

    def _values(self, user_id: int, nonce: int) -> dict[str, Any]:
        now, wins = now_ms(), nonce % 2 == 0
        number, token = self._mark
        return {
            "user_id": user_id,
            "nonce": nonce,
            "game": "upgrader",
            "algorithm": "upgrader-1",
            "wager_cents": WAGER,
            "payout_cents": PRICE if wins else 0,
            "status": "won" if wins else "lost",
            "item": "Item of a spin",
            "price_cents": PRICE,
            "house_edge_ppm": 50_000,
            "threshold": 4_750_000,
            "roll": 0 if wins else 9_999_999,
            **dict.fromkeys(("snapshot_id", "ticket", "case_id", "free_case_limit", "prize_image")),
            "client_seed": "a-seed-of-ones-own",
            "server_seed_commitment": self._seeds[user_id],
            "sealed_server_seed": "s" * 140,
            "next_commitment": f"{user_id:032}{nonce:032}",
            "next_sealed_server_seed": "s" * 140,
            "mark_number": number,
            "mark_token": token,
            "request_id": None,
            "request_digest": None,
            "shard": user_id % 64,
            "ledger_kind": "spin",
            "created_at_ms": now,
            "completed_at_ms": now + 6000,
            "longest_wait_ms": None,
            # Any time before now: whether it is a Monday makes no difference.
            **dict.fromkeys(("day", "week", "month"), now // 86_400_000 * 86_400_000),
            "min_cycle_ms": 0,
            "session_limit_ms": 0,
        }

    def _cpu_ns(self) -> int:
        return int(self._cpu_time.read_text().split()[0])

    def _all(self, query: str) -> list[tuple[Any, ...]]:
        self._cursor.execute(query)
        return self._cursor.fetchall()


def main() -> None:
    options = _options()
    with tempfile.TemporaryDirectory() as place, ExitStack() as stack:
        server = stack.enter_context(durable_postgres())
        opened = partial(_opened, stack, server, Path(place))
        sides = {"no limits": opened(), "six limits": opened(limits=True)}
        for spins in sides.values():
            spins.cpu_us()
        figures = take_turns(*(spins.cpu_us for spins in sides.values()), rounds=options.rounds)
    print(f"{'PostgreSQL us':<14}{'median':>10}{'ratio':>8}{'least tenth':>14}{'ratio':>8}")
    medians, tenths = (dict(zip(sides, map(of, figures), strict=True)) for of in (statistics.median, _tenth))
    for name in sides:
        median, tenth = (f"{us[name]:,.1f}  {us[name] / us['no limits']:.3f}" for us in (medians, tenths))
        print(f"{name:<14}{median:>18}{tenth:>22}")
    sys.exit(medians["six limits"] > MOST_CPU * medians["no limits"])


def _tenth(figures: Sequence[float]) -> float:
    """The tenth of the figures that other work of the machine has affected least."""
    return statistics.quantiles(figures, n=10)[0]


def _opened(stack: ExitStack, server: DurablePostgres, place: Path, *, limits: bool = False) -> Spins:
    """A new database with players."""
    url = stack.enter_context(server.fresh(place))
    migrate_once(url)
    # Another instance directory for each: the seeds of a database belong to it.
    make_players(Stage(Path(tempfile.mkdtemp(dir=place))), url, PLAYERS)
    database.obj.close_all()
    if limits:
        limited = ", ".join(f"{name} = {UNREACHED}" for name in LIMITS)
        administer(url, f"UPDATE users SET {limited}")  # noqa: S608  # constants
    return stack.enter_context(closing(Spins(url)))


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m bench.limits", description=__doc__)
    parser.formatter_class = argparse.RawDescriptionHelpFormatter
    parser.add_argument("--rounds", type=int, default=1000, help="of each side (%(default)s)")
    return parser.parse_args()


if __name__ == "__main__":
    main()
