"""Adds the member of the staff whom an alarm is about."""


def up(migrator, db):
    if "staff_name" in {column.name for column in db.get_columns("alarms")}:
        return
    db.execute_sql('ALTER TABLE "alarms" ADD COLUMN "staff_name" VARCHAR(32)')
    # Their subjects are such as "anna on 2026-03-18".
    name = "substr(subject, 1, length(subject) - 14)"
    db.execute_sql(f"UPDATE alarms SET staff_name = {name} WHERE rule = 'large-grants'")  # noqa: S608
