"""flask users erase: what is personal in a closed account leaves all tables and files, and audits agree."""

import io
import json

import peewee
import pytest
from PIL import Image

from models.db.connection import Table, database, reading, writing
from models.exports import ExportSlice
from models.logins import ConfirmedToken, LoginDevice, LoginProvider, PlayerLogin
from models.payments import WebhookDelivery, WithdrawalAddress
from models.staff import Proposal
from models.users import User
from services.accounts import logins
from services.payments.discrepancies import DiscrepancyKind, report
from services.rewards import grants
from services.shared.clock import DAY_MS, now_ms
from services.shared.errors import AccountClosed
from services.staff import notes
from services.wallet.prizes import mark_shipped
from tests.harness.spins import Clock, play_spin
from tests.support.battles import Battles
from tests.support.openings import win_prize
from tests.support.sample_data import add_sample_data
from tests.support.two_factor import Authenticator, recovery_codes_of

ERASED = {
    "users": "platform_id username username_folded avatar client_seed trade_url affiliate_code",
    "personal_details": (
        "first_name last_name phone address_line1 address_line2 city zip_code state country"
    ),
    "notifications": "title message",
    "player_notes": "text written_by",
    "player_tags": "tag added_by",
    "limit_requests": "id kind period",
    "two_factor": "encrypted_secret",
    "recovery_codes": "encrypted_code",
    "login_challenges": "key",
    "logins": "id provider",
    "withdrawal_addresses": "id method name address",
    "exports": "id",
    "confirmed_tokens": "token_id",
    "login_devices": "key",
    "proposals": "arguments description reason decision_reason",
    "rewards": "reason",
    "deposits": "checkout_url idempotency_key reason",
    "withdrawals": "destination check_reason reason idempotency_key review_reason",
    "payments": "to",
    "prizes": "encrypted_address tracking",
    "bets": "request_id request_digest",
    "battle_seats": "request_id request_digest",
    # These have no column with the player: rows that name the player are found by that.
    "export_slices": "content",
    "webhook_deliveries": "body error",
    "payment_discrepancies": "platform_id address ours theirs",
    "audit_events": "who player address before after salt",
}
"""The columns of texts and bytes that an erasure empties, or whose rows it deletes."""

STAYS = {
    "the name of a thing of the platform, or one of a few words": {
        "alarm_progress": "name",
        "audit_events": "what",
        "audit_settings": "name value",
        "battles": "state mode teams void_reason",
        "bets": "game algorithm status item",
        "battle_cases": "slug name",
        "case_spins": "game",
        "cases": "slug name name_folded kind type used_balance_type image",
        "daily_figures": "game case_id price_class",
        "deposits": "method status",
        "irl_cases": "slug name image",
        "irl_items": "name image",
        "items": "market_hash_name gun_name skin_name image price_source",
        "leases": "name",
        "ledger_entries": "account",
        "ledger_transactions": "kind",
        "log": "origin announced_key held_reason",
        "payment_discrepancies": "kind",
        "payments": "type chain asset amount",
        "price_sources": "name last_error",
        "prizes": "name image status",
        "processes": "address redis settings",
        "proposals": "action status",
        "rewards": "kind state",
        "shared_items": "market_hash_name gun_name skin_name image",
        "webhook_deliveries": "provider",
        "withdrawals": "provider method status check_decision",
    },
    "public, and a part of what the log proves": {
        "announced_seeds": "server_seed_commitment encrypted_server_seed",
        "audit_anchors": "digest",
        "audit_events": "digest",
        "battle_cases": "snapshot_hash",
        "battle_seats": "client_seed",
        "battle_snapshots": "hash content",
        "battles": ("public_id commitment encrypted_server_seed server_seed signature randomness outcome"),
        "beacons": "signature randomness",
        "bets": "client_seed server_seed_commitment encrypted_server_seed server_seed next_commitment",
        "log": "checkpoint player_key",
        "log_bundles": "entry_references",
        "log_checkpoints": "root",
        "log_entries": "text",
        "log_tiles": "hashes",
        "snapshots": "hash content",
        "users": "pseudonym",
    },
    "the number of a transfer or of a message, so that none counts twice": {
        "deposits": "id secret invoice_id",
        "payment_discrepancies": "subject",
        "payments": "txhash transfer_key",
        "webhook_deliveries": "delivery_id",
        "withdrawals": "id txhash payout_id",
    },
    "about the staff": {
        "alarms": "rule subject text acknowledged_by reason staff_name",
        "proposals": "proposed_by decided_by form_key",
        "rewards": "granted_by",
        "staff_accounts": "name role password_hash encrypted_secret enrolment_hash",
        "staff_login_failures": "name_digest network",
        "staff_sessions": "token_hash network",
    },
    "an exclusion must hold for ever; logins then have digests, too": {"users": "login_digest"},
    "another player's code, or the neutral one": {"users": "used_affiliate_code"},
    "names nobody, and is deleted in minutes": {"login_nonces": "nonce"},
}
"""The others by the reason why they stay."""

