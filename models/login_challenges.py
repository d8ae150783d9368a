"""Logins that wait for a two-factor code."""

import peewee

from models.db.connection import Table
from models.users import User


class LoginChallenge(Table):
    """A challenge, by the hash of its text and of its browser's secret. Deleting the row uses it up."""

    key = peewee.CharField(max_length=64, primary_key=True)
    user = peewee.ForeignKeyField(User, on_delete="CASCADE", index=False)
    expires_at_ms = peewee.BigIntegerField()

    class Meta:
        table_name = "login_challenges"


# Deleting a player's challenges: the expired ones, and all when two-factor authentication is turned off.
LoginChallenge.add_index(LoginChallenge.index(LoginChallenge.user, name="login_challenges_of_player"))
