"""Notes and tags of players. Staff see them, players never do."""

import re
from typing import Any

from models.db.connection import reading, writing
from models.users import PlayerNote, PlayerTag
from services.accounts import users
from services.audit_trail.events import AuditEventType
from services.audit_trail.recording import record
from services.shared.clock import Millis
from services.shared.errors import Refusal
from services.shared.pagination import Page, Place, counted_page
from services.shared.text import LEAST_OF_STAFF, is_storable

MAX_NOTE = 2000
MAX_TAGS = 20
TAG = re.compile(r"[a-z0-9][a-z0-9-]{0,31}", re.ASCII)


def add_note(*, user_id: int, text: str, by: str, now: Millis) -> PlayerNote:
    """Add a note. The audit trail does not keep its text, so that it can be deleted. Raises Refusal."""
    text = text.strip()
    if not LEAST_OF_STAFF <= len(text) <= MAX_NOTE or not is_storable(text):
        raise Refusal(f"the note must be a text of {LEAST_OF_STAFF} to {MAX_NOTE} characters")
    with writing():
        note: PlayerNote = PlayerNote.create(user=user_id, text=text, written_by=by, written_at_ms=now)
        record(AuditEventType.NOTE_ADDED, now=now, user_id=user_id, after={"note": note.id})
        return note


def delete_note(*, user_id: int, note_id: int, reason: str, now: Millis) -> None:
    """Delete a note of this player. Raises Refusal if there is none."""
    with writing():
        is_this = (PlayerNote.id == note_id) & (PlayerNote.user == user_id)
        if not PlayerNote.delete().where(is_this).execute():
            raise Refusal("there is no such note")
        after = {"note": note_id, "reason": reason}
        record(AuditEventType.NOTE_DELETED, now=now, user_id=user_id, after=after)


def page_of_notes(*, user_id: int, place: Place) -> Page[PlayerNote]:
    """One page of a player's notes, newest first."""
    query = PlayerNote.select().where(PlayerNote.user == user_id)
    return counted_page(query, order=[PlayerNote.id.desc()], place=place)


def add_tag(*, user_id: int, tag: str, reason: str, by: str, now: Millis) -> None:
    """Add a tag, unless the player has it. Raises Refusal."""
    tag = tag.strip().lower()
    if not TAG.fullmatch(tag):
        raise Refusal("a tag must have 1 to 32 of the characters a-z, 0-9 and -, and not begin with -")
    with writing():
        users.lock(user_id)
        own = list(PlayerTag.select(PlayerTag.tag).where(PlayerTag.user == user_id).tuples())
        if (tag,) in own:
            return
        if len(own) >= MAX_TAGS:
            raise Refusal(f"a player can have {MAX_TAGS} tags at most")
        PlayerTag.insert(user=user_id, tag=tag, added_by=by, added_at_ms=now).execute()
        after = {"tag": tag, "reason": reason}
        record(AuditEventType.TAG_ADDED, now=now, user_id=user_id, after=after)


def remove_tag(*, user_id: int, tag: str, reason: str, now: Millis) -> None:
    """Remove a tag, if the player has it. Raises Refusal."""
    with writing():
        is_this = (PlayerTag.user == user_id) & (PlayerTag.tag == tag)
        if PlayerTag.delete().where(is_this).execute():
            after = {"tag": tag, "reason": reason}
            record(AuditEventType.TAG_REMOVED, now=now, user_id=user_id, after=after)


@reading()
def tags(user_id: int) -> list[PlayerTag]:
    """A player's tags, in the order of the alphabet."""
    return list(PlayerTag.select().where(PlayerTag.user == user_id).order_by(PlayerTag.tag))


@reading()
def tags_of(user_ids: list[int]) -> dict[int, list[str]]:
    """The tags of several players, by their ids."""
    found: dict[int, list[str]] = {}
    query: Any = PlayerTag.select(PlayerTag.user, PlayerTag.tag).where(PlayerTag.user.in_(user_ids))
    for user_id, tag in query.order_by(PlayerTag.tag).tuples():
        found.setdefault(user_id, []).append(tag)
    return found
