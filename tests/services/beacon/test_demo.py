import pytest

from services.beacon.demo import DemoRelay


class Clock:
    now = 1_700_000_000_000

    def __call__(self):
        return self.now


@pytest.fixture
def clock():
    return Clock()


@pytest.fixture
def relay(tmp_path, clock):
    return DemoRelay(tmp_path, clock=clock)


def test_the_newest_beacon_of_the_demonstration_is_genuine_and_of_now(relay, clock):
    beacon = relay.newest()

    assert relay.chain.verify(beacon.round, beacon.signature) == beacon.randomness
    assert 0 <= clock.now - relay.chain.time_ms(beacon.round) < 3_000


def test_a_round_of_the_demonstration_has_no_beacon_before_its_time(relay, clock):
    following = relay.newest().round + 1

    assert relay.of_round(following) is None
    clock.now = relay.chain.time_ms(following)
    assert relay.of_round(following) == relay.newest()


def test_the_demonstration_has_the_same_rounds_after_a_restart(relay, tmp_path, clock):
    again = DemoRelay(tmp_path, clock=clock)

    assert again.newest() == relay.newest()
    assert again.chain == relay.chain
    assert (tmp_path / "beacon.key").stat().st_mode & 0o777 == 0o600
