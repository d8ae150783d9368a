// A search field whose text is in the query of the address.

import { html } from "../lit.js";
import { query, setQuery } from "../router.js";

const TYPING_PAUSE_MS = 250;

let typing = null;

/** The text that is searched. */
export const searched = () => query().get("search")?.trim() ?? "";

/** `onType()` is called when the player begins to type another text. */
export function searchField({ id, label, onType }) {
  const type = ({ target }) => {
    onType?.();
    clearTimeout(typing);
    typing = setTimeout(() => {
      // The player may have opened another page.
      if (target.isConnected) setQuery({ search: target.value, page: null }, { replace: true });
    }, TYPING_PAUSE_MS);
  };
  return html`
    <label class="unseen" for=${id}>${label}</label>
    <input id=${id} type="search" placeholder="Search" autocomplete="off" maxlength="100"
      .value=${query().get("search") ?? ""} @input=${type}>`;
}
