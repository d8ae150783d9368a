"""What can be claimed, against what the house wins on average by the same bets."""

from fractions import Fraction
from itertools import count

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from models.db.connection import reading, writing
from models.payments import PaymentType
from models.users import User
from services.bets.cases import OpeningRequest
from services.bets.snapshots import stored
from services.payments import transfers
from services.payments.transfers import Transfer
from services.shared.money import Cents
from services.wallet import affiliates
from tests.harness.players import create_player, import_case
from tests.harness.spins import play_spin
from tests.support.apps import import_irl_case

ROLLS, TICKETS = 10**7, 10**18
LOST_BY_OWNERS = 1_000_000_00
"""So much that the commission is 25 %."""

ACCOUNTS = 4
accounts = st.integers(0, ACCOUNTS - 1)
cases = st.sampled_from(["house", "free-case", "fair", "dear"])
deeds = st.lists(st.tuples(accounts, st.integers(1, 90_00) | cases), max_size=20)
"""Who bets, and either the wager in cents of a spin or the case that is opened."""


@pytest.fixture
def play(app, add_item):
    """Makes one of ``deeds`` as a player; returns what the house wins by it on average, in cents."""
    item = add_item(price=100)
    for name, kind in (("House", "regular"), ("Daily", "free")):
        import_case(name, {item: 100}, kind=kind)
    import_irl_case("fair", {"percentage": 100, "price": 20}, price=20)
    import_irl_case("dear", {"percentage": 100, "price": 1}, price=50)
    services = app.extensions["services"]

    def spin(player, cents):
        bet = play_spin(app, player, item, amount=cents / 100).bet
        return bet.wager_cents - Fraction(bet.threshold * bet.price_cents, ROLLS)

    def opening(player, case_id):
        openings = services.irl_openings if case_id in ("fair", "dear") else services.case_openings
        request = OpeningRequest(user_id=player.id, case=case_id)
        bet = services.bets.settle(openings, request).bet
        with reading():
            items = stored(bet.snapshot_id).items
        return bet.wager_cents - Fraction(sum(each.price_cents * each.width for each in items), TICKETS)

    return lambda player, what: (spin if isinstance(what, int) else opening)(player, what)


@pytest.fixture
def new_accounts(app):
    """Creates players, each with a deposit after using the code of the one with the number in ``owners``."""
    names = count()

    def create(owners):
        created = [create_player(app, f"player-{next(names)}", coins=100_000) for _ in owners]
        for player in created:
            affiliates.set_code(user_id=player.id, code=f"CODE{player.id}", special=None, now=1)
            with writing():
                User.update(wagered_cents=LOST_BY_OWNERS).where(User.id == player.id).execute()
        for player, owner in zip(created, owners, strict=True):
            affiliates.use_code(user_id=player.id, code=f"CODE{created[owner].id}", special=None, now=1)
            deposit = {"type_": PaymentType.DEPOSIT, "usd": Cents(100_000_00), "transfer": Transfer()}
            transfers.record(user=player.user, **deposit, now=1)
        return created

    return create


@pytest.mark.security("Claims")
@pytest.mark.settings(RAKEBACK_RATE="0.4", BONUS_SHARE="0")
@pytest.mark.parametrize(
    "_edge",
    [
        pytest.param("0.05", marks=pytest.mark.settings(UPGRADER_HOUSE_EDGE="0.05")),
        *(
            pytest.param(edge, marks=[pytest.mark.settings(UPGRADER_HOUSE_EDGE=edge), pytest.mark.thorough])
            for edge in ("0", "0.3")
        ),
    ],
)
def test_claims_are_their_shares_at_most_of_what_the_house_wins_on_average(app, play, new_accounts, _edge):
    rewards = app.extensions["services"].rewards

    @settings(max_examples=5, suppress_health_check=list(HealthCheck), database=None, deadline=None)
    @given(deeds=deeds, steps=st.lists(st.integers(1, ACCOUNTS - 1), min_size=ACCOUNTS, max_size=ACCOUNTS))
    def check(deeds, steps):
        players = new_accounts([(number + step) % ACCOUNTS for number, step in enumerate(steps)])
        opened_free = set()
        house = Fraction(0)
        for who, what in deeds:
            if what == "free-case":
                if who not in opened_free:
                    play(players[who], what)
                    opened_free.add(who)
            else:
                house += play(players[who], what)

        assert sum(affiliates.overview(owner_id=player.id).available for player in players) <= house / 4
        assert sum(rewards.overview(player.id).rakeback.available for player in players) <= house * 2 / 5

    check()
