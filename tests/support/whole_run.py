"""A run of everything that a server offers, valid and invalid, with the secrets that no log may contain."""

import json
import re
import time
from contextlib import suppress
from typing import Any
from urllib.parse import urlsplit

import pyotp
import requests

from tests.harness.btcpay.fake import FakeBtcPay
from tests.harness.sockets import Closed, Refused, Socket, Transport
from tests.support.browser import parameters
from tests.support.raw_http import statuses

SHORTEST_ANYWHERE = 10
"""A shorter secret is searched as a whole word: its digits may be part of a time or an id."""

DETAILS: dict[str, Any] = {
    "firstName": "Wilhelmina-Persephone",
    "lastName": "Featherstonehaugh",
    "phone": "+4915739184620",
    "shippingAddress": {
        "addressLine1": "Quittenallee 94711",
        "city": "Hintertupfing",
        "zipCode": "82041-9",
        "country": "Absurdistan",
    },
}
TRADE_TOKEN = "tRaDe-ToKeN-8"
REQUEST_ID = "a-request-of-mine"
SET_CODE = "MYVERYOWNCODE"
CLIENT_SEEDS = ("my-very-own-client-seed", "the-seed-of-my-profile")
WALLETS = (FakeBtcPay.address("whole run"), "a-wallet-that-nobody-knows")
LOCKED, WAGERED, REFUSED = 71_339.27, 51_117.43, 61_393.81
DEPOSITED, WITHDRAWN = 8_313.79, 7_411.53
"""Coins, so many that their cents are the id of no process."""


