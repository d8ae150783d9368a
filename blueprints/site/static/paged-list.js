// A list that is loaded page by page, with a filter above it and buttons below.

import { getOwn, makeSignals } from "./api.js";
import { byId } from "./dom.js";
import { getToken } from "./session.js";

const PAGE_SIZE = 10;
const NOTHING = { total: 0, totalPages: 0, currentPage: 1 };

/**
 * Makes the list in the element `name` work. `path` answers its pages, and the values of the filter are parts of the
 * query. `lineOf(entry)` makes a line; `none` and `guests` are the notes without entries and without a player.
 *
 * Returns `show(page)`, which loads a page, by default the same one again.
 */
export function makePagedList(name, { path, lineOf, none, guests = "" }) {
  const nextSignal = makeSignals();
  const part = (suffix) => byId(`${name}-${suffix}`);
  let lastPage = 1; // The one that was requested last.

  async function show(page = lastPage) {
    lastPage = page;
    const signal = nextSignal();
    if (!getToken()) return draw(NOTHING, guests);
    try {
      const query = `page=${page}&limit=${PAGE_SIZE}&${part("filter").value}`;
      const { data } = await getOwn(`${path}?${query}`, { signal });
      // The last entry of the last page may have changed its state.
      if (page > 1 && page > data.totalPages) return show(Math.max(data.totalPages, 1));
      draw(data, data.total ? "" : none);
    } catch (problem) {
      if (!signal.aborted) part("note").textContent = `The ${name} could not be loaded: ${problem.message}`;
    }
  }

  function draw({ [name]: entries = [], totalPages, currentPage }, note) {
    byId(name).replaceChildren(...entries.map(lineOf));
    part("note").textContent = note;
    part("pages").hidden = totalPages < 2;
    part("page").textContent = `Page ${currentPage} of ${totalPages}`;
    part("previous").disabled = currentPage <= 1;
    part("next").disabled = currentPage >= totalPages;
  }

  part("filter").addEventListener("change", () => show(1));
  part("previous").addEventListener("click", () => show(lastPage - 1));
  part("next").addEventListener("click", () => show(lastPage + 1));
  return show;
}
