"""The leaderboard reads the sums of players' weeks and months, and needs no table of its own."""


def up(migrator, db):
    for period in ("week", "month"):
        db.execute_sql(
            f'CREATE INDEX "users_leaderboard_of_{period}" ON "users"'
            f' ("{period}_starts_at_ms", "{period}_wagered_cents" DESC, "id")'
        )
    db.execute_sql('DROP TABLE "period_wagers"')
