"""What the house gives players beside what bets pay: rakeback, gifts of levels, and grants.

It is a share of what the house expects to win with a player's bets (``settings.py`` checks the sum of all
shares), never of what somebody has lost or deposited. So neither several accounts nor timing nor luck make it
an income. The expected win of a player's bets is ``users.theoretical_loss_ucents``, which each bet adds to,
and which free openings leave as it is.

A reward that is claimed at once, such as rakeback, has a row from then on; one that waits for the player has
a row from its offer on.
"""
