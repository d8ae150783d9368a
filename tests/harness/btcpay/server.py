"""The HTTP side of the fake: documents, permissions and faults around the operations of the store."""

import json
import socket
import sys
import threading
import time
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any
from urllib.parse import urlsplit

from tests.harness.btcpay.faults import Fault, Faults
from tests.harness.btcpay.objects import Problem, invalid, not_found, refused
from tests.harness.btcpay.openapi import Operation, Undocumented, operation_of
from tests.harness.btcpay.state import State

PERMISSIONS = (
    "btcpay.store.canviewinvoices",
    "btcpay.store.cancreateinvoice",
    "btcpay.store.canviewstoresettings",
    "btcpay.store.canmanagepullpayments",
    "btcpay.store.cancreatenonapprovedpullpayments",
)
"""What the platform's key may do."""

MAY_APPROVE_AT_ONCE = "btcpay.store.cancreatepullpayments"
Answer = tuple[int, Any]

DONE = (Fault.NONE, Fault.STALE, Fault.SLOW, Fault.TOO_SLOW, Fault.LOST_ANSWER, Fault.ERROR_AFTER)
"""The faults of requests whose work is done in time."""


class BtcPayApi:
    """Answers requests. ``violations`` has a line for each that no document allows."""

    def __init__(self, state: State, faults: Faults, api_key: str) -> None:
        self.state = state
        self.faults = faults
        self.api_key = api_key
        self.violations: list[str] = []
        self.requests: list[str] = []
        """The operation of each request, in order."""

        self.spoil: Callable[[str, Any], Any] = lambda _, body: body
        """Makes another answer of the one to an operation, as a server does that nobody has documented."""

        self.late: list[threading.Thread] = []

    def read(self, method: str, target: str, headers: Any, content: bytes) -> "Request | Answer":
        """A request that the documents allow, or the answer to another one."""
        parts = urlsplit(target)
        try:
            operation, path = operation_of(method, parts.path, self.state.release)
            query, body = operation.read_query(parts.query), operation.read_body(content)
        except Undocumented as undocumented:
            self.violations.append(f"{method} {target}: {undocumented}")
            problem = invalid(*undocumented.errors)
            return (404 if "is no operation" in str(undocumented) else 422), problem.body
        self.requests.append(operation.name)
        try:
            self._authorize(operation, headers.get("Authorization"), body, path)
        except Problem as problem:
            return self._checked(operation, problem.status, problem.body)
        return Request(operation, path, query, body)

    def _authorize(self, operation: Operation, authorization: str | None, body: Any, path: Any) -> None:
        """Raises Problem. Pull payments are public."""
        if "pullPaymentId" in path:
            return
        if authorization != f"token {self.api_key}":
            raise refused("unauthenticated", "Authentication is required", status=401)
        needed = operation.permissions
        if isinstance(body, dict) and body.get("approved"):
            needed = (MAY_APPROVE_AT_ONCE,)
        if needed and not set(needed) & set(PERMISSIONS):
            raise refused("missing-permission", f"Insufficient API permissions: {needed}", status=403)
        if path.get("storeId", self.state.store_id) != self.state.store_id:
            raise not_found("store")

    def _checked(self, operation: Operation, status: int, body: Any) -> Answer:
        try:
            operation.check_answer(status, body)
        except Undocumented as undocumented:
            self.violations.append(f"answer to {operation.name}: {undocumented}")
        return status, self.spoil(operation.name, body)

    def work(self, request: "Request") -> Answer:
        """Do what a request asks for."""
        with self.state.changing():
            try:
                status, body = 200, WORK[request.operation.name](self.state, request)
            except Problem as problem:
                status, body = problem.status, problem.body
        return self._checked(request.operation, status, body)

    def work_later(self, request: "Request") -> None:
        """Do it in a few seconds, when nobody waits for the answer."""

        timer = threading.Timer(self.faults.timing.late_work, self.work, [request])
        self.late.append(timer)
        timer.start()


@dataclass
class Request:
    """An allowed request."""

    operation: Operation
    path: Mapping[str, str]
    query: Mapping[str, list[str]]
    body: Any
    is_stale: bool = False
    """Whether it is answered with an earlier state."""

    @property
    def key(self) -> str:
        """The id of the invoice or payout in its path."""
        return self.path.get("invoiceId") or self.path["payoutId"]

    @property
    def shows(self) -> dict[str, bool]:
        """What is answered about invoices."""
        return {"methods": self.flag("includePaymentMethods"), "stale": self.is_stale}

    def flag(self, name: str) -> bool:
        return self.query.get(name) == ["true"]


