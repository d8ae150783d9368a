"""Conversion to sweepstake balance."""
