// Creating a case: its name, its items with their chances, and the price that follows from them.

import { sendJson } from "../api.js";
import { format } from "../format.js";
import { loadItems } from "../game/items.js";
import { html, nothing, repeat } from "../lit.js";
import { coins, namedButton, picture, section, status } from "../parts/elements.js";
import { field, makeForm } from "../parts/forms.js";
import { asked, pageButtons, pageNumber, priceRange, Resource, searched, searchField } from "../parts/lists.js";
import { open } from "../router.js";
import { playerId } from "../session.js";
import { state, update } from "../store.js";
import { forgetCases } from "./cases.js";

const SHOWN = 12;
const DECIMALS = 10; // of a percentage
const ONE = 10 ** DECIMALS; // percent. Chances are whole parts of it, so that their sum is exact.
const CERTAIN = 100 * ONE;
const PPM = 1e6;
const PERCENTAGE = new RegExp(`^\\d{1,3}([.,]\\d{0,${DECIMALS}})?$`);

const KEY = "new-case";
const EMPTY = { name: "", items: [] };
// Its items are `{ marketHashName, image, priceCents, percentage }`, the percentage as it is typed. A reload keeps it.
const draft = { ...EMPTY };
const { player: owner, ...kept } = JSON.parse(sessionStorage.getItem(KEY)) ?? {};
if (owner === playerId()) Object.assign(draft, kept);
addEventListener("session", () => change(EMPTY));

const found = new Resource(async (signal) => {
  const wanted = { ...asked("minPrice", "maxPrice"), search: searched(), page: pageNumber(), limit: SHOWN };
  const { items, pagination } = await loadItems(wanted, signal);
  return { items, pages: pagination.totalPages };
});

export const enter = () => found.load();

const numberOf = (text) => Number(text.replace(",", "."));

/** The parts of a percentage as it is typed; 0 when it is none. */
const partsOf = (text) => (PERCENTAGE.test(text.trim()) ? Math.round(numberOf(text) * ONE) : 0);

const percentageOf = (parts) => (parts / ONE).toLocaleString("en-US", { maximumFractionDigits: DECIMALS });

/** The price of the items: their prices times their chances, divided by what the house keeps, rounded up. */
function priceCents(items, edge) {
  const value = items.reduce((sum, item) => sum + BigInt(item.priceCents) * BigInt(partsOf(item.percentage)), 0n);
  const kept = BigInt(PPM - Math.round(edge * PPM)) * BigInt(CERTAIN);
  return Number((value * BigInt(PPM) + kept - 1n) / kept);
}

function change(patch) {
  Object.assign(draft, patch);
  sessionStorage.setItem(KEY, JSON.stringify({ player: playerId(), ...draft }));
  update();
}

const nameOf = ({ marketHashName }) => marketHashName;

const add = ({ marketHashName, image, priceCents: cents }) =>
  change({ items: [...draft.items, { marketHashName, image, priceCents: cents, percentage: "" }] });

const remove = (item) => change({ items: draft.items.filter((each) => nameOf(each) !== nameOf(item)) });

/** The same by the button beside the item, which goes away and had the focus. */
async function removeLine(item) {
  remove(item);
  await update();
  document.getElementById("draft-title").focus();
}

function setPercentage(item, percentage) {
  item.percentage = percentage;
  change({});
}

/** The same chance for every item; the first gets what the division leaves. */
function share() {
  const count = draft.items.length;
  const parts = Math.floor(CERTAIN / count);
  draft.items.forEach((item, index) =>
    setPercentage(item, percentageOf(index ? parts : CERTAIN - parts * (count - 1))));
}

const form = makeForm("new-case", async () => {
  const items = draft.items.map((item) => ({ marketHashName: nameOf(item), percentage: numberOf(item.percentage) }));
  const { id } = await sendJson("POST", "/api/cases/create", { name: draft.name, items });
  change(EMPTY);
  forgetCases();
  open(`/cases/${encodeURIComponent(id)}`);
});

export function page() {
  const { rules, player } = state;
  if (!rules || !player) return status("new-case-note", "Loading…");
  if (player.level >= rules.newCase.minLevel) return editor(rules);
  return html`<p id="new-case-note">You can create cases from level ${rules.newCase.minLevel} on. You have reached level
    ${player.level}: <a href="/account">every coin that you wager</a> brings you closer.
    <a href="/cases">See all cases</a></p>`;
}

const editor = ({ newCase, caseHouseEdge }) => html`
  <div class="halves">
    ${form(html`
      ${field({ id: "case-name", label: "Name", input: html`<input id="case-name" autocomplete="off"
        maxlength=${newCase.maxName} .value=${draft.name} @input=${({ target }) => change({ name: target.value })}>` })}
      <h3 id="draft-title" tabindex="-1">Items of the case</h3>
      ${draft.items.length ? nothing : html`<p class="quiet">Add at least ${newCase.minItems} items from the list.</p>`}
      <ul id="case-draft" class="lines">${repeat(draft.items, nameOf, line)}</ul>
      ${draft.items.length < newCase.minItems ? nothing : html`
        <p class="row"><span id="chance-left" class="quiet" role="status">${chanceLeft()}</span>
          <button type="button" class="plain" @click=${share}>Same chance for all</button></p>`}
      <p class="row">Price of an opening <strong id="case-price" aria-live="polite">${
        coins(priceCents(draft.items, caseHouseEdge))}</strong></p>`, "Create the case")}
    ${section("found", "Items to add", html`
      <div class="row filters" role="search">
        ${searchField({ id: "search", label: "Search by words of the name" })} ${priceRange()}
      </div>
      <ul id="found-items" class="lines">${repeat(found.value?.items ?? [], nameOf, offer)}</ul>
      ${pageButtons({ label: "Pages of items", page: pageNumber(), pages: found.value?.pages ?? 0 })}
      ${status("found-note", found.value?.items.length === 0 ? html`No item matches.
        <a href="/new-case">Show the dearest ones</a>` : found.note("The items"))}`)}
  </div>`;

function chanceLeft() {
  const left = draft.items.reduce((parts, { percentage }) => parts - partsOf(percentage), CERTAIN);
  if (left === 0) return "The chances are 100 % in all.";
  return left > 0 ? `${percentageOf(left)} % are left.` : `The chances are ${percentageOf(-left)} % too much.`;
}

const line = (item) => html`<li>
  ${picture("item", item.image, 44)}<span class="name">${item.marketHashName}
    <span class="quiet">${format(item.priceCents)} coins</span></span>
  <span class="row"><input class="short" inputmode="decimal" autocomplete="off" maxlength="14" .value=${item.percentage}
    aria-label="Chance of ${item.marketHashName}, in percent"
    @input=${({ target }) => setPercentage(item, target.value)}> %</span>
  ${namedButton("Remove", item.marketHashName, () => removeLine(item))}
</li>`;

const isAdded = (item) => draft.items.some((each) => nameOf(each) === nameOf(item));

const offer = (item) => html`<li>
  ${picture("item", item.image, 44)}<span class="name">${item.marketHashName}</span>
  ${coins(item.priceCents)}
  ${namedButton(isAdded(item) ? "Remove" : "Add", nameOf(item), () => (isAdded(item) ? remove : add)(item))}
</li>`;
