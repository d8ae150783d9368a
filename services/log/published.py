"""What the log publishes of its tree and entries: as far as the newest checkpoint of this machine goes.

The database may be ahead of that checkpoint. After a restore it may also lack it, until this machine notices.
Then nothing is published, because caches keep tiles for ever.
"""

import logging
import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import NamedTuple, TypeVar

from models.db.connection import repeatable_read
from models.log import BETS, LogCheckpoint, contains
from services.log import bundles, stored_tiles, tiles, tree
from services.log.bet_log import BetLog
from services.log.bundles import Source
from services.log.merkle import leaf_hash
from services.log.proof_files import proof_file
from services.log.signed_log import Known
from services.log.tiles import HASH_SIZE, TILE_WIDTH, TilePosition
from services.shared.errors import Refusal, Unavailable

log = logging.getLogger("platform.log")

FIRST_NAME = "log"
SUCCESSOR = re.compile(r".*/(log-[0-9a-f]+)")
BUNDLE_NUMBER = re.compile(r"0|[1-9][0-9]{0,18}")

Parsed = TypeVar("Parsed")
Read = TypeVar("Read")


class NotPublished(Refusal):
    """The path names something that the checkpoint does not contain."""

    status = 404
    text = "Not found"


class MalformedPath(NotPublished):
    """No checkpoint will ever contain it."""


@dataclass(frozen=True)
class LogPlace:
    """The log that an entry is in, and the entry's index."""

    origin: str
    index: int


class BundleOfBets(NamedTuple):
    """The bets in a bundle, as far as the checkpoint goes."""

    indexes_of_bets: dict[int, int]
    """By the ids of the bets."""
    is_full: bool


def newest(read: Callable[[Known], Read], *, bet_log: BetLog) -> Read:
    """Read with the checkpoint of this machine, or with a newer one of another machine if it is not in that.

    Must not be called within a transaction. Raises Unavailable, and what ``read`` raises.
    """
    known = bet_log.current()
    try:
        return read(known)
    except MalformedPath:
        raise
    except NotPublished:
        newer = bet_log.newer()
        if newer.checkpoint == known.checkpoint:
            raise
    return read(newer)


def name_of(origin: str) -> str:
    """The first segment of the paths of this log: ``log``, or of a successor such as ``log-1a2b3c4d``."""
    found = SUCCESSOR.fullmatch(origin)
    return found[1] if found else FIRST_NAME


def check_name(name: str, *, known: Known) -> None:
    """Raise NotPublished unless this is the name of the present log."""
    if name != name_of(known.checkpoint.origin):
        raise NotPublished


def last_checkpoint(name: str, known: Known) -> str:
    """The newest checkpoint of the log with this name, or the last one if it has a successor.

    Raises NotPublished.
    """
    if name == name_of(known.checkpoint.origin):
        return known.kept.checkpoint
    for origin, note in known.kept.ended.items():
        if name == name_of(origin):
            return note
    raise NotPublished


def tile(path: str, *, known: Known) -> bytes:
    """The tile with this path below ``tile/``. Raises NotPublished."""
    position, width = _parse(tiles.parse_tile_path, path)
    if width > tiles.tile_width(*position, known.checkpoint.size):
        raise NotPublished
    with state_with(known):
        return _hashes(position, known)[: width * HASH_SIZE]


def entry_bundle(path: str, *, known: Known, source: Source) -> bytes:
    """The entry bundle with this path below ``tile/``. Raises NotPublished."""
    number, width = _parse(tiles.parse_bundle_path, path)
    if width > tiles.tile_width(0, number, known.checkpoint.size):
        raise NotPublished
    with state_with(known):
        wanted = bundles.references(BETS, number)[:width]
        found = bundles.existing_contents(wanted, source)
        entries = [found[reference] for reference in wanted if reference in found]
        hashes = _hashes(TilePosition(0, number), known)[: width * HASH_SIZE]
        if b"".join(map(leaf_hash, entries)) != hashes:
            # A cache would keep what somebody has changed in the database.
            log.error("entry bundle %d is not what was logged", number)
            raise Unavailable
        return tiles.entry_bundle(entries)


def bundle(text: str, *, known: Known) -> BundleOfBets:
    """The bets in the bundle with this number. To be used within ``state_with``. Raises NotPublished."""
    if not BUNDLE_NUMBER.fullmatch(text):
        raise MalformedPath
    number = int(text)
    width = tiles.tile_width(0, number, known.checkpoint.size)
    if not width:
        raise NotPublished
    numbered = enumerate(bundles.references(BETS, number)[:width], start=number * TILE_WIDTH)
    return BundleOfBets({ref: index for index, ref in numbered if ref > 0}, is_full=width == TILE_WIDTH)


def place_of_bet(bet_id: int, *, bet_log: BetLog) -> LogPlace:
    """The place of a bet's entry in the checkpoint.

    Must not be called within a transaction. Raises Unavailable.
    """
    known = _covering(bet_id, bet_log)
    with state_with(known):
        return LogPlace(known.checkpoint.origin, _index(bet_id, known))


def proof_of_bet(bet_id: int, *, bet_log: BetLog) -> str:
    """The proof file of a bet's entry, which is its ``extra``.

    Must not be called within a transaction. Raises Unavailable.
    """
    known = _covering(bet_id, bet_log)
    with state_with(known):
        index = _index(bet_id, known)
        (entry,) = bundles.contents([bet_id], bet_log.source)
        proof = tree.inclusion_proof(index, known.checkpoint.size, stored_tiles.reader(BETS))
    return proof_file(extra=entry, index=index, proof=proof, checkpoint=known.kept.checkpoint)


@contextmanager
def state_with(known: Known) -> Iterator[None]:
    """Read one state of the database, which must contain the checkpoint. Raises Unavailable."""
    with repeatable_read(within_limit=True):
        if not LogCheckpoint.select(contains(BETS, known.tree)).limit(1).scalar():
            raise Unavailable
        yield


def _hashes(position: TilePosition, known: Known) -> bytes:
    """A stored tile, which must be in the signed tree. Raises Unavailable."""
    read = stored_tiles.reader(BETS)
    if not tree.has_tile(position, known.checkpoint.size, known.checkpoint.root, read):
        log.error("tile %d of level %d is not what was signed", position.number, position.level)
        raise Unavailable
    return read(position)


def _covering(bet_id: int, bet_log: BetLog) -> Known:
    bet_log.cover([bet_id])
    return bet_log.current()


def _index(bet_id: int, known: Known) -> int:
    index = bundles.index_of(BETS, bet_id)
    if index is None or index >= known.checkpoint.size:
        # The database was replaced after the bet was read.
        raise Unavailable
    return index


def _parse(parse: Callable[[str], Parsed], path: str) -> Parsed:
    try:
        return parse(path)
    except ValueError:
        raise MalformedPath from None
