"""flask users: accounts, tokens, and the player's own view."""

import json
import re
from itertools import chain, repeat

import pytest

from models.db.connection import database, reading, writing
from models.log import LogEntry, WaitingEntry
from models.users import User
from services.accounts import users

AMOUNT = "must be an amount from 0 to 1000000000 with at most two decimals"
NAME = "a username must have 3 to 32 letters, digits, dots, dashes and underscores"
TAKEN = "the platform id or the name is already taken"
PLATFORM_ID = "76561198000000001"


@pytest.fixture
def me(client):
    """What /auth/me answers to the owner of a line that ``users create`` printed."""
    return lambda line: client.get("/auth/me", headers={"Authorization": f"Bearer {line['token']}"}).json


@pytest.fixture
def accounts(app):  # the app has opened the database
    """Returns all usernames, in the order of their ids."""

    def names():
        with reading():
            return [user.username for user in User.select().order_by(User.id)]

    return names


def test_a_new_account_has_only_a_token_and_commitment(run, me, client):
    line = run("users", "create", "alice")

    assert sorted(line) == ["platformid", "token", "username"]
    assert re.fullmatch("[0-9]{17}", line["platformid"])
    account = me(line)
    assert (account["platformid"], account["username"]) == (line["platformid"], "alice")
    assert (account["level"], account["experience"], account["balance"]) == (0, 0, 0)
    answer = client.get("/upgrader/commitment", headers={"Authorization": f"Bearer {line['token']}"})
    assert answer.json["nonce"] == 1


@pytest.mark.both_databases("services/accounts/users.py")
def test_each_of_many_accounts_has_its_own_client_seed(run, me, accounts):
    run("users", "create", "bob-2")

    lines = run("users", "create", "bob", "--count", "4", "--level", "3", "--balance", "1")

    assert [line["username"] for line in lines] == ["bob", "bob-3", "bob-4", "bob-5"]
    assert len({line["platformid"] for line in lines}) == 4
    assert accounts()[1:] == [line["username"] for line in lines]
    seeds = {me(line)["clientSeed"] for line in lines}
    assert len(seeds) == 4
    assert all(re.fullmatch("[A-Za-z0-9_-]{4,64}", seed) for seed in seeds)


def test_an_account_can_start_at_a_level_with_coins_from_the_ledger(run, me):
    for level, experience in {"0": 0, "1": 100, "25": 62_500, "10000": 10**10}.items():
        account = me(run("users", "create", "alice", "--level", level))
        assert (account["level"], account["experience"]) == (int(level), experience)
    for balance in ("0", "0.01", "12.34", "100.0", "1000000000"):
        account = me(run("users", "create", "alice", "--balance", balance))
        assert account["balance"] == float(balance)

    assert run("ledger", "audit") == {"users": 9, "transactions": 4, "entries": 8, "mismatches": 0}


def test_a_taken_name_gets_the_lowest_free_number(run, accounts):
    for name in ("Alice", "ALICE", "alice-4", "alice", "alice"):
        run("users", "create", name)
    for _ in range(2):
        run("users", "create", "a" * 32)

    assert accounts() == ["Alice", "ALICE-2", "alice-4", "alice-3", "alice-5", "a" * 32, "a" * 30 + "-2"]


@pytest.mark.both_databases("services/accounts/users.py")
def test_a_free_number_is_found_with_one_query(app, queries):
    row = {"avatar": "", "registered_at_ms": 1, "client_seed": "seed"}
    names = ["Player", *(f"player-{number}" for number in range(2, 2_000) if number != 1_500)]
    rows = [
        row | {"platform_id": str(number), "username": name, "username_folded": name.lower()}
        for number, name in enumerate(names)
    ]
    with writing():
        User.insert_many(rows).execute()
    queries.clear()

    assert users.free_usernames("PLAYER", count=2) == ["PLAYER-1500", "PLAYER-2000"]
    assert len(queries) == 1


def test_a_valid_name_and_platform_id_are_not_changed(run):
    for name in ("abc", "a" * 32, "A.b_c-9", "...", "123"):
        assert run("users", "create", name)["username"] == name
    assert run("users", "create", "bob", "--platform-id", PLATFORM_ID)["platformid"] == PLATFORM_ID


BAD_NAMES = ["", "ab", "a" * 33, "a b", " alice", "alice\n", "\u00e4lice", "al\u0131ce", "a/b", "<b>"]
BAD_PLATFORM_IDS = [
    "",
    "7656119800000000",
    "765611980000000011",
    "7656119800000000x",
    "\u0661" * 17,
    "id-abc",
]
REFUSED = {
    **{(name,): f"Error: {NAME}" for name in BAD_NAMES},
    **{
        ("alice", "--platform-id", platform_id): "Error: a platform id must have 17 digits"
        for platform_id in BAD_PLATFORM_IDS
    },
    ("alice", "--platform-id", PLATFORM_ID, "--count", "2"): (
        "Error: --platform-id cannot be used with --count"
    ),
    **{("alice", "--level", level): "Error: a level must be from 0 to 10000" for level in ("-1", "10001")},
}
REFUSED_BY_THEIR_TYPES = {
    **{
        ("--balance", balance): AMOUNT
        for balance in ("-1", "0.001", "1000000000.01", "1e400", "NaN", "Infinity", "ten", "")
    },
    **{("--count", count): "--count" for count in ("0", "x", "1000001")},
    ("--level", "1.5"): "--level",
    ("--colour", "red"): "--colour",
}


