import hashlib

import pytest

from services.beacon.chain import QUICKNET, BadBeacon

# Beacons of the public network, as its relays serve them.
BEACONS = {
    1_000: (
        "b44679b9a59af2ec876b1a6b1ad52ea9b1615fc3982b19576350f93447cb1125e342b73a8dd2bacbe47e4b6b63ed5e39",
        "fe290beca10872ef2fb164d2aa4442de4566183ec51c56ff3cd603d930e54fdd",
    ),
    1_001: (
        "b33bf3667cbd5a82de3a24b4e0e9fe5513cc1a0e840368c6e31f5fcfa79bea03f73896b25883abf2853d10337fb8fa41",
        "b0a591ad1b9002cfc372ac6e30abd3da8d3088d4caae026961743474fb94235f",
    ),
    657_413: (
        "b713718a38ae728dfd477991af2822e08d2f305e47718cef9f7848ce4050e7be41076862b98fad56e91a6b85b89cd97b",
        "fc1873a13f3545aeade8401532ef5519920652eee6b0d2b19ca12643b87b3587",
    ),
}
SIGNATURE, _ = BEACONS[1_000]
GENESIS_MS = QUICKNET.genesis * 1_000


def test_the_hash_of_the_public_network_follows_from_its_key_and_times():
    assert QUICKNET.hash == "52db9ba70e0cc0f6eaf7803dd07447a1f5477735fd3f661792ba94600c84e971"


@pytest.mark.parametrize("number", BEACONS)
def test_a_beacon_of_the_public_network_is_genuine(number):
    signature, randomness = BEACONS[number]

    assert QUICKNET.verify(number, signature) == randomness


@pytest.mark.security("Relays of beacons")
@pytest.mark.parametrize("number", BEACONS)
@pytest.mark.parametrize("place", range(48))
def test_a_beacon_with_another_byte_is_refused(number, place):
    signature, _ = BEACONS[number]
    changed = bytearray.fromhex(signature)
    changed[place] ^= 1

    with pytest.raises(BadBeacon):
        QUICKNET.verify(number, changed.hex())


def test_the_beacon_of_another_round_is_refused():
    with pytest.raises(BadBeacon, match="not that of the round"):
        QUICKNET.verify(1_001, SIGNATURE)


@pytest.mark.parametrize(
    "text",
    [
        pytest.param("", id="empty"),
        pytest.param(SIGNATURE.upper(), id="capitals"),
        pytest.param(SIGNATURE + "00", id="longer"),
        pytest.param(SIGNATURE[:-2], id="shorter"),
        pytest.param(f"{SIGNATURE}\n", id="line end"),
        pytest.param("c0" + 94 * "0", id="the point at infinity"),
    ],
)
def test_another_text_than_96_digits_of_a_beacon_is_refused(text):
    with pytest.raises(BadBeacon):
        QUICKNET.verify(1_000, text)


def test_the_randomness_is_the_hash_of_the_signature():
    _, randomness = BEACONS[1_000]

    assert hashlib.sha256(bytes.fromhex(SIGNATURE)).hexdigest() == randomness


@pytest.mark.parametrize(
    ("after_genesis_ms", "number"), [(-1, 1), (0, 1), (1, 2), (3_000, 2), (3_001, 3), (29_999, 11)]
)
def test_the_first_round_at_a_time_is_published_then_or_later(after_genesis_ms, number):
    assert QUICKNET.first_round_at(GENESIS_MS + after_genesis_ms) == number
    assert QUICKNET.time_ms(number) >= GENESIS_MS + after_genesis_ms
