"""/profile/2fa: setup, enabling, disabling, and the limit of wrong codes."""

import base64
from io import BytesIO

import pyotp
import pytest
import requests
import zxingcpp
from PIL import Image

from models.audit_trail import AuditEvent
from models.db.connection import reading
from models.logins import TwoFactor, WrongCode
from models.users import Notification
from tests.support.at_once import all_at_once

MINUTES = 60_000
ENABLED = (200, {"success": True, "message": "2FA enabled successfully"})
DISABLED = (200, {"success": True, "message": "2FA disabled successfully"})
INVALID = (400, {"error": "Invalid 2FA code"})
MALFORMED_FOR_DISABLING = (400, {"error": "The code must be a text of 6 digits, or a recovery code"})
NOT_INITIATED = (400, {"error": "2FA setup has not been initiated"})
ALREADY = (400, {"error": "2FA is already enabled"})
NOT_ENABLED = (400, {"error": "2FA is not enabled"})
LOST = (
    400,
    {"error": "The 2FA secret can no longer be read; set 2FA up again, or ask support to reset it"},
)
TOO_MANY = (429, {"error": "Too many wrong 2FA codes"})


@pytest.fixture
def post(call):
    return lambda path, code: call("POST", f"2fa/{path}", {"code": code})


@pytest.fixture
def is_enabled(call):
    return lambda: call("GET", "2fa/status")[1]["enabled"]


