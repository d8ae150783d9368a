"""Finding players by each thing that staff may know of them."""

import pytest

from models.db.connection import database, reading, writing
from models.logins import LoginProvider
from models.payments import PaymentType
from models.users import User
from services.accounts import logins
from services.audit_trail.actor import Actor, acting_as
from services.audit_trail.events import AuditEventType
from services.audit_trail.recording import record
from services.payments import transfers
from services.payments.transfers import Transfer
from services.staff import notes, player_search
from services.staff.player_search import FoundBy
from services.wallet import affiliates


def names(text, *, with_addresses=True):
    found = player_search.find(text, with_addresses=with_addresses, now=1)
    return [each.player.username for each in found]


def test_a_name_is_found_by_a_part_in_any_case_those_that_begin_with_it_first(app, new_player):
    for name in ("Alexander", "alex", "alexandra", "bob-alex"):
        new_player(name)

    assert names("ALEX") == ["alex", "Alexander", "alexandra", "bob-alex"]
    assert names("alex%") == names("_lex") == []


def test_a_player_is_found_by_the_platform_id(player):
    (found,) = player_search.find(f" {player.platform_id} ", with_addresses=False, now=1)

    assert (found.player, found.by) == (player.user, [FoundBy.PLATFORM_ID])


def test_a_player_is_found_by_the_id_of_a_linked_login(player):
    login_id = f"id-{'0' * 32}"
    logins.link(user_id=player.id, provider=LoginProvider.IDENTITY, login_id=login_id, now=1)

    assert names(login_id) == ["alice"]


def test_a_player_is_found_by_the_address_of_a_login(player, new_player, clock):
    with acting_as(Actor(player.platform_id, "2001:db8::1")), writing():
        record(AuditEventType.LOGGED_IN, now=clock(), user_id=player.id)
    new_player("other")

    assert names("2001:DB8:0::1") == ["alice"]


def test_a_player_is_found_by_a_transfer_a_promo_code_and_a_tag(player, clock):
    transfer = Transfer(txhash="0xABCD", to="bc1qexample")
    transfers.record(user=player.user, type_=PaymentType.DEPOSIT, usd=100, transfer=transfer, now=clock())
    affiliates.set_code(user_id=player.id, code="SUMMER26", special=None, now=1)
    notes.add_tag(user_id=player.id, tag="VIP", reason="large deposits", by="ann", now=clock())

    for text in ("abcd", "0xAbCd", "bc1qexample", "summer26", "vip"):
        assert names(text) == ["alice"], text


def test_a_text_that_matches_nothing_finds_nobody(player):
    assert [names(text) for text in ("", "  ", "\x00", "x" * 257, "nobody")] == [[]] * 5


@pytest.mark.both_databases("a plan")
def test_the_beginning_of_a_name_is_looked_up_in_an_index(app, new_player):
    new_player("somebody")
    query = User.select(User.id).where(player_search.begins_with(User.username_folded, "some"))
    explain = "EXPLAIN QUERY PLAN " if "sqlite" in str(type(database.obj)).lower() else "EXPLAIN "
    sql, parameters = query.sql()
    with reading():
        if explain == "EXPLAIN ":
            # A table of one row is read at once.
            database.execute_sql("SET enable_seqscan = off")
        plan = " ".join(str(row) for row in database.execute_sql(explain + sql, parameters))

    assert "users_username_folded" in plan
