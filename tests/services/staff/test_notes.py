"""Notes and tags of players."""

import pytest

from services.shared.errors import Refusal
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


def test_a_note_is_deleted_once_and_only_with_its_own_player(add, player, new_player, clock):
    note, other = add("to be deleted"), new_player("other")

    def delete(user):
        notes.delete_note(user_id=user.id, note_id=note.id, reason="personal data", now=clock())

    with pytest.raises(Refusal, match="no such note"):
        delete(other)
    delete(player)

    assert notes.page_of_notes(user_id=player.id, place=FIRST).total == 0
    with pytest.raises(Refusal, match="no such note"):
        delete(player)


def test_a_note_has_a_text(add):
    for text in ("", "    x   ", "x" * 2001, "nul \x00 in it"):
        with pytest.raises(Refusal, match="5 to 2000"):
            add(text)


def test_a_player_has_each_tag_once(player, clock):
    for tag in ("vip", " VIP", "risk"):
        notes.add_tag(user_id=player.id, tag=tag, reason="looked at it", by="ann", now=clock())
    notes.remove_tag(user_id=player.id, tag="risk", reason="looked again", now=clock())

    assert notes.tags_of([player.id]) == {player.id: ["vip"]}


def test_a_tag_is_a_short_word(player, clock):
    for tag in ("", "-x", "two words", "é", "x" * 33):
        with pytest.raises(Refusal, match="a tag must have"):
            notes.add_tag(user_id=player.id, tag=tag, reason="looked at it", by="ann", now=clock())
