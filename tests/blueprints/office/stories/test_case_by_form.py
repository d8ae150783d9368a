"""A case by the form, with JavaScript: the items and the price follow without a reload."""

import pytest
from playwright.sync_api import expect

pytestmark = pytest.mark.browser


def test_a_case_is_picked_priced_while_typing_and_proposed(new_person):
    editor, second = new_person("content"), new_person("content")
    tab = editor.open("Cases and items")
    tab.get_by_role("link", name="New case").click()
    expect(tab.get_by_role("heading", name="New case")).to_be_visible()
    tab.evaluate("document.body.dataset.loaded = 'once'")

    tab.get_by_label("Name", exact=True).fill("Picked Case")
    tab.get_by_label("Search by words of the name").fill("lantern garage")
    tab.get_by_role("button", name="Add Lantern Garage Door").click()
    expect(tab.get_by_role("button", name="Remove Lantern Garage Door").last).to_be_focused()
    tab.get_by_label("Search by words of the name").fill("rainy")
    tab.get_by_role("button", name="Add Rainy Allotment Wooden Door").click()
    tab.get_by_label("Chance of Lantern Garage Door in percent").fill("10")
    expect(tab.locator("#case-sum")).to_contain_text("90 % are left")
    tab.get_by_label("Chance of Rainy Allotment Wooden Door in percent").fill("90")
    expect(tab.locator("#case-sum")).to_contain_text("26.50")
    expect(tab.locator("#case-preview")).to_contain_text("1 new")
    expect(tab.locator("body")).to_have_attribute("data-loaded", "once")
    tab.get_by_label("Reason").fill("a case by the form")
    tab.get_by_role("button", name="Propose the case").click()

    expect(tab.get_by_role("status").first).to_contain_text("A second person must approve it")
    expect(second.approve("Picked Case")).to_contain_text("Cases added: 1")
