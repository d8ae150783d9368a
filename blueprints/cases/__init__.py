"""Cases: lists, single cases, and creating a case."""
