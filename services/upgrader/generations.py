"""Catalogues in the database: generations, of which the newest is the one to show."""

import zlib
from collections.abc import Iterator
from typing import Any, NamedTuple

import orjson
import peewee

from models.catalogue import CatalogueGeneration, CatalogueSlice
from models.db.connection import database, reading
from models.items import SHOWN_COLUMNS
from services.shared.background import CooperativeYield
from services.shared.lease import Lease
from services.upgrader.catalogue import Catalogue, items_of

ITEMS_A_SLICE = 500
"""Each slice is written or read by one statement, within a few milliseconds."""


class Generation(NamedTuple):
    """A stored catalogue. ``ms_left`` is negative when it has expired."""

    id: int
    slices: int
    ms_left: int


class GenerationUnreadable(Exception):
    """Another release has stored this generation, with other columns, or it was deleted while it was read."""


@reading()
def newest() -> Generation | None:
    """The newest generation; None before the first."""
    row = CatalogueGeneration
    ms_left = (row.expires_at_ms - database.now_ms).alias("ms_left")
    found: Generation | None = (
        row.select(row.id, row.slices, ms_left).order_by(row.id.desc()).objects(Generation).first()
    )
    return found


def store(catalogue: Catalogue, *, lease: Lease, ttl_seconds: int) -> int:
    """Store a new generation and delete old ones; returns its id. Raises LeaseLost.

    The one before it stays, because another process may be reading it.
    """
    # Before the transaction, which would wait during the pauses.
    slices = list(_compressed(catalogue))
    with lease.fenced():
        previous = CatalogueGeneration.select(peewee.fn.MAX(CatalogueGeneration.id))
        CatalogueGeneration.delete().where(CatalogueGeneration.id < previous).execute()
        generation_id: int = CatalogueGeneration.insert(
            expires_at_ms=database.now_ms + ttl_seconds * 1000, slices=len(slices)
        ).execute()
        for number, content in enumerate(slices):
            CatalogueSlice.insert(generation=generation_id, number=number, content=content).execute()
    return generation_id


def load(generation: Generation) -> Catalogue:
    """Read a generation, with pauses. Raises GenerationUnreadable."""
    try:
        return Catalogue(items_of(_rows(generation)))
    except (ValueError, TypeError, zlib.error) as error:
        raise GenerationUnreadable from error


def _compressed(catalogue: Catalogue) -> Iterator[bytes]:
    cooperate = CooperativeYield()
    for some in peewee.chunked(catalogue.items, ITEMS_A_SLICE):
        yield zlib.compress(b"\n".join(orjson.dumps(item[: len(SHOWN_COLUMNS)]) for item in some))
        cooperate()


def _rows(generation: Generation) -> Iterator[list[Any]]:
    content = CatalogueSlice.select(CatalogueSlice.content).where(CatalogueSlice.generation == generation.id)
    for number in range(generation.slices):
        with reading():
            lines = content.where(CatalogueSlice.number == number).scalar()
        if lines is None:
            # Two newer ones have been stored.
            raise GenerationUnreadable
        yield from map(orjson.loads, zlib.decompress(lines).splitlines())
