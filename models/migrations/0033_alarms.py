"""Adds alarms. In PostgreSQL's types."""

TABLES = """
CREATE TABLE "alarms" (
    "id" BIGSERIAL NOT NULL PRIMARY KEY, "rule" VARCHAR(32) NOT NULL, "subject" VARCHAR(350) NOT NULL,
    "text" VARCHAR(500) NOT NULL, "raised_at_ms" BIGINT NOT NULL, "ended_at_ms" BIGINT,
    "acknowledged_at_ms" BIGINT, "acknowledged_by" VARCHAR(80), "reason" VARCHAR(200) NOT NULL,
    "send_at_ms" BIGINT, "tries" INTEGER NOT NULL, "accepted_at_ms" BIGINT,
    CONSTRAINT "alarms_acknowledged" CHECK ((acknowledged_at_ms IS NULL) = (acknowledged_by IS NULL)),
    CONSTRAINT "alarms_sent" CHECK (accepted_at_ms IS NULL OR send_at_ms IS NULL)
);
CREATE UNIQUE INDEX "alarms_going_on" ON "alarms" ("rule", "subject")
    WHERE acknowledged_at_ms IS NULL OR ended_at_ms IS NULL;
CREATE INDEX "alarms_by_subject" ON "alarms" ("rule", "subject");
CREATE INDEX "alarms_open" ON "alarms" ("id") WHERE acknowledged_at_ms IS NULL;
CREATE INDEX "alarms_to_send" ON "alarms" ("send_at_ms") WHERE send_at_ms IS NOT NULL;
CREATE TABLE "alarm_progress" ("name" VARCHAR(32) NOT NULL PRIMARY KEY, "value" BIGINT NOT NULL)
"""
LEASES = ("alarms", "liabilities")


def up(migrator, db):
    if "alarms" in db.get_tables():
        return
    is_postgresql = db.param == "%s"
    for statement in TABLES.split(";"):
        # As Peewee writes them: SQLite keeps the text.
        words = " ".join(statement.split()).replace("( ", "(").replace(" )", ")")
        if not is_postgresql:
            words = words.replace("BIGSERIAL", "INTEGER").replace("BIGINT", "INTEGER")
        db.execute_sql(words)
    for name in LEASES:
        db.execute_sql(
            f"INSERT INTO leases (name, epoch, until_ms) VALUES ({db.param}, 0, 0)",  # noqa: S608  # a placeholder
            (name,),
        )
