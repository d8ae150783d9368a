"""GET /payments, and flask payments list: deposits and withdrawals together."""

import pytest

from tests.blueprints.payments.conftest import ADDRESS
from tests.support.statements import recorded_statements


@pytest.fixture
def listed(client, player):
    """A page of the player's deposits and withdrawals."""

    def get(*, by=player, **query):
        answer = client.get("/payments", query_string=query, headers=by.headers)
        assert answer.status_code == 200, answer.text
        return answer.json

    return get


@pytest.fixture
def ids(listed):
    return lambda **query: [each["id"] for each in listed(**query)["data"]["payments"]]


@pytest.fixture
def history(deposit, withdraw, clock, fake, invoice_of, poll):
    """A credited deposit, an approved withdrawal, and an open deposit; the newest first."""
    made = [deposit(10)]
    fake.pay(invoice_of(made[0]))
    poll()
    made.append(withdraw(20))
    clock.advance(seconds=1)
    made.append(deposit(30))
    return made[::-1]


@pytest.mark.both_databases("services/payments/history.py")
def test_deposits_and_withdrawals_are_listed_newest_first_with_their_types(listed, history, shown):
    found = listed()

    newest, withdrawal, oldest = (shown(each) for each in history)
    assert found == {
        "success": True,
        "data": {
            "payments": [
                newest | {"type": "deposit"},
                withdrawal | {"type": "withdrawal"},
                oldest | {"type": "deposit"},
            ],
            "total": 3,
            "totalPages": 1,
            "currentPage": 1,
        },
        "hasMore": False,
    }


def test_a_page_has_a_part_of_the_list(listed, history):
    pages = [listed(page=page, limit=2) for page in (1, 2, 3)]

    assert [[each["id"] for each in page["data"]["payments"]] for page in pages] == [
        [history[0]["id"], history[1]["id"]],
        [history[2]["id"]],
        [],
    ]
    assert [page["hasMore"] for page in pages] == [True, False, False]
    assert {(page["data"]["total"], page["data"]["totalPages"]) for page in pages} == {(3, 2)}


def test_the_list_can_be_of_one_type_and_one_status(ids, history):
    newest, withdrawal, oldest = (each["id"] for each in history)

    assert ids(type="deposit") == [newest, oldest]
    assert ids(type="withdrawal") == [withdrawal]
    assert ids(type="all", status="all") == [newest, withdrawal, oldest]
    assert ids(status="credited") == [oldest]
    assert ids(status="approved", type="all") == [withdrawal]
    assert ids(status="failed") == []
    assert ids(type="deposit", status="approved") == []


def test_other_values_of_parameters_are_refused(client, player):
    for query in ("type=deposits", "status=open", "page=0", "limit=101", "status=credited%20"):
        assert client.get(f"/payments?{query}", headers=player.headers).status_code == 400, query


def test_what_the_operator_records_and_others_make_is_not_listed(ids, run, player, deposit, new_player):
    run("payments", "record", player.platform_id, "deposit", "25")
    deposit(by=new_player("bob"))

    assert ids() == []


def test_a_page_takes_the_same_statements_for_any_number(listed, deposit, withdraw, new_player):
    for _ in range(3):
        deposit(10)
        withdraw(1)

    counts = []
    for limit in (2, 6):
        with recorded_statements() as statements:
            listed(limit=limit)
        counts.append(len(statements))

    assert counts[0] == counts[1]


def test_the_command_lists_all_players_oldest_first(run, deposit, withdraw, clock, new_player, player):
    bob = new_player("bob")
    first = deposit(10)
    clock.advance(seconds=1)
    second = deposit(10, by=bob)
    withdrawal = withdraw(5)

    found = run("payments", "list")

    assert [(each["id"], each["type"], each["platformid"]) for each in found] == [
        (first["id"], "deposit", player.platform_id),
        (second["id"], "deposit", bob.platform_id),
        (withdrawal["id"], "withdrawal", player.platform_id),
    ]
    assert found[2]["to"] == ADDRESS
    assert run("payments", "list", "--type", "withdrawal")["id"] == withdrawal["id"]
    assert [each["id"] for each in run("payments", "list", "--status", "pending")] == [
        first["id"],
        second["id"],
    ]
    assert run("payments", "list", "--status", "failed") == []
