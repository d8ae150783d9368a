"""flask check tries every kind of encrypted value, and reports those that no key decrypts."""

import pytest

from models.announced_seeds import AnnouncedSeed
from models.db.connection import Table, reading, writing
from services.maintenance import encryption
from services.staff.permissions import Role
from tests.blueprints.prizes.conftest import DETAILS
from tests.harness.spins import play_spin
from tests.support.battles import Battles
from tests.support.openings import win_prize
from tests.support.two_factor import Authenticator, recovery_codes_of

OLD = "the secret that was used first and is long enough"
NEW = "the secret that comes after it and is long enough"
ADVICE = "name the key before it in SECRET_KEY_PREVIOUS"
OTHERS = {
    "1 of 1 2FA secrets",
    "10 of 10 recovery codes",
    "1 of 1 shipping addresses",
    "1 of 1 server seeds of battles that have not ended",
}


def line(values, advice=ADVICE):
    return f"SECRET_KEY: does not decrypt {values}; {advice}"


@pytest.fixture
def app(make_app):
    return make_app(SECRET_KEY=OLD)


@pytest.fixture
def filled(app, client, player, add_item):
    """A value of each kind, under the old key."""
    client.put("/profile/details", json=DETAILS, headers=player.headers)
    client.post(f"/prizes/{win_prize(app, player)}/ship", headers=player.headers)
    play_spin(app, player, add_item(price=10))
    recovery_codes_of(app, player, Authenticator(app, player))
    Battles(app).open(player)


@pytest.fixture
def run_with(make_app):
    """Runs a command with these settings; its exit code and the lines on standard error."""

    def run(*arguments, **settings):
        result = make_app(**settings).test_cli_runner().invoke(args=arguments)
        return result.exit_code, result.stderr.splitlines()

    return run


@pytest.mark.security("Logs, errors and the database")
@pytest.mark.usefixtures("filled")
def test_each_kind_of_undecryptable_value_is_reported_after_a_redraw(run_with):
    assert run_with("check", SECRET_KEY=NEW, SECRET_KEY_PREVIOUS=OLD) == (0, [])
    code, before = run_with("check", SECRET_KEY=NEW)
    run_with("seeds", "redraw", SECRET_KEY=NEW)
    code_after, after = run_with("check", SECRET_KEY=NEW)
    # They are not rotated either.
    _, rotated = run_with("secrets", "rotate", SECRET_KEY=NEW)

    of_bets = "2 of 2 server seeds of bets without a proof"
    announced = line("1 of 1 announced server seeds", f"{ADVICE}, or run flask seeds redraw")
    assert (code, code_after) == (1, 1)
    assert set(before) == {announced} | set(map(line, OTHERS | {of_bets}))
    assert set(after) == set(before) - {announced}
    assert [each for each in rotated if each.startswith("announced_seeds")] == []


@pytest.mark.security("Logs, errors and the database")
def test_a_part_that_an_interrupted_rotation_has_left_is_found(app, new_player, run_with, monkeypatch):
    monkeypatch.setattr(encryption, "SAMPLE", 3)
    players = [new_player(f"player-{number}") for number in range(12)]
    services = app.extensions["services"]
    run_with("secrets", "rotate", SECRET_KEY=NEW, SECRET_KEY_PREVIOUS=OLD)
    with writing():
        for each in players[6:9]:
            old = services.seeds.encrypter.encrypt("an old seed")
            AnnouncedSeed.update(encrypted_server_seed=old).where(AnnouncedSeed.user == each.id).execute()

    code, (found,) = run_with("check", SECRET_KEY=NEW)

    assert code == 1
    assert found == line("1 of 6 announced server seeds", f"{ADVICE}, or run flask seeds redraw")


@pytest.mark.security("Logs, errors and the database")
@pytest.mark.usefixtures("filled")
def test_every_encrypted_value_is_of_a_known_kind(app):
    services = app.extensions["services"]
    services.staff_accounts.add(name="anna", role=Role.SUPPORT, now=services.clock())
    known = {each.column for each in services.encrypted_columns()}
    fields = {field for table in Table.__subclasses__() for field in table._meta.sorted_fields}
    with reading():
        encrypted = {field for field in fields if _has_encrypted_value(field)}

    assert encrypted == known
    assert {field for field in fields if field.name.startswith("encrypted_")} == known


def _has_encrypted_value(field):
    """Whether a value begins as those of Fernet do, with its version and the time."""
    return field.model.select().where(field.cast("text").startswith("gAAAA")).exists()
