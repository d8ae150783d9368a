"""gunicorn's log in the format of the program's own."""

from gunicorn.config import Config
from gunicorn.glogging import Logger

from server.logs import JsonLines


class JsonLogger(Logger):  # type: ignore[misc]  # gunicorn carries no types
    """Writes each of gunicorn's lines as JSON. Of an exception it writes types and places, no message."""

    def setup(self, cfg: Config) -> None:
        super().setup(cfg)
        for handler in self.error_log.handlers:
            handler.setFormatter(JsonLines())
