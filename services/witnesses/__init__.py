"""Witnesses: others, who sign a checkpoint of the public log only if it continues what they signed before.

So the house can't show two logs to two people who never compare. The protocol is C2SP's
(https://c2sp.org/tlog-witness).
"""
