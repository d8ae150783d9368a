"""The parts that all endpoints share: blueprint, schemas, authentication, errors, caching, documentation."""
