"""Notifications of players."""

import peewee

from models.db.connection import Table
from models.users import User


class Notification(Table):
    """One message to one player, from the system or from an operator."""

    id = peewee.BigAutoField()
    user = peewee.ForeignKeyField(User, on_delete="CASCADE", index=False)
    title = peewee.CharField(max_length=120)
    message = peewee.CharField(max_length=1000)
    created_at_ms = peewee.BigIntegerField()

    class Meta:
        table_name = "notifications"


# A player's list, newest first, and clearing it.
Notification.add_index(Notification.index(Notification.user, Notification.id, name="notifications_of_player"))
