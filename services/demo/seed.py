"""Imports the demo data, and creates a player to try it with."""

from dataclasses import dataclass
from pathlib import Path
from shutil import copyfile
from typing import Any

from models.cases import Case
from models.database import writing
from models.irl_cases import IrlCase
from models.items import Item
from models.users import User
from services import exact_json, irl_import, item_import, users
from services.cases import importing
from services.cases.kinds import FREE_CASE_ID, Kind, fold
from services.clock import Millis
from services.errors import UserNotFound
from services.money import Cents
from services.server_seeds import ServerSeeds

DATA = Path(__file__).parent

PLAYER_ID = "76561190000000001"
PLAYER_NAME = "demo"
PLAYER_BALANCE = Cents(1_000_00)


@dataclass(frozen=True)
class Seeded:
    """How many rows of the demo data were missing and have been imported."""

    items: int
    cases: int
    irl_cases: int


def seed(*, media_dir: Path, now: Millis) -> Seeded:
    """Import the rows that are missing, and copy the pictures that are missing.

    Rows that exist keep what an operator has changed.
    """
    _copy_pictures(media_dir / "items")
    with writing():
        items = _seed_items(now)
        return Seeded(items, _seed_cases(now), _seed_irl_cases(now))


def _seed_items(now: Millis) -> int:
    present = set(Item.select(Item.market_hash_name).scalars())
    rows = [
        item for item in item_import.read_array(_read("items.json")) if item.market_hash_name not in present
    ]
    return item_import.store(rows, now=now).created


def _seed_cases(now: Millis) -> int:
    stored: Any = Case.select(Case.name_folded, Case.slug)
    present = {text for row in stored.tuples() for text in row}
    rows = [
        case
        for case in importing.read(_read("cases.json"))
        if (FREE_CASE_ID if case.kind is Kind.FREE else fold(case.name)) not in present
    ]
    return importing.store(rows, now=now).created if rows else 0


def _seed_irl_cases(now: Millis) -> int:
    present = set(IrlCase.select(IrlCase.slug).scalars())
    rows = [case for case in irl_import.read(_read("irl_cases.json")) if case.id not in present]
    return irl_import.store(rows, now=now).created


def _read(name: str) -> Any:
    return exact_json.loads((DATA / name).read_bytes())


def _copy_pictures(directory: Path) -> None:
    directory.mkdir(parents=True, exist_ok=True)
    for picture in (DATA / "pictures").glob("*.webp"):
        path = directory / picture.name
        if not path.exists():
            unfinished = path.with_suffix(".part")
            copyfile(picture, unfinished)
            unfinished.replace(path)


@writing()
def player(*, seeds: ServerSeeds, now: Millis) -> User:
    """The demo player, created on first use with 1,000 coins."""
    try:
        return users.get(platform_id=PLAYER_ID)
    except UserNotFound:
        return users.create(
            username=PLAYER_NAME, platform_id=PLAYER_ID, balance=PLAYER_BALANCE, seeds=seeds, now=now
        )
