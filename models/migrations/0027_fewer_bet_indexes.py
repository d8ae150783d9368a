"""One index for both orders by earning, and no nulls in that of request ids: each bet writes less."""


def up(migrator, db):
    db.execute_sql('DROP INDEX "bets_of_player_most_earned"')
    db.execute_sql(
        'CREATE UNIQUE INDEX "bets_by_request_id" ON "bets" ("user_id", "request_id")'
        " WHERE request_id IS NOT NULL"
    )
    db.execute_sql('DROP INDEX "bets_user_id_request_id"')
