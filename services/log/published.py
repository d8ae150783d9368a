"""What the log publishes of its tree and entries: as far as the newest checkpoint of this machine goes.

The database may be ahead of that checkpoint. After a restore it may also lack it, until this machine notices.
Then nothing is published, because caches keep tiles for ever.
"""

import logging
import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TypeVar

from models.db.connection import repeatable_read
from models.log import LogCheckpoint, contains
from services.log import bundles, tree
from services.log.bet_log import BetLog
from services.log.entries import Pseudonyms
from services.log.file import File
from services.log.notes import encode_base64
from services.log.tree import HASH_SIZE, TILE_WIDTH, TilePosition
from services.shared.errors import Refusal, Unavailable

log = logging.getLogger("platform.log")

FIRST_NAME = "log"
SUCCESSOR = re.compile(r".*/(log-[0-9a-f]+)")
BUNDLE_NUMBER = re.compile(r"0|[1-9][0-9]{0,18}")

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


def newest(read: Callable[[File], Read], *, bet_log: BetLog) -> Read:
    """Read with the checkpoint of this machine, or with a newer one of another machine if it is not in that.

    Must not be called within a transaction. Raises Unavailable, and what ``read`` raises.
    """
    file = bet_log.file()
    try:
        return read(file)
    except MalformedPath:
        raise
    except NotPublished:
        bet_log.watch()
        newer = bet_log.file()
        if newer.checkpoint == file.checkpoint:
            raise
    return read(newer)


def name_of(origin: str) -> str:
    """The first segment of the paths of this log: ``log``, or of a successor such as ``log-1a2b3c4d``."""
    found = SUCCESSOR.fullmatch(origin)
    return found[1] if found else FIRST_NAME


def check_name(name: str, *, file: File) -> None:
    """Raise NotPublished unless this is the name of the present log."""
    if name != name_of(file.checkpoint.origin):
        raise NotPublished


def last_checkpoint(name: str, file: File) -> str:
    """The newest checkpoint of the log with this name, or the last one if it has a successor.

    Raises NotPublished.
    """
    for origin, note in [(file.checkpoint.origin, file.note), *file.ended.items()]:
        if name == name_of(origin):
            return note
    raise NotPublished


def tile(path: str, *, file: File) -> bytes:
    """The tile with this path below ``tile/``. Raises NotPublished."""
    level, number, width = _parse(path)
    position = TilePosition(int(level), number)
    if width > tree.tile_width(*position, file.checkpoint.size):
        raise NotPublished
    with state_with(file):
        return _hashes(position, file)[: width * HASH_SIZE]


def entry_bundle(path: str, *, file: File, pseudonyms: Pseudonyms) -> bytes:
    """The entries of the bundle with this path below ``tile/``, each after its length in two bytes.

    Raises NotPublished.
    """
    _, number, width = _parse(path)
    if width > tree.tile_width(0, number, file.checkpoint.size):
        raise NotPublished
    with state_with(file):
        wanted = bundles.references(number)[:width]
        found = bundles.contents(wanted, pseudonyms)
        entries = [found[reference] for reference in wanted if reference in found]
        hashes = _hashes(TilePosition(0, number), file)[: width * HASH_SIZE]
    if b"".join(map(tree.leaf_hash, entries)) != hashes:
        # A cache would keep what somebody has changed in the database.
        log.error("entry bundle %d is not what was logged", number)
        raise Unavailable
    return b"".join(len(entry).to_bytes(2, "big") + entry for entry in entries)


def indexes_in_bundle(text: str, *, file: File) -> tuple[dict[int, int], bool]:
    """The indexes of the entries in the bundle with this number, and whether the bundle is full.

    They are by their references: see services/log/bundles.py. To be used within ``state_with``. Raises
    NotPublished.
    """
    if not BUNDLE_NUMBER.fullmatch(text):
        raise MalformedPath
    number = int(text)
    width = tree.tile_width(0, number, file.checkpoint.size)
    if not width:
        raise NotPublished
    numbered = enumerate(bundles.references(number)[:width], start=number * TILE_WIDTH)
    return {reference: index for index, reference in numbered}, width == TILE_WIDTH


