"""flask payments record: deposits and withdrawals, each recorded once."""

import json
import os
import subprocess
import sys
import threading
from concurrent.futures import ThreadPoolExecutor

import pytest

from models.db.connection import database, reading, writing
from models.ledger import LedgerEntry
from models.payments import Payment
from services.accounts import users
from services.shared.clock import now_ms
from services.shared.errors import InsufficientBalance
from services.shared.money import Cents
from services.wallet import payments
from services.wallet.payments import PaymentType, Transfer

HASH = "0x5f3e"
TOLD = ["--chain", "ethereum", "--asset", "USDT", "--amount", "25.000000000000000001", "--to", "0xabc"]


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
def balance(client, player):
    return lambda by=player: client.get("/auth/me", headers=by.headers).json["balance"]


@pytest.fixture
def titles(client, player):
    """The titles of what the player has been told."""

    def of():
        told = client.get("/profile/notifications", headers=player.headers).json
        return [notification["title"] for notification in told]

    return of


@pytest.fixture
def kept(app):
    """How many payments and entries of payments there are."""

    def count():
        with reading():
            entries = LedgerEntry.select().where(LedgerEntry.account == "house.payments").count()
            return Payment.select().count(), entries

    return count


def test_a_deposit_credits_one_coin_per_usd(record, balance, run):
    record("deposit", "25.01")

    assert balance() == 125.01
    assert run("ledger", "audit")["mismatches"] == 0


def test_a_withdrawal_debits_one_coin_per_usd(record, balance, run):
    record("withdraw", "100")

    assert balance() == 0
    assert run("ledger", "audit")["mismatches"] == 0


def test_a_payment_is_printed_as_an_entry_of_the_history(record):
    began = now_ms()

    printed = record("deposit", "25", *TOLD, "--txhash", HASH)

    assert began <= printed.pop("date") <= now_ms()
    assert printed.pop("_id").isdigit()
    assert printed == {
        "type": "deposit",
        "chain": "ethereum",
        "asset": "USDT",
        "amount": "25.000000000000000001",
        "usdAmount": 25,
        "txhash": HASH,
        "to": "0xabc",
    }


def test_transfer_details_left_out_are_empty(record):
    printed = record("withdraw", "0.01")

    assert (printed["type"], printed["usdAmount"]) == ("withdraw", 0.01)
    assert [printed[name] for name in ("chain", "asset", "txhash", "to")] == [""] * 4


def test_the_amount_is_the_usd_by_default(record):
    printed = [record(kind, usd)["amount"] for kind, usd in (("deposit", "5"), ("withdraw", "0.01"))]

    assert printed == ["5.00", "0.01"]


def test_a_deposit_notifies_the_player(record, client, player):
    record("deposit", "25.5")

    (told,) = client.get("/profile/notifications", headers=player.headers).json
    assert told["title"] == "Deposit credited"
    assert "$25.50" in told["message"]


def test_a_withdrawal_does_not_notify_the_player(record, titles):
    record("withdraw", "25")

    assert titles() == []


def test_a_known_txhash_prints_the_first_payment_and_changes_nothing(record, balance, titles, kept):
    first = record("deposit", "25", "--txhash", HASH)

    again = [
        record("deposit", "25", "--txhash", HASH),
        record("deposit", "25", "--txhash", f" {HASH} ", *TOLD),
    ]

    assert again == [first] * 2
    assert (balance(), titles(), kept()) == (125, ["Deposit credited"], (1, 1))


@pytest.mark.parametrize(
    ("type_", "usd", "by", "difference"),
    [
        ("deposit", "25", "other", "player"),
        ("withdraw", "25", "player", "type"),
        ("deposit", "25.01", "player", "USD"),
        ("withdraw", "500", "other", "player, type, USD"),
    ],
)
def test_a_known_txhash_with_other_details_is_refused_and_the_error_names_them(
    record, fails, player, new_player, kept, balance, type_, usd, by, difference
):
    record("deposit", "25", "--txhash", HASH)
    other = {"player": player, "other": new_player("other")}[by]

    said = fails("payments", "record", other.platform_id, type_, usd, "--txhash", HASH.upper())

    assert said == f"Error: this txhash is recorded already, with another {difference}"
    assert (balance(), balance(other), kept()) == (125, balance(other), (1, 1))


SPELLINGS = {
    "short": ["0xAbC1", "0xabc1", "0XABC1", "abc1", "ABC1"],
    "long": [f"{prefix}{'5f3eABCD' * 15}" for prefix in ("", "0x")] + ["5F3EABCD" * 15],
    "digits": ["0x123", "123"],
}


@pytest.mark.parametrize("database_url", ["sqlite"], indirect=True)
@pytest.mark.parametrize("spellings", SPELLINGS.values(), ids=SPELLINGS.keys())
def test_a_hexadecimal_txhash_compares_without_case_and_prefix(record, balance, kept, spellings):
    printed = [record("deposit", "1", "--txhash", text) for text in spellings]

    assert printed == printed[:1] * len(spellings)
    assert printed[0]["txhash"] == spellings[0]
    assert (balance(), kept()) == (101, (1, 1))