NAME, ADDRESS, TITLE = "Zebediah.Quux", "203.0.113.77", "Hello Zebediah"
PERSONAL = ("zebedia", "alice", "203.0.113.77", "qqz")
"""Parts of all texts of the player, in lower case. ``alice`` is the first name, and the promo code."""


def columns_of(listed):
    return {f"{table}.{name}" for table, names in listed.items() for name in names.split()}


def text_columns():
    return {
        f"{table._meta.table_name}.{field.column_name}": field
        for table in Table.__subclasses__()
        for field in table._meta.sorted_fields
        if isinstance(field, peewee.CharField | peewee.TextField | peewee.BlobField)
    }


def test_every_column_of_texts_is_erased_or_stays_for_a_reason(app):
    """A new column belongs to one of both lists."""
    listed = [columns_of(ERASED), *map(columns_of, STAYS.values())]

    assert sorted(text_columns()) == sorted(name for columns in listed for name in columns)


@pytest.fixture
def clock():
    return Clock(now_ms())


@pytest.fixture
def settings():
    return {"JWT_TTL": "315360000", "WITHDRAWAL_AUTO_APPROVE": "0"}


@pytest.fixture
def services(app):
    return app.extensions["services"]


def picture():
    file = io.BytesIO()
    Image.new("RGB", (8, 8)).save(file, "PNG")
    return file.getvalue()


@pytest.fixture
def full(app, services, client, run, clock):
    """A player with data of every kind, who has closed the account."""
    player = add_sample_data(app)
    environ = {"REMOTE_ADDR": ADDRESS}

    def send(method, path, **content):
        answer = client.open(
            path, method=method, headers=player.headers, environ_overrides=environ, **content
        )
        assert answer.status_code < 300, answer.text
        return answer.json

    address = dict.fromkeys(("addressLine1", "addressLine2", "city", "zipCode", "state", "country"), "Qqz")
    details = {"firstName": "Qqz", "lastName": "Qqz", "phone": "+12025550123", "shippingAddress": address}
    send("PUT", "/profile/details", json={"username": NAME, **details})
    url = "https://steamcommunity.com/tradeoffer/new/?partner=12345&token=qqz"
    send("PUT", "/profile/trade-url", json={"url": url})
    send("POST", "/profile/avatar", data={"avatar": (io.BytesIO(picture()), "a.png")})
    prize = win_prize(app, player)
    send("POST", f"/prizes/{prize}/ship")
    mark_shipped(prize_id=prize, now=clock(), tracking="Qqz 1")
    Battles(app).open(player)
    send("POST", "/profile/export")
    services.export_maker.run()
    run("notifications", "send", player.platform_id, TITLE, "How are you?")
    notes.add_note(user_id=player.id, text="Qqz called", by="anna", now=clock())
    notes.add_tag(user_id=player.id, tag="qqz", reason="called", by="anna", now=clock())
    grants.grant(user_id=player.id, coins=100, reason="Qqz asked", now=clock())
    for value in (5, 10):
        send("PUT", "/limits", json={"kind": "loss", "period": "day", "value": value})
    requested = run("payments", "list", "--type", "withdrawal")
    run("payments", "reject", requested["id"], "--reason", "Qqz asked")
    recovery_codes_of(app, player, Authenticator(app, player))
    services.two_factor.begin_login(user_id=player.id, now=clock())
    with writing():
        ConfirmedToken.insert(user=player.id, token_id="1", until_ms=clock()).execute()
        LoginDevice.insert(user=player.id, key="a-device", seen_at_ms=clock()).execute()
        PlayerLogin.insert(id="id-1", provider="identity", user=player.id, linked_at_ms=1).execute()
        WithdrawalAddress.insert(
            id="1", user=player.id, method="demo", name="Qqz", address="Qqz", created_at_ms=1
        ).execute()
        WebhookDelivery.insert(
            provider="payments",
            delivery_id="1",
            body=json.dumps({"platformid": player.platform_id, "name": "Qqz"}),
            received_at_ms=clock(),
            processed_at_ms=clock(),
            error=f"no coins for {player.platform_id}",
        ).execute()
        Proposal.create(
            action="balance.change",
            arguments=json.dumps({"platformId": player.platform_id}),
            description=f"Change the balance of {player.platform_id}",
            user=player.id,
            reason="Qqz asked",
            status="performed",
            proposed_by="anna",
            proposed_at_ms=clock(),
            decided_by="anna",
            decided_at_ms=clock(),
        )
    report(
        DiscrepancyKind.UNKNOWN_PAYOUT,
        "payout",
        ours=f"nothing for {player.platform_id}",
        theirs=f"a payout for {player.platform_id}",
        now=clock(),
        platform_id=player.platform_id,
        address="Qqz",
    )
    return player


