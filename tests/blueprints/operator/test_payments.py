"""flask payments record: deposits and withdrawals, each recorded once."""

import pytest

from models.db.connection import reading
from models.ledger import LedgerEntry
from models.payments import PaymentRecord, PaymentType
from services.accounts import users
from services.payments import transfers as payments
from services.payments.transfers import Transfer
from services.shared.clock import now_ms
from services.shared.errors import InsufficientBalance
from services.shared.money import Cents
from tests.support.at_once import all_at_once

HASH = "0x5f3e"
DETAILS = ["--chain", "ethereum", "--asset", "USDT", "--amount", "25.000000000000000001", "--to", "0xabc"]


@pytest.fixture
def record(run, player):
    """Records a payment of the player."""

    def record(type_, usd, *options, by=player):
        return run("payments", "record", by.platform_id, type_, usd, *options)

    return record


@pytest.fixture
def refused(fails, player):
    """Fails to record a payment of the player; the line that said why."""
    return lambda *arguments: fails("payments", "record", player.platform_id, *arguments)


@pytest.fixture
def titles(client, player):
    """Returns the titles of the player's notifications."""

    def titles():
        sent = client.get("/profile/notifications", headers=player.headers).json
        return [notification["title"] for notification in sent]

    return titles


@pytest.fixture
def recorded(app):
    """Counts how many payments and entries of payments there are."""

    def count():
        with reading():
            entries = LedgerEntry.select().where(LedgerEntry.account == "house.payments").count()
            return PaymentRecord.select().count(), entries

    return count


@pytest.mark.both_databases("money")
def test_a_payment_moves_coins_and_a_deposit_notifies_the_player(record, balance, run, client, player):
    record("withdraw", "100")
    assert balance() == 0

    record("deposit", "25.50")

    assert balance() == 25.5
    assert run("ledger", "audit")["mismatches"] == 0
    (notification,) = client.get("/profile/notifications", headers=player.headers).json
    assert notification["title"] == "Deposit credited"
    assert "$25.50" in notification["message"]


def test_a_payment_is_printed_as_an_entry_of_the_history(record):
    began = now_ms()

    printed = record("deposit", "25", *DETAILS, "--txhash", HASH)

    assert began <= printed.pop("date") <= now_ms()
    assert printed.pop("_id").isdigit()
    rest = {"chain": "ethereum", "asset": "USDT", "amount": "25.000000000000000001", "to": "0xabc"}
    assert printed == rest | {"type": "deposit", "usdAmount": 25, "txhash": HASH}
    left_out = record("withdraw", "0.01")
    empty = dict.fromkeys(("chain", "asset", "txhash", "to"), "")
    assert left_out.items() >= (empty | {"type": "withdraw", "usdAmount": 0.01, "amount": "0.01"}).items()


def test_a_known_txhash_prints_the_first_payment_and_changes_nothing(record, balance, titles, recorded):
    first = record("deposit", "25", "--txhash", HASH)

    again = [
        record("deposit", "25", "--txhash", HASH),
        record("deposit", "25", "--txhash", f" {HASH} ", *DETAILS),
    ]

    assert again == [first] * 2
    assert (balance(), titles(), recorded()) == (125, ["Deposit credited"], (1, 1))


def test_a_known_txhash_with_other_details_is_refused_by_name(
    record, fails, player, new_player, recorded, balance
):
    record("deposit", "25", "--txhash", HASH)
    other = new_player("other")
    different = [
        ("deposit", "25", other, "player"),
        ("withdraw", "25", player, "type"),
        ("deposit", "25.01", player, "USD"),
        ("withdraw", "500", other, "player, type, USD"),
    ]

    for type_, usd, by, difference in different:
        said = fails("payments", "record", by.platform_id, type_, usd, "--txhash", HASH.upper())
        assert said == f"Error: this txhash is recorded already, with another {difference}"

    assert (balance(), balance(other), recorded()) == (125, 100, (1, 1))


