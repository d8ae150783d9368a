// Creating a case: its name, its items with their chances, and the price that follows from them.

import { getJson, sendJson } from "../api.js";
import { html, nothing, repeat } from "../lit.js";
import { centsOfPrice, format } from "../money.js";
import { coins } from "../parts/amount.js";
import { namedButton } from "../parts/facts.js";
import { field } from "../parts/field.js";
import { asked, priceRange } from "../parts/filters.js";
import { picture } from "../parts/picture.js";
import { Resource, status } from "../parts/resource.js";
import { searched, searchField } from "../parts/search.js";
import { open } from "../router.js";
import { state, update } from "../store.js";
import { forgetCases } from "./cases.js";

const SHOWN = 12;
const DECIMALS = 10; // of a percentage
const CERTAIN = 100n * 10n ** BigInt(DECIMALS);
const PPM = 1_000_000n;
const PERCENTAGE = new RegExp(`^(\\d{1,3})(?:[.,](\\d{0,${DECIMALS}}))?$`);

const EMPTY = { name: "", items: [], problem: "", isBusy: false };
// Its items are `{ marketHashName, image, priceCents, percentage }`, the percentage as it is typed.
const draft = { ...EMPTY };
addEventListener("session", () => Object.assign(draft, EMPTY));

const found = new Resource(async (signal) => {
  const wanted = { ...asked("minPrice", "maxPrice"), search: searched(), limit: SHOWN };
  return (await getJson(`/upgrader/items/pagination?${new URLSearchParams(wanted)}`, { signal })).items;
});

export const enter = () => found.load();

/** A percentage in whole parts of 1 / CERTAIN, or null when it is none. */
function partsOf(text) {
  const match = PERCENTAGE.exec(text.trim());
  return match && BigInt(match[1] + (match[2] ?? "").padEnd(DECIMALS, "0"));
}

/** A number of parts as a percentage, exactly. */
const percentageOf = (parts) => {
  const digits = parts.toString().padStart(DECIMALS + 1, "0");
  return `${digits.slice(0, -DECIMALS)}.${digits.slice(-DECIMALS)}`.replace(/\.?0+$/, "");
};

/** The price of the items: their prices times their chances, divided by what the house keeps, rounded up. */
function priceCents(items, edge) {
  const value = items.reduce((sum, item) => sum + BigInt(item.priceCents) * (partsOf(item.percentage) ?? 0n), 0n) * PPM;
  const kept = (PPM - BigInt(Math.round(edge * 1e6))) * CERTAIN;
  return Number((value + kept - 1n) / kept);
}

function change(patch) {
  Object.assign(draft, { problem: "", ...patch });
  update();
}

const add = ({ marketHashName, image, price }) =>
  change({ items: [...draft.items, { marketHashName, image, priceCents: centsOfPrice(price), percentage: "" }] });

const nameOf = ({ marketHashName }) => marketHashName;

const isAdded = (item) => draft.items.some((each) => nameOf(each) === nameOf(item));

const remove = (item) => change({ items: draft.items.filter((each) => each !== item) });

const setPercentage = (item, percentage) =>
  change({ items: draft.items.map((each) => (each === item ? { ...item, percentage } : each)) });

/** The same chance for every item; the first gets what the division leaves. */
function share() {
  const count = BigInt(draft.items.length);
  const parts = CERTAIN / count;
  change({ items: draft.items.map((item, index) =>
    ({ ...item, percentage: percentageOf(index ? parts : CERTAIN - parts * (count - 1n)) })) });
}

const left = () => draft.items.reduce((rest, { percentage }) => rest - (partsOf(percentage) ?? 0n), CERTAIN);

async function create(event) {
  event.preventDefault();
  if (draft.isBusy) return;
  change({ isBusy: true });
  try {
    const items = draft.items.map(({ marketHashName, percentage }) =>
      ({ marketHashName, percentage: Number(percentage.replace(",", ".")) }));
    const { id } = await sendJson("POST", "/api/cases/create", { name: draft.name, items });
    change(EMPTY);
    forgetCases();
    open(`/cases/${encodeURIComponent(id)}`);
  } catch ({ message }) {
    change({ isBusy: false, problem: `${message}.` });
  }
}

export function page() {
  const { rules, player } = state;
  return html`
    ${!rules || !player ? status("new-case-note", "Loading…")
      : player.level < rules.newCase.minLevel ? html`<p id="new-case-note">You can create cases from level
          ${rules.newCase.minLevel} on. You have reached level ${player.level}: every coin that you wager brings you
          closer. <a href="/cases">See all cases</a></p>`
      : editor(rules)}`;
}

const editor = ({ newCase, caseHouseEdge }) => html`
  <div class="halves">
    <form id="new-case" novalidate @submit=${create}>
      ${field({ id: "case-name", label: "Name", input: html`<input id="case-name" autocomplete="off"
        maxlength=${newCase.maxName} .value=${draft.name} @input=${({ target }) => change({ name: target.value })}>` })}
      <h3>Items of the case</h3>
      ${draft.items.length ? nothing : html`<p class="quiet">Add at least ${newCase.minItems} items from the list.</p>`}
      <ul id="case-draft" class="lines">${repeat(draft.items, nameOf, line)}</ul>
      ${draft.items.length < newCase.minItems ? nothing : html`
        <p class="row"><span id="chance-left" class="quiet" role="status">${chanceLeft()}</span>
          <button type="button" class="plain" @click=${share}>Same chance for all</button></p>`}
      <p class="row">Price of an opening <strong id="case-price" aria-live="polite">${
        coins(priceCents(draft.items, caseHouseEdge))}</strong></p>
      <p id="new-case-problem" class="problem" role="alert">${draft.problem}</p>
      <button class="plain" ?disabled=${draft.isBusy}>Create the case</button>
    </form>
    <section aria-labelledby="found-title">
      <h3 id="found-title">Items to add</h3>
      <div class="row filters" role="search">
        ${searchField({ id: "search", label: "Search by weapon or skin" })} ${priceRange()}
      </div>
      <ul id="found-items" class="lines">${repeat(found.value ?? [], nameOf, offer)}</ul>
      ${status("found-note", found.value?.length === 0 ? html`No item matches.
        <a href="/new-case">Show the dearest ones</a>` : found.note("The items"))}
    </section>
  </div>`;

function chanceLeft() {
  const rest = left();
  if (rest === 0n) return "The chances are 100 % in all.";
  return rest > 0n ? `${percentageOf(rest)} % are left.` : `The chances are ${percentageOf(-rest)} % too much.`;
}

const line = (item) => html`<li>
  ${picture("item", item.image, 44)}<span class="name">${item.marketHashName}
    <span class="quiet">${format(item.priceCents)} coins</span></span>
  <span class="row"><input class="short" inputmode="decimal" autocomplete="off" maxlength="14" .value=${item.percentage}
    aria-label="Chance of ${item.marketHashName}, in percent"
    @input=${({ target }) => setPercentage(item, target.value)}> %</span>
  ${namedButton("Remove", item.marketHashName, () => remove(item))}
</li>`;

const offer = (item) => html`<li>
  ${picture("item", item.image, 44)}<span class="name">${item.marketHashName}</span>
  ${coins(centsOfPrice(item.price))}
  ${isAdded(item) ? html`<span class="quiet">added</span>` : namedButton("Add", item.marketHashName, () => add(item))}
</li>`;
