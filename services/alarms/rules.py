"""The rules of the alarms. docs/office.md explains each of them; a test compares both lists."""

from services.alarms import grants, ledger, operations, payouts, returns
from services.alarms.rule import Rule
from services.shared.clock import MINUTE_MS

MINUTE, HOUR = MINUTE_MS, 60 * MINUTE_MS

RULES = (
    Rule("large-payout", payouts.find, MINUTE, is_event=True),
    Rule("large-grants", grants.find, MINUTE),
    Rule("payment-discrepancies", operations.find_payment_discrepancies, MINUTE),
    Rule("unpaid-withdrawals", operations.find_unpaid_withdrawals, MINUTE),
    Rule("failed-logins", operations.find_failed_logins, MINUTE),
    Rule("old-prices", operations.find_old_prices, MINUTE),
    Rule("late-proofs", operations.find_late_proofs, MINUTE),
    Rule("old-checkpoint", operations.find_old_checkpoint, MINUTE),
    Rule("return-to-player", returns.find, HOUR),
    Rule("ledger-transactions", ledger.find_transactions, HOUR, is_event=True),
    # After the transactions, on which it builds.
    Rule("ledger-balances", ledger.find_balances, HOUR),
)
