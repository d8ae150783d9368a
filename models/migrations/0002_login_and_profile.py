"""Logging in and the profile: used assertions, notifications, personal details, 2FA and payments."""

import peewee
from peewee import Check

# Frozen copies of the tables as of this migration. They never follow later changes of the models.


class Table(peewee.Model):
    class Meta:
        legacy_table_names = False


class User(Table):
    id = peewee.BigAutoField()

    class Meta:
        table_name = "users"


class LedgerTransaction(Table):
    id = peewee.BigAutoField()

    class Meta:
        table_name = "ledger_transactions"


class LoginNonce(Table):
    nonce = peewee.CharField(max_length=255, primary_key=True)
    expires_at_ms = peewee.BigIntegerField()

    class Meta:
        table_name = "login_nonces"


LoginNonce.add_index(LoginNonce.index(LoginNonce.expires_at_ms, name="login_nonces_by_expiry"))


class Notification(Table):
    id = peewee.BigAutoField()
    user = peewee.ForeignKeyField(User, on_delete="CASCADE", index=False)
    title = peewee.CharField(max_length=120)
    message = peewee.CharField(max_length=1000)
    created_at_ms = peewee.BigIntegerField()

    class Meta:
        table_name = "notifications"


Notification.add_index(Notification.index(Notification.user, Notification.id, name="notifications_of_player"))


class VaultNotice(Table):
    user = peewee.ForeignKeyField(User, primary_key=True, on_delete="CASCADE")
    deadline_ms = peewee.BigIntegerField()

    class Meta:
        table_name = "vault_notices"


class PersonalDetails(Table):
    user = peewee.ForeignKeyField(User, primary_key=True, on_delete="CASCADE")
    first_name = peewee.CharField(max_length=120, default="")
    last_name = peewee.CharField(max_length=120, default="")
    phone = peewee.CharField(max_length=16, default="")
    address_line1 = peewee.CharField(max_length=120, default="")
    address_line2 = peewee.CharField(max_length=120, default="")
    city = peewee.CharField(max_length=120, default="")
    zip_code = peewee.CharField(max_length=120, default="")
    state = peewee.CharField(max_length=120, default="")
    country = peewee.CharField(max_length=120, default="")

    class Meta:
        table_name = "personal_details"


class TwoFactor(Table):
    user = peewee.ForeignKeyField(User, primary_key=True, on_delete="CASCADE")
    sealed_secret = peewee.TextField()
    last_used_step = peewee.BigIntegerField(null=True)

    class Meta:
        table_name = "two_factor"


class WrongCode(Table):
    id = peewee.BigAutoField()
    user = peewee.ForeignKeyField(User, on_delete="CASCADE", index=False)
    at_ms = peewee.BigIntegerField()

    class Meta:
        table_name = "wrong_codes"


WrongCode.add_index(WrongCode.index(WrongCode.user, WrongCode.at_ms, name="wrong_codes_of_player"))


class Payment(Table):
    id = peewee.BigAutoField()
    user = peewee.ForeignKeyField(User, on_delete="RESTRICT", index=False)
    type = peewee.CharField(max_length=8, constraints=[Check("type IN ('deposit', 'withdraw')")])
    chain = peewee.CharField(max_length=64, default="")
    asset = peewee.CharField(max_length=64, default="")
    amount = peewee.CharField(max_length=80, default="")
    usd_cents = peewee.BigIntegerField(constraints=[Check("usd_cents > 0")])
    txhash = peewee.CharField(max_length=128, default="")
    transfer_key = peewee.CharField(max_length=128, null=True, unique=True)
    to = peewee.CharField(max_length=128, default="")
    ledger_transaction = peewee.ForeignKeyField(LedgerTransaction, unique=True, on_delete="RESTRICT")
    created_at_ms = peewee.BigIntegerField()

    class Meta:
        table_name = "payments"


Payment.add_index(Payment.index(Payment.user, Payment.created_at_ms, Payment.id, name="payments_of_player"))


TABLES = (LoginNonce, Notification, VaultNotice, PersonalDetails, TwoFactor, WrongCode, Payment)


def up(migrator, db):
    with db.bind_ctx((User, LedgerTransaction, *TABLES)):
        db.create_tables(TABLES, safe=False)
