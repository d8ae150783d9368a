// A search field whose text is in the query of the address.

import { html, live } from "../lit.js";
import { current, query, setQuery } from "../router.js";

const TYPING_PAUSE_MS = 250;

let typing = null;
let typed = null; // what is not in the address yet

/** The text that is searched. */
export const searched = () => query().get("search")?.trim() ?? "";

/** `onType()` is called when the player begins to type another text. */
export function searchField({ id, label, onType = () => {} }) {
  const { path } = current;
  const type = ({ target }) => {
    typed = target.value;
    onType();
    clearTimeout(typing);
    typing = setTimeout(() => {
      const search = typed;
      typed = null;
      if (current.path === path) setQuery({ search, page: null }, { replace: true });
    }, TYPING_PAUSE_MS);
  };
  return html`
    <label class="unseen" for=${id}>${label}</label>
    <input id=${id} type="search" placeholder="Search" autocomplete="off" maxlength="100"
      .value=${live(typed ?? query().get("search") ?? "")} @input=${type}>`;
}
