"""The sums of players' bets, computed again: of all bets, and of the current play session and periods.

The latter are those of models/play_limits.py.
"""

from models.db.connection import database
from models.play_limits import PAUSE_MS, PERIODS

THEORETICAL_LOSS_UCENTS = "wager_cents * COALESCE(house_edge_ppm, counted_edge_ppm, 0)"
"""Of one bet."""

SPANS = ("play", *PERIODS)
TOTALS = ("wagered_cents", "earned_cents", "theoretical_loss_ucents")
SUMS = tuple(f"{span}_{total}_cents" for span in SPANS for total in ("wagered", "paid"))

# The bets of a period are all from its first one on, by nonce: when the clock was set back, their times are
# earlier.
_FIRST_OF_PERIODS = ", ".join(
    f"MIN(CASE WHEN {period}_starts_at_ms > 0 AND created_at_ms >= {period}_starts_at_ms THEN nonce END)"
    f" AS {period}_first"
    for period in PERIODS
)
_SUMS = ", ".join(
    f"SUM(CASE WHEN nonce >= {span}_first THEN {amount}_cents ELSE 0 END) AS {span}_{total}_cents"
    for span in SPANS
    for total, amount in (("wagered", "wager"), ("paid", "payout"))
)
_EXPECTED = ", ".join(f"users.{column}, COALESCE(sums.{column}, 0)" for column in (*TOTALS, *SUMS))
_DIFFERS = " OR ".join(f"users.{column} <> COALESCE(sums.{column}, 0)" for column in (*TOTALS, *SUMS))

# PostgreSQL computes each part once. Otherwise it may plan nested loops by the statistics of a table that was
# empty, which took more than ten minutes for 226 bets.
#
# The first bet of a play session is the last one of its time with a pause before it.
WRONG_SUMS = f"""
WITH starts AS MATERIALIZED (
    SELECT bets.user_id, COALESCE(
        MAX(CASE WHEN previous.created_at_ms > bets.created_at_ms - {PAUSE_MS} THEN NULL ELSE bets.nonce END),
        MIN(bets.nonce)
    ) AS play_first
    FROM users
        JOIN bets ON bets.user_id = users.id AND bets.created_at_ms = users.play_began_at_ms
        LEFT JOIN bets AS previous
            ON previous.user_id = bets.user_id AND previous.nonce = bets.nonce - 1
    GROUP BY bets.user_id
), firsts AS MATERIALIZED (
    SELECT bets.user_id, MIN(starts.play_first) AS play_first, {_FIRST_OF_PERIODS}
    FROM bets
        JOIN users ON users.id = bets.user_id
        LEFT JOIN starts ON starts.user_id = bets.user_id
    GROUP BY bets.user_id
), sums AS MATERIALIZED (
    SELECT bets.user_id, SUM(wager_cents) AS wagered_cents, SUM(payout_cents) AS earned_cents,
        SUM({THEORETICAL_LOSS_UCENTS}) AS theoretical_loss_ucents, {_SUMS}
    FROM bets JOIN firsts ON firsts.user_id = bets.user_id
    GROUP BY bets.user_id
)
SELECT users.platform_id, {_EXPECTED}
FROM users LEFT JOIN sums ON sums.user_id = users.id
WHERE {_DIFFERS}
"""  # noqa: S608  # constants


def wrong_sums() -> dict[str, dict[str, int]]:
    """The players with a wrong sum by platform id, each with the correct numbers by the wrong columns."""
    wrong = {}
    for player_id, *pairs in database.execute_sql(WRONG_SUMS).fetchall():
        columns = zip((*TOTALS, *SUMS), pairs[::2], pairs[1::2], strict=True)
        wrong[player_id] = {column: int(correct) for column, stored, correct in columns if stored != correct}
    return wrong
