"""The books for the accountant: trial balance, revenue by game, liabilities, and files for their programs."""

from collections.abc import Mapping
from datetime import date

from flask import Response, abort, render_template

from blueprints.office.access import require_permission
from blueprints.office.addresses import days_of_address, usual_days
from blueprints.office.blueprint import office
from server.current_services import get_services
from services.figures import book_formats, books
from services.figures.books import BETS, LIABILITIES, Books
from services.staff.permissions import Permission

ENDINGS = {"hledger": "journal", "ledger": "ledger", "beancount": "beancount", "csv": "csv"}


@office.get("/reports/accounts")
@require_permission(Permission.REPORTS_SEE)
def report_of_accounts() -> str:
    """The books of the days of the address."""
    found = _books()
    closing = found.closing
    return render_template(
        "office/report-of-accounts.html",
        days=days_of_address(get_services().clock()),
        balances=[
            (account, found.opening.get(account, 0), found.changes(account), cents)
            for account, cents in closing.items()
        ],
        # Credits are negative: what the house has won is income.
        games=[
            (account.removeprefix(f"{BETS}:"), -found.changes(account))
            for account in closing
            if account.startswith(f"{BETS}:")
        ],
        owed=[_owed(found.opening), _owed(closing)],
        formats=ENDINGS,
        usual=usual_days(get_services().clock()),
    )


def _owed(balances: Mapping[str, int]) -> int:
    return -sum(cents for account, cents in balances.items() if account.startswith(f"{LIABILITIES}:"))


@office.get("/reports/accounts/<form>")
@require_permission(Permission.REPORTS_SEE)
def report_of_accounts_file(form: str) -> Response:
    """The same as a file for an accounting program."""
    if form not in ENDINGS:
        abort(404)
    found = _books()
    name = f"accounts-{found.first}-{found.last}.{ENDINGS[form]}"
    return Response(
        "".join(book_formats.write(found, form)),
        mimetype="text/csv" if form == "csv" else "text/plain",
        headers={"Content-Disposition": f"attachment; filename={name}"},
    )


def _books() -> Books:
    days = days_of_address(get_services().clock())
    return books.read(date.fromisoformat(days.first), date.fromisoformat(days.last))