WORK: dict[str, Callable[[State, Request], Any]] = {
    "get server info": lambda state, _: state.server_info(),
    "get store": lambda state, _: state.store_form(),
    "create invoice": lambda state, asked: state.invoice_form(state.create_invoice(asked.body).id),
    "list invoices": lambda state, asked: state.list_invoices(asked.query, **asked.shows),
    "get invoice": lambda state, asked: state.invoice_form(asked.key, **asked.shows),
    "get payment methods": lambda state, asked: state.payment_methods(asked.key, stale=asked.is_stale),
    "get pull payment": lambda state, asked: state.pull_payment_form(asked.path["pullPaymentId"]),
    "create payout": lambda state, asked: state.create_payout(asked.body).form(),
    "list store payouts": lambda state, asked: state.list_payouts(
        cancelled=asked.flag("includeCancelled"), stale=asked.is_stale
    ),
    "get payout": lambda state, asked: state.payout_form(asked.key, stale=asked.is_stale),
    "approve payout": lambda state, asked: state.approve_payout(asked.key, asked.body).form(),
    "cancel payout": lambda state, asked: state.cancel_payout(asked.key),
}


class Listener(ThreadingHTTPServer):
    """A port that can refuse connections for a while."""

    daemon_threads = True
    request_queue_size = 128

    def __init__(self, port: int, api: BtcPayApi, refuse: Callable[[float], None]) -> None:
        self.api = api
        self.refuse = refuse
        self._open: set[socket.socket] = set()
        super().__init__(("127.0.0.1", port), Handler)
        self._thread = threading.Thread(target=self.serve_forever, args=[0.02], daemon=True)
        self._thread.start()

    def get_request(self) -> tuple[socket.socket, Any]:
        connection, address = super().get_request()
        self._open.add(connection)
        return connection, address

    def shutdown_request(self, request: Any) -> None:
        self._open.discard(request)
        super().shutdown_request(request)

    def close(self) -> None:
        """Refuse new connections and close the present ones."""
        self.shutdown()
        self._thread.join(10)
        self.server_close()
        for connection in list(self._open):
            # Its thread may close it at the same time.
            with suppress(OSError):
                connection.shutdown(socket.SHUT_RDWR)

    def handle_error(self, request: Any, client_address: Any) -> None:
        """A client that has gone is no error; anything else is a mistake of the fake."""
        error = sys.exc_info()[1]
        if not isinstance(error, OSError):
            self.api.violations.append(f"the fake failed: {error!r}")


class Handler(BaseHTTPRequestHandler):
    """One connection, with the faults of its requests."""

    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True
    server: Listener

    def serve(self) -> None:
        content = self.rfile.read(int(self.headers.get("Content-Length") or 0))
        api = self.server.api
        request = api.read(self.command, self.path, self.headers, content)
        if isinstance(request, tuple):
            self._answer(*request)
            return
        planned = api.faults.draw(request.operation.name, is_writing=request.operation.method != "GET")
        timing, fault = api.faults.timing, planned.fault
        answer = self._before_strike(fault, request)
        if planned.strike is not None:
            planned.strike(self.client_address[1])
        if fault is Fault.HELD:
            time.sleep(planned.hold_seconds or timing.too_slow)
            answer = api.work(request)
        elif fault is Fault.REFUSED_CONNECTIONS:
            self.server.refuse(timing.refused)
        elif fault in (Fault.SLOW, Fault.TOO_SLOW):
            time.sleep(timing.slow if fault is Fault.SLOW else timing.too_slow)
        if answer is None or fault is Fault.LOST_ANSWER:
            self.close_connection = True
        else:
            self._answer(*answer)

    def _before_strike(self, fault: Fault, request: Request) -> Answer | None:
        """Do what is done in time. Returns the answer, None for none."""
        if fault in DONE:
            request.is_stale = fault is Fault.STALE
            answer = self.server.api.work(request)
            return (500, None) if fault is Fault.ERROR_AFTER else answer
        if fault is Fault.LATE_WORK:
            self.server.api.work_later(request)
        return {Fault.ERROR_BEFORE: (500, None), Fault.UNAVAILABLE: (503, None)}.get(fault)

    def _answer(self, status: int, body: Any) -> None:
        content = b"" if body is None else json.dumps(body).encode()
        self.send_response(status)
        if content:
            self.send_header("Content-Type", "application/json; charset=utf-8")
        self.send_header("Content-Length", str(len(content)))
        self.end_headers()
        self.wfile.write(content)

    def log_message(self, *_: Any) -> None:
        """Log nothing."""


for method in ("GET", "POST", "PUT", "PATCH", "DELETE"):
    setattr(Handler, f"do_{method}", Handler.serve)
