"""Lists and reports as files for spreadsheets: who may see a page may have its file, with the same filters.

A list answers ``?format=csv`` with its rows from the first one on, MOST_ROWS at most, and masks what its page
masks.
"""

import csv
import io
import json
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from decimal import Decimal
from operator import attrgetter
from typing import Any

from flask import Response

from services.shared.clock import iso_time

FORMULA = ("=", "+", "-", "@", "\t", "\r", "\n")
"""How texts begin that a spreadsheet would compute."""

Columns = Mapping[str, str | Callable[[Any], object]]
"""What each column has of a row: the path of an attribute, or a function.

A path that ends with ``_cents`` is an amount, one with ``_at_ms`` a time.
"""


def list_file(name: str, columns: Columns, rows: Iterable[Any]) -> Response:
    """The rows of a list."""
    cells = [_getter(path) for path in columns.values()]
    return csv_file(name, [*columns], ([cell(row) for cell in cells] for row in rows))


def csv_file(name: str, header: Sequence[str], rows: Iterable[Sequence[object]]) -> Response:
    """A file for spreadsheets, in which no text is a formula."""
    text = io.StringIO()
    writer = csv.writer(text)
    writer.writerow(header)
    writer.writerows([_cell(each) for each in row] for row in rows)
    file = re.sub(r"[^A-Za-z0-9-]+", "-", name)
    return Response(
        text.getvalue(),
        mimetype="text/csv",
        headers={"Content-Disposition": f"attachment; filename={file}.csv"},
    )


def amount(cents: int) -> Decimal:
    """An amount in coins, which is written with two decimals."""
    return Decimal(cents).scaleb(-2)


def _getter(path: str | Callable[[Any], object]) -> Callable[[Any], object]:
    if callable(path):
        return path
    get = attrgetter(path)
    if path.endswith("_cents"):
        return lambda row: None if get(row) is None else amount(get(row))
    if path.endswith("_at_ms"):
        return lambda row: None if get(row) is None else iso_time(get(row))
    return get


def _cell(value: object) -> object:
    """A text is no formula, whatever it begins with."""
    if isinstance(value, dict | list):
        value = json.dumps(value, ensure_ascii=False)
    return f"'{value}" if isinstance(value, str) and value.startswith(FORMULA) else value
