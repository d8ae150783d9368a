"""The forms at a player's page, and the pages of proposals. Their rules: tests/services/staff."""

import re

import pytest

from services.accounts import users
from services.shared.clock import DAY_MS
from tests.support.office import last_event, signed_in

REASON = "asked for by mail"


@pytest.fixture
def payments(app):
    return signed_in(app, "payments")


@pytest.fixture
def act(support, player):
    """Sends a form of the player's page, with a reason."""
    page = f"/office/players/{player.platform_id}"

    def send(form, *, by=support, **fields):
        return by.act(page, form, **({"reason": REASON} | fields))

    return send


@pytest.fixture
def user(player):
    return lambda: users.get(platform_id=player.platform_id)


def message_after(answer, by):
    """The message on the page that a form leads to."""
    assert answer.status_code == 303, answer.text
    page = by.get(answer.headers["Location"]).text
    return page.split('role="status">')[1].split("<")[0]


def test_a_player_is_logged_out(act, support, send, player):
    assert message_after(act("log-out"), support) == "The player was logged out everywhere."

    assert send(player, "GET", "/auth/me")[0] == 401
    assert last_event("account.logged-out") == ("staff:support-person", {"session": 1, "reason": REASON})


def test_a_player_is_suspended_and_that_ends_again(act, support, user):
    act("suspend")
    assert user().suspended_at_ms is not None
    assert last_event("account.suspended") == ("staff:support-person", {"reason": REASON})

    act("resume")

    assert user().suspended_at_ms is None
    assert last_event("account.resumed") == ("staff:support-person", {"reason": REASON})


def test_a_player_is_excluded_and_an_exclusion_is_never_made_shorter(act, compliance, user, clock):
    act("exclude", by=compliance, duration="7d")
    until = user().excluded_until_ms
    assert until >= clock() + 7 * DAY_MS
    assert last_event("exclusion.begun")[1]["reason"] == REASON

    refused = act("exclude", by=compliance, duration="24h")

    assert refused.status_code == 400
    assert "A break can only be made longer." in refused.text
    assert user().excluded_until_ms == until


def test_a_player_gets_a_message(act, client, player):
    act("notify", title="Your question", message="We have looked at it.")

    (message,) = client.get("/profile/notifications", headers=player.headers).json
    assert (message["title"], message["message"]) == ("Your question", "We have looked at it.")
    assert last_event("notification.sent")[1] == {"title": "Your question", "reason": REASON}


def test_a_form_keeps_what_was_typed_after_an_error(act):
    refused = act("notify", title="A title", message="A message & more", reason="no")

    assert refused.status_code == 400
    assert 'value="A title"' in refused.text
    assert "A message &amp; more</textarea>" in refused.text
    alert = refused.text.split('role="alert">')[1].split("<")[0]
    assert alert == "The reason must be a text of 5 to 200 characters."
    (opened,) = re.findall(r'<details class="folded" open><summary>([^<]+)', refused.text)
    assert opened == "Send a message"


def test_each_form_of_a_page_has_a_key_of_its_own(support, player):
    page = support.get(f"/office/players/{player.platform_id}").text

    keys = re.findall(r'name="form_key" value="([0-9a-f]{32})"', page)
    assert len(keys) == len(set(keys)) > 3


def test_every_form_needs_a_reason_of_5_to_200_characters(act, payments, balance):
    act("balance", amount="250")

    for reason in ("", "four", "x" * 201):
        refused = [act("log-out", reason=reason), act("balance", amount="10", reason=reason)]
        refused.append(payments.act("/office/proposals/1", "reject", reason=reason))
        assert [answer.status_code for answer in refused] == [400] * 3
    assert balance() == 100


def test_tags_are_added_and_removed(act, support, player):
    act("tags", tag="vip")
    path = f"/office/players/{player.platform_id}"
    assert '<span class="tag">vip</span>' in support.get(path).text

    act("tags", tag="", remove="vip")

    assert '<span class="tag">vip</span>' not in support.get(path).text


def test_a_small_grant_that_is_sent_twice_is_done_once(act, support, balance):
    first = act("balance", amount="12.50", form_key="a" * 32)
    assert "The balance was changed by +$12.50" in message_after(first, support)

    again = act("balance", amount="12.50", form_key="a" * 32)

    assert "This form was sent before" in message_after(again, support)
    assert balance() == 112.5
    assert last_event("balance.adjusted")[0] == "staff:support-person"


