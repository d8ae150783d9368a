"""Adds the case of each opening, and indexes of the last openings and the best drops of a case."""

import peewee

FIND = """
UPDATE bets SET case_id = opened.case_id
FROM (
    SELECT snapshots.id AS snapshot_id, 'case' AS game, cases.id AS case_id
    FROM snapshots JOIN cases ON cases.slug = {id}
    UNION ALL
    SELECT snapshots.id, 'irl', irl_cases.id
    FROM snapshots JOIN irl_cases ON irl_cases.slug = {id}
) AS opened
WHERE bets.snapshot_id = opened.snapshot_id AND bets.game = opened.game
"""
INDEXES = (
    'CREATE INDEX "bets_of_case" ON "bets" ("game", "case_id", "id") WHERE case_id IS NOT NULL',
    (
        'CREATE INDEX "bets_best_of_case" ON "bets" ("game", "case_id", "payout_cents", "id")'
        " WHERE case_id IS NOT NULL AND payout_cents > wager_cents"
    ),
)


def up(migrator, db):
    if "case_id" in {column.name for column in db.get_columns("bets")}:
        return
    is_sqlite = isinstance(db, peewee.SqliteDatabase)
    db.execute_sql(f'ALTER TABLE "bets" ADD COLUMN "case_id" {"INTEGER" if is_sqlite else "BIGINT"}')
    case = (
        "json_extract(snapshots.content, '$.id')" if is_sqlite else "CAST(snapshots.content AS json) ->> 'id'"
    )
    db.execute_sql(FIND.format(id=case))
    for index in INDEXES:
        db.execute_sql(index)
