"""A model of all money, checked by property tests and by concurrent writers and readers."""
