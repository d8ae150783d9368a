"""What players do with coins: vault, promo codes, prizes, sweepstake balance; adjustments by hand."""
