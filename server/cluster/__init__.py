"""The processes that serve one database, which may be a single one."""