class WholeRun:
    """One player at a server. ``secrets`` are those of the requests so far, by name."""

    def __init__(self, url: str, token: str, item: str, prize_id: int) -> None:
        self.url = url
        self.secrets: dict[str, str] = {"token": token}
        self._token = token
        self._item = item
        self._prize_id = prize_id
        self._headers = {"Authorization": f"Bearer {token}"}

    def note(self, name: str, *values: str) -> None:
        """Add secrets."""
        self.secrets |= {f"{name} {number}": value for number, value in enumerate(values)}

    def do_everything(self) -> None:
        for provider in ("platform", "identity"):
            self.log_in(provider)
        self.use_two_factor()
        self.change_profile()
        self.move_money()
        self.pay()
        self.play()
        self.send_bad_requests()
        self.cause_failures()

    def log_in(self, provider: str) -> None:
        """Log in, then repeat the provider's answer in the same and in another browser."""
        browser = requests.Session()
        begun = self._get(f"/auth/{provider}", browser)
        at_provider = browser.get(begun.headers["Location"], allow_redirects=False, timeout=10)
        answer = at_provider.headers["Location"]
        back = f"{urlsplit(answer).path}?{urlsplit(answer).query}"
        self.note(f"{provider} cookie", *(cookie.value for cookie in browser.cookies))
        for address in (begun.headers["Location"], answer):
            given = parameters(address)
            names = {"state", "nonce", "code", "code_challenge", "openid.sig", "openid.response_nonce"}
            self.note(f"{provider} parameter", *(given[name] for name in sorted(names & given.keys())))
        ended = self._get(back, browser)
        self.note(f"{provider} token", parameters(ended.headers["Location"])["token"])
        self._get(back, browser)
        self._get(back, requests.Session())

    def use_two_factor(self) -> None:
        secret = self._post("/profile/2fa/setup").json()["secret"]
        totp = pyotp.TOTP(secret)
        code, next_code = totp.now(), totp.at(time.time(), counter_offset=1)
        self.note("2fa", secret, code, "918273", next_code)
        for attempt in ("918273", code, code, "91827 3"):
            self._post("/profile/2fa/enable", code=attempt)
        self._post("/profile/2fa/disable", code="918273")
        recovery_codes = self._post("/profile/2fa/recovery-codes", code=next_code).json()["codes"]
        self.note("recovery code", *recovery_codes)
        for attempt in ("918273", "91827 3", recovery_codes[0]):
            headers = self._headers | {"X-2FA-Code": attempt}
            requests.post(f"{self.url}/affiliate/claim", headers=headers, timeout=10)
        self._post("/auth/two-factor", challenge="5f" * 32, code=recovery_codes[1])

    def change_profile(self) -> None:
        address = DETAILS["shippingAddress"]
        self.note(
            "detail", *(value for value in (*DETAILS.values(), *address.values()) if isinstance(value, str))
        )
        self.note("profile", TRADE_TOKEN, *CLIENT_SEEDS)
        trade_url = f"https://steamcommunity.com/tradeoffer/new/?partner=83114567&token={TRADE_TOKEN}"
        for method, path, body in (
            ("PUT", "/profile/details", DETAILS),
            ("PUT", "/profile/details", DETAILS | {"phone": f"{DETAILS['phone']} or so"}),
            ("PUT", "/profile/trade-url", {"url": trade_url}),
            ("PUT", "/profile/trade-url", {"url": f"{trade_url}#"}),
            ("PUT", "/profile/client-seed", {"clientSeed": CLIENT_SEEDS[1]}),
            ("PUT", "/profile/client-seed", {"clientSeed": f"{CLIENT_SEEDS[1]}!"}),
            ("POST", "/affiliate/set-code", {"code": SET_CODE}),
            ("POST", "/affiliate/set-code", {"code": f"{SET_CODE}!"}),
            ("POST", "/affiliate/use-code", {"code": SET_CODE.lower()}),
            ("POST", "/profile/avatar", {}),
            ("POST", f"/prizes/{self._prize_id}/ship", {}),
            ("POST", f"/prizes/{self._prize_id}/ship", {}),
        ):
            requests.request(method, f"{self.url}{path}", json=body, headers=self._headers, timeout=10)
        self.note("code", SET_CODE, SET_CODE.lower())

    def move_money(self) -> None:
        self.note("amount", *(f"{coins}" for coins in (LOCKED, WAGERED, REFUSED)))
        self.note("cents", *(f"{coins * 100:.0f}" for coins in (LOCKED, WAGERED, REFUSED)))
        self._post("/profile/vault/lock", amount=LOCKED, deadline=1_900_000_000_000)
        self._post("/profile/vault/lock", amount=LOCKED, deadline=1)
        self._post("/profile/vault/unlock")
        for path in ("/auth/me", "/stats/profile", "/stats/games", "/affiliate/overview", "/upgrader/bets/1"):
            requests.get(f"{self.url}{path}", headers=self._headers, timeout=10)

    def pay(self) -> None:
        """Ask for deposits and withdrawals, and send messages that no provider has sent."""
        self.note("wallet", *WALLETS)
        self.note("amount paid", *(f"{usd}" for usd in (DEPOSITED, WITHDRAWN)))
        self.note("cents paid", *(f"{usd * 100:.0f}" for usd in (DEPOSITED, WITHDRAWN)))
        for method, amount in (("btcpay", DEPOSITED), ("cash", DEPOSITED), ("btcpay", f"{DEPOSITED}")):
            self._post("/payments/deposits", method=method, amount=amount)
        for method, to in (*(("BTC-CHAIN", to) for to in WALLETS), ("cash", WALLETS[0])):
            self._post("/payments/withdrawals", method=method, amount=WITHDRAWN, to=to)
        for name in ("btcpay", "payments"):
            for signature in (f"sha256={self._token}", f"v1,{self._token}"):
                headers = {"BTCPAY-SIG": signature, "webhook-signature": signature}
                requests.post(f"{self.url}/webhooks/{name}", json=self.secrets, headers=headers, timeout=10)
        for path in ("/payments", "/payments/methods", f"/payments/deposits/{WALLETS[0]}", "/stats/payments"):
            requests.get(f"{self.url}{path}", headers=self._headers, timeout=10)

    def play(self) -> None:
        """Spin over a websocket, with valid and invalid seeds, ids and commitments; join over polling."""
        socket = Socket(self.url, auth={"token": self._token})
        self.note("request id", "a-request-of-mine")
        spin = {
            "amount": WAGERED,
            "item": self._item,
            "clientSeed": CLIENT_SEEDS[0],
            "requestId": "a-request-of-mine",
        }
        socket.spin(spin)
        self.note("server seed", socket.expect("upgrader:proof")["serverSeed"])
        socket.spin(spin | {"amount": REFUSED})
        socket.spin(spin | {"amount": f"{REFUSED}", "requestId": "\0"})
        socket.spin(spin | {"requestId": None, "serverSeedCommitment": self._token})
        socket.emit(f"upgrader:{self._token}", self._token)
        socket.emit("connect", {"token": self._token})
        socket.close()
        polling = f"{self.url}/socket.io/?EIO=4&transport=polling"
        session = json.loads(requests.get(polling, timeout=10).text[1:])["sid"]
        requests.post(f"{polling}&sid={session}", f'40{{"token":"{self._token}"}}', timeout=10)

    def send_bad_requests(self) -> None:
        """Send secrets in wrong places, and in malformed requests and packets."""
        everything = json.dumps(self.secrets)
        for path in ("/auth/me", "/no-such-path", f"/no-such-path/{self._token}", "/stats/payments", "/"):
            requests.get(f"{self.url}{path}?token={self._token}&search={SET_CODE}&page=0", timeout=10)
            requests.post(f"{self.url}{path}", everything[:-1], headers=self._headers, timeout=10)
            requests.get(f"{self.url}{path}", headers={"Authorization": f"Bearer {self._token}x"}, timeout=10)
            requests.get(f"{self.url}{path}", headers={"Cookie": f"token={self._token}"}, timeout=10)
        for request in (
            f"GET /?token={self._token} HTTP/9.9\r\n\r\n",
            f"GET /?token={self._token}\r\n\r\n",
            f"GET / HTTP/1.1\r\nHost: a\r\n{self._token}\r\n\r\n",
            f"GET / HTTP/1.1\r\nHost: a\r\nContent-Length: {self._token}\r\n\r\n",
            f"GET / HTTP/1.1\r\nHost: a\r\nA: {self._token * 500}\r\n\r\n",
        ):
            with suppress(ConnectionError):
                statuses(self.url, request.encode())
        for packet in (
            f"42{self._token}",
            f'42["upgrader:spin",{{"clientSeed":"{self._token}"',
            f"9{self._token}",
        ):
            self._send(packet)
        with suppress(Refused):
            Socket(self.url, auth={"token": f"{self._token}x"})

    def cause_failures(self) -> None:
        """Cause unexpected failures, with secrets in every part of the request."""
        for path in ("/fails", "/fails-beyond-flask"):
            with suppress(requests.ConnectionError):
                requests.post(
                    f"{self.url}{path}?token={self._token}",
                    json=self.secrets,
                    headers=self._headers,
                    cookies={"token": self._token},
                    timeout=10,
                )

    def find(self, text: str) -> list[str]:
        """The names of the secrets that a text contains."""
        return [name for name, secret in self.secrets.items() if _contains(text, secret)]

    def _send(self, packet: str) -> None:
        transport = Transport(self.url)
        transport.send(f'40{{"token":"{self._token}"}}')
        transport.send(packet)
        with suppress(Closed):
            for _ in range(3):
                transport.receive()
        transport.close()

    def _get(self, path: str, browser: requests.Session) -> requests.Response:
        return browser.get(f"{self.url}{path}", allow_redirects=False, timeout=10)

    def _post(self, path: str, **body: Any) -> requests.Response:
        return requests.post(f"{self.url}{path}", json=body, headers=self._headers, timeout=10)


def _contains(text: str, secret: str) -> bool:
    if len(secret) >= SHORTEST_ANYWHERE:
        return secret in text
    return re.search(rf"(?<![\w.]){re.escape(secret)}(?!\.?\w)", text) is not None
