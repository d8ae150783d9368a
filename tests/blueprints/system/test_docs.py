"""The API document and its pages."""

import json
import re
from collections import Counter

import pytest

from blueprints.api.errors import envelope
from tests.support.apps import fresh_app, import_item

UNITS = ("in coins", "in US dollars", "in percent", "as a fraction", "a factor", "in seconds", "in seats")
UNLIMITED = {
    *("GET /healthz", "GET /asyncapi.json", "GET /log/current", "GET /log/checkpoint", "GET /log/key"),
    *("GET /log/witnessed", "GET /log/witnesses"),
    *("GET /log/tile/{tile}", "GET /log/tile/entries/{bundle}", "GET /log/revealed/{number}"),
}


@pytest.fixture(scope="module")
def app(sqlite_files, tmp_path_factory):
    """One app for all tests, which change nothing."""
    with fresh_app(sqlite_files, tmp_path_factory.mktemp("docs")) as app:
        import_item()
        yield app


@pytest.fixture(scope="module")
def document(app):
    return app.test_client().get("/openapi.json").json


@pytest.fixture(scope="module")
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
    """Every object schema with its properties, wherever it is in the document."""
    if isinstance(node, dict):
        if isinstance(node.get("properties"), dict):
            yield node
        for child in node.values():
            yield from schemas(child)
    elif isinstance(node, list):
        for child in node:
            yield from schemas(child)


def schema_name(content):
    """The name of the schema of a JSON body."""
    return content["application/json"]["schema"]["$ref"].rpartition("/")[2]


def test_the_openapi_document_has_every_route(app, document):
    routes = {
        documented(rule)
        for rule in app.url_map.iter_rules()
        if rule.rule != "/openapi.json" and not rule.rule.startswith(("/docs", "/media/"))
        if not rule.endpoint.startswith(("site.", "shared_bets.", "log_successors.", "office."))
    }

    assert document["openapi"] == "3.1.0"
    assert document["info"]["title"] == "Gaming platform"
    assert document["info"]["license"]["identifier"] == "MIT"
    assert set(document["paths"]) == routes


def test_every_operation_has_id_texts_success_response_and_examples(operations):
    ids = [operation["operationId"] for operation in operations.values()]
    incomplete = [
        name
        for name, operation in operations.items()
        for bodies in [(operation.get("requestBody", {}), *operation["responses"].values())]
        if not operation["summary"]
        or not operation["description"]
        or not re.fullmatch("[a-z]+([A-Z][a-z]+)+", operation["operationId"])
        or not (
            operation["responses"].get("200", {}).get("content")
            or operation["responses"].get("302", {}).get("headers", {}).get("Location")
        )
        or not all("example" in content for body in bodies for content in body.get("content", {}).values())
    ]

    assert incomplete == []
    assert len(set(ids)) == len(ids)


def test_exactly_the_protected_operations_require_a_bearer_token(app, document, operations):
    needed = {
        f"{method} {documented(rule)}"
        for rule in app.url_map.iter_rules()
        for method in rule.methods - {"HEAD", "OPTIONS"}
        if getattr(app.view_functions[rule.endpoint], "auth_policy", None) == "user"
        if not rule.endpoint.startswith("site.")
    }

    assert {name for name, operation in operations.items() if operation["security"]} == needed
    assert document["components"]["securitySchemes"]["bearer"]["scheme"] == "bearer"


def test_every_operation_documents_the_general_errors(operations):
    expected = {}
    for name, operation in operations.items():
        expected[name] = {"400", "500", "503"}
        if name not in UNLIMITED:
            expected[name].add("429")
        if operation["security"]:
            expected[name] |= {"401", "403"}
        if "requestBody" in operation:
            expected[name].add("413")

        if operation["security"]:
            example = operation["responses"]["403"]["content"]["application/json"]["example"]
            assert example == envelope(name.split()[1], "Account suspended")

    missing = {name: statuses - operations[name]["responses"].keys() for name, statuses in expected.items()}
    unlimited = {name for name, operation in operations.items() if "429" not in operation["responses"]}
    assert {name: statuses for name, statuses in missing.items() if statuses} == {}
    assert unlimited == UNLIMITED


def test_every_error_has_its_paths_envelope_and_headers(document):
    wrong = []
    for path, methods in document["paths"].items():
        for method in methods.keys() - {"parameters"}:
            for status, response in methods[method]["responses"].items():
                if status != "default" and int(status) < 400:
                    continue
                fields = document["components"]["schemas"][schema_name(response["content"])]["properties"]
                lacks_wait = status in ("429", "503") and "Retry-After" not in response.get("headers", {})
                if set(fields) != set(envelope(path, "")) or lacks_wait:
                    wrong.append((method, path, status))

    assert wrong == []


def test_every_schema_field_and_parameter_is_described(document):
    fields = [
        (name, field, field)
        for schema in schemas(document["components"])
        for name, field in schema["properties"].items()
    ]
    values = [field for field in fields if not {"$ref", "items"} & set(field[1])]
    parameters = [
        (parameter["name"], parameter, parameter["schema"])
        for path in document["paths"].values()
        for holder in path.values()
        for parameter in (holder if isinstance(holder, list) else holder.get("parameters", []))
    ]
    kinds = {"type", "$ref", "allOf", "anyOf", "oneOf"}

    without_text = {
        name
        for name, described, schema in values + parameters
        if not described.get("description") or not schema.get("examples")
    }

    assert len(parameters) > 20
    assert without_text == set()
    assert {name for name, field, _ in fields if not kinds & set(field)} == set()
    components = document["components"]["schemas"]
    assert [name for name, schema in components.items() if not schema.get("description")] == []