def place_of_bet(bet_id: int, *, bet_log: BetLog) -> LogPlace:
    """The place of a bet's entry in the checkpoint.

    Must not be called within a transaction. Raises Unavailable.
    """
    bet_log.cover([bet_id])
    file = bet_log.file()
    with state_with(file):
        return LogPlace(file.checkpoint.origin, _index(bet_id, file))


def proof_of_bet(bet_id: int, *, bet_log: BetLog) -> str:
    """The proof file (https://c2sp.org/tlog-proof) of a bet's entry, which is its ``extra``.

    Must not be called within a transaction. Raises Unavailable.
    """
    bet_log.cover([bet_id])
    file = bet_log.file()
    with state_with(file):
        index = _index(bet_id, file)
        extra = bundles.contents([bet_id], bet_log.pseudonyms)[bet_id]
        size, note = _for_proof(index, file, bet_log=bet_log)
        return proof_file(extra, index, size=size, note=note)


def place_of_entry(entry_id: int, *, bet_log: BetLog) -> LogPlace:
    """The place of the entry of a battle's lock or end in the checkpoint, by its id in ``log_entries``.

    Must not be called within a transaction. Raises Unavailable.
    """
    index = bet_log.cover_entry(entry_id)
    return LogPlace(bet_log.file().checkpoint.origin, index)


def proof_of_entry(entry_id: int, *, bet_log: BetLog, is_earliest: bool = False) -> str:
    """The proof file of the entry of a battle's lock or end. See ``place_of_entry``.

    ``is_earliest`` prefers the first checkpoint with the entry that witnesses have cosigned to the newest.
    """
    index = bet_log.cover_entry(entry_id)
    file = bet_log.file()
    with state_with(file):
        extra = bundles.other_contents([-entry_id])[-entry_id]
        size, note = _for_proof(index, file, bet_log=bet_log, is_earliest=is_earliest)
        return proof_file(extra, index, size=size, note=note)


def proof_file(entry: bytes, index: int, *, size: int, note: str) -> str:
    """The proof file of an entry, which is its ``extra``. ``note`` is a signed checkpoint of this size.

    To be used within ``reading()``.
    """
    proof = tree.inclusion_proof(index, size, bundles.read_tile)
    lines = ["c2sp.org/tlog-proof@v1", f"extra {encode_base64(entry)}", f"index {index}"]
    return "\n".join([*lines, *map(encode_base64, proof), "", note])


def _for_proof(index: int, file: File, *, bet_log: BetLog, is_earliest: bool = False) -> tuple[int, str]:
    """Size and note of the checkpoint for an entry's proof: if possible, one that witnesses have cosigned."""
    newest = file.checkpoint.size, file.note
    return (bet_log.witnessed and bet_log.witnessed.for_proof(index, file, is_earliest=is_earliest)) or newest


@contextmanager
def state_with(file: File) -> Iterator[None]:
    """Read one state of the database, which must contain the checkpoint. Raises Unavailable."""
    has_checkpoint = contains(file.checkpoint.size, file.checkpoint.root_hex)
    with repeatable_read(within_limit=True):
        if not LogCheckpoint.select(has_checkpoint).limit(1).scalar():
            raise Unavailable
        yield


def _hashes(position: TilePosition, file: File) -> bytes:
    """A stored tile, which must be in the signed tree. Raises Unavailable."""
    checkpoint = file.checkpoint
    if not tree.has_tile(position, checkpoint.size, checkpoint.root, bundles.read_tile):
        log.error("tile %d of level %d is not what was signed", position.number, position.level)
        raise Unavailable
    return bundles.read_tile(position)


def _index(bet_id: int, file: File) -> int:
    index = bundles.index_of(bet_id)
    if index is None or index >= file.checkpoint.size:
        # The database was replaced after the bet was read.
        raise Unavailable
    return index


def _parse(path: str) -> tuple[str, int, int]:
    try:
        return tree.parse_path(path)
    except ValueError:
        raise MalformedPath from None
