"""Notes and tags of players."""

import pytest

from services.shared.errors import OperatorError
from services.shared.pagination import Place
from services.staff import notes

FIRST = Place(number=1, limit=10)


@pytest.fixture
def add(player, clock):
    return lambda text: notes.add_note(user_id=player.id, text=text, by="ann", now=clock())


def test_notes_are_listed_newest_first(add, player):
    for text in ("first note", "second note"):
        add(text)

    page = notes.page_of_notes(user_id=player.id, place=FIRST)

    assert ([note.text for note in page.rows], page.total) == (["second note", "first note"], 2)


def test_a_deleted_note_is_gone(add, player, clock):
    note = add("to be deleted")
    notes.delete_note(user_id=player.id, note_id=note.id, reason="personal data", now=clock())

    assert notes.page_of_notes(user_id=player.id, place=FIRST).total == 0
    with pytest.raises(OperatorError, match="no such note"):
        notes.delete_note(user_id=player.id, note_id=note.id, reason="personal data", now=clock())


def test_a_note_is_deleted_only_with_its_own_player(add, new_player, clock):
    note, other = add("about alice"), new_player("other")

    with pytest.raises(OperatorError):
        notes.delete_note(user_id=other.id, note_id=note.id, reason="wrong player", now=clock())


@pytest.mark.parametrize("text", ["", "    x   ", "x" * 2001, "nul \x00 in it"])
def test_a_note_has_a_text(add, text):
    with pytest.raises(OperatorError, match="5 to 2000"):
        add(text)


def test_a_player_has_each_tag_once(player, clock):
    for tag in ("vip", " VIP", "risk"):
        notes.add_tag(user_id=player.id, tag=tag, reason="looked at it", by="ann", now=clock())
    notes.remove_tag(user_id=player.id, tag="risk", reason="looked again", now=clock())

    assert notes.tags_of([player.id]) == {player.id: ["vip"]}


@pytest.mark.parametrize("tag", ["", "-x", "two words", "é", "x" * 33])
def test_a_tag_is_a_short_word(player, clock, tag):
    with pytest.raises(OperatorError, match="a tag must have"):
        notes.add_tag(user_id=player.id, tag=tag, reason="looked at it", by="ann", now=clock())
