"""Uploads of avatars that are under way."""

import peewee

from models.db.connection import Table
from models.users import User


class AvatarUpload(Table):
    """The one upload of a player. The primary key refuses a second one, in any process."""

    user = peewee.ForeignKeyField(User, primary_key=True, on_delete="CASCADE")
    until_ms = peewee.BigIntegerField()

    class Meta:
        table_name = "avatar_uploads"
