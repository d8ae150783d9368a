"""The header Idempotency-Key: the same request again gets the first one's deposit or withdrawal."""

import pytest

from tests.support.at_once import all_at_once

REUSED = (409, {"error": "Idempotency key was used for another request"})
INVALID = (400, {"error": "Invalid idempotency key"})
INSUFFICIENT = (400, {"error": "Insufficient balance"})


@pytest.fixture(params=["deposit", "withdrawal"])
def post(request):
    """Makes a deposit or requests a withdrawal; status and body."""
    return request.getfixturevalue(f"post_{request.param}")


def only(body):
    (made,) = body.values()
    return made


def test_the_same_request_again_answers_200_and_the_same_row(post, balance):
    status, first = post(25, key="k 1")
    before = balance()

    assert status == 201
    assert [post(25, key="k 1") for _ in range(2)] == [(200, first)] * 2
    assert balance() == before
    assert only(post(25, key="k 2")[1])["id"] != only(first)["id"]


def test_the_answer_shows_the_present_state(post_deposit, fake, invoice_of, poll):
    made = only(post_deposit(key="k")[1])
    fake.pay(invoice_of(made))
    poll()

    status, body = post_deposit(key="k")

    assert (status, body) == (
        200,
        {"deposit": made | {"status": "credited", "credited": 25, "paidAmount": 25}},
    )


def test_another_body_with_the_same_key_is_refused(post_deposit, post_withdrawal, fake, balance):
    post_deposit(25, key="k")
    post_withdrawal(25, key="k")

    assert post_deposit(26, key="k") == REUSED
    assert post_withdrawal(26, key="k") == REUSED
    assert post_withdrawal(25, to=fake.address("bob"), key="k") == REUSED
    assert (len(fake.invoices), balance()) == (1, 75)


def test_a_key_belongs_to_one_player_and_one_endpoint(post_deposit, post_withdrawal, new_player):
    first = post_deposit(25, key="k")

    answers = [post_withdrawal(25, key="k"), post_deposit(25, key="k", by=new_player("bob"))]

    assert [status for status, _ in (first, *answers)] == [201] * 3


@pytest.mark.both_databases("a race")
def test_parallel_requests_with_one_key_make_one_row(post, balance, fake):
    answers = all_at_once([lambda: post(25, key="k")] * 6)

    assert sorted(status for status, _ in answers) == [200] * 5 + [201]
    assert len({only(body)["id"] for _, body in answers}) == 1
    assert balance() == (75 if "withdrawal" in answers[0][1] else 100)
    assert len(fake.invoices) <= 1


def test_a_key_has_one_to_64_printable_characters(post):
    for key in ("", "x" * 65, "tab\there", "umläut"):
        assert post(key=key) == INVALID
    for key in (" ", "~" * 64):
        assert post(key=key)[0] == 201


def test_a_refused_request_does_not_use_its_key_up(post_deposit, post_withdrawal):
    assert post_deposit(0.5, key="k")[0] == 400
    assert post_withdrawal(1000, key="k") == INSUFFICIENT

    assert [post(25, key="k")[0] for post in (post_deposit, post_withdrawal)] == [201, 201]


def test_after_503_the_key_makes_a_new_deposit(post_deposit, fake, ask):
    with fake.away():
        assert post_deposit(key="k")[0] == 503

    status, body = post_deposit(key="k")

    assert (status, body["deposit"]["status"]) == (201, "pending")
    listed = ask("GET", "/payments")[1]["data"]["payments"]
    assert sorted(each["status"] for each in listed) == ["failed", "pending"]


def test_a_known_key_answers_when_a_request_would_be_refused(post, ask, fake):
    status, first = post(25, key="k")
    ask("POST", "/limits/exclusion", {"duration": "24h"})
    ask("PUT", "/limits", {"kind": "deposit", "period": "day", "value": 0})

    with fake.away():
        assert post(25, key="k") == (200, first)
    assert status == 201
