"""Commitments of announced seeds without an index: each bet replaces one. Those of bets stay unique."""


def up(migrator, db):
    db.execute_sql('DROP INDEX "announced_seeds_server_seed_commitment"')
