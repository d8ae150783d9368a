"""The operator's own check of withdrawals, which answers, answers late or nonsense, or does not answer."""

import json
import threading
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from enum import StrEnum
from random import Random

from standardwebhooks import Webhook
from standardwebhooks.webhooks import WebhookVerificationError
from werkzeug import Request, Response

from tests.harness.btcpay.faults import endless
from tests.harness.servers import hang_up, serving

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
TEXTS = {Decision.LATE: "approve", Decision.NONSENSE: "perhaps"}


class CheckService:
    """``decisions`` has what was decided about each withdrawal: the same each time that it is asked."""

    def __init__(self, seed: str) -> None:
        self.url = ""
        self.is_calm = False
        """Whether it approves everything from now on."""

        self.is_quick = False
        """Whether it never answers too late."""

        self.decisions: dict[str, Decision] = {}
        self.problems: list[str] = []
        self._bag = endless(BAG, Random(f"{seed}/check"))
        self._guard = threading.Lock()

    def counts(self) -> Counter[str]:
        return Counter(f"check: {decision}" for decision in self.decisions.values())

    def decide(self, withdrawal_id: str) -> Decision:
        with self._guard:
            if withdrawal_id not in self.decisions:
                decision = Decision.APPROVE if self.is_calm else next(self._bag)
                is_quick = decision is not Decision.LATE or not self.is_quick
                self.decisions[withdrawal_id] = decision if is_quick else Decision.APPROVE
            return self.decisions[withdrawal_id]

    def answer(self, request: Request) -> Response:
        try:
            message = Webhook(SECRET).verify(request.get_data(), dict(request.headers))
        except WebhookVerificationError:
            self.problems.append("a request to the check has a bad signature")
            return Response(status=401)
        decision = self.decide(message["data"]["id"])
        if decision is Decision.NEVER:
            hang_up(request)
        if decision is Decision.LATE:
            time.sleep(LATE_SECONDS)
        text = TEXTS.get(decision, decision.value)
        body = json.dumps({"decision": text, "reason": f"storm: {text}"})
        return Response(body, mimetype="application/json")


@contextmanager
def check_service(seed: str) -> Iterator[CheckService]:
    """Serve until the block ends."""
    service = CheckService(seed)
    with serving(Request.application(service.answer)) as url:
        service.url = f"{url}/check"
        yield service
