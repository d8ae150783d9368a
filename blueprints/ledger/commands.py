"""flask ledger: proving that no coin was made or lost."""

from blueprints.common.commands import OperatorGroup, fail_on_mismatches, operator_command, print_json
from services import ledger_audit

group = OperatorGroup("ledger", help="The double-entry ledger.")


@group.command("audit")
@operator_command
def audit() -> None:
    """Prove every balance by its entries, every transaction and every kept-up total; exit 1 on a mismatch."""
    result = ledger_audit.audit()
    print_json(
        {
            "users": result.users,
            "transactions": result.transactions,
            "entries": result.entries,
            "mismatches": len(result.mismatches),
        }
    )
    fail_on_mismatches(result.mismatches)