def test_an_invalid_name_or_option_is_refused_in_one_line(fails, accounts):
    said = {arguments: fails("users", "create", *arguments) for arguments in REFUSED}
    assert said == REFUSED

    for arguments, text in REFUSED_BY_THEIR_TYPES.items():
        line = fails("users", "create", "alice", *arguments)
        assert line.startswith("Error: ")
        assert text in line, arguments
        assert len(line.splitlines()) == 1, arguments
    assert accounts() == []


@pytest.mark.both_databases("services/bets/seeds.py")
def test_the_first_commitment_of_each_new_account_waits_for_the_log(app, run):
    lines = run("users", "create", "bob", "--count", "3")

    seeds = app.extensions["services"].seeds
    with reading():
        players = {user.username: user.id for user in User.select()}
        waiting = WaitingEntry.select(LogEntry.text).join(LogEntry).order_by(LogEntry.id)
        logged = [json.loads(text) for (text,) in waiting.tuples()]
    announced = [seeds.announced(user_id=players[line["username"]]) for line in lines]
    derived = seeds.bet_log.pseudonyms.of
    assert {(entry["player"], entry["commitment"]) for entry in logged} == {
        (derived(line["platformid"]), commitment.server_seed_commitment)
        for line, commitment in zip(lines, announced, strict=True)
    }
    assert {(entry["reason"], entry["nonce"]) for entry in logged} == {("new", 1)}


@pytest.mark.security("The audit trail")
def test_no_account_is_created_when_the_event_of_one_is_not_stored(run, fails, accounts):
    run("users", "create", "alice")
    with writing():
        database.execute_sql(
            "CREATE TRIGGER mine BEFORE INSERT ON audit_events"
            """ WHEN NEW.after = '{"username":"bob-3"}' BEGIN SELECT RAISE(IGNORE); END"""
        )

    said = fails("users", "create", "bob", "--count", "4")

    assert "did not store the audit trail" in said
    assert accounts() == ["alice"]


@pytest.mark.both_databases("services/accounts/users.py")
def test_either_all_of_many_accounts_are_created_or_none(run, fails, accounts, monkeypatch):
    run("users", "create", "alice", "--platform-id", PLATFORM_ID)
    drawn = chain(["76561198000000002", "76561198000000003"], repeat(PLATFORM_ID))
    monkeypatch.setattr(users, "random_platform_id", lambda: next(drawn))

    said = fails("users", "create", "bob", "--count", "4", "--balance", "5")

    assert said == f"Error: {TAKEN}"
    assert accounts() == ["alice"]
    assert run("ledger", "audit")["entries"] == 0


def test_an_issued_token_is_valid_and_shows_what_the_command_shows(run, me):
    created = run("users", "create", "alice", "--level", "2", "--balance", "12.34")

    fresh = run("users", "token", created["platformid"])

    assert sorted(fresh) == ["token"]
    assert fresh["token"] != created["token"]
    assert me(fresh)["platformid"] == created["platformid"]
    assert me(fresh).items() <= run("users", "show", created["platformid"]).items()


def test_listing_shows_a_page_of_the_players_the_newest_first(run):
    for name in ("alice", "bob", "carol"):
        run("users", "create", name, "--balance", "12.34")

    first, second, past = (run("users", "list", "--limit=2", f"--page={page}") for page in (1, 2, 3))

    assert [[user["username"] for user in each["users"]] for each in (first, second, past)] == [
        ["carol", "bob"],
        ["alice"],
        [],
    ]
    for number, each in enumerate((first, second, past), start=1):
        assert (each["total"], each["totalPages"], each["currentPage"]) == (3, 2, number)
    assert first["users"][0]["balance"] == 12.34
    assert first["users"][0]["suspendedAt"] is None


def test_a_search_finds_part_of_a_username_or_a_platformid(run):
    names = ("Alice", "malice_", "bob", "a.lice")
    ids = {name: run("users", "create", name)["platformid"] for name in names}

    def found(text):
        return {user["username"] for user in run("users", "list", "--search", text)["users"]}

    assert found("LIC") == {"Alice", "malice_", "a.lice"}
    assert found(ids["bob"]) == {"bob"}
    # A part of an id finds nothing, and no character is a wildcard.
    assert [found(text) for text in (ids["bob"][:-1], "%", "a_ice", "\u00c4")] == [set()] * 4
    assert found("_") == {"malice_"}
    assert found("") == set(names)


def test_a_page_or_limit_out_of_bounds_is_refused(fails):
    for option in ("--limit=0", "--limit=101", "--limit=x", "--page=0", "--page=-1", f"--page={10**20}"):
        line = fails("users", "list", option)

        assert option.partition("=")[0] in line, option
        assert len(line.splitlines()) == 1, option
