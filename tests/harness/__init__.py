"""What tests, storms and benchmarks share: servers, databases, clients and players."""
