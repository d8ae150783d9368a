"""Which process sends a proof alone."""


def up(migrator, db):
    db.execute_sql('ALTER TABLE "bets" ADD COLUMN "proof_held_by" INTEGER')
