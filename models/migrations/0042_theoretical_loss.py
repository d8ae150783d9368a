"""Adds the theoretical loss of players, which bounds what can be claimed for their bets.

Openings from before count as 0: their edges are not stored.
"""

COLUMNS = {
    "users": '"theoretical_loss_ucents" BIGINT NOT NULL DEFAULT 0',
    "referrals": '"theoretical_loss_before_ucents" BIGINT NOT NULL DEFAULT 0',
    "bets": '"counted_edge_ppm" INTEGER CHECK (counted_edge_ppm BETWEEN 0 AND 999999)',
}
LOSS = "CAST(SUM(wager_cents * house_edge_ppm) AS BIGINT)"
FILL = (
    f"""
    UPDATE users SET theoretical_loss_ucents = sums.loss
    FROM (SELECT user_id, {LOSS} AS loss FROM bets WHERE house_edge_ppm IS NOT NULL GROUP BY user_id) AS sums
    WHERE sums.user_id = users.id
    """,  # noqa: S608  # constants
    f"""
    UPDATE referrals SET theoretical_loss_before_ucents = sums.loss
    FROM (
        SELECT bets.user_id, {LOSS} AS loss FROM bets JOIN referrals ON referrals.user_id = bets.user_id
        WHERE house_edge_ppm IS NOT NULL AND bets.ledger_transaction_id < referrals.ledger_transaction_id
        GROUP BY bets.user_id
    ) AS sums
    WHERE sums.user_id = referrals.user_id
    """,  # noqa: S608  # constants
)


def up(migrator, db):
    if "counted_edge_ppm" in {column.name for column in db.get_columns("bets")}:
        return
    for table, column in COLUMNS.items():
        if db.param != "%s":
            column = column.replace("BIGINT", "INTEGER")  # noqa: PLW2901
        db.execute_sql(f'ALTER TABLE "{table}" ADD COLUMN {column}')
    for statement in FILL:
        db.execute_sql(statement)
