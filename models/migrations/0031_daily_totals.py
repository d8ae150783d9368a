"""Adds the totals and liabilities of days, and an index for reports of payments.

The totals are those of all bets that do not wait for the log.
"""

import json
from decimal import Decimal

DAY_MS = 86_400_000
ROLLS = 10_000_000
TICKETS = 10**18
TABLES = """
CREATE TABLE "daily_totals" (
    "day_starts_at_ms" BIGINT NOT NULL, "game" VARCHAR(16) NOT NULL, "case_id" VARCHAR(300) NOT NULL,
    "price_class" VARCHAR(10) NOT NULL
        CHECK (price_class IN ('', 'under-10', 'under-100', 'under-1000', 'from-1000')),
    "bets" BIGINT NOT NULL CHECK (bets > 0),
    "wagered_cents" BIGINT NOT NULL CHECK (wagered_cents >= 0),
    "paid_cents" BIGINT NOT NULL CHECK (paid_cents >= 0),
    "expected_cents" DOUBLE PRECISION NOT NULL, "variance_square_cents" DOUBLE PRECISION NOT NULL,
    "largest_cents" BIGINT NOT NULL CHECK (largest_cents >= 0),
    PRIMARY KEY ("day_starts_at_ms", "game", "case_id", "price_class")
);
CREATE TABLE "daily_liabilities" (
    "day_starts_at_ms" BIGINT NOT NULL PRIMARY KEY, "balances_cents" BIGINT NOT NULL,
    "vaults_cents" BIGINT NOT NULL, "sweepstake_cents" BIGINT NOT NULL, "held_cents" BIGINT NOT NULL,
    "prizes_cents" BIGINT NOT NULL, "taken_at_ms" BIGINT NOT NULL
);
CREATE INDEX "payments_by_time" ON "payments" ("created_at_ms")
"""
CHANCE = f"(CAST(threshold AS DOUBLE PRECISION) / {ROLLS})"
GROUPED = f"""
SELECT created_at_ms / {DAY_MS} * {DAY_MS}, game, snapshot_id,
    CASE WHEN price_cents IS NULL THEN '' WHEN price_cents < 1000 THEN 'under-10'
        WHEN price_cents < 10000 THEN 'under-100' WHEN price_cents < 100000 THEN 'under-1000'
        ELSE 'from-1000' END,
    COUNT(*), SUM(wager_cents), SUM(payout_cents), SUM({CHANCE} * price_cents),
    SUM({CHANCE} * (1 - {CHANCE}) * price_cents * price_cents), MAX(price_cents)
FROM bets
WHERE NOT EXISTS (SELECT 1 FROM log_waiting_bets WHERE log_waiting_bets.bet_id = bets.id)
GROUP BY 1, 2, 3, 4
"""  # noqa: S608  # constants


def up(migrator, db):
    if "daily_totals" in db.get_tables():
        return
    is_postgresql = db.param == "%s"
    for statement in TABLES.split(";"):
        # As Peewee writes them: SQLite keeps the text.
        words = " ".join(statement.split()).replace("( ", "(").replace(" )", ")")
        if not is_postgresql:
            words = words.replace("BIGINT", "INTEGER").replace("DOUBLE PRECISION", "REAL")
        db.execute_sql(words)
    totals, contents = {}, {}
    for day, game, snapshot_id, price_class, bets, *sums, expected, variance, largest in db.execute_sql(
        GROUPED
    ).fetchall():
        case_id = ""
        if snapshot_id is not None:
            if snapshot_id not in contents:
                contents[snapshot_id] = _content(db, snapshot_id)
            case_id, mean, square, largest = contents[snapshot_id]  # noqa: PLW2901
            expected, variance = bets * mean, bets * square  # noqa: PLW2901
        key = (day, game, case_id, price_class)
        *before, most = totals.get(key, (0, 0, 0, 0.0, 0.0, 0))
        added = (bets, *map(int, sums), expected, variance)
        totals[key] = (*map(sum, zip(before, added, strict=True)), max(most, largest))
    values = ", ".join([db.param] * 10)
    for key, row in totals.items():
        db.execute_sql(f"INSERT INTO daily_totals VALUES ({values})", [*key, *row])  # noqa: S608  # placeholders


def _content(db, snapshot_id):
    """A snapshot's case, and the mean, variance and maximum of an opening; zeros if it is invalid."""
    (text,) = db.execute_sql(
        f"SELECT content FROM snapshots WHERE id = {db.param}",  # noqa: S608
        (snapshot_id,),
    ).fetchone()
    try:
        content = json.loads(text, parse_float=Decimal)
        items = [(int(item["price"]), int(item["width"])) for item in content["items"]]
        mean = sum(price * width for price, width in items)
        squares = sum(price**2 * width for price, width in items)
        variance = (squares * TICKETS - mean**2) / TICKETS**2
        return content["id"], mean / TICKETS, variance, max(price for price, _ in items)
    except (ValueError, KeyError, TypeError):
        return "", 0.0, 0.0, 0
