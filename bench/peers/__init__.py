"""The programs that the platform is compared with: the smallest ones that do the same work."""
