"""What `make bench` measures: each row a ratio against a named ceiling, each curve a cost as work grows."""
