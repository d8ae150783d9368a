"""Drops the table of avatar uploads: the memory of a process holds those that are under way."""


def up(migrator, db):
    db.execute_sql("DROP TABLE IF EXISTS avatar_uploads")