@pytest.fixture
def set_up(call, clock):
    """Sets up; returns a function that gives the code so many milliseconds from now."""

    def begin():
        status, body = call("POST", "2fa/setup")
        assert status == 200
        totp = pyotp.TOTP(body["secret"])
        return lambda away=0: totp.at((clock.now + away) // 1000)

    return begin


@pytest.fixture
def enabled(set_up, post, clock):
    """Enables two-factor authentication some time ago; returns the function that gives codes."""
    code = set_up()
    assert post("enable", code()) == ENABLED
    clock.now += 2 * MINUTES
    return code


def wrong(code):
    """Six digits that are not a valid code now."""
    right = {code(-30_000), code(), code(30_000)}
    return next(text for text in ("000000", "111111", "222222", "333333") if text not in right)


def test_a_setup_answers_an_uncached_secret_and_enables_nothing(client, player, call, post, clock):
    before = call("GET", "2fa/status")
    answer = client.post("/profile/2fa/setup", headers=player.headers)

    assert answer.headers["Cache-Control"] == "no-store"
    assert before == call("GET", "2fa/status") == (200, {"success": True, "enabled": False})
    kind, _, encoded = answer.json["qrCode"].partition(",")
    (shown,) = zxingcpp.read_barcodes(Image.open(BytesIO(base64.b64decode(encoded))))
    assert kind == "data:image/png;base64"
    assert shown.text.startswith("otpauth://totp/Gaming%20Platform:alice?secret=")
    totp = pyotp.parse_uri(shown.text)
    assert (totp.name, totp.issuer) == (player.username, "Gaming Platform")
    assert answer.json == {"success": True, "secret": totp.secret, "qrCode": answer.json["qrCode"]}
    assert len(base64.b32decode(totp.secret)) == 20
    assert post("enable", totp.at(clock.now // 1000)) == ENABLED


def test_a_right_code_enables_two_factor_authentication(set_up, post, is_enabled, client, player):
    assert post("enable", "123456") == NOT_INITIATED
    code = set_up()

    assert post("enable", code()) == ENABLED

    assert is_enabled()
    assert client.get("/auth/me", headers=player.headers).json["twoFactorEnabled"] is True
    with reading():
        assert [notification.title for notification in Notification.select()] == ["2FA turned on"]


def test_a_code_may_be_one_step_early_or_late(set_up, post):
    code = set_up()

    assert [post("enable", code(away)) for away in (-60_000, 60_000)] == [INVALID] * 2
    assert post("enable", code(-30_000)) == ENABLED
    assert post("disable", code(30_000)) == DISABLED


@pytest.mark.security("Two-factor authentication")
def test_once_enabled_nothing_can_be_set_up_or_enabled_again(enabled, call, post):
    assert call("POST", "2fa/setup") == ALREADY
    assert post("enable", enabled()) == ALREADY
    assert post("disable", enabled()) == DISABLED


def test_a_right_code_disables_and_the_secret_is_gone(enabled, post, is_enabled):
    assert post("disable", enabled()) == DISABLED

    assert not is_enabled()
    assert post("enable", enabled(30_000)) == NOT_INITIATED
    with reading():
        assert TwoFactor.select().count() == 0
        titles = [notification.title for notification in Notification.select().order_by(Notification.id)]
    assert titles == ["2FA turned on", "2FA turned off"]


def test_two_factor_actions_are_refused_while_it_is_off(set_up, post):
    code = set_up()

    assert [post(path, code()) for path in ("disable", "recovery-codes")] == [NOT_ENABLED] * 2


@pytest.mark.security("Two-factor authentication")
def test_a_code_works_once(set_up, post, is_enabled):
    code = set_up()
    older = code()
    post("enable", code(30_000))

    # Neither the used code nor an older one works.
    assert [post("disable", used) for used in (code(30_000), older)] == [INVALID] * 2
    assert is_enabled()


def test_a_malformed_code_is_refused_and_is_no_guess(enabled, call, post):
    right = enabled()
    full_width = right.translate({ord(digit): ord(digit) + 0xFEE0 for digit in "0123456789"})
    arabic = right.translate({ord(digit): ord(digit) + 0x0630 for digit in "0123456789"})
    codes = [
        *(int(right), float(right), None, True, "", [right], {"code": right}, full_width, arabic),
        *(right[:5], right + "0", f"{right[:3]}-{right[3:]}", f"{right[:5]} "),
        *(f"+{right[1:]}", "0x1234"),
    ]

    answers = [post("disable", code) for code in codes] + [call("POST", "2fa/disable", {})]

    assert answers == [MALFORMED_FOR_DISABLING] * len(answers)
    with reading():
        assert WrongCode.select().count() == 0
    assert post("disable", right) == DISABLED


@pytest.mark.parametrize("form", ["{0} {1}", " {0}{1}\n", "{0}\u00a0{1}"])
def test_a_code_may_contain_blanks(enabled, post, form):
    right = enabled()

    assert post("disable", form.format(right[:3], right[3:])) == DISABLED


@pytest.mark.security("Two-factor authentication")
def test_after_five_wrong_codes_even_the_right_one_is_refused(enabled, post, is_enabled):
    assert [post("disable", wrong(enabled)) for _ in range(5)] == [INVALID] * 5

    assert post("disable", wrong(enabled)) == TOO_MANY
    assert post("disable", enabled()) == TOO_MANY
    assert is_enabled()
    with reading():
        assert Notification.select().count() == 1


def test_neither_setup_nor_right_code_resets_the_wrong_ones(set_up, post):
    first = set_up()
    for _ in range(4):
        assert post("enable", wrong(first)) == INVALID
    second = set_up()
    assert post("enable", second()) == ENABLED

    assert post("disable", wrong(second)) == INVALID
    assert post("disable", second(30_000)) == TOO_MANY


@pytest.mark.security("Two-factor authentication")
def test_wrong_codes_count_after_a_restart_and_without_rate_limits(enabled, post, player, make_app, clock):
    for _ in range(5):
        post("disable", wrong(enabled))

    restarted = make_app(clock=clock, RATELIMIT_ENABLED="0").test_client()
    answer = restarted.post("/profile/2fa/disable", headers=player.headers, json={"code": enabled()})

    assert answer.status_code == 429


DAY = 24 * 60 * MINUTES


def test_wrong_codes_of_one_player_do_not_count_for_another(enabled, post, client, new_player, clock):
    for _ in range(5):
        post("disable", wrong(enabled))
    bob = new_player("bob").headers

    secret = client.post("/profile/2fa/setup", headers=bob).json["secret"]
    code = pyotp.TOTP(secret).at(clock.now // 1000)
    answer = client.post("/profile/2fa/enable", headers=bob, json={"code": code})

    assert answer.status_code == 200


@pytest.fixture
def blocked_for_the_day(enabled, post, clock):
    """Sends twenty wrong codes, five minutes between each five; they take a quarter of an hour."""
    for _ in range(4):
        assert [post("disable", wrong(enabled)) for _ in range(5)] == [INVALID] * 5
        clock.now += 5 * MINUTES


@pytest.mark.security("Two-factor authentication")
def test_the_right_code_is_refused_after_twenty_wrong_ones(
    blocked_for_the_day, enabled, client, player, clock
):
    def answered():
        answer = client.post("/profile/2fa/disable", headers=player.headers, json={"code": enabled()})
        return answer.status_code, answer.headers.get("Retry-After")

    assert answered() == (429, str((DAY - 20 * MINUTES) // 1000))
    clock.now += DAY - 20 * MINUTES - 1
    assert answered() == (429, "1")
    clock.now += 1
    assert answered() == (200, None)


def test_twenty_wrong_codes_are_recorded_once_in_the_audit_trail(blocked_for_the_day, enabled, post):
    assert post("disable", enabled()) == TOO_MANY

    with reading():
        blocks = AuditEvent.select().where(AuditEvent.what == "two-factor.locked").count()
    # Each five wrong codes, of which the last are the twentieth of the day too.
    assert blocks == 4


@pytest.mark.guarantee("Clock changes")
def test_a_fast_clock_locks_no_player_out(set_up, post, clock):
    clock.now += DAY
    code = set_up()
    used = code()
    assert post("enable", used) == ENABLED
    assert [post("disable", wrong(code)) for _ in range(5)] == [INVALID] * 5

    clock.now -= DAY

    assert post("disable", used) == INVALID
    assert post("disable", code()) == DISABLED


@pytest.mark.guarantee("Clock changes")
def test_a_code_used_under_a_fast_clock_never_works_again(set_up, post, is_enabled, clock):
    clock.now += DAY
    code = set_up()
    used = code()
    post("enable", used)
    clock.now -= DAY
    post("disable", wrong(code))
    answers = []

    for waiting_ms in (DAY - 30_000, 30_000, 30_000):
        clock.now += waiting_ms
        answers.append(post("disable", used))

    assert answers == [INVALID] * 3
    assert is_enabled()


def test_without_the_key_every_code_is_refused_and_none_counts(
    make_app, set_up, post, is_enabled, player, clock
):
    code = set_up()
    client = make_app(clock=clock, SECRET_KEY="another secret of the tests, and a long one").test_client()

    def without_the_key(path, code):
        answer = client.post(f"/profile/2fa/{path}", json={"code": code}, headers=player.headers)
        return answer.status_code, answer.json

    assert without_the_key("enable", code()) == LOST
    assert post("enable", code()) == ENABLED

    assert [without_the_key("disable", code(30_000)) for _ in range(6)] == [LOST] * 6
    assert is_enabled()


def test_an_operator_can_turn_it_off_without_a_code(enabled, run, is_enabled, player, post, set_up):
    printed = run("two-factor", "reset", player.platform_id)

    assert printed == {"platformid": player.platform_id, "twoFactorEnabled": False}
    assert not is_enabled()
    assert post("enable", enabled()) == NOT_INITIATED
    assert post("enable", set_up()()) == ENABLED
    with reading():
        messages = [row.message for row in Notification.select().order_by(Notification.id)]
    assert messages[1] == "Two-factor authentication was turned off for your account by support."


def test_an_operator_cannot_reset_two_factor_that_is_off(fails, set_up, player):
    set_up()

    assert fails("two-factor", "reset", player.platform_id) == "Error: 2FA is not enabled"
    assert fails("two-factor", "reset", "nobody") == "Error: User not found"


@pytest.fixture
def at_once(server, player):
    """Sends the same code many times at once to the real server; the sorted statuses."""

    def send(path, code, *, times=10):
        def post():
            return requests.post(
                f"{server}/profile/2fa/{path}", json={"code": code}, headers=player.headers, timeout=30
            ).status_code

        return sorted(all_at_once([post] * times))

    return send


@pytest.mark.both_databases("a race")
@pytest.mark.security("Two-factor authentication")
@pytest.mark.parametrize("path", ["enable", "disable"])
def test_one_of_many_concurrent_uses_of_one_code_succeeds(set_up, post, at_once, is_enabled, path):
    code = set_up()
    if path == "disable":
        post("enable", code(-30_000))

    statuses = at_once(path, code())

    assert statuses == [200] + [400] * 9
    assert is_enabled() == (path == "enable")


@pytest.mark.both_databases("a race")
@pytest.mark.guarantee("Rate limits")
@pytest.mark.security("Two-factor authentication")
def test_five_of_many_concurrent_guesses_are_checked(enabled, at_once):
    statuses = at_once("disable", wrong(enabled))

    assert statuses == [400] * 5 + [429] * 5
    with reading():
        assert WrongCode.select().count() == 5


@pytest.mark.security("Two-factor authentication")
@pytest.mark.regulation("B.6 Cryptographic controls")
def test_the_secret_is_encrypted_in_the_database(call, tmp_path):
    secret = call("POST", "2fa/setup")[1]["secret"]

    with reading():
        assert secret not in TwoFactor.get().encrypted_secret
    files = [path for path in tmp_path.rglob("*") if path.is_file()]
    assert [path for path in files if secret.encode() in path.read_bytes()] == []
