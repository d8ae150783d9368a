"""Compare a txhash of hexadecimal digits in lower case and without ``0x``, whatever its length."""

import re

import peewee

HEX_HASH = re.compile(r"(?:0[xX])?([0-9a-fA-F]+)")
ROWS_A_STATEMENT = 500


class Payment(peewee.Model):
    """A frozen copy of what this migration needs of the table."""

    id = peewee.BigAutoField()
    txhash = peewee.CharField(max_length=128, default="")
    transfer_key = peewee.CharField(max_length=128, null=True, unique=True)

    class Meta:
        table_name = "payments"


def up(migrator, db):
    with db.bind_ctx([Payment]):
        changed = list(_changed_keys())
        # In two steps, because keys are unique: another row may still have the new key of a row.
        for rows in peewee.chunked(changed, ROWS_A_STATEMENT):
            Payment.update(transfer_key=None).where(Payment.id.in_([id_ for id_, _ in rows])).execute()
        for id_, key in changed:
            if key:
                Payment.update(transfer_key=key).where(Payment.id == id_).execute()


def _changed_keys():
    """Ids with their new keys. Of payments whose spellings differ only, the first gets the key."""
    columns = Payment.select(Payment.id, Payment.txhash, Payment.transfer_key)
    taken = set()
    for id_, txhash, old in columns.where(Payment.transfer_key.is_null(False)).order_by(Payment.id).tuples():
        digits = HEX_HASH.fullmatch(txhash)
        key = digits[1].lower() if digits else txhash
        if key in taken:
            key = None
        taken.add(key)
        if key != old:
            yield id_, key
