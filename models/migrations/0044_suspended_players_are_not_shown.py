"""Lets the leaderboards and the live bets leave out suspended players without reading them."""

IS_SUSPENDED = "SELECT id FROM users WHERE suspended_at_ms IS NOT NULL"
HIGH_ROLL = "(wager_cents >= 5000 OR (wager_cents > 0 AND payout_cents >= 10 * wager_cents))"
INDEXES = {
    "users_leaderboard_of_week": (
        '"users" ("week_starts_at_ms", "week_wagered_cents" DESC, "id") WHERE suspended_at_ms IS NULL'
    ),
    "users_leaderboard_of_month": (
        '"users" ("month_starts_at_ms", "month_wagered_cents" DESC, "id") WHERE suspended_at_ms IS NULL'
    ),
    "bets_by_completion": '"bets" ("completed_at_ms", "id", "user_id")',
    "bets_high_rolls": f'"bets" ("completed_at_ms", "id", "user_id") WHERE {HIGH_ROLL}',
}
# The counts had the bets of all players.
COUNT = f"""
UPDATE live_bet_counts SET bets = live_bet_counts.bets - hidden.bets,
    high_rolls = live_bet_counts.high_rolls - hidden.high_rolls
FROM (
    SELECT user_id - user_id / 64 * 64 AS shard, COUNT(*) AS bets,
        COUNT(CASE WHEN {HIGH_ROLL} THEN 1 END) AS high_rolls
    FROM bets WHERE user_id IN ({IS_SUSPENDED})
    GROUP BY user_id - user_id / 64 * 64
) AS hidden
WHERE hidden.shard = live_bet_counts.shard
"""  # noqa: S608  # constants


def up(migrator, db):
    if any(
        "user_id" in index.columns for index in db.get_indexes("bets") if index.name == "bets_by_completion"
    ):
        return
    for name, columns in INDEXES.items():
        db.execute_sql(f'DROP INDEX "{name}"')
        db.execute_sql(f'CREATE INDEX "{name}" ON {columns}')
    db.execute_sql(COUNT)
