"""Demo data: a catalogue of our own making with its pictures, cases, and a player to try it with."""

from dataclasses import dataclass
from pathlib import Path
from typing import Any

from models.cases import Case
from models.database import writing
from models.irl_cases import IrlCase
from models.items import Item
from models.users import User
from services import irl_import, item_import, pictures, users
from services.cases import importing
from services.cases.kinds import FREE_CASE_ID, Kind, fold
from services.clock import Millis
from services.demo_cases import demo_cases, demo_irl_cases
from services.demo_items import DEMO_ITEMS
from services.errors import UserNotFound
from services.item_import import ImportedItem
from services.money import Cents
from services.server_seeds import ServerSeeds

PLAYER_ID = "76561190000000001"
PLAYER_NAME = "demo"
PLAYER_BALANCE = Cents(1_000_00)


@dataclass(frozen=True)
class Seeded:
    """How much of the demo data was missing and has been imported."""

    items: int
    cases: int
    irl_cases: int


def seed(*, media_dir: Path, now: Millis) -> Seeded:
    """Import what of the demo data is not there yet and draw the pictures that are missing.

    What an operator has changed since stays as it is.
    """
    _draw_pictures(media_dir / "items")
    with writing():
        items = _seed_items(now)
        return Seeded(items, _seed_cases(now), _seed_irl_cases(now))


def _seed_items(now: Millis) -> int:
    present = set(Item.select(Item.market_hash_name).scalars())
    rows = [
        ImportedItem(
            app_id=item.app_id,
            market_hash_name=item.market_hash_name,
            price_cents=Cents(item.price_cents),
            image=f"/media/items/{item.picture}.webp",
        )
        for item in DEMO_ITEMS
        if item.market_hash_name not in present
    ]
    return item_import.store(rows, now=now).created


def _seed_cases(now: Millis) -> int:
    stored: Any = Case.select(Case.name_folded, Case.slug)
    present = {text for row in stored.tuples() for text in row}
    rows = [
        case
        for case in demo_cases()
        if (FREE_CASE_ID if case.kind is Kind.FREE else fold(case.name)) not in present
    ]
    return importing.store(rows, now=now).created if rows else 0


def _seed_irl_cases(now: Millis) -> int:
    present = set(IrlCase.select(IrlCase.slug).scalars())
    rows = [case for case in irl_import.read(demo_irl_cases()) if case.id not in present]
    return irl_import.store(rows, now=now).created


@writing()
def player(*, seeds: ServerSeeds, now: Millis) -> User:
    """The demo player, made on first use with 1,000 coins."""
    try:
        return users.get(platform_id=PLAYER_ID)
    except UserNotFound:
        return users.create(
            username=PLAYER_NAME, platform_id=PLAYER_ID, balance=PLAYER_BALANCE, seeds=seeds, now=now
        )


def _draw_pictures(directory: Path) -> None:
    directory.mkdir(parents=True, exist_ok=True)
    for item in DEMO_ITEMS:
        path = directory / f"{item.picture}.webp"
        if not path.exists():
            unfinished = path.with_suffix(".part")
            unfinished.write_bytes(pictures.item_picture(item.market_hash_name))
            unfinished.replace(path)
