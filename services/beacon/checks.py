"""What ``flask check`` says about beacons."""

from services.beacon.beacons import ARRIVES_WITHIN_MS, OLDEST_MS, Beacons
from services.beacon.chain import QUICKNET, BadBeacon
from services.beacon.relays import Beacon, RelayAway
from services.shared.clock import Millis

NOT_QUICKNET = (
    "BEACON_CHAIN_HASH: this is not quicknet, the public network; players must trust whoever runs this one"
)


def problems(beacons: Beacons, *, now: Millis) -> tuple[list[str], list[str]]:
    """Lines about what keeps battles from being locked, and warnings. Asks each relay, for 5 s at most."""
    if beacons.is_demo or not beacons.is_on:
        return [], []
    newest: Beacon | None = None
    wrong, warnings = [], []
    for relay in beacons.relays:
        try:
            beacon = beacons.client(relay).newest()
        except RelayAway as away:
            warnings.append(f"BEACON_URLS: {relay.name}: {away}")
        except BadBeacon as bad:
            wrong.append(f"BEACON_URLS: {relay.name} forges beacons: {bad}")
        else:
            newest = max(newest or beacon, beacon)
    if newest is None:
        warnings.append("BEACON_URLS: no relay gives beacons, so no battle can be locked")
    if beacons.is_chain_known:
        warnings += [NOT_QUICKNET] if beacons.chain != QUICKNET else []
        period_ms = beacons.chain.period * 1_000
        if period_ms > ARRIVES_WITHIN_MS:
            wrong.append(f"BEACON_CHAIN_HASH: a round each {period_ms // 1_000} s is too slow for battles")
    if newest is not None:
        warnings += _clock_warnings(now - beacons.chain.time_ms(newest.round))
    return wrong, warnings


def _clock_warnings(age_ms: int) -> list[str]:
    """A line if the newest round is ahead of the clock, or too old."""
    if 0 <= age_ms <= OLDEST_MS:
        return []
    seconds = f"{abs(age_ms) / 1_000:.1f} s"
    if age_ms < 0:
        return [f"the clock is slow by {seconds} or more: the newest beacon is ahead of it"]
    return [f"the newest beacon is {seconds} old: the clock is fast, or the network is late"]
