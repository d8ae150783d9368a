"""Finds the connected players whose sessions were ended, by any process or command."""

import json
from collections.abc import Mapping

from models.db.connection import reading
from models.db.sql import execute

FIND_RAISED = """
SELECT users.id, users.session_number
FROM {pairs}(:seen) AS seen JOIN users ON users.id = CAST(seen.key AS BIGINT)
WHERE users.session_number > CAST(seen.value AS BIGINT)
"""


@reading()
def find_raised(seen: Mapping[int, int]) -> list[tuple[int, int]]:
    """Those players whose session number is higher than this one, with the current number."""
    return list(execute(FIND_RAISED, {"seen": json.dumps(seen)}))
