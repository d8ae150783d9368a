"""Demo data: a catalogue of our own making with its pictures, and a player to try it with."""

from pathlib import Path

from models.database import writing
from models.items import Item
from models.users import User
from services import item_import, pictures, users
from services.clock import Millis
from services.demo_items import DEMO_ITEMS
from services.errors import UserNotFound
from services.item_import import ImportedItem
from services.money import Cents
from services.server_seeds import ServerSeeds

PLAYER_ID = "76561190000000001"
PLAYER_NAME = "demo"
PLAYER_BALANCE = Cents(1_000_00)


def seed(*, media_dir: Path, now: Millis) -> int:
    """Import the demo items that are not there yet and draw the pictures that are missing.

    Returns the number of items imported: what an operator has changed since stays as it is.
    """
    _draw_pictures(media_dir / "items")
    with writing():
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
