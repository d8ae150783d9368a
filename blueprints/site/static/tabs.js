// Tabs as the ARIA practices describe them: Tab focuses the selected one, and arrow keys move between them.

/**
 * Makes a `role="tablist"` work. `opened(id)` is called with the id of a panel each time its tab is selected. Returns a
 * function that selects the tab of a panel and focuses it.
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
  select(tabs[0]);
  return (id) => {
    const tab = tabs.find((each) => panelOf(each).id === id);
    select(tab);
    tab.focus();
  };
}

const panelOf = (tab) => document.getElementById(tab.getAttribute("aria-controls"));
