"""Many players, whom the database itself writes in a few statements."""

from models.db.connection import database, writing
from models.db.postgres import Postgres
from models.users import User

NUMBERS = "WITH RECURSIVE numbers(i) AS (SELECT {first} UNION ALL SELECT i + 1 FROM numbers WHERE i < {last})"
OWN = {"platform_id", "username", "username_folded"}


def copy_player(user: User, *, first: int, last: int) -> None:
    """Add players like this one. The number of a copy, from the first to the last, ends its name and id.

    Their balances have no ledger entries, and their seeds are all the same.
    """
    columns = [field.column_name for field in User._meta.sorted_fields if field.column_name != "id"]
    values = [f"{name} || '-' || i" if name in OWN else name for name in columns]
    copied = (
        f"INSERT INTO users ({', '.join(columns)}) {NUMBERS.format(first=first, last=last)}"  # noqa: S608
        f" SELECT {', '.join(values)} FROM users, numbers WHERE users.id = {user.id}"
    )
    seeds = (
        "INSERT INTO announced_seeds (user_id, nonce, server_seed_commitment, sealed_server_seed, epoch)"  # noqa: S608
        " SELECT users.id, 1, 'copy ' || users.id, sealed_server_seed, epoch FROM users, announced_seeds"
        f" WHERE announced_seeds.user_id = {user.id}"
        " AND users.id NOT IN (SELECT user_id FROM announced_seeds)"
    )
    with writing():
        database.obj.lift_statement_limit()
        database.execute_sql(copied)
        database.execute_sql(seeds)
        if isinstance(database.obj, Postgres):
            database.execute_sql("ANALYZE")
