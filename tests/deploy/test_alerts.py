"""Which alerts fire, by ``promtool test rules``. One value of a series is one minute."""

import json
import re
import subprocess

import pytest
import yaml

from tests.harness.programs import PROMTOOL
from tests.harness.servers import ROOT

pytestmark = [pytest.mark.promtool, pytest.mark.thorough]

RULES = ROOT / "deploy" / "prometheus-rules.yaml"
ALERTS = [rule["alert"] for group in yaml.safe_load(RULES.read_text())["groups"] for rule in group["rules"]]

REQUESTS = 'http_requests_total{route="/auth/me",status="200"}'
WITH_REQUESTS = {REQUESTS: "0+6000x60"}

FIRING = {
    "PlatformDown": (3, {"up": "0x3"}),
    "PlatformRestarts": (5, {"process_start_time_seconds": "1 60 120 180 180 180"}),
    "ServerErrors": (12, {REQUESTS: "0+60x12", 'http_requests_total{status="500"}': "0+2x12"}),
    "SpinsFail": (
        12,
        {
            'upgrader_spins_total{outcome="failed"}': "0+2x12",
            'upgrader_spins_total{outcome="won"}': "0+60x12",
        },
    ),
    "ProofsOverdue": (3, {"proofs_overdue": "2x3"}),
    "BetsPaused": (3, {"bets_paused": "1x3"}),
    "BetsNotLogged": (6, {"log_entries": "70x6", 'bets_wagered_coins_total{game="case"}': "0+10x6"}),
    "BattlesPaused": (4, {"battles_paused": "1x4"}),
    "BeaconsForged": (12, {'beacon_answers_total{relay="a.test",outcome="forged"}': "0+1x12"}),
    "RelayDown": (40, {'beacon_answers_total{relay="a.test",outcome="failed"}': "0+1x40"}),
    "ReturnToPlayerUnlikely": (
        60,
        {
            'bets_paid_coins_total{game="case"}': "0+100x60",
            'bets_expected_coins_total{game="case"}': "0+50x60",
            'bets_variance_total{game="case"}': "0+400x60",
        },
    ),
    "EventLoopBlocked": (
        12,
        {
            'event_loop_lag_seconds_bucket{le="0.1"}': "0+100x12",
            'event_loop_lag_seconds_bucket{le="0.5"}': "0+120x12",
            'event_loop_lag_seconds_bucket{le="+Inf"}': "0+120x12",
        },
    ),
    "DatabasePoolExhausted": (4, {"database_pool_waiting": "3x4"}),
    "RedisAway": (3, {"redis_away": "1x3"}),
    "FilesNearLimit": (8, {"process_open_fds": "900x8", "process_max_fds": "1000x8"}),
    "SocketsLost": (14, {"sockets_open": "200x10 20x3"}),
    "MemoryHigh": (18, {"process_resident_memory_bytes": "3000000000x18"}),
    "PriceSourceDown": (34, {'price_source_paused{source="market"}': "1x34"}),
    "PricesOld": (190, {'price_last_success_seconds{source="feed"}': "0x190"}),
    "PricesHeldBack": (8, {'price_items_held_back{source="feed"}': "2x8"}),
    "DepositsFail": (
        22,
        WITH_REQUESTS | {'http_requests_total{route="/payments/deposits",status="502"}': "0+1x22"},
    ),
    "DepositsDelayed": (3, {'payments_oldest_seconds{type="deposit",status="created"}': "2000x3"}),
    "WithdrawalsNotSent": (3, {'payment_discrepancies_open{kind="slow-withdrawal"}': "1x3"}),
    "PayoutErrors": (40, {'payout_errors_total{kind="unknown"}': "0+1x40"}),
    "WithdrawalsNotPaid": (3, {'payments_oldest_seconds{type="withdrawal",status="sent"}': "90000x3"}),
    "PaymentsWaitForStaff": (3, {'payments_oldest_seconds{type="withdrawal",status="requested"}': "15000x3"}),
    "PayoutsDiffer": (12, {'payment_discrepancies_open{kind="unknown-payout"}': "1x12"}),
    "PaymentDiscrepancies": (12, {'payment_discrepancies_open{kind="deposit"}': "1x12"}),
    "AlarmRaised": (3, {'alarms_open{rule="large-payout"}': "1x3"}),
    "AlarmsOpen": (18, {'alarms_open{rule="old-prices"}': "1x18"}),
    "WebhooksRefused": (
        60,
        WITH_REQUESTS | {'http_requests_total{route="/webhooks/btcpay",status="401"}': "0+1x60"},
    ),
    "WebhooksDelayed": (
        12,
        {
            'webhook_delay_seconds_bucket{le="60"}': "0x12",
            'webhook_delay_seconds_bucket{le="300"}': "0+2x12",
            'webhook_delay_seconds_bucket{le="+Inf"}': "0+2x12",
        },
    ),
    "WebhooksUnknown": (60, {"webhooks_failed_total": "0+1x60"}),
}
"""When each alert fires, in minutes, and the series that make it fire."""

