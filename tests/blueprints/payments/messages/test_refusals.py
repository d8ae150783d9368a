"""Messages that are not signed well, or say nothing that can be recorded."""

import json

import pytest

from tests.blueprints.payments.conftest import SECRET
from tests.blueprints.payments.messages.conftest import GOOD, OTHER_SECRET

UNAUTHORIZED = (401, {"error": "Unauthorized"})
MALFORMED = (400, {"error": "Malformed message"})


def without(message, *names):
    return {**message, "data": {name: value for name, value in message["data"].items() if name not in names}}


def test_a_malformed_message_is_400_and_stored(post, deposited, stored, balance, reconcile):
    good = deposited()
    bad = [
        "",
        "{",
        "[]",
        "5",
        "null",
        {},
        {"type": "deposit.credited"},
        good | {"type": "deposit.made"},
        good | {"type": ["deposit.credited"]},
        good | {"data": []},
        *(
            json.dumps(good).replace(": 25", f": {usd}")
            for usd in ("1e999999999", "Infinity", "NaN", "9" * 5000)
        ),
        without(good, "platformid"),
        without(good, "usd"),
        *(deposited(usd) for usd in (0, -5, 25.001, "25", True, None, 1e9 + 1, [25])),
        *(deposited(platformid=value) for value in (5, None, ["7"], "7\x00")),
        *(deposited(txhash=value) for value in (5, ["ab"], "\x00", "\ud800")),
    ]

    assert [post(message, message_id=f"m{number}") for number, message in enumerate(bad)] == [
        MALFORMED
    ] * len(bad)

    assert {error for _, error in stored()} == {"Malformed message"}
    assert (len(stored()), balance()) == (len(bad), 100)
    # Sent again, it is answered in the same way.
    assert post(bad[1], message_id="m1") == MALFORMED
    assert reconcile()[1] == []


def test_values_that_the_history_cannot_hold_are_discrepancies(post, deposited, reconcile, balance):
    for number, data in enumerate(({"chain": "x" * 65}, {"to": "x" * 129}, {"amount": "1e5"})):
        assert post(deposited(**data), message_id=f"m{number}") == GOOD

    assert [subject for _, subject in reconcile()[1]] == ["m0", "m1", "m2"]
    assert balance() == 100


def test_each_of_several_secrets_is_good(post, deposited, balance):
    assert [
        post(deposited(), message_id=secret[-4:], secret=secret) for secret in (SECRET, OTHER_SECRET)
    ] == [GOOD] * 2
    assert balance() == 150


@pytest.mark.security("Webhooks")
def test_a_bad_signature_or_time_is_401_and_stores_nothing(post, deposited, stored, balance):
    good = deposited()
    answers = [
        post(good, secret="whsec_" + "Y2Nj" * 8),
        post(good, age_seconds=330),
        post(good, age_seconds=-330),
        post(good, **{"webhook-id": "m2"}),
        post(good, **{"webhook-timestamp": "now"}),
        *(post(good, **{name: None}) for name in ("webhook-id", "webhook-timestamp", "webhook-signature")),
        *(
            post(good, **{"webhook-signature": value})
            for value in ("", "v1", "v1,", "v1,=", "v1a,b", "v1,ü,")
        ),
    ]

    assert answers == [UNAUTHORIZED] * len(answers)
    assert (stored(), balance()) == ([], 100)


@pytest.mark.settings(PAYMENTS_WEBHOOK_SECRET="")
def test_without_a_secret_every_message_is_refused(post, deposited, stored):
    assert post(deposited()) == UNAUTHORIZED
    assert stored() == []


@pytest.mark.settings(RATELIMIT_ENABLED="1")
def test_only_bad_signatures_are_rate_limited(post, deposited):
    assert [post(deposited(), age_seconds=600)[0] for _ in range(61)] == [401] * 60 + [429]
    assert [post(deposited(1), message_id=f"m{number}") for number in range(70)] == [GOOD] * 70
