"""Captures the statements of a spin from PostgreSQL's log.

The production server plays some spins on a database that logs every statement. The statements between two
marks belong to one spin, so nothing here depends on how a spin is written.
"""

import re
import time
from collections.abc import Iterator, Sequence
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import urlsplit

import psycopg2

from bench.harness.databases import administer
from bench.harness.sockets import Socket
from bench.speed.players import ITEM, WAGER_COINS, Player, make_players
from bench.speed.postgres import LOG_MARK, DurablePostgres
from bench.speed.stage import Stage
from models.bets import Bet
from models.db.connection import database, open_database
from models.seed_marks import SeedMark

PLAYERS = 8
SPINS_EACH = 8
NONCE = 5_200_001
SERIALS = {"users_id_seq": 7_100_001, "ledger_transactions_id_seq": 610_000_001, "bets_id_seq": 620_000_001}
"""First numbers of ids and nonces, so that each kind is recognised by its size in a statement."""

STATEMENT = re.compile(r"LOG:  (?:statement|execute [^:]+): (.*)", re.DOTALL)
AFTER_THE_ANSWER_SECONDS = 0.05
"""Time for work that follows an answer."""


@dataclass(frozen=True)
class CapturedSpin:
    """The statements of one spin in order, and its player and nonce."""

    statements: Sequence[str]
    user: int
    commitment: str
    next_commitment: str
    nonce: int
    transaction: int
    bet: int
    created_at_ms: int
    status: str


@dataclass(frozen=True)
class Capture:
    """Some spins, and the statements that each connection prepared."""

    spins: Sequence[CapturedSpin]
    prepared: Sequence[str]
    marks: Sequence[tuple[int, str, int]]
    """The rows of seed_marks that the spins check."""


def capture_spins(stage: Stage, server: DurablePostgres) -> Capture:
    """Play spins of several players one after the other, and read their statements from the log."""
    with server.fresh(Path()) as url:
        players = _prepare(stage, url)
        name = urlsplit(url).path.removeprefix("/")
        administer(url, f"ALTER DATABASE \"{name}\" SET log_statement = 'all'")
        with stage.platform(url, UPGRADER_PROOF_DELAY="600") as platform, closing(_marking(url)) as marks:
            # The first spin of each player is not counted, because it may prepare statements.
            for spin in range(SPINS_EACH + 2):
                for player in players:
                    _play(platform.url, player, marks, f"{spin}:{player.user.id}")
        said = [
            entry[len(name) + len(LOG_MARK) :]
            for entry in server.log.read_text().split(f"\n{LOG_MARK}")
            if entry.startswith(f"{name}{LOG_MARK}")
        ]
        statements = [found[1].replace("\n\t", "\n") for entry in said if (found := STATEMENT.match(entry))]
        bets, marks = _bets(url)
    spins = [
        _captured(bets, user, NONCE + spin, asked)
        for spin, user, asked in _between_marks(statements)
        # The seed announced after the last spin belongs to no bet.
        if 0 < spin <= SPINS_EACH
    ]
    return Capture(spins, [each for each in statements if each.upper().startswith("PREPARE ")], marks)


def _prepare(stage: Stage, url: str) -> list[Player]:
    administer(url, *(f"ALTER SEQUENCE {name} RESTART {first}" for name, first in SERIALS.items()))
    players = make_players(stage, url, PLAYERS)
    administer(url, f"UPDATE announced_seeds SET nonce = {NONCE}")  # noqa: S608  # a number
    return players


def _marking(url: str) -> "psycopg2.extensions.connection":
    connection = psycopg2.connect(url)
    connection.autocommit = True
    return connection


def _play(url: str, player: Player, marks: "psycopg2.extensions.connection", label: str) -> None:
    socket = Socket(url, auth={"token": player.token})
    time.sleep(AFTER_THE_ANSWER_SECONDS)
    with marks.cursor() as cursor:
        cursor.execute(f"SELECT 'begin:{label}'")
        answer = socket.spin({"amount": WAGER_COINS, "item": ITEM, "clientSeed": f"seed-{label[0]}"})
        assert answer["status"], answer
        time.sleep(AFTER_THE_ANSWER_SECONDS)
        cursor.execute(f"SELECT 'end:{label}'")
    socket.close()
    time.sleep(AFTER_THE_ANSWER_SECONDS)


def _between_marks(statements: Sequence[str]) -> Iterator[tuple[int, int, list[str]]]:
    spin, user, kept = -1, 0, None
    for statement in statements:
        if found := re.fullmatch(r"SELECT '(begin|end):(\d+):(\d+)'", statement):
            spin, user = int(found[2]), int(found[3])
            if found[1] == "end":
                yield spin, user, kept or []
            kept = []
        elif kept is not None and not statement.upper().startswith("PREPARE "):
            kept.append(statement)


def _captured(
    bets: dict[tuple[int, int], Bet], user: int, nonce: int, statements: Sequence[str]
) -> CapturedSpin:
    bet, following = bets[user, nonce], bets[user, nonce + 1]
    return CapturedSpin(
        statements=statements,
        user=user,
        commitment=bet.server_seed_commitment,
        next_commitment=following.server_seed_commitment,
        nonce=nonce,
        transaction=bet.ledger_transaction_id,  # type: ignore[attr-defined]  # made by peewee
        bet=bet.id,
        created_at_ms=bet.created_at_ms,
        status=bet.status,
    )


def _bets(url: str) -> tuple[dict[tuple[int, int], Bet], list[tuple[int, str, int]]]:
    opened = open_database(url)
    with opened.connection_context():
        found = {(bet.user_id, bet.nonce): bet for bet in Bet.select()}
        marks = list(SeedMark.select(SeedMark.number, SeedMark.token, SeedMark.epoch).tuples())
    database.obj.close_all()
    return found, marks
