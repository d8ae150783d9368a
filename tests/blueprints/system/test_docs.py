"""The API document and its browser."""

import json
import re

import pytest

from blueprints.api.errors import envelope

# Nothing here asks a database.
pytestmark = pytest.mark.parametrize("database_url", ["sqlite"], indirect=True)

PICTURES = "/media/"
PAGES = "/"


@pytest.fixture
def document(client):
    return client.get("/openapi.json").json


def operations(document):
    """Every operation, by its method and path."""
    return {
        f"{method.upper()} {path}": operation
        for path, methods in document["paths"].items()
        for method, operation in methods.items()
        if method != "parameters"
    }


def documented(rule):
    """A rule as the document writes it."""
    return re.sub(r"<(?:\w+(?:\([^)]*\))?:)?(\w+)>", r"{\1}", rule.rule)


def schemas(node):
    """Every object schema with its properties, wherever it stands in the document."""
    if isinstance(node, dict):
        if isinstance(node.get("properties"), dict):
            yield node
        for child in node.values():
            yield from schemas(child)
    elif isinstance(node, list):
        for child in node:
            yield from schemas(child)


def test_the_document_has_a_title_and_is_openapi_3_1(document):
    assert document["openapi"] == "3.1.0"
    assert document["info"]["title"] == "Gaming platform"
    assert document["info"]["license"]["identifier"] == "MIT"


def test_every_route_of_the_api_is_documented(app, document):
    routes = {
        documented(rule)
        for rule in app.url_map.iter_rules()
        if rule.rule != "/openapi.json"
        and not rule.rule.startswith(("/docs", PICTURES))
        and not rule.endpoint.startswith("site.")
    }

    assert set(document["paths"]) == routes


def test_every_operation_has_a_summary_and_a_description(document):
    without = [
        name
        for name, operation in operations(document).items()
        if not operation["summary"] or not operation["description"]
    ]

    assert without == []


def test_every_operation_has_a_unique_plain_id(document):
    ids = [operation["operationId"] for operation in operations(document).values()]

    assert [each for each in ids if not re.fullmatch("[a-z]+([A-Z][a-z]+)+", each)] == []
    assert len(set(ids)) == len(ids)


def test_every_body_has_an_example(document):
    without = [
        name
        for name, operation in operations(document).items()
        for body in (operation.get("requestBody", {}), *operation["responses"].values())
        for content in body.get("content", {}).values()
        if "example" not in content
    ]

    assert without == []


def test_every_operation_documents_its_success_response(document):
    without = [
        name
        for name, operation in operations(document).items()
        if not operation["responses"].get("200", {}).get("content")
        and not operation["responses"].get("302", {}).get("headers", {}).get("Location")
    ]

    assert without == []


def test_exactly_the_protected_operations_require_a_bearer_token(app, document):
    needed = {
        f"{method} {documented(rule)}"
        for rule in app.url_map.iter_rules()
        for method in rule.methods - {"HEAD", "OPTIONS"}
        if getattr(app.view_functions[rule.endpoint], "auth_policy", None) == "user"
    }

    asked = {name for name, operation in operations(document).items() if operation["security"]}

    assert asked == needed
    assert document["components"]["securitySchemes"]["bearer"]["scheme"] == "bearer"


def test_every_protected_operation_documents_401(document):
    without = [
        name
        for name, operation in operations(document).items()
        if operation["security"] and not operation["responses"].get("401", {}).get("content")
    ]

    assert without == []


def test_every_protected_operation_documents_that_a_suspended_player_is_refused(document):
    examples = {
        name: operation["responses"]
        .get("403", {})
        .get("content", {})
        .get("application/json", {})
        .get("example")
        for name, operation in operations(document).items()
        if operation["security"]
    }

    assert examples == {name: envelope(name.split()[1], "Account suspended") for name in examples}


def test_every_operation_with_parameters_documents_400(document):
    without = [
        name
        for name, operation in operations(document).items()
        if operation.get("parameters") and not operation["responses"].get("400", {}).get("content")
    ]

    assert without == []


