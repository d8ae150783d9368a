"""Fairness as the operator, or anybody with a calculator, sees it."""
