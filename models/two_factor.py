"""Two-factor authentication: the sealed secret of each player's authenticator, and wrong codes."""

import peewee

from models.database import Table
from models.users import User


class TwoFactor(Table):
    """The secret of one player: pending until ``User.two_factor_enabled`` says that it counts."""

    user = peewee.ForeignKeyField(User, primary_key=True, on_delete="CASCADE")
    sealed_secret = peewee.TextField()
    # The time step (Unix seconds / 30) of the newest code that was taken; it and all before are used up.
    last_used_step = peewee.BigIntegerField(null=True)

    class Meta:
        table_name = "two_factor"


class WrongCode(Table):
    """A wrong code that a player sent. Apart from the secret: a new secret brings no new guesses."""

    id = peewee.BigAutoField()
    user = peewee.ForeignKeyField(User, on_delete="CASCADE", index=False)
    at_ms = peewee.BigIntegerField()

    class Meta:
        table_name = "wrong_codes"


# How many of a player's wrong codes are recent, and throwing away those that are not.
WrongCode.add_index(WrongCode.index(WrongCode.user, WrongCode.at_ms, name="wrong_codes_of_player"))
