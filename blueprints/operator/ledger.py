"""flask ledger: audit the ledger, rebuild statistics."""

from dataclasses import asdict

from blueprints.api.cli import OperatorGroup, fail_on_problems, in_camel_case, print_json
from server.current_services import get_services
from services.maintenance import ledger_audit, statistics_audit

group = OperatorGroup("ledger", help="Audit the double-entry ledger and rebuild statistics.")


@group.command("audit")
def audit() -> None:
    """Check every balance, transaction and total.

    A balance must equal the sum of its entries, a transaction must sum to 0, and a total must equal the sum
    of its rows. Exits with 1 on any mismatch.
    """
    result = ledger_audit.audit()
    print_json(asdict(result) | {"mismatches": len(result.mismatches)})
    fail_on_problems(result.mismatches)


@group.command("rebuild")
def rebuild() -> None:
    """Rebuild statistics and counts from the bets.

    Bets wait until it has finished.
    """
    print_json(in_camel_case(statistics_audit.rebuild(now=get_services().clock())))