RESTARTED = {
    "up": "1x29 0 1x30",
    "process_start_time_seconds": "60x29 _ 1800x30",
    REQUESTS: "5000+60x29 _ 0+60x30",
    'http_requests_total{status="500"}': "9x29 _ 0x30",
    'upgrader_spins_total{outcome="won"}': "900+60x29 _ 0+60x30",
    'upgrader_spins_total{outcome="failed"}': "9x29 _ 0x30",
    'bets_wagered_coins_total{game="upgrader"}': "9000+10x29 _ 0+10x30",
    'bets_paid_coins_total{game="upgrader"}': "9000+9x29 _ 0+9x30",
    'bets_expected_coins_total{game="upgrader"}': "9000+9x29 _ 0+9x30",
    'bets_variance_total{game="upgrader"}': "90+9x29 _ 0+9x30",
    "log_entries": "700+5x29 _ 0 860+5x29",
    "log_successors": "1x29 _ 0 1x29",
    "sockets_open": "200x29 _ 0 180x29",
    "proofs_overdue": "0x29 _ 3 0x29",
    'payout_errors_total{kind="away"}': "4x29 _ 0x30",
    'http_requests_total{route="/payments/deposits",status="502"}': "40x29 _ 0x30",
    "webhooks_failed_total": "40x29 _ 0x30",
}
"""A healthy platform that restarts after half an hour. Its gauges begin at 0."""


def group_of(name, series, samples, *, job, minutes):
    """One group of promtool's tests: these series of a job, and which alerts they lead to by their minute."""
    return {
        "name": name,
        "interval": "1m",
        "input_series": [{"series": of_job(each, job), "values": values} for each, values in series.items()],
        "promql_expr_test": [
            {
                "expr": 'count by (alertname) (ALERTS{alertstate="firing"})',
                "eval_time": f"{minute}m",
                "exp_samples": [{"labels": f'{{alertname="{alert}"}}', "value": 1} for alert in samples],
            }
            for minute in minutes
        ],
    }


def of_job(series, job):
    """A series with its job: ``up`` and ``up{a="b"}`` are ``up{job="J"}`` and ``up{job="J",a="b"}``."""
    name, labels = re.fullmatch(r"(\w+)(?:\{(.*)\})?", series).groups()
    return f'{name}{{job="{job}"{"," + labels if labels else ""}}}'


@pytest.fixture
def failures(tmp_path):
    """Runs groups of tests; what promtool says of those that fail."""

    def run(groups):
        file = tmp_path / "tests.yaml"
        tests = {"rule_files": [str(RULES)], "evaluation_interval": "1m", "tests": groups}
        # JSON is YAML.
        file.write_text(json.dumps(tests))
        tested = subprocess.run(
            [PROMTOOL.path, "test", "rules", file], capture_output=True, text=True, timeout=120, check=False
        )
        output = tested.stdout + tested.stderr
        assert (tested.returncode == 0) == ("SUCCESS" in output)
        return "" if tested.returncode == 0 else output

    return run


def test_each_alert_fires_alone(failures):
    groups = [
        group_of(alert, series, [alert], job="platform", minutes=[minute])
        for alert, (minute, series) in FIRING.items()
    ]

    assert list(FIRING) == ALERTS
    assert failures(groups) == ""


def test_no_alert_fires_because_of_another_job(failures):
    groups = [
        group_of(alert, series, [], job="another", minutes=[minute])
        for alert, (minute, series) in FIRING.items()
    ]

    assert failures(groups) == ""


def test_a_restart_fires_no_alert(failures):
    group = group_of("restart", RESTARTED, [], job="platform", minutes=range(60))

    assert failures([group]) == ""


def test_a_login_that_is_not_configured_fires_no_alert(failures):
    series = {REQUESTS: "0+60x12", 'http_requests_total{route="/auth/platform",status="501"}': "0+60x12"}

    assert failures([group_of("501", series, [], job="platform", minutes=range(12))]) == ""
