"""Imports the demo data, plays the demo bets, and creates a player to try the demo with."""

import secrets
from contextlib import suppress
from pathlib import Path
from shutil import copyfile, copytree
from typing import Any

from models import proof_queries
from models.bets import Bet
from models.cases import Case, IrlCase
from models.db.connection import reading, writing
from models.items import Item
from models.payments import WithdrawalAddress
from models.rewards import LevelGift
from models.users import User
from services.accounts import users
from services.accounts.login.demo import FIRST_ID
from services.audit_trail.events import AuditEventType
from services.audit_trail.recording import record, recorded_at
from services.bets.cases import OpeningRequest
from services.bets.settlement import BetSettler
from services.bets.upgrader import SpinRequest
from services.cases import importing
from services.cases import irl as irl_importing
from services.cases.kinds import CaseKind, case_id
from services.container import Services
from services.demo import history
from services.items import importing as items_importing
from services.rewards import importing as rewards_importing
from services.shared import decimal_json
from services.shared.clock import DAY_MS, Millis
from services.shared.errors import Refusal, UserNotFound
from services.shared.money import Cents
from services.wallet import adjusting

DATA = Path(__file__).parent

PLATFORM_ID = FIRST_ID
FIRST_PLATFORM_ID_OF_BETS = 76561190000000101
BALANCE = Cents(1_000_00)
LEVEL = 10
"""Of the player to try the demo with, whose past has bets: the first level case."""

INTERVAL_MS = 75_000
"""Time between two demo bets. The proof of the last one is due when the command ends."""


def seed(services: Services) -> dict[str, int]:
    """Import the rows that are missing, and copy the pictures.

    Rows that exist keep what an operator has changed. Returns how many items, cases and IRL cases were
    imported.
    """
    now, media = services.clock(), services.settings.instance_dir / "media"
    for kind in ("items", "cases"):
        copytree(DATA / "pictures" / kind, media / kind, copy_function=copyfile, dirs_exist_ok=True)
    with writing():
        names = set(Item.select(Item.market_hash_name).scalars())
        items = [row for row in _read("items.json") if row["marketHashName"] not in names]
        ids = set(Case.select(Case.slug).scalars())
        cases = [row for row in _read("cases.json") if case_id(row["name"], CaseKind(row["kind"])) not in ids]
        irl_ids = set(IrlCase.select(IrlCase.slug).scalars())
        irl_cases = [row for row in _read("irl_cases.json") if row["id"] not in irl_ids]
        found = {
            "items": items_importing.import_document(items, app_id=None, now=now).created,
            "cases": importing.import_cases(cases, now=now).created,
            "irl_cases": irl_importing.import_cases(irl_cases, now=now).created,
        }
        if not LevelGift.select().exists():
            # The settings may allow less for gifts.
            with suppress(Refusal):
                gifts = _read("level_gifts.json")
                rewards_importing.import_gifts(gifts, settings=services.settings, now=now)
    return found


def play_bets(services: Services) -> int:
    """Play the demo bets if nobody has bet yet, so that live bets and leaderboard are not empty.

    They are settled like all other bets, and pass all audits. A bet that is refused is left out: an operator
    may have changed a price or deleted a case. Returns how many bets were settled.
    """
    with recorded_at(services.clock()):
        return _play_bets(services)


def _play_bets(services: Services) -> int:
    openings = {"case": services.case_openings, "irlCase": services.irl_openings}
    now, proof_delay_ms = services.clock(), services.settings.upgrader_proof_delay_ms
    with reading():
        if Bet.select().exists():
            return 0
    content = _read("bets.json")
    bets = content["bets"]
    began = Millis(now - proof_delay_ms - len(bets) * INTERVAL_MS)
    first_day = Millis(began - history.DAYS * DAY_MS)
    players = {
        row["username"]: player(
            services, row["username"], FIRST_PLATFORM_ID_OF_BETS + number, avatar=row["avatar"], now=first_day
        )
        for number, row in enumerate(content["players"])
    }
    people = list(players.values())
    steady = player(services, level=LEVEL, now=first_day)
    settled = history.History(services, people, steady=steady, until=began).play()
    _fill_up(steady, now=began)

    def play(row: dict[str, Any], user_id: int, made_at: Millis) -> Bet:
        settler = BetSettler(
            seeds=services.seeds, bet_log=services.log, settings=services.settings, clock=lambda: made_at
        )
        if "item" in row:
            spin = SpinRequest(user_id=user_id, amount=row["wager"], item=row["item"])
            return settler.settle(services.upgrader, spin).bet
        kind = "case" if "case" in row else "irlCase"
        opening = OpeningRequest(user_id=user_id, case=row[kind])
        return settler.settle(openings[kind], opening).bet

    for number, row in enumerate(bets, start=1):
        made_at = Millis(began + number * INTERVAL_MS)
        try:
            settled.append(play(row, players[row["player"]].id, made_at).id)
        except Refusal:
            continue
    # Nobody is going to receive these proofs.
    proof_queries.mark_delivered(services.proofs.reveal(settled), delivered_at=now)
    history.leave_work(services, people, now=now)
    return len(settled)


@writing()
def player(
    services: Services,
    username: str = "demo",
    platform_id: int = PLATFORM_ID,
    *,
    avatar: str = "",
    level: int = 0,
    now: Millis,
) -> User:
    """A player of the demo, by default the one to try it with. Created on first use with 1,000 coins."""
    try:
        return users.get(platform_id=str(platform_id))
    except UserNotFound:
        id_ = str(platform_id)
        user = users.create(
            username=username, platform_id=id_, avatar=avatar, level=level, balance=BALANCE, now=now
        )
        services.seeds.announce_first(user_id=user.id)
        _add_old_address(services, user, now=now)
        return user


def _fill_up(steady: User, *, now: Millis) -> None:
    """The player to try the demo with begins with the same coins, whatever the bets have paid."""
    missing = BALANCE - users.get_by_id(steady.id).balance_cents
    if missing:
        adjusting.adjust(user_id=steady.id, amount=missing, reason="A new day of the demo", now=now)


def _add_old_address(services: Services, user: User, *, now: Millis) -> None:
    """Give a player an address that withdrawals by the demo provider can go to at once, with any delay."""
    if "demo" not in services.settings.payment_methods:
        return
    WithdrawalAddress.create(
        id=secrets.token_hex(16),
        user=user.id,
        method="demo",
        name="My wallet",
        address=history.wallet_of(user),
        # The longest delay that ADDRESS_HOURS can have.
        created_at_ms=now - 30 * DAY_MS,
    )


def sign_in(services: Services, *, now: Millis) -> tuple[User, str]:
    """The player to try the demo with, and a new token. The audit trail has its event."""
    user = player(services, now=now)
    with writing():
        record(AuditEventType.TOKEN_ISSUED, now=now, user_id=user.id)
    return user, services.tokens.issue(user, now=now)


@reading()
def promo_code() -> str | None:
    """A promo code that the demo player can use; None until the demo bets were played."""
    return history.CODE if User.select().where(User.affiliate_code == history.CODE).exists() else None


def _read(name: str) -> Any:
    return decimal_json.loads((DATA / name).read_bytes())
