"""What every endpoint is made of: blueprint, schemas, authentication, errors, caching, documentation."""
