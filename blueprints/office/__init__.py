"""The back office: pages for staff, one module a page."""