BAD_AMOUNTS = ("", "0", "1.005", "a lot", "nan", "1e99", "1e1", "1_0", "\u0661")
BAD_COMMAS = ("0,50", "12,50", "1,00", "1,2,3", "1234,567.00")


def test_an_amount_that_is_not_one_is_refused_and_kept(act, balance):
    refused = {amount: act("balance", amount=amount) for amount in (*BAD_AMOUNTS, *BAD_COMMAS, "-100.01")}

    assert {answer.status_code for answer in refused.values()} == {400}
    assert [comma for comma in BAD_COMMAS if "such as 1,234.50." not in refused[comma].text] == []
    assert "Insufficient balance." in refused["-100.01"].text
    assert 'value="-100.01"' in refused["-100.01"].text
    assert balance() == 100


def test_an_amount_may_have_a_dollar_sign_and_commas(act, support, balance):
    act("balance", amount="-$99.50")
    act("balance", amount="$1,234.50")

    assert balance() == 0.5
    assert "by +$1234.50" in support.get("/office/proposals/2").text


@pytest.mark.security("Four eyes")
def test_a_large_grant_is_executed_by_a_second_person(act, payments, support, balance):
    message = message_after(act("balance", amount="250"), support)
    assert "A second person must approve it" in message
    assert "Somebody else must approve it." in support.get("/office/proposals/1").text
    own = support.approve(1)
    assert (own.status_code, balance()) == (400, 100)
    assert "Nobody approves their own proposal." in own.text

    approved = payments.approve(1)

    assert last_event("balance.adjusted") == (
        "staff:payments-person",
        {"balanceCents": 350_00, "amountCents": 250_00, "reason": REASON},
    )
    assert "is $350.00 now" in message_after(approved, payments)
    assert balance() == 350
    assert last_event("proposal.approved") == (
        "staff:payments-person",
        {"proposal": 1, "action": "balance.change", "proposedBy": "staff:support-person", "reason": REASON},
    )


@pytest.mark.security("Four eyes")
@pytest.mark.parametrize("change", [("disable",), ("set-role", "compliance")])
def test_nothing_is_approved_of_somebody_who_may_not_do_it_any_more(act, payments, run, change, balance):
    act("balance", amount="250")
    command, *role = change
    run("staff", command, "support-person", *role)

    refused = payments.approve(1)

    assert refused.status_code == 400
    assert "Who proposed it may not do this any more: reject the proposal." in refused.text
    assert balance() == 100


def test_a_role_without_the_permission_does_not_approve(act, compliance, balance):
    act("balance", amount="250")
    assert "Your role may not decide about this." in compliance.get("/office/proposals/1").text

    refused = compliance.approve(1)

    assert refused.status_code == 403
    assert balance() == 100
    assert last_event("staff.refused")[1]["permission"] == "balances.change"


def test_a_proposal_is_rejected_or_withdrawn_with_a_reason(act, payments, support):
    for _ in range(2):
        act("balance", amount="250")

    payments.act("/office/proposals/1", "reject", reason="not agreed")
    support.act("/office/proposals/2", "withdraw", reason="a mistake")
    assert last_event("proposal.rejected")[1]["reason"] == "not agreed"
    late = payments.post("/office/proposals/1/approve", of="/office/proposals?show=decided")
    assert "The proposal is rejected by payments-person, not open." in late.text

    decided = support.get("/office/proposals?show=decided").text
    assert "rejected" in decided
    assert "withdrawn" in decided
    assert "There are none" in support.get("/office/proposals").text


def test_two_people_reset_a_second_factor(act, admin, authenticator, user):
    act("reset-two-factor")
    assert user().two_factor_enabled

    admin.approve(1)

    assert not user().two_factor_enabled
    assert last_event("two-factor.reset") == ("staff:admin-person", {"reason": REASON})


@pytest.mark.settings(OFFICE_FOUR_EYES="0")
def test_without_four_eyes_one_person_does_it_and_every_page_says_so(act, support, balance):
    act("balance", amount="250")

    assert balance() == 350
    assert "no action needs a second person" in support.get("/office/").text
