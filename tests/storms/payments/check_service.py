"""The operator's own check of withdrawals, which answers, answers late or nonsense, or does not answer."""

import json
import threading
import time
from collections import Counter, defaultdict
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from enum import StrEnum
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from random import Random
from typing import Any

from standardwebhooks import Webhook
from standardwebhooks.webhooks import WebhookVerificationError

SECRET = "whsec_c3Rvcm0gb2YgcGF5bWVudHMsIG5vdCBhIHNlY3JldA=="
LATE_SECONDS = 11.0


class Decision(StrEnum):
    APPROVE = "approve"
    REVIEW = "review"
    REJECT = "reject"
    LATE = "approve, too late"
    NEVER = "no answer"
    NONSENSE = "no decision"


BAG = [Decision.APPROVE] * 20 + [each for each in Decision if each is not Decision.APPROVE]


@dataclass
class CheckService:
    """``decisions`` has what was decided about each withdrawal: the same each time that it is asked."""

    url: str
    random: Random
    calm: bool = False
    """Approves everything from now on."""

    decisions: dict[str, Decision] = field(default_factory=dict)
    asked: Counter[str] = field(default_factory=Counter)
    problems: list[str] = field(default_factory=list)
    _kinds: list[Decision] = field(default_factory=lambda: list(BAG))
    _bag: list[Decision] = field(default_factory=list)
    _guard: threading.Lock = field(default_factory=threading.Lock)

    def decide(self, withdrawal_id: str) -> Decision:
        with self._guard:
            self.asked[withdrawal_id] += 1
            if withdrawal_id not in self.decisions:
                if not self._bag:
                    self._bag = self.random.sample(self._kinds, len(self._kinds))
                self.decisions[withdrawal_id] = Decision.APPROVE if self.calm else self._bag.pop()
            return self.decisions[withdrawal_id]

    def leave_out(self, decision: Decision) -> None:
        """Never decide this."""
        self._kinds = [each for each in self._kinds if each is not decision]

    def counts(self) -> Counter[Decision]:
        return Counter(self.decisions.values())


@contextmanager
def check_service(seed: object) -> Iterator[CheckService]:
    """Serve until the block ends."""

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            body = self.rfile.read(int(self.headers["Content-Length"]))
            try:
                message = Webhook(SECRET).verify(body, dict(self.headers))
            except WebhookVerificationError:
                service.problems.append("a request to the check has a bad signature")
                self._answer(401, {})
                return
            decision = service.decide(message["data"]["id"])
            if decision is Decision.NEVER:
                self.close_connection = True
                return
            if decision is Decision.LATE:
                time.sleep(LATE_SECONDS)
            text = {Decision.LATE: "approve", Decision.NONSENSE: "perhaps"}.get(decision, decision.value)
            self._answer(200, {"decision": text, "reason": f"storm: {text}"})

        def _answer(self, status: int, body: Any) -> None:
            content = json.dumps(body).encode()
            try:
                self.send_response(status)
                self.send_header("Content-Length", str(len(content)))
                self.end_headers()
                self.wfile.write(content)
            except OSError:
                # Nobody waits any more.
                self.close_connection = True

        def log_message(self, *_: Any) -> None:
            """Log nothing."""

    http = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    http.daemon_threads = True
    service = CheckService(f"http://127.0.0.1:{http.server_port}/check", Random(f"{seed}/check"))
    thread = threading.Thread(target=http.serve_forever, args=[0.02], daemon=True)
    thread.start()
    try:
        yield service
    finally:
        http.shutdown()
        thread.join(10)
        http.server_close()


def tally(service: CheckService) -> dict[str, int]:
    """The decisions, by their names."""
    counts: dict[str, int] = defaultdict(int)
    for decision, count in service.counts().items():
        counts[f"check: {decision}"] = count
    return counts
