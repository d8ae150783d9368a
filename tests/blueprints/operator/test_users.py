"""flask users: accounts, tokens, and the player's own view."""

import re
from itertools import chain, repeat

import pytest

from models.db.connection import reading
from models.users import User
from services.accounts import users
from tests.support.markers import sqlite_only

AMOUNT = "must be an amount from 0 to 1000000000 with at most two decimals"
NAME = "a username must have 3 to 32 letters, digits, dots, dashes and underscores"
TAKEN = "the platform id or the name is already taken"
PLATFORM_ID = "76561198000000001"
NOBODY = "76561198999999999"


@pytest.fixture
def me(client):
    """What /auth/me tells the owner of a line that ``users create`` printed."""
    return lambda line: client.get("/auth/me", headers={"Authorization": f"Bearer {line['token']}"}).json


@pytest.fixture
def accounts(app):  # the app has opened the database
    """Gives the usernames there are."""

    def names():
        with reading():
            return [user.username for user in User.select().order_by(User.id)]

    return names


def test_creating_an_account_prints_one_line_with_a_token(run):
    line = run("users", "create", "alice")

    assert sorted(line) == ["platformid", "token", "username"]
    assert re.fullmatch("[0-9]{17}", line["platformid"])
    assert line["username"] == "alice"


def test_the_token_of_a_new_account_is_valid(run, me):
    line = run("users", "create", "alice")

    assert me(line)["platformid"] == line["platformid"]


def test_a_new_account_has_a_commitment(run, client):
    line = run("users", "create", "alice")

    answer = client.get("/upgrader/commitment", headers={"Authorization": f"Bearer {line['token']}"})

    assert answer.json["nonce"] == 1


def test_a_new_account_starts_without_level_and_coins_by_default(run, me):
    account = me(run("users", "create", "alice"))

    assert (account["level"], account["experience"], account["balance"]) == (0, 0, 0)


def test_every_new_account_has_its_own_client_seed(run, me):
    seeds = {me(line)["clientSeed"] for line in run("users", "create", "alice", "--count", "3")}

    assert len(seeds) == 3
    assert all(re.fullmatch("[A-Za-z0-9_-]{4,64}", seed) for seed in seeds)


def test_an_account_can_be_created_for_a_platform_id(run):
    line = run("users", "create", "alice", "--platform-id", PLATFORM_ID)

    assert line["platformid"] == PLATFORM_ID


@sqlite_only
@pytest.mark.parametrize(("level", "experience"), [("0", 0), ("1", 100), ("25", 62_500), ("10000", 10**10)])
def test_an_account_can_start_at_a_level(run, me, level, experience):
    account = me(run("users", "create", "alice", "--level", level))

    assert (account["level"], account["experience"]) == (int(level), experience)


@pytest.mark.parametrize(
    ("balance", "coins"),
    [("0", 0), ("0.01", 0.01), ("12.34", 12.34), ("100.0", 100), ("1000000000", 1_000_000_000)],
)
def test_an_account_can_start_with_coins(run, me, balance, coins):
    account = me(run("users", "create", "alice", "--balance", balance))

    assert account["balance"] == coins


def test_initial_coins_are_posted_to_the_ledger(run):
    run("users", "create", "alice", "--balance", "5", "--count", "2")
    run("users", "create", "bob")

    assert run("ledger", "audit") == {"users": 3, "transactions": 2, "entries": 4, "mismatches": 0}


def test_a_taken_name_gets_the_next_number(run, accounts):
    for _ in range(3):
        run("users", "create", "alice")

    assert accounts() == ["alice", "alice-2", "alice-3"]


def test_a_name_is_taken_in_any_case(run, accounts):
    for name in ("Alice", "ALICE", "alice"):
        run("users", "create", name)

    assert accounts() == ["Alice", "ALICE-2", "alice-3"]


def test_a_taken_name_gets_the_lowest_free_number(run, accounts):
    for name in ("alice", "alice-2", "alice-4"):
        run("users", "create", name)

    run("users", "create", "alice")

    assert accounts()[-1] == "alice-3"


def test_a_taken_name_of_maximum_length_is_cut_for_its_number(run, accounts):
    for _ in range(2):
        run("users", "create", "a" * 32)

    assert accounts() == ["a" * 32, "a" * 30 + "-2"]


