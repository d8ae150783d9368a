"""flask secrets rotate: after it the new SECRET_KEY alone decrypts everything."""

import pyotp
import pytest
from cryptography.fernet import InvalidToken

from models.announced_seeds import AnnouncedSeed
from models.db.connection import reading, writing
from services.maintenance import encryption
from services.shared.encryption import Encrypter
from tests.blueprints.prizes.conftest import DETAILS
from tests.harness.spins import play_spin
from tests.support.battles import Battles
from tests.support.openings import win_prize
from tests.support.two_factor import Authenticator, recovery_codes_of

OLD = "the secret that was used first and is long enough"
NEW = "the secret that comes after it and is long enough"
COUNTED = ("announcedSeeds", "bets", "battles", "twoFactorSecrets", "recoveryCodes", "shippingAddresses")
NOTHING = dict.fromkeys((*COUNTED, "staffAuthenticators", "unreadable"), 0)
FILLED = NOTHING | {"announcedSeeds": 3, "bets": 2, "battles": 1, "twoFactorSecrets": 1}


@pytest.fixture
def app(make_app):
    return make_app(SECRET_KEY=OLD)


@pytest.fixture
def secret(client, player):
    """The secret of the player's authenticator, set up under the old key."""
    return client.post("/profile/2fa/setup", headers=player.headers).json["secret"]


@pytest.fixture
def filled(app, player, new_player, add_item, secret):
    """Three announced seeds, two bets without a proof yet, a battle, and a secret, under the old key."""
    new_player("bob")
    new_player("carol")
    item = add_item(price=10)
    for _ in range(2):
        play_spin(app, player, item)
    Battles(app).open(player)
    return item


@pytest.fixture
def rotated(make_app, filled):
    """The app with the new key, and the old one as the previous."""
    return make_app(SECRET_KEY=NEW, SECRET_KEY_PREVIOUS=f"an even older one, {OLD}")


def rotate(app):
    result = app.test_cli_runner().invoke(args=["secrets", "rotate"])
    assert result.exit_code == 0, result.output
    return app.json.loads(result.stdout)


def test_after_the_command_the_new_key_is_enough(rotated, make_app, player, secret, filled):
    assert rotate(rotated) == FILLED
    assert rotate(rotated) == NOTHING

    app = make_app(SECRET_KEY=NEW)
    code = pyotp.TOTP(secret).now()
    answer = app.test_client().post("/profile/2fa/enable", headers=player.headers, json={"code": code})

    assert answer.status_code == 200
    play_spin(app, player, filled)
    audit = app.test_cli_runner().invoke(args=["fairness", "audit"])
    assert app.json.loads(audit.stdout)["mismatches"] == 0


def test_after_rotation_the_new_key_decrypts_addresses_and_recovery_codes(
    app, client, player, make_app, monkeypatch
):
    monkeypatch.setattr(encryption, "BATCH", 3)
    client.put("/profile/details", json=DETAILS, headers=player.headers)
    client.post(f"/prizes/{win_prize(app, player)}/ship", headers=player.headers)
    code, *_ = recovery_codes_of(app, player, Authenticator(app, player))

    counts = rotate(make_app(SECRET_KEY=NEW, SECRET_KEY_PREVIOUS=OLD))

    assert (counts["shippingAddresses"], counts["recoveryCodes"]) == (1, 10)
    app = make_app(SECRET_KEY=NEW)
    listed = app.test_cli_runner().invoke(args=["prizes", "list"])
    assert app.json.loads(listed.stdout)["address"]["city"] == DETAILS["shippingAddress"]["city"]
    answer = app.test_client().post("/profile/2fa/disable", json={"code": code}, headers=player.headers)
    assert answer.status_code == 200


@pytest.mark.guarantee("Keys")
@pytest.mark.security("Logs, errors and the database")
@pytest.mark.regulation("B.6 Cryptographic controls")
def test_nothing_is_encrypted_with_the_previous_key_any_more(rotated, player, secret, filled):
    """Before the command the previous key still decrypts: the bet takes over a seed announced under it."""
    code = pyotp.TOTP(secret).now()
    answer = rotated.test_client().post("/profile/2fa/enable", headers=player.headers, json={"code": code})
    bet = play_spin(rotated, player, filled).bet

    assert (answer.status_code, bet.nonce) == (200, 3)
    current = Encrypter(secret_key=NEW, purpose="server seeds")
    with reading():
        announced = AnnouncedSeed.get(AnnouncedSeed.user == player.id)
    assert current.decrypt(bet.encrypted_server_seed)
    assert current.decrypt(announced.encrypted_server_seed)


def test_a_row_that_changes_during_the_command_is_not_overwritten(rotated, player, filled, monkeypatch):
    """A spin comes between the command's look at a seed and its update."""
    services = rotated.extensions["services"]
    renew, looked_at = services.seeds.encrypter.renew, []

    def play_in_between(encrypted):
        looked_at.append(encrypted)
        if len(looked_at) == 1:
            play_spin(rotated, player, filled)
        return renew(encrypted)

    monkeypatch.setattr(services.seeds.encrypter, "renew", play_in_between)
    result = rotate(rotated)

    assert (result["announcedSeeds"], result["unreadable"]) == (2, 0)
    assert rotate(rotated) == NOTHING
    assert rotated.test_cli_runner().invoke(args=["fairness", "audit"]).exit_code == 0


def test_the_commands_old_name_works_and_says_so(rotated):
    result = rotated.test_cli_runner().invoke(args=["secrets", "reseal"])

    assert rotated.json.loads(result.stdout) == FILLED
    assert result.stderr == "flask secrets reseal is now called flask secrets rotate\n"


def test_an_undecryptable_secret_is_reported_and_the_others_are_encrypted(rotated, player):
    with writing():
        AnnouncedSeed.update(encrypted_server_seed="gAAAAA").where(AnnouncedSeed.user == player.id).execute()

    result = rotated.test_cli_runner().invoke(args=["secrets", "rotate"])

    assert result.exit_code == 1
    assert rotated.json.loads(result.stdout) == FILLED | {"announcedSeeds": 2, "unreadable": 1}
    assert f"announced_seeds {player.id}: no key opens it" in result.stderr
    assert "Error: 1 cannot be decrypted with any key: see SECRET_KEY_PREVIOUS" in result.stderr


def test_a_key_of_another_purpose_decrypts_nothing():
    encrypted = Encrypter(secret_key=NEW, purpose="one").encrypt("text")

    with pytest.raises(InvalidToken):
        Encrypter(secret_key=NEW, previous_keys=[OLD], purpose="another").decrypt(encrypted)
