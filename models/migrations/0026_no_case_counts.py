"""A player's cases are counted when the player creates another; no count is stored any more."""


def up(migrator, db):
    db.execute_sql('DROP TABLE "case_counts"')