WITHOUT_PLAYER = {"export_slices", "webhook_deliveries", "payment_discrepancies", "audit_events"}
"""``full`` fills these: an event can't be changed otherwise."""


OWN = {"users.platform_id", "users.avatar", "users.affiliate_code", "exports.id"}


def fill(player):
    """Puts a text of the player into every column that is erased, in one row of the player.

    But for OWN, which has values of the player already.
    """
    for name in sorted(columns_of(ERASED) - OWN):
        field = text_columns()[name]
        table = field.model
        if table._meta.table_name in WITHOUT_PLAYER:
            continue
        own = table.id == player.id if table is User else table.user == player.id
        if "id" in table._meta.fields and field.name != "id":
            own &= table.id == table.select(peewee.fn.MIN(table.id)).where(own)
        values = {
            "limit_requests.kind": "loss",
            "limit_requests.period": "day",
            "logins.provider": "identity",
        }
        with writing():
            changed = table.update({field: values.get(name, "Qqz1")}).where(own).execute()
        assert changed == 1, name


@pytest.fixture
def closed(full, client, services):
    """The same player, whose account is closed."""
    answer = client.post(
        "/profile/close",
        json={"forfeit": True},
        headers=full.headers,
        environ_overrides={"REMOTE_ADDR": ADDRESS},
    )
    assert answer.status_code == 200, answer.text
    fill(full)
    services.log.append_now()
    return full


def dump():
    """All that the database holds, in lower case."""
    with reading():
        rows = [
            repr(row)
            for table in database.get_tables()
            for row in database.execute_sql(f'SELECT * FROM "{table}"').fetchall()  # noqa: S608
        ]
    return "\n".join(rows).lower()


def exports():
    with reading():
        return ExportSlice.select().count()


def files(directory):
    return [path for path in directory.rglob("*") if path.is_file() and "avatars" in path.parts]


@pytest.mark.both_databases("services/closing/erasing.py")
@pytest.mark.regulation("2.8 Account information")
def test_nothing_of_the_player_is_left_and_all_audits_agree(closed, run, services, fails):
    directory = services.settings.instance_dir
    before = dump()
    assert [part for part in (*PERSONAL, closed.platform_id) if part not in before] == []
    assert (len(files(directory)), exports()) == (1, 1)

    erased = run("users", "erase", closed.platform_id, "--now", "--reason", "the player asked for it")

    after = dump()
    assert [part for part in (*PERSONAL, closed.platform_id) if part in after] == []
    assert (files(directory), exports()) == ([], 0)
    assert run("ledger", "audit")["mismatches"] == 0
    assert run("fairness", "audit")["mismatches"] == 0
    assert run("log", "verify")["problems"] == 0
    assert run("audit", "verify")["anchors"] == 0
    assert run("users", "show", erased["platformid"])["username"] == "deleted"


