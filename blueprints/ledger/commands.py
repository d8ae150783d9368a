"""flask ledger: proving that no coin was made or lost, and making kept-up sums anew."""

from blueprints.common.commands import OperatorGroup, fail_on_mismatches, print_json
from services import ledger_audit, rollup_rebuild

group = OperatorGroup("ledger", help="The double-entry ledger.")


@group.command("audit")
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


@group.command("rebuild")
def rebuild() -> None:
    """Make every kept-up sum and count anew from the bets and payments; spins wait meanwhile."""
    result = rollup_rebuild.rebuild()
    print_json(
        {
            "correctedPlayers": result.corrected_players,
            "periodWagers": result.period_wagers,
            "liveBetCounts": result.live_bet_counts,
            "paymentTotals": result.payment_totals,
        }
    )