@pytest.mark.parametrize("database_url", ["sqlite"], indirect=True)
def test_a_txhash_that_is_not_hexadecimal_compares_with_case(record, kept):
    hashes = ["5VERv8NMvzbJMEkV", "5verv8nmvzbjmekv", "0xAbG1", "0xabg1", "0x", "x"]

    printed = [record("deposit", "1", "--txhash", text)["txhash"] for text in hashes]

    assert printed == hashes
    assert kept() == (6, 6)


def test_a_migration_normalises_the_txhashes_of_older_payments(run, record, kept):
    recorded = ["0xAbC1", "abc2", "0xdef3", "def3", "5VERv8"]
    by_id = [record("deposit", "1", "--txhash", f"older {number}")["_id"] for number in range(5)]
    with writing():
        for id_, txhash in zip(by_id, recorded, strict=True):
            older = txhash.lower() if txhash.startswith("0x") else txhash
            Payment.update(txhash=txhash, transfer_key=older).where(Payment.id == id_).execute()
        database.execute_sql("DELETE FROM schema_migration WHERE name = '0010_transfer_keys'")

    run("db", "upgrade")

    again = [
        record("deposit", "1", "--txhash", text)["_id"]
        for text in ("ABC1", "0xABC2", "0xDEF3", "DEF3", "5VERv8")
    ]
    assert again == [by_id[0], by_id[1], by_id[2], by_id[2], by_id[4]]
    assert kept() == (5, 5)


def test_payments_without_a_txhash_are_all_recorded(record, balance, kept):
    for _ in range(3):
        record("deposit", "1")

    assert (balance(), kept()) == (103, (3, 3))


def test_more_than_the_balance_cannot_be_withdrawn(refused, balance, kept):
    assert refused("withdraw", "100.01", "--txhash", HASH) == "Error: Insufficient balance"
    assert (balance(), kept()) == (100, (0, 0))


def test_a_refused_withdrawal_does_not_use_up_its_txhash(refused, record, balance):
    refused("withdraw", "101", "--txhash", HASH)

    record("withdraw", "99", "--txhash", HASH)

    assert balance() == 1


def test_locked_coins_cannot_be_withdrawn(refused, client, player):
    body = {"amount": 60, "deadline": now_ms() + 60_000}
    assert client.post("/profile/vault/lock", json=body, headers=player.headers).status_code == 200

    assert refused("withdraw", "41") == "Error: Insufficient balance"


def test_an_invalid_value_is_refused_in_one_line_and_changes_nothing(refused, balance, kept):
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
    assert (balance(), kept()) == (100, (0, 0))


def test_a_payment_of_an_unknown_player_is_refused(fails):
    assert fails("payments", "record", "76561198999999999", "deposit", "5") == "Error: User not found"


@pytest.mark.process
def test_two_processes_that_record_one_txhash_both_print_the_first_payment(env, player, balance, kept):
    command = ["-m", "flask", "payments", "record", player.platform_id, "deposit", "5", "--txhash", HASH]

    processes = [
        subprocess.Popen([sys.executable, *command], env=os.environ | env, stdout=subprocess.PIPE)
        for _ in range(2)
    ]
    first, second = [json.loads(process.communicate(timeout=60)[0]) for process in processes]

    assert first == second
    assert (balance(), kept()) == (105, (1, 1))


@pytest.mark.parametrize(("type_", "left"), [(PaymentType.DEPOSIT, 200), (PaymentType.WITHDRAW, 0)])
def test_of_many_concurrent_payments_with_one_txhash_one_is_recorded(type_, left, player, balance, kept):
    user, transfer = users.get(platform_id=player.platform_id), Transfer(txhash=HASH)
    together = threading.Barrier(8, timeout=60)

    def record(_):
        together.wait()
        return payments.record(user=user, type_=type_, usd=Cents(100_00), transfer=transfer, now=now_ms()).id

    with ThreadPoolExecutor(8) as threads:
        ids = list(threads.map(record, range(8)))

    assert len(set(ids)) == 1
    assert (balance(), kept()) == (left, (1, 1))


def test_concurrent_withdrawals_never_exceed_the_balance(player, balance, kept, run):
    user, together = users.get(platform_id=player.platform_id), threading.Barrier(8, timeout=60)

    def withdraw(_):
        together.wait()
        try:
            payments.record(
                user=user,
                type_=PaymentType.WITHDRAW,
                usd=Cents(30_00),
                transfer=Transfer(),
                now=now_ms(),
            )
        except InsufficientBalance:
            return False
        return True

    with ThreadPoolExecutor(8) as threads:
        taken = list(threads.map(withdraw, range(8)))

    assert (sum(taken), balance(), kept()) == (3, 10, (3, 3))
    assert run("ledger", "audit")["mismatches"] == 0
