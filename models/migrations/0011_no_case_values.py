"""Case prices are computed from the items whenever these change; no running value is stored any more."""


def up(migrator, db):
    db.execute_sql('DROP TABLE "case_values"')