def test_every_amount_and_time_names_its_unit(document):
    fields = [field for schema in schemas(document) for field in schema["properties"].values()]
    numbers = [field["description"] for field in fields if field.get("type") == "number"]
    times = [field["description"] for field in fields if field.get("format") == "int64"]

    assert [text for text in numbers if not any(unit in text for unit in UNITS)] == []
    assert len(times) >= 10
    assert [text for text in times if not text.endswith("Unix time in milliseconds")] == []


def test_every_answer_field_is_required_unless_it_is_optional(document, operations):
    components = document["components"]["schemas"]
    bodies = {
        schema_name(content)
        for operation in operations.values()
        if "application/json" in (content := operation.get("requestBody", {}).get("content", {}))
    }

    optional = {
        (name, field)
        for name in components.keys() - bodies - {"ShippingAddressChange", "RecordedPayment"}
        for field in set(components[name]["properties"]) - set(components[name].get("required", ()))
    }

    assert optional == {
        *((f"{kind}Case", "image") for kind in ("", "Free", "Irl", "Listed", "ListedIrl", "Single")),
        ("Case", "requiredLevel"),
        ("Case", "usedBalanceType"),
        ("CancelledBattle", "serverSeed"),
        *(("Entry", name) for name in ("checkoutUrl", "credited", "expiresAt", "paidAmount", "to", "txhash")),
        ("ShownDetails", "anonymous"),
        ("Readiness", "held"),
        ("Readiness", "redis"),
        ("Readiness", "redisProblem"),
        ("Readiness", "witnesses"),
        ("SingleCase", "requiredLevel"),
        ("SingleCase", "usedBalanceType"),
        ("SingleCaseItem", "wear"),
    }


def test_no_parameter_may_be_null(document):
    """Clients that are generated send the documented default, here as the text ``null``."""
    parameters = [
        (path, parameter["name"], parameter["schema"])
        for path, methods in document["paths"].items()
        for operation in methods.values()
        if isinstance(operation, dict)
        for parameter in operation.get("parameters", [])
    ]

    assert [
        (path, name)
        for path, name, schema in parameters
        if "null" in schema["type"] or schema.get("default", "") is None
    ] == []
    assert {"minPrice", "maxPrice"} <= {name for _, name, _ in parameters}


def test_no_two_elements_of_the_documentation_page_have_the_same_id(client):
    ids = Counter(re.findall(r'\sid="([^"]*)"', client.get("/docs/").text))

    assert len(ids) > 100
    assert {name for name, count in ids.items() if count > 1} == set()


def test_the_documentation_page_shows_every_operation_and_every_event(client, operations):
    page = client.get("/docs", follow_redirects=True)
    events = client.get("/asyncapi.json").json["components"]["messages"].values()

    assert page.status_code == 200
    names = [operation["operationId"] for operation in operations.values()]
    assert [name for name in names if f'id="{name}"' not in page.text] == []
    assert [event for event in events if f"<code>{event['name']}</code>" not in page.text] == []


def test_the_documentation_page_names_every_fields_type_and_meaning(client):
    page = client.get("/docs/").text

    assert re.findall(r"<(t[hd])[^>]*>\s*(?:<[^>]+>\s*)*</\1>", page) == []
    assert "Taking a break" in page
    assert "<code>exclusion.until</code>" in page
    assert not re.search(r"`", re.sub(r"<(pre|code)[^>]*>.*?</\1>", "", page, flags=re.DOTALL))


def test_the_documentation_page_runs_no_inline_script_and_connects_nowhere(client):
    page = client.get("/docs/")

    policy = page.headers["Content-Security-Policy"]
    assert "default-src 'none'; script-src 'self'; style-src 'self'" in policy
    assert not re.search(r"<script(?! src)|<style| style=| on[a-z]+=", page.text)


@pytest.mark.parametrize("path", ["/docs/", "/docs/try/"])
def test_every_file_of_the_pages_comes_from_this_process(client, path):
    page = client.get(path).text
    files = re.findall(r'<(?:script|link)[^>]*(?:src|href)="([^"]+)"', page)

    statuses = {file: client.get(file, buffered=True).status_code for file in files}

    assert len(files) >= 4
    assert [file for file in files if not file.startswith("/")] == []
    assert set(statuses.values()) == {200}
    assert client.get(path, headers={"Host": "evil.example.com"}).text == page


@pytest.mark.parametrize("path", ["/docs", "/docs/try"])
def test_a_redirect_to_the_slash_is_relative_without_body(client, path):
    response = client.get(path)
    assert (response.status_code, response.location, response.data) == (308, f"{path}/", b"")


def test_swagger_ui_shows_the_document_and_contacts_no_other_host(client):
    page = client.get("/docs/try", follow_redirects=True).text

    config = json.loads(re.search(r"user_config = (\{.*\});", page)[1])

    assert config["url"] == "/openapi.json"
    # Without the key, Swagger UI requests a badge from a host of its makers.
    assert config.get("validatorUrl", "left out") is None
    assert set(re.findall(r"https?://([^/\"']+)", page)) <= {"localhost"}


def test_each_head_of_a_table_says_which_cells_it_is_for(app):
    page = app.test_client().get("/docs/").text

    assert re.findall(r"<th(?:>| (?!scope=)[^>]*>)", page) == []
    groups = re.findall(r"(\S+)\s*<tr class=\"choice\"><th scope=\"rowgroup\"", page)
    assert set(groups) == {"</tbody><tbody>"}
