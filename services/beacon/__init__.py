"""Public randomness of drand: rounds that nobody can predict or choose, and everybody can verify."""
