"""Finds the connected players whose sessions were ended, by any process or command."""

import json
from collections.abc import Iterable

from models.db.connection import Sqlite, database, reading

Session = tuple[int, int]
"""A player's id, and a session number."""

# All of them are one parameter, a JSON text: the driver takes three times as long for lists.
FIND_RAISED = """
SELECT DISTINCT users.id, users.session_number
FROM (
    SELECT CAST(value ->> 0 AS BIGINT) AS user_id, CAST(value ->> 1 AS BIGINT) AS number FROM {seen}
) AS seen
    JOIN users ON users.id = seen.user_id
WHERE users.session_number > seen.number
"""


@reading()
def find_raised(seen: Iterable[Session]) -> list[Session]:
    """The current numbers of those players who had a lower one."""
    is_sqlite = isinstance(database.obj, Sqlite)
    statement = FIND_RAISED.format(seen="json_each(?)" if is_sqlite else "json_array_elements(%s)")
    return list(database.execute_sql(statement, (json.dumps(list(seen)),)))
