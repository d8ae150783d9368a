"""The base of all areas: hooks around requests, authentication, errors, schemas, pages, caching."""