SPELLINGS = [
    ["0xAbC1", "0xabc1", "0XABC1", "abc1", "ABC1"],
    [f"{prefix}{'5f3eABCD' * 15}" for prefix in ("", "0x")] + ["5F3EABCD" * 15],
    # Case counts in these, which are not hexadecimal.
    *(["5VERv8NMvzbJMEkV"], ["5verv8nmvzbjmekv"], ["0xAbG1"], ["0xabg1"], ["0x"], ["x"]),
]


def test_a_hexadecimal_txhash_compares_without_case_and_prefix(record, balance, recorded):
    for spellings in SPELLINGS:
        printed = [record("deposit", "1", "--txhash", text) for text in spellings]

        assert printed == printed[:1] * len(spellings)
        assert printed[0]["txhash"] == spellings[0]
    assert (balance(), recorded()) == (108, (8, 8))


def test_more_than_the_balance_cannot_be_withdrawn(refused, record, balance, recorded):
    assert refused("withdraw", "100.01", "--txhash", HASH) == "Error: Insufficient balance"
    assert (balance(), recorded()) == (100, (0, 0))

    # The refusal does not use up the txhash.
    record("withdraw", "99", "--txhash", HASH)

    assert balance() == 1


def test_an_invalid_value_is_refused_and_changes_nothing(refused, balance, recorded):
    amount = "must be an amount from 0 to 1000000000 with at most two decimals"
    cases = {
        **{("deposit", usd): amount for usd in ("0.001", "1000000000.01", "1e400", "NaN", "ten", "", "$5")},
        ("deposit", "0"): "USD must be more than 0",
        ("withdraw", "0.00"): "USD must be more than 0",
        ("deposit", "-5"): "No such option",
        ("transfer", "5"): "'transfer' is not one of 'deposit', 'withdraw'",
        ("deposit",): "Missing argument 'USD'",
        ("deposit", "5", "--chain", "x" * 65): "--chain must be a text of at most 64 characters",
        ("deposit", "5", "--asset", "x" * 65): "--asset must be a text of at most 64 characters",
        ("deposit", "5", "--amount", "1" * 81): "--amount must be a text of at most 80 characters",
        ("deposit", "5", "--txhash", "x" * 129): "--txhash must be a text of at most 128 characters",
        ("deposit", "5", "--to", "\udcff"): "--to must be a text of at most 128 characters",
        **{
            ("deposit", "5", "--amount", text): "--amount must be a decimal number, in units of the asset"
            for text in ("1e5", "-1", "1,5", ".5", "1.", "1 2", "NaN", "\u0661")
        },
    }

    said = {arguments: refused(*arguments) for arguments in cases}

    assert [line for line in said.values() if len(line.splitlines()) != 1] == []
    assert [arguments for arguments, line in said.items() if cases[arguments] not in line] == []
    assert (balance(), recorded()) == (100, (0, 0))


@pytest.mark.both_databases("a race")
@pytest.mark.regulation("2.5.6 Financial transactions")
@pytest.mark.parametrize(("type_", "left"), [(PaymentType.DEPOSIT, 200), (PaymentType.WITHDRAWAL, 0)])
def test_one_of_many_payments_with_one_txhash_is_recorded(type_, left, player, balance, recorded):
    user, transfer = users.get(platform_id=player.platform_id), Transfer(txhash=HASH)

    def record():
        return payments.record(user=user, type_=type_, usd=Cents(100_00), transfer=transfer, now=now_ms()).id

    assert len(set(all_at_once([record] * 8))) == 1
    assert (balance(), recorded()) == (left, (1, 1))


@pytest.mark.both_databases("a race")
@pytest.mark.regulation("2.5.6 Financial transactions")
def test_concurrent_withdrawals_never_exceed_the_balance(player, balance, recorded, run):
    user = users.get(platform_id=player.platform_id)
    withdrawal = {"type_": PaymentType.WITHDRAWAL, "usd": Cents(30_00), "transfer": Transfer()}

    def withdraw():
        try:
            payments.record(user=user, now=now_ms(), **withdrawal)
        except InsufficientBalance:
            return False
        return True

    assert sum(all_at_once([withdraw] * 8)) == 3
    assert (balance(), recorded()) == (10, (3, 3))
    assert run("ledger", "audit")["mismatches"] == 0
