"""Players during crashes, faults and attacks. Each storm is a program: ``python -m tests.storms.crashes``."""
