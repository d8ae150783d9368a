"""SQL written by hand, for both databases.

Peewee generates the SQL each time that a query runs. For a spin on SQLite that takes three times as long as
the statements themselves.
"""

import re
from collections.abc import Mapping
from functools import cache
from typing import Any

from models.db.connection import database

PARAMETER = re.compile(r"(?<!:):(\w+)")
"""Not a cast such as ``::bigint``."""


def execute(text: str, values: Mapping[str, Any]) -> Any:
    """Run SQL with parameters such as ``:user_id``; returns the cursor.

    ``{pairs}(:seeds)`` is a table with the columns ``key`` and ``value`` of a parameter, the text of a JSON
    object. So one parameter holds any number of rows, and the drivers take a third of the time of a list.
    """
    positional, names = _positional(text, database.obj.param, database.obj.json_pairs)
    return database.execute_sql(positional, [values[name] for name in names])


@cache
def _positional(text: str, placeholder: str, json_pairs: str) -> tuple[str, list[str]]:
    """The text with this placeholder for each parameter, and the parameters' names in order."""
    named = text.replace("{pairs}", json_pairs)
    return PARAMETER.sub(placeholder, named), PARAMETER.findall(named)
