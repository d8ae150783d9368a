"""Imports the demo data, and creates a player to try it with."""

from dataclasses import dataclass
from pathlib import Path
from shutil import copyfile
from typing import Any

from models.cases import Case
from models.db.connection import writing
from models.irl_cases import IrlCase
from models.items import Item
from models.users import User
from services.accounts import users
from services.cases import importing
from services.cases.kinds import FREE_CASE_ID, Kind, case_id
from services.fairness.server_seeds import ServerSeeds
from services.irl_cases import importing as irl_importing
from services.items import importing as items_importing
from services.shared import decimal_json
from services.shared.clock import Millis
from services.shared.errors import UserNotFound
from services.shared.money import Cents

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
        names = set(Item.select(Item.market_hash_name).scalars())
        items = [row for row in _read("items.json") if row["marketHashName"] not in names]
        case_ids = set(Case.select(Case.slug).scalars())
        cases = [row for row in _read("cases.json") if _case_id(row) not in case_ids]
        irl_ids = set(IrlCase.select(IrlCase.slug).scalars())
        irl_cases = [row for row in _read("irl_cases.json") if row["id"] not in irl_ids]
        return Seeded(
            items=items_importing.import_document(items, app_id=None, now=now).created,
            cases=importing.import_cases(cases, now=now).created,
            irl_cases=irl_importing.import_cases(irl_cases, now=now).created,
        )


def _case_id(row: dict[str, Any]) -> str:
    return FREE_CASE_ID if row.get("kind") == Kind.FREE else case_id(row["name"])


def _read(name: str) -> Any:
    return decimal_json.loads((DATA / name).read_bytes())


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
