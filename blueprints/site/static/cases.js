// The list of cases: regular ones with the free one, those for levels, and those with real-life items.

import { getJson, makeSignals } from "./api.js";
import { addSkipLink, byId, make, picture } from "./dom.js";
import { centsOfCoins, centsOfPrice, coins } from "./money.js";
import { matchesFirst } from "./search-order.js";

const NOT_FOUND = 404;
const MOST = 24;
const PICTURES = 3;
const TYPING_PAUSE_MS = 250;

const GROUPS = [
  { title: "Cases", game: "case", load: async (search) => [...matching(await freeCase(), search), ...(await page("false", search))] },
  {
    title: "Level cases",
    note: "For players who have reached the level.",
    game: "case",
    load: (search) => page("true", search),
  },
  {
    title: "Real-life prizes",
    note: "Keep what you win, sell it, or have it shipped.",
    game: "irl",
    load: async (search) => matching(await getJson("/irl"), search),
  },
];

/**
 * Calls `chosen({ game, id })` when the player picks a case. `getAccess(case)` returns what `accessTo` does.
 */
export class Cases {
  #chosen;
  #getAccess;
  #conditions = [];
  #nextSignal = makeSignals();

  constructor({ chosen, getAccess }) {
    this.#chosen = chosen;
    this.#getAccess = getAccess;
    let typing;
    byId("case-search").addEventListener("input", () => {
      this.#nextSignal(); // A list that is still loading must not be shown any more.
      byId("cases").ariaBusy = "true";
      clearTimeout(typing);
      typing = setTimeout(() => this.show(), TYPING_PAUSE_MS);
    });
  }

  /** Load the cases and draw them. A group that can't be loaded is left out. */
  async show() {
    const signal = this.#nextSignal();
    byId("cases").ariaBusy = "true";
    const search = byId("case-search").value.trim();
    const results = await Promise.allSettled(GROUPS.map(({ load }) => load(search)));
    if (signal.aborted) return;
    const groups = GROUPS.map((group, index) => {
      return { ...group, cases: matchesFirst(results[index].value ?? [], search, ({ name }) => name) };
    });
    const shown = groups.filter(({ cases }) => cases.length);
    this.#conditions = [];
    byId("cases").replaceChildren(...shown.map((group) => this.#group(group)));
    this.refresh();
    byId("cases-note").textContent = noteOn(results, shown);
    byId("cases").ariaBusy = "false";
  }

  /** Show the conditions of the cases anew, as the player meets them now. */
  refresh() {
    for (const [element, shown] of this.#conditions) {
      const access = this.#getAccess(shown);
      element.textContent = access?.label ?? "";
      element.classList.toggle("locked", Boolean(access?.reason));
    }
  }

  #group({ title, note, game, cases }) {
    return make(
      "section",
      {},
      make("h3", {}, title),
      ...(note ? [make("p", { className: "quiet" }, note)] : []),
      make("ul", { className: "cards wide" }, ...cases.map((each) => make("li", {}, this.#card(game, each)))),
    );
  }

  #card(game, shown) {
    const { id, name, price, items, isFree } = shown;
    const condition = make("span", { className: "condition" });
    this.#conditions.push([condition, shown]);
    const mostExpensive = [...items].sort((one, other) => centsOf(other) - centsOf(one)).slice(0, PICTURES);
    const button = make(
      "button",
      { type: "button", className: "card" },
      make("span", { className: "fan" }, ...mostExpensive.map(({ image }) => picture("item", image, 96))),
      make("span", { className: "name" }, name),
      make("span", { className: "quiet" }, items.length === 1 ? "1 item" : `${items.length} items`),
      condition,
      isFree ? make("strong", { className: "free" }, "Free") : coins(centsOfCoins(price)),
    );
    button.addEventListener("click", () => {
      addSkipLink(button, "spin", `Go to ${name}`);
      this.#chosen({ game, id });
    });
    return button;
  }
}

async function freeCase() {
  try {
    return [{ ...(await getJson("/api/cases/free")), isFree: true }];
  } catch (problem) {
    if (problem.status === NOT_FOUND) return [];
    throw problem;
  }
}

async function page(caseType, search) {
  const query = new URLSearchParams({ caseType, limit: MOST, sort: "Price Ascending", search });
  return (await getJson(`/api/cases/pagination?${query}`)).cases;
}

/** The server searches its pages; the free case and the list of real-life ones come whole. */
const matching = (cases, search) => cases.filter(({ name }) => name.toLowerCase().includes(search.toLowerCase()));

function noteOn(results, shown) {
  const failure = results.find(({ status }) => status === "rejected");
  if (failure) return `Some cases could not be loaded: ${failure.reason.message}`;
  return shown.length ? "" : "No cases were found.";
}

const centsOf = ({ price }) => (price === null ? 0 : centsOfPrice(price));