def test_an_export_from_before_the_erasure_still_verifies(closed, run, tmp_path, app):
    path = tmp_path / "trail.jsonl"
    path.write_text(app.test_cli_runner().invoke(args=["audit", "export"]).stdout)
    run("users", "erase", closed.platform_id, "--now", "--reason", "the player asked for it")

    assert run("audit", "verify", "--from", str(path))["exported"] > 0


def test_an_export_from_after_the_erasure_verifies(closed, run, tmp_path, app):
    run("users", "erase", closed.platform_id, "--now", "--reason", "the player asked for it")
    path = tmp_path / "trail.jsonl"
    path.write_text(app.test_cli_runner().invoke(args=["audit", "export"]).stdout)

    assert run("audit", "verify", "--from", str(path))["exported"] > 0


@pytest.fixture
def close(client):
    def close(player):
        answer = client.post("/profile/close", json={"forfeit": True}, headers=player.headers)
        assert answer.status_code == 200, answer.text

    return close


REASON = ("--now", "--reason", "the player asked for it")


def test_an_account_is_erased_when_its_retention_is_over(player, close, run, fails, clock):
    close(player)
    clock.advance(ms=1825 * DAY_MS - 1)
    assert "is not over" in fails("users", "erase", player.platform_id)
    assert run("users", "erase", "--due") == []
    clock.advance(ms=1)
    due = run("users", "erase", "--due")
    assert (due["platformid"], due["dueAt"]) == (player.platform_id, clock())

    erased = run("users", "erase", player.platform_id)

    assert erased == {"platformid": erased["platformid"], "erasedAt": clock()}
    assert run("users", "erase", "--due") == []
    assert "erased already" in fails("users", "erase", erased["platformid"], *REASON)
    assert "not closed, or was erased" in fails("users", "reopen", erased["platformid"], "--reason", "again")


def test_an_open_account_is_not_erased(player, fails):
    assert "only a closed account" in fails("users", "erase", player.platform_id, *REASON)


@pytest.mark.parametrize("options", [("--now",), ("--reason", "the player asked for it")])
def test_an_early_erasure_needs_a_reason(player, close, fails, options):
    close(player)

    assert "belong together" in fails("users", "erase", player.platform_id, *options)


def test_the_bets_of_an_erased_player_show_deleted(
    player, close, run, app, add_item, client, services, clock
):
    bet = play_spin(app, player, add_item(price=10)).bet
    close(player)
    run("users", "erase", player.platform_id, *REASON)
    clock.advance(seconds=10)
    services.log.append_now()

    shown = client.get(f"/bets/{bet.id}")

    assert (shown.status_code, shown.json["user"]) == (200, "deleted")


def test_the_name_is_free_again(player, close, run, send, new_player):
    close(player)
    run("users", "erase", player.platform_id, *REASON)

    bob = new_player("bob")

    assert send(bob, "PUT", "/profile/details", {"username": player.username})[0] == 200


def test_a_second_player_may_be_erased_and_called_deleted(player, close, run, new_player, send):
    bob, carol = new_player("bob"), new_player("carol")
    for each in (player, bob):
        close(each)
        run("users", "erase", each.platform_id, *REASON)

    assert send(carol, "PUT", "/profile/details", {"username": "deleted"})[0] == 200


def test_an_erasure_that_fails_changes_nothing_and_is_repeated(full, client, run, monkeypatch, services):
    client.post("/profile/close", json={"forfeit": True}, headers=full.headers)
    with monkeypatch.context() as patch:
        patch.setattr("services.closing.erasing.erasure.erase", lambda **_: 1 / 0)
        with pytest.raises(ZeroDivisionError):
            services.erasing.erase(user_id=full.id, reason="the player asked", now=services.clock())
    assert run("users", "show", full.platform_id)["username"] == NAME

    run("users", "erase", full.platform_id, *REASON)

    assert NAME.lower() not in dump()


