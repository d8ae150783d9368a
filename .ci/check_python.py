"""Exits with 1 and one line if this Python cannot make the virtual environment of the project."""

import sys

# The pinned lists name wheels for these versions. orjson has none for 3.15 yet.
if not (3, 11) <= sys.version_info[:2] <= (3, 14):
    sys.exit("Python 3.11 to 3.14 is needed: make PYTHON=python3.11")

try:
    import ensurepip  # noqa: F401  # Debian has it in a package of its own
except ImportError:
    sys.exit("This Python cannot make virtual environments. On Debian: apt-get install python3-venv")
