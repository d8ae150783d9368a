"""flask users export: everything that is known of a player, also of one who can't log in."""

import pytest

from models.audit_trail import AuditEvent
from models.db.connection import reading
from services.staff import notes


@pytest.fixture
def noted(player, app):
    """The player, about whom staff have written a note."""
    now = app.extensions["services"].clock()
    notes.add_note(user_id=player.id, text="asked for a call", by="ann", now=now)
    return player


def test_the_file_of_a_suspended_player_is_printed_and_the_look_is_recorded(run, noted):
    run("users", "suspend", noted.platform_id)

    file = run("users", "export", noted.platform_id)

    assert file["account"][0]["username"] == noted.username
    assert "notes" not in file
    with reading():
        seen = AuditEvent.select(AuditEvent.after).where(AuditEvent.what == "personal-details.seen")
        assert list(seen.scalars()) == ['{"what":"export"}']


def test_notes_of_staff_are_added_when_they_are_asked_for(run, noted):
    file = run("users", "export", noted.platform_id, "--notes")

    assert [note["text"] for note in file["notes"]] == ["asked for a call"]
    assert (file["tags"], file["proposals"]) == ([], [])