@sqlite_only
def test_each_of_many_accounts_is_printed_on_its_own_line(run, accounts):
    run("users", "create", "bob-2")

    lines = run("users", "create", "bob", "--count", "4", "--level", "3", "--balance", "1")

    assert [line["username"] for line in lines] == ["bob", "bob-3", "bob-4", "bob-5"]
    assert len({line["platformid"] for line in lines}) == 4
    assert accounts()[1:] == [line["username"] for line in lines]


@sqlite_only
@pytest.mark.parametrize("name", ["abc", "a" * 32, "A.b_c-9", "...", "123"])
def test_a_valid_name_is_not_changed(run, name):
    assert run("users", "create", name)["username"] == name


@sqlite_only
@pytest.mark.parametrize(
    "name", ["", "ab", "a" * 33, "a b", " alice", "alice\n", "\u00e4lice", "al\u0131ce", "a/b", "<b>"]
)
def test_an_invalid_name_is_refused(fails, accounts, name):
    assert fails("users", "create", name) == f"Error: {NAME}"
    assert accounts() == []


@sqlite_only
@pytest.mark.parametrize(
    "platform_id",
    ["", "7656119800000000", "765611980000000011", "7656119800000000x", "\u0661" * 17, "id-abc"],
)
def test_a_malformed_platform_id_is_refused(fails, accounts, platform_id):
    assert (
        fails("users", "create", "alice", "--platform-id", platform_id)
        == "Error: a platform id must have 17 digits"
    )
    assert accounts() == []


def test_a_taken_platform_id_is_refused(run, fails, accounts):
    run("users", "create", "alice", "--platform-id", PLATFORM_ID)

    said = fails("users", "create", "bob", "--platform-id", PLATFORM_ID, "--balance", "5")

    assert said == f"Error: {TAKEN}"
    assert accounts() == ["alice"]


@sqlite_only
def test_a_platform_id_with_a_count_is_refused(fails, accounts):
    said = fails("users", "create", "alice", "--platform-id", PLATFORM_ID, "--count", "2")

    assert said == "Error: --platform-id cannot be used with --count"
    assert accounts() == []


@sqlite_only
@pytest.mark.parametrize("level", ["-1", "10001"])
def test_a_level_out_of_bounds_is_refused(fails, level):
    assert fails("users", "create", "alice", "--level", level) == "Error: a level must be from 0 to 10000"


@sqlite_only
@pytest.mark.parametrize("balance", ["-1", "0.001", "1000000000.01", "1e400", "NaN", "Infinity", "ten", ""])
def test_an_invalid_balance_is_refused_in_one_line(fails, accounts, balance):
    said = fails("users", "create", "alice", "--balance", balance)

    assert said.startswith("Error: ")
    assert said.endswith(AMOUNT)
    assert len(said.splitlines()) == 1
    assert accounts() == []


@sqlite_only
@pytest.mark.parametrize(
    ("option", "value"),
    [("--count", "0"), ("--count", "x"), ("--count", "1000001"), ("--level", "1.5"), ("--colour", "red")],
)
def test_an_invalid_option_is_refused_in_one_line_that_names_it(fails, option, value):
    said = fails("users", "create", "alice", option, value)

    assert said.startswith("Error: ")
    assert option in said
    assert len(said.splitlines()) == 1


def test_either_all_of_many_accounts_are_created_or_none(run, fails, accounts, monkeypatch):
    run("users", "create", "alice", "--platform-id", PLATFORM_ID)
    drawn = chain(["76561198000000002", "76561198000000003"], repeat(PLATFORM_ID))
    monkeypatch.setattr(users, "random_platform_id", lambda: next(drawn))

    said = fails("users", "create", "bob", "--count", "4", "--balance", "5")

    assert said == f"Error: {TAKEN}"
    assert accounts() == ["alice"]
    assert run("ledger", "audit")["entries"] == 0


def test_an_issued_token_is_valid(run, me):
    created = run("users", "create", "alice")

    fresh = run("users", "token", created["platformid"])

    assert sorted(fresh) == ["token"]
    assert fresh["token"] != created["token"]
    assert me(fresh)["platformid"] == created["platformid"]


def test_showing_a_player_prints_what_auth_me_answers(run, me):
    line = run("users", "create", "alice", "--level", "2", "--balance", "12.34")

    assert run("users", "show", line["platformid"]) == me(line)


@pytest.mark.parametrize("command", ["token", "show"])
@pytest.mark.parametrize("platform_id", [NOBODY, "alice", "", "\u2605"])
def test_an_unknown_player_is_not_found(run, fails, command, platform_id):
    run("users", "create", "alice")

    assert fails("users", command, platform_id) == "Error: User not found"
