"""Two-factor authentication for sensitive actions: recovery codes, confirmed tokens, login challenges."""

import peewee

# Frozen copies of the tables as of this migration. They never follow later changes of the models.


class Table(peewee.Model):
    class Meta:
        legacy_table_names = False


class User(Table):
    id = peewee.BigAutoField()

    class Meta:
        table_name = "users"


class RecoveryCode(Table):
    id = peewee.BigAutoField()
    user = peewee.ForeignKeyField(User, on_delete="CASCADE", index=False)
    sealed_code = peewee.TextField()

    class Meta:
        table_name = "recovery_codes"


RecoveryCode.add_index(RecoveryCode.index(RecoveryCode.user, name="recovery_codes_of_player"))


class ConfirmedToken(Table):
    user = peewee.ForeignKeyField(User, on_delete="CASCADE", index=False)
    token_id = peewee.CharField(max_length=64)
    until_ms = peewee.BigIntegerField()

    class Meta:
        table_name = "confirmed_tokens"
        primary_key = peewee.CompositeKey("user", "token_id")


class LoginChallenge(Table):
    key = peewee.CharField(max_length=64, primary_key=True)
    user = peewee.ForeignKeyField(User, on_delete="CASCADE", index=False)
    expires_at_ms = peewee.BigIntegerField()

    class Meta:
        table_name = "login_challenges"


LoginChallenge.add_index(LoginChallenge.index(LoginChallenge.user, name="login_challenges_of_player"))

TABLES = (RecoveryCode, ConfirmedToken, LoginChallenge)


def up(migrator, db):
    with db.bind_ctx((User, *TABLES)):
        db.create_tables(TABLES, safe=False)
