"""Reports as CSV, for spreadsheets."""

import csv
import io
from collections.abc import Iterable, Sequence
from decimal import Decimal

from services.shared.money import Cents

FORMULA = ("=", "+", "-", "@", "\t", "\r")
"""How texts begin that a spreadsheet would compute."""


def amount(cents: Cents) -> Decimal:
    """An amount in coins, which is written with two decimals."""
    return Decimal(cents).scaleb(-2)


def of_rows(header: Sequence[str], rows: Iterable[Sequence[object]]) -> str:
    """The text of a file. Texts are no formulas, whatever they begin with."""
    text = io.StringIO()
    writer = csv.writer(text)
    writer.writerow(header)
    writer.writerows([_cell(each) for each in row] for row in rows)
    return text.getvalue()


def _cell(value: object) -> object:
    return f"'{value}" if isinstance(value, str) and value.startswith(FORMULA) else value
