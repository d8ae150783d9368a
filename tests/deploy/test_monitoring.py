"""Prometheus rules, the runbook and the Grafana dashboard, against what /metrics serves."""

import json
import re

import promql_parser
import pytest
import yaml

from tests.harness.servers import ROOT
from tests.support.markers import postgresql_only

METRICS_ROW = re.compile(r"^\| `(\w+)` \| \w+ \|([^|]*)\|", re.MULTILINE)
ADDED_BY_PROMETHEUS = {"job", "instance"}

ALERTS = [
    rule
    for group in yaml.safe_load((ROOT / "deploy" / "prometheus-rules.yaml").read_text())["groups"]
    for rule in group["rules"]
]
DASHBOARD = json.loads((ROOT / "deploy" / "grafana-dashboard.json").read_text())
EXPRESSIONS = [
    *(rule["expr"] for rule in ALERTS),
    *(target["expr"] for panel in DASHBOARD["panels"] for target in panel["targets"]),
    *(annotation["expr"] for annotation in DASHBOARD["annotations"]["list"]),
]


def parts_of(expression):
    """All parts of a PromQL expression. Raises ValueError when it is not valid."""
    parts = []
    promql_parser.walk(promql_parser.parse(expression.replace("$__rate_interval", "5m")), parts.append)
    return parts


@pytest.fixture
def labels_of_series(make_app):
    """The labels of each series that /metrics serves, by its name. docs/metrics.md lists them."""
    # Some series need the setting. The app connects to Redis only when its server starts.
    client = make_app(REDIS_URL="redis://127.0.0.1").test_client()
    documented = {
        name: set(re.findall(r"`(\w+)`", labels))
        for name, labels in METRICS_ROW.findall((ROOT / "docs" / "metrics.md").read_text())
    }
    series = {"up": ADDED_BY_PROMETHEUS}
    for name, kind in re.findall(r"^# TYPE (\w+) (\w+)$", client.get("/metrics").text, re.MULTILINE):
        labels = documented.get(name, set()) | ADDED_BY_PROMETHEUS
        endings = ("_bucket", "_sum", "_count") if kind == "histogram" else ("",)
        series |= {name + ending: labels | ({"le"} if ending == "_bucket" else set()) for ending in endings}
    return series


@postgresql_only
def test_rules_and_dashboard_use_only_served_metrics(labels_of_series):
    unknown = []
    for expression in EXPRESSIONS:
        selectors = [part for part in parts_of(expression) if isinstance(part, promql_parser.VectorSelector)]
        used = {matcher.name for selector in selectors for matcher in selector.matchers.matchers}
        for part in parts_of(expression):
            if isinstance(part, promql_parser.AggregateExpr) and part.modifier:
                used |= set(part.modifier.labels)
        served = [labels_of_series.get(selector.name) for selector in selectors]
        if not selectors or None in served or not used <= set().union(*served):
            unknown.append(expression)

    assert unknown == []


def test_every_query_of_rules_and_dashboard_names_the_job():
    without = [
        expression
        for expression in EXPRESSIONS
        for part in parts_of(expression)
        if isinstance(part, promql_parser.VectorSelector)
        if ("job", "platform") not in [(label.name, label.value) for label in part.matchers.matchers]
    ]

    assert without == []


def test_the_runbook_has_an_entry_for_exactly_every_alert():
    headings = re.findall(r"^## (.+)$", (ROOT / "docs" / "runbook.md").read_text(), re.MULTILINE)

    assert headings == [rule["alert"] for rule in ALERTS]


def test_an_alert_has_severity_summary_and_no_unknown_keys():
    for rule in ALERTS:
        assert set(rule) <= {"alert", "expr", "for", "labels", "annotations"}
        assert re.fullmatch(r"\d+[smhd]", rule.get("for", "0m")), rule["alert"]
        assert rule["labels"]["severity"] in {"page", "ticket"}, rule["alert"]
        assert rule["annotations"]["summary"]