def test_every_error_has_the_envelope_of_its_path(document):
    wrong = []
    for path, methods in document["paths"].items():
        for method in methods.keys() - {"parameters"}:
            for status, response in methods[method]["responses"].items():
                if status == "default" or int(status) >= 400:
                    name = response["content"]["application/json"]["schema"]["$ref"].rsplit("/", 1)[1]
                    fields = document["components"]["schemas"][name]["properties"]
                    if set(fields) != set(envelope(path, "")):
                        wrong.append((method, path, status))

    assert wrong == []


def test_every_operation_documents_500_and_503(document):
    without = [
        (name, status)
        for name, operation in operations(document).items()
        for status in ("500", "503", *(["413"] if "requestBody" in operation else []))
        if status not in operation["responses"]
    ]

    assert without == []


def test_every_rate_limited_operation_documents_429(document):
    limited = {name for name, operation in operations(document).items() if "429" in operation["responses"]}

    watching = {f"GET {path}" for path in ("/healthz", "/asyncapi.json")}
    assert limited == set(operations(document)) - watching


def test_every_429_and_503_documents_retry_after(document):
    without = [
        (name, status)
        for name, operation in operations(document).items()
        for status in {"429", "503"} & set(operation["responses"])
        if "Retry-After" not in operation["responses"][status].get("headers", {})
    ]

    assert without == []


def test_required_keys_of_bodies_are_documented_as_required(document):
    required = {
        path: set(
            document["components"]["schemas"][body["schema"]["$ref"].rsplit("/", 1)[1]].get("required", [])
        )
        for path, methods in document["paths"].items()
        for method, operation in methods.items()
        if method != "parameters"
        for kind, body in operation.get("requestBody", {}).get("content", {}).items()
        if kind == "application/json"
    }

    code = {"code"}
    expected = {
        "/affiliate/set-code": code,
        "/affiliate/use-code": code,
        "/api/cases/create": {"name", "items"},
        "/profile/2fa/disable": code,
        "/profile/2fa/enable": code,
        "/profile/client-seed": {"clientSeed"},
        "/profile/details": set(),
        "/profile/trade-url": {"url"},
        "/profile/vault/lock": {"amount", "deadline"},
    }
    assert {path: required[path] for path in expected} == expected


def test_every_reference_of_the_document_resolves(document):
    references = set(re.findall(r'"\$ref": ?"#/([^"]+)"', json.dumps(document)))

    broken = []
    for reference in references:
        node = document
        for part in reference.split("/"):
            node = node.get(part, {})
        if not node:
            broken.append(reference)

    assert references
    assert broken == []


def test_every_field_and_parameter_has_a_description_and_an_example(document):
    fields = [
        (name, field, field)
        for schema in schemas(document["components"])
        for name, field in schema["properties"].items()
        if not {"$ref", "items"} & set(field)
    ]
    parameters = [
        (parameter["name"], parameter, parameter["schema"])
        for path in document["paths"].values()
        for holder in path.values()
        for parameter in (holder if isinstance(holder, list) else holder.get("parameters", []))
    ]

    without = {
        name
        for name, described, schema in fields + parameters
        if not described.get("description") or not schema.get("examples")
    }

    assert len(parameters) > 20
    assert without == set()


def test_every_schema_has_a_description(document):
    components = document["components"]["schemas"]

    assert [name for name, schema in components.items() if not schema.get("description")] == []


def test_every_amount_and_time_names_its_unit(document):
    units = ("in coins", "in US dollars", "in percent", "as a fraction", "a factor", "in seconds")
    fields = [field for schema in schemas(document) for field in schema["properties"].values()]
    numbers = [field["description"] for field in fields if field.get("type") == "number"]
    times = [field["description"] for field in fields if field.get("format") == "int64"]

    assert [text for text in numbers if not any(unit in text for unit in units)] == []
    assert len(times) >= 10
    assert [text for text in times if not text.endswith("Unix time in milliseconds")] == []


