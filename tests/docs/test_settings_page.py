"""docs/settings.md and .env.example have every setting, with its default and its text."""

from docs import write_settings
from tests.harness.servers import ROOT


def test_the_page_of_settings_is_the_one_that_make_settings_writes():
    assert (ROOT / "docs" / "settings.md").read_text() == write_settings.page()


def test_the_example_of_an_environment_is_the_one_that_make_settings_writes():
    assert (ROOT / ".env.example").read_text() == write_settings.example()
