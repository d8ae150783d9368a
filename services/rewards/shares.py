"""Shares of what the house expects to win."""

from services.shared.money import Cents

UCENTS_PPM = 10**12
"""A cent in millionths of millionths: of an expected win, times a share in millionths."""


def share_of(expected_win_ucents: int, share_ppm: int) -> Cents:
    """A share of an expected win, down to the cent."""
    return Cents(expected_win_ucents * share_ppm // UCENTS_PPM)