def test_every_field_of_an_answer_is_required_unless_it_may_be_left_out(document):
    components = document["components"]["schemas"]
    bodies = {
        operation["requestBody"]["content"]["application/json"]["schema"]["$ref"].rpartition("/")[2]
        for operation in operations(document).values()
        if "application/json" in operation.get("requestBody", {}).get("content", {})
    }

    optional = {
        (name, field)
        for name in components.keys() - bodies - {"ShippingAddressChange"}
        for field in set(components[name]["properties"]) - set(components[name].get("required", ()))
    }

    assert optional == {
        ("Case", "usedBalanceType"),
        ("Readiness", "redis"),
        ("SingleCase", "usedBalanceType"),
        ("SingleCaseItem", "wear"),
    }


def test_every_field_has_a_type(document):
    without = sorted(
        {
            name
            for schema in schemas(document)
            for name, field in schema["properties"].items()
            if not {"type", "$ref", "allOf", "anyOf", "oneOf"} & set(field)
        }
    )

    assert without == []


@pytest.mark.parametrize(
    ("name", "path"),
    [
        ("Rules", "/upgrader/rules"),
        ("User", "/auth/me"),
        ("Commitment", "/upgrader/commitment"),
        ("Totals", "/stats/profile"),
        ("Games", "/stats/games"),
        ("Fairness", "/stats/fairness"),
    ],
)
def test_the_documented_fields_are_those_of_the_response(client, document, player, name, path):
    answered = client.get(path, headers=player.headers).json

    assert set(document["components"]["schemas"][name]["properties"]) == set(answered)


def test_the_documented_fields_of_an_item_are_those_of_the_response(client, document, add_item):
    add_item()

    answered = client.get("/upgrader/items").json[0]

    assert set(document["components"]["schemas"]["InventoryItem"]["properties"]) == set(answered)


def test_the_documentation_page_shows_every_operation_and_every_event(client, document):
    page = client.get("/docs", follow_redirects=True)
    events = client.get("/asyncapi.json").json["components"]["messages"].values()

    assert page.status_code == 200
    names = [operation["operationId"] for operation in operations(document).values()]
    assert [name for name in names if f'id="{name}"' not in page.text] == []
    assert [event for event in events if f"<code>{event['name']}</code>" not in page.text] == []


def test_the_documentation_page_runs_no_inline_script_and_connects_nowhere(client):
    page = client.get("/docs/")

    assert (
        "default-src 'none'; script-src 'self'; style-src 'self'" in page.headers["Content-Security-Policy"]
    )
    assert not re.search(r"<script(?! src)|<style| style=| on[a-z]+=", page.text)


@pytest.mark.parametrize("path", ["/docs/", "/docs/try/"])
def test_every_file_of_the_pages_comes_from_this_process(client, path):
    page = client.get(path).text
    files = re.findall(r'<(?:script|link)[^>]*(?:src|href)="([^"]+)"', page)

    statuses = {file: client.get(file, buffered=True).status_code for file in files}

    assert len(files) >= 4
    assert [file for file in files if not file.startswith("/")] == []
    assert set(statuses.values()) == {200}


@pytest.mark.parametrize("path", ["/docs/", "/docs/try/"])
def test_the_pages_do_not_depend_on_the_host_header(client, path):
    page = client.get(path, headers={"Host": "evil.example.com"}).text

    assert page == client.get(path).text


def test_swagger_ui_is_found_without_the_slash_at_the_end(client):
    page = client.get("/docs/try", follow_redirects=True)

    assert page.status_code == 200
    assert '"url": "/openapi.json"' in page.text


@pytest.mark.parametrize("path", ["/docs", "/docs/try"])
def test_a_redirect_to_the_slash_is_relative_and_has_no_body(client, path):
    response = client.get(path)
    assert (response.status_code, response.location, response.data) == (308, f"{path}/", b"")


def test_swagger_ui_contains_no_other_host(client):
    page = client.get("/docs/try/").text

    assert set(re.findall(r"https?://([^/\"']+)", page)) <= {"localhost"}


def test_swagger_ui_does_not_send_the_document_to_a_validator(client):
    page = client.get("/docs/try/").text

    config = json.loads(re.search(r"user_config = (\{.*\});", page)[1])

    # Without the key, Swagger UI asks a host of its makers for a badge.
    assert config.get("validatorUrl", "left out") is None
