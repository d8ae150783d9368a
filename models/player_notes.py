"""What staff write about players, which players never see."""

import peewee

from models.db.connection import Table
from models.users import User


class PlayerNote(Table):
    """A note about a player. It is deleted with the player."""

    id = peewee.BigAutoField()
    user = peewee.ForeignKeyField(User, on_delete="CASCADE", index=False)
    text = peewee.CharField(max_length=2000)
    # The name of the staff account.
    written_by = peewee.CharField(max_length=64)
    written_at_ms = peewee.BigIntegerField()

    class Meta:
        table_name = "player_notes"


# A player's notes, newest first.
PlayerNote.add_index(PlayerNote.index(PlayerNote.user, PlayerNote.id, name="player_notes_of_player"))


class PlayerTag(Table):
    """A word by which staff find players again, such as ``vip``."""

    user = peewee.ForeignKeyField(User, on_delete="CASCADE", index=False)
    tag = peewee.CharField(max_length=32)
    added_by = peewee.CharField(max_length=64)
    added_at_ms = peewee.BigIntegerField()

    class Meta:
        table_name = "player_tags"
        primary_key = peewee.CompositeKey("user", "tag")


# The players with a tag, the newest account first.
PlayerTag.add_index(PlayerTag.index(PlayerTag.tag, PlayerTag.user, name="player_tags_by_tag"))
