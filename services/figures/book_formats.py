"""The books as files: for hledger, Ledger and Beancount, and as CSV.

Each begins with the opening balances, and ends by asserting what every account has. The assertions are exact.
"""

import csv
import io
from collections.abc import Callable, Iterable, Iterator, Mapping
from datetime import timedelta

from services.figures.books import Books
from services.shared.money import Cents

COMMODITY = "COIN"

HEAD = "; Debits are positive, credits negative. Days are in UTC, from {books.first} to {books.last}.\n"


def write(books: Books, form: str) -> Iterator[str]:
    """The lines of the books in a format of FORMATS, each with its end."""
    return FORMATS[form](books)


def _amount(cents: int) -> str:
    return f"{'-' if cents < 0 else ''}{abs(cents) // 100}.{abs(cents) % 100:02d}"


def _postings(amounts: Iterable[tuple[str, Cents]]) -> Iterator[str]:
    yield from (f"    {account}  {_amount(cents)} {COMMODITY}\n" for account, cents in amounts)


def _journal(books: Books, assertion: str) -> Iterator[str]:
    """The format of Ledger, which hledger reads as well."""
    yield HEAD.format(books=books)
    if books.opening:
        yield f"\n{books.first} Opening balances\n"
        yield from _postings(books.opening.items())
    for entry in books.entries:
        yield f"\n{entry.day} {entry.kind}\n"
        yield from _postings(entry.postings)
    if books.closing:
        yield f"\n{books.last} Closing balances\n"
    for account, cents in books.closing.items():
        yield f"    {account}  0.00 {COMMODITY} {assertion} {_amount(cents)} {COMMODITY}\n"


def _hledger(books: Books) -> Iterator[str]:
    yield f"commodity 1000.00 {COMMODITY}\n"
    yield from (f"account {account}\n" for account in books.closing)
    yield from _journal(books, "==")


def _ledger(books: Books) -> Iterator[str]:
    yield f"commodity {COMMODITY}\n"
    yield from (f"account {account}\n" for account in books.closing)
    yield from _journal(books, "=")


def _beancount(books: Books) -> Iterator[str]:
    yield HEAD.format(books=books)
    yield f"{books.first} commodity {COMMODITY}\n"
    yield from (f"{books.first} open {account} {COMMODITY}\n" for account in books.closing)
    if books.opening:
        yield f'\n{books.first} * "Opening balances"\n'
        yield from _postings(books.opening.items())
    for entry in books.entries:
        yield f'\n{entry.day} * "{entry.kind}"\n'
        yield from _postings(entry.postings)
    yield "\n"
    # An assertion counts at the beginning of its day. By default it would forgive a cent.
    day = books.last + timedelta(days=1)
    for account, cents in books.closing.items():
        yield f"{day} balance {account}  {_amount(cents)} ~ 0 {COMMODITY}\n"


def _csv(books: Books) -> Iterator[str]:
    """One line for each amount; ``kind`` tells the balances apart."""
    yield "date,kind,account,amount\r\n"
    for account, cents in books.opening.items():
        yield _line(books.first, "opening balance", account, cents)
    for entry in books.entries:
        for account, cents in entry.postings:
            yield _line(entry.day, entry.kind, account, cents)
    for account, cents in books.closing.items():
        yield _line(books.last, "closing balance", account, cents)


def _line(*cells: object) -> str:
    *texts, cents = cells
    out = io.StringIO()
    csv.writer(out).writerow([*texts, _amount(int(str(cents)))])
    return out.getvalue()


FORMATS: Mapping[str, Callable[[Books], Iterator[str]]] = {
    "hledger": _hledger,
    "ledger": _ledger,
    "beancount": _beancount,
    "csv": _csv,
}