def test_a_prize_that_came_back_after_the_closing_is_given_up(app, player, close, run, send):
    prize = win_prize(app, player)
    address = dict.fromkeys(("addressLine1", "city", "zipCode", "country"), "x")
    details = {"firstName": "A", "lastName": "B", "shippingAddress": address}
    send(player, "PUT", "/profile/details", details)
    send(player, "POST", f"/prizes/{prize}/ship")
    run("prizes", "ship", str(prize))
    close(player)
    run("prizes", "return", str(prize), "--reason", "nobody was there")

    run("users", "erase", player.platform_id, *REASON)

    assert run("ledger", "audit")["mismatches"] == 0
    assert run("prizes", "list", "--status", "all")["status"] == "sold"


def log_in(platform_id):
    return logins.get_or_create(
        login_id=platform_id,
        provider=LoginProvider.PLATFORM,
        username="Alice",
        avatar="",
        now=now_ms(),
    )


@pytest.mark.both_databases("services/accounts/users.py")
@pytest.mark.regulation("2.5.5 Exclusions")
def test_an_excluded_player_gets_no_new_account_after_the_erasure(player, close, run):
    run("users", "exclude", player.platform_id, "permanent")
    close(player)
    run("users", "erase", player.platform_id, *REASON)

    with pytest.raises(AccountClosed):
        log_in(player.platform_id)

    with reading():
        assert User.select().count() == 1


def test_the_digest_of_a_login_is_forgotten_after_the_exclusion(player, close, run, new_player, clock):
    bob = new_player("bob")
    run("users", "exclude", player.platform_id, "7d")
    close(player)
    run("users", "erase", player.platform_id, *REASON)
    clock.advance(ms=8 * DAY_MS)
    close(bob)

    run("users", "erase", bob.platform_id, *REASON)

    with reading():
        assert User.select().where(User.login_digest.is_null(False)).count() == 0


@pytest.mark.both_databases("services/closing/erasing.py")
def test_a_linked_login_of_an_excluded_player_gets_no_new_account_either(player, close, run):
    with writing():
        PlayerLogin.insert(id="id-1", provider="identity", user=player.id, linked_at_ms=1).execute()
    run("users", "exclude", player.platform_id, "permanent")
    close(player)
    run("users", "erase", player.platform_id, *REASON)

    with pytest.raises(AccountClosed):
        log_in("id-1")

    assert "id-1" not in dump()


def test_another_player_gets_a_new_account_with_another_name_in_the_log(player, close, run, services):
    before = services.log.pseudonyms.of_user(player.id)
    close(player)
    run("users", "erase", player.platform_id, *REASON)

    again = log_in(player.platform_id)

    assert again.id != player.id
    assert services.log.pseudonyms.of_user(again.id) != before


def test_a_deposit_in_review_must_be_decided_first(full, client, run, fails, services):
    with writing():
        database.execute_sql("UPDATE deposits SET status = 'expired', reason = ''")
    client.post("/profile/close", json={"forfeit": True}, headers=full.headers)
    with writing():
        database.execute_sql("UPDATE deposits SET status = 'review'")

    assert "first decide" in fails("users", "erase", full.platform_id, *REASON)


@pytest.mark.both_databases("services/audit_trail/erasure.py")
@pytest.mark.security("The audit trail")
def test_an_event_that_claims_to_be_erased_is_reported(closed, run, fails):
    run("users", "erase", closed.platform_id, *REASON)
    run("audit", "verify")
    with writing():
        database.execute_sql(
            "UPDATE audit_events SET salt = '', address = NULL, after = NULL, erased_by ="
            " (SELECT id FROM audit_events WHERE what = 'account.erased')"
            " WHERE id = (SELECT id FROM audit_events WHERE erased_by IS NULL AND what <> 'account.erased'"
            " ORDER BY id LIMIT 1)"
        )

    assert "has erased are not those that it names" in fails("audit", "verify")
