"""The built-in page: the upgrader to try in a browser, with no front end to install."""
