// Tabs as the ARIA practices describe them: Tab focuses the selected one, and arrow keys move between them.

/**
 * Makes a `role="tablist"` work. `opened(id)` is called with the id of a panel each time its tab is selected. Returns a
 * function that selects the tab of a panel and focuses it. The address of the panel `log-panel` ends in `#log`.
 */
export function makeTabs(list, opened) {
  const tabs = [...list.querySelectorAll("[role=tab]")];

  function select(tab) {
    for (const each of tabs) {
      const isSelected = each === tab;
      each.setAttribute("aria-selected", String(isSelected));
      each.tabIndex = isSelected ? 0 : -1;
      panelOf(each).hidden = !isSelected;
    }
    opened(panelOf(tab).id);
    // Following the same link again must select its tab again.
    if (location.hash && tab !== linked()) history.replaceState(null, "", location.pathname + location.search);
  }

  const linked = () => tabs.find((tab) => panelOf(tab).id === `${location.hash.slice(1)}-panel`);

  function open(tab) {
    select(tab);
    tab.focus();
  }

  list.addEventListener("click", ({ target }) => {
    const tab = target.closest("[role=tab]");
    if (tab) select(tab);
  });
  list.addEventListener("keydown", (event) => {
    const index = tabs.indexOf(event.target);
    const next = {
      ArrowRight: (index + 1) % tabs.length,
      ArrowLeft: (index - 1 + tabs.length) % tabs.length,
      Home: 0,
      End: tabs.length - 1,
    }[event.key];
    if (next === undefined) return;
    event.preventDefault();
    tabs[next].focus();
    select(tabs[next]);
  });
  addEventListener("hashchange", () => { if (linked()) open(linked()); });
  if (linked()) open(linked());
  else select(tabs[0]);
  return (id) => open(tabs.find((each) => panelOf(each).id === id));
}

const panelOf = (tab) => document.getElementById(tab.getAttribute("aria-controls"));
