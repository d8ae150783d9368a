"""The vault: locking coins until a deadline, and unlocking them."""

import json

import pytest

HOUR = 3600 * 1000
DAY = 24 * HOUR
DONE = (200, {"success": True})


def refused(text):
    return 400, {"error": text}


REQUIRED = refused("Amount and deadline are required")
INVALID_AMOUNT = refused("Invalid amount")
INVALID_DEADLINE = refused("Invalid deadline")
EMPTY = refused("Vault is empty")
LOCKED = refused("Vault is still locked")


@pytest.fixture
def lock(call, clock, player):
    """Locks coins for so many milliseconds."""

    def lock(amount, until=DAY, *, by=player):
        return call("POST", "vault/lock", {"amount": amount, "deadline": clock.now + until}, by=by)

    return lock


@pytest.fixture
def lock_raw(call):
    """Locks with this request body."""
    return lambda text: call("POST", "vault/lock", data=text, content_type="application/json")


@pytest.fixture
def unlock(call, player):
    return lambda by=player: call("POST", "vault/unlock", by=by)


@pytest.fixture
def vault(me, player):
    """Balance, vault and deadline of a player."""

    def of(by=player):
        told = me(by)
        return told["balance"], told["vaultBalance"], told["vaultDeadline"]

    return of


def test_locked_coins_move_from_the_balance_into_the_vault(lock, vault, new_player, clock):
    other = new_player("other")

    assert lock(12.34) == DONE
    assert vault() == (87.66, 12.34, clock.now + DAY)
    assert lock(87.66) == DONE
    assert vault() == (0, 100, clock.now + DAY)
    assert vault(other) == (100, 0, None)


def test_the_deadline_can_stay_or_move_later_and_not_earlier(lock, vault, clock):
    for until in (DAY, DAY, DAY + 1):
        assert lock(10, until) == DONE

    assert lock(10, DAY) == INVALID_DEADLINE
    assert vault() == (70, 30, clock.now + DAY + 1)


INCOMPLETE = [
    *("", "{}", '{"amount": 1}', '{"deadline": 1}', '{"Amount": 1, "Deadline": 1}'),
    *('{"amount": null, "deadline": null}', '{"amount": "x", "deadline": null}', '{"deadline": "x"}'),
]


def test_amount_and_deadline_are_both_required(lock_raw):
    answers = {body: lock_raw(body) for body in INCOMPLETE}

    assert answers == dict.fromkeys(INCOMPLETE, REQUIRED)


NO_AMOUNTS = [
    *("0", "-1", "-0", "0.00", "0.001", "0.015", "1.005", "1e-3", "1000000000.01", "1e400", "9" * 4000),
    *("NaN", "Infinity", "-Infinity", '"1"', '""', "true", "false", "[]", "[1]", "{}", '{"a": 1}'),
    *("99999999999999999999999999", "0.00999999999999999999999999999999"),
]


def test_an_amount_that_is_not_positive_is_refused(lock_raw, vault, clock):
    answers = {text: lock_raw(f'{{"amount": {text}, "deadline": {clock.now + DAY}}}') for text in NO_AMOUNTS}

    assert {text: answer for text, answer in answers.items() if answer != INVALID_AMOUNT} == {}
    assert vault() == (100, 0, None)


def test_a_deadline_that_is_not_in_the_future_is_refused(lock_raw, vault, clock):
    soon = clock.now + DAY
    texts = [
        *("0", "-1", "true", "false", '""', "[]", "{}", "NaN", "Infinity", "-Infinity", "1e400", "1e-400"),
        *(str(clock.now), str(clock.now - 1), str(-soon), str(clock.now // 1000)),
        *(f'"{soon}"', f"[{soon}]", f"{soon}.5", f"{soon}.0000001"),
        *(str(clock.now + 11 * 366 * DAY), str(2**63), str(2**64 + soon), "9" * 4000, "1e30", "1e999999"),
    ]

    answers = {text: lock_raw(f'{{"amount": 1, "deadline": {text}}}') for text in texts}

    assert {text: answer for text, answer in answers.items() if answer != INVALID_DEADLINE} == {}
    assert vault() == (100, 0, None)


def test_a_deadline_is_at_most_ten_years_away(lock, lock_raw, vault, clock):
    # A whole number may be written with decimals.
    assert lock_raw(json.dumps({"amount": 1, "deadline": float(clock.now + 1)})) == DONE
    assert vault()[2] == clock.now + 1
    for until in (10 * 365 * DAY, 3652 * DAY):
        assert lock(1, until) == DONE, until


def test_the_amount_is_checked_before_the_deadline(call, lock):
    assert call("POST", "vault/lock", {"amount": "1", "deadline": 1}) == INVALID_AMOUNT

    lock(60)
    assert lock(40.01, DAY - 1) == INVALID_AMOUNT


def test_a_vault_can_be_unlocked_once_its_deadline_has_passed(lock, unlock, vault, clock):
    assert unlock() == EMPTY
    lock(10)
    clock.now += DAY - 1
    assert unlock() == LOCKED
    assert vault() == (90, 10, clock.now + 1)

    clock.now += 1
    assert unlock() == DONE
    assert vault() == (100, 0, None)
    assert unlock() == EMPTY
    # Afterwards any deadline can be chosen.
    assert lock(10, 1) == DONE


def test_coins_locked_after_the_deadline_lock_the_vault_again(lock, unlock, vault, clock):
    lock(10)
    clock.now += DAY
    lock(5)

    assert unlock() == LOCKED
    assert vault() == (85, 15, clock.now + DAY)


def test_locked_coins_cannot_be_spent(lock, connect, player, add_item):
    item = add_item(price=200)
    lock(99.5)

    answer = connect(player).spin({"amount": 1, "item": item})

    assert answer == {"status": False, "error": "Insufficient balance"}


def test_every_socket_of_the_player_gets_the_balance(lock, unlock, connect, player, clock):
    sockets = [connect(player), connect(player)]
    (before, _) = [socket.expect("balance")["version"] for socket in sockets]

    lock(12.5)
    clock.now += DAY
    unlock()

    for socket in sockets:
        locked, unlocked = socket.expect("balance"), socket.expect("balance")
        empty = {"sweepstakeBalance": 0}
        assert locked == empty | {"balance": 87.5, "vaultBalance": 12.5, "version": before + 1}
        assert unlocked == empty | {"balance": 100, "vaultBalance": 0, "version": before + 2}


@pytest.mark.parametrize(("duration", "answer"), [("1825d", LOCKED), ("permanent", DONE)])
def test_a_permanent_exclusion_and_no_break_opens_the_vault(
    lock, unlock, vault, send, player, duration, answer
):
    lock(30)
    assert send(player, "POST", "/limits/exclusion", {"duration": duration})[0] == 200

    assert unlock() == answer

    assert vault()[:2] == ((100, 0) if answer == DONE else (70, 30))


def test_the_vault_of_an_excluded_player_says_that_it_is_open(lock, vault, send, player, clock):
    lock(30)

    send(player, "POST", "/limits/exclusion", {"duration": "permanent"})

    assert vault() == (70, 30, clock.now)
    assert "vault" in send(player, "GET", "/profile/notifications")[1][0]["message"].lower()


def test_coins_that_an_excluded_player_locks_can_be_unlocked(lock, unlock, vault, send, player):
    send(player, "POST", "/limits/exclusion", {"duration": "permanent"})
    lock(30)

    assert unlock() == DONE
