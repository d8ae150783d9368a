// Choosing the item to win by what it should pay, or by the chance to win it.

import { html } from "../lit.js";
import { format, plain } from "../money.js";
import { asked } from "../parts/filters.js";
import { options } from "../parts/form.js";
import { setQuery } from "../router.js";
import { state, update } from "../store.js";
import { wagerCents } from "./bet-form.js";
import { playFor } from "./game.js";
import { loadItems } from "./items.js";

const UNITS = [["multiplier", "× the wager"], ["chance", "% chance"]];

const aim = { text: "", unit: "multiplier", problem: "" };

/** What an item has to cost at least; throws what is wrong with what was typed. */
function leastCents() {
  const [wager, number] = [wagerCents(), Number(aim.text.replace(",", "."))];
  const kept = 1 - (state.rules?.houseEdge ?? 0);
  if (!wager) throw new Error("Please enter a wager first");
  if (aim.unit === "multiplier") {
    if (number > 1) return Math.ceil(wager * number);
    throw new Error("Please enter a multiplier above 1");
  }
  if (number > 0 && number < kept * 100) return Math.ceil((wager * kept * 100) / number);
  throw new Error(`Please enter a chance above 0 and below ${Number((kept * 100).toFixed(4))} %`);
}

/** Choose the cheapest item that costs enough, and list those from its price on. */
async function take(event) {
  event.preventDefault();
  aim.problem = "";
  try {
    const cents = leastCents();
    const wanted = { ...asked("type", "wear"), minPrice: plain(cents), sort: "Ascending", limit: 1 };
    const { items: [item] } = await loadItems(wanted);
    if (!item) throw new Error(`No item costs ${format(cents)} coins or more`);
    playFor(item, event);
    setQuery({ minPrice: plain(cents), sort: "Ascending", maxPrice: null, search: null, page: null });
  } catch ({ message }) {
    aim.problem = `${message}.`;
    update();
  }
}

export const aimForm = () => html`
  <form id="aim" class="row filters" novalidate>
    <label for="aim-at">Aim for</label>
    <input id="aim-at" class="short" inputmode="decimal" autocomplete="off" maxlength="10"
      aria-describedby="aim-problem" .value=${aim.text} @input=${({ target }) => { aim.text = target.value; }}>
    <select aria-label="Multiplier or chance" @change=${({ target }) => { aim.unit = target.value; }}>
      ${options(UNITS, aim.unit)}</select>
    <button class="plain" @click=${take}>Choose the item</button>
    <p id="aim-problem" class="problem" role="alert">${aim.problem}</p>
  </form>`;
