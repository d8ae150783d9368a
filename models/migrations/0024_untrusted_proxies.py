"""A process stores that requests with forwarding headers arrive which it does not trust."""


def up(migrator, db):
    if "untrusted_proxies" not in {column.name for column in db.get_columns("processes")}:
        column = '"untrusted_proxies" BOOLEAN DEFAULT FALSE NOT NULL'
        db.execute_sql(f'ALTER TABLE "processes" ADD COLUMN {column}')
