// The list of cases: regular ones with the free one, those for levels, and those with real-life items. At the address
// of a case, the reel beside the list is that of the case; `game=irl` in the query says that it is a real-life one.

import { getJson, orMissing } from "../api.js";
import { centsOfCoins } from "../format.js";
import { accessTo } from "../game/case-content.js";
import { showCase } from "../game/game.js";
import { html, nothing } from "../lit.js";
import { casePicture, coins, faceOf, skeletons, status } from "../parts/elements.js";
import {
  asked, Choice, GAME, matchesFirst, pageButtons, pageNumber, priceRange, Resource, searchAndFilters, searched, searchField,
} from "../parts/lists.js";
import { levels, nextLevel } from "../parts/next-level.js";
import { loadPlayer } from "../player.js";
import { current, query, setTitle } from "../router.js";
import { state, update } from "../store.js";

const PAGE_SIZE = 24;

const GROUPS = [
  { kind: "regular", title: "Cases", load: regularCases },
  { kind: "level", title: "Level cases", note: "For players who have reached the level.", load: () => casesOf("true") },
  { kind: "irl", title: "Real-life prizes", note: "Keep what you win, sell it, or have it shipped.", load: realCases },
];

const KIND = new Choice("kind", "Kind of case", [
  ["all", "All kinds"], ...GROUPS.map(({ kind, title }) => [kind, title]),
]);
const SORT = new Choice("sort", "Sort", [
  ["Price Ascending", "Lowest price first"], ["Price Descending", "Highest price first"],
  ["Most Recent", "Newest first"], ["Oldest", "Oldest first"],
], { id: "case-sort" });

const cases = new Resource(loadCases);

/** A case was created: load the list anew. */
export const forgetCases = () => cases.clear();

/** Load the groups with cases. A group that can't be loaded is left out, and `failure` says so. */
async function loadCases() {
  const filters = filtersOf().toString();
  const wanted = GROUPS.filter(({ kind }) => ["all", kind].includes(KIND.value));
  const results = await Promise.allSettled(wanted.map(({ load }) => load()));
  const groups = wanted.map((group, index) => {
    const { cases: all, pages } = results[index].value ?? { cases: [] };
    return { ...group, pages, cases: matchesFirst(all, searched(), ({ name }) => name) };
  });
  const failure = results.find(({ reason }) => reason)?.reason.message;
  return { groups: groups.filter((group) => group.cases.length), failure, filters };
}

const isAlone = () => KIND.value !== "all";

/** The page of a kind that is shown alone. Of several kinds the first pages are shown. */
const shownPage = () => (isAlone() ? pageNumber() : 1);

async function casesOf(caseType) {
  const filters = { ...asked("minPrice", "maxPrice", "type"), search: searched(), sort: SORT.value };
  const wanted = new URLSearchParams({ ...filters, caseType, page: shownPage(), limit: PAGE_SIZE });
  const { cases: all, pagination } = await getJson(`/api/cases/pagination?${wanted}`);
  return { cases: all, pages: pagination.totalPages };
}

async function regularCases() {
  const { cases: all, pages } = await casesOf("false");
  const free = shownPage() === 1 && (await orMissing(getJson("/api/cases/free")));
  return { cases: [...(free ? matching([{ ...free, isFree: true }]) : []), ...all], pages };
}

/** The server filters and sorts its pages; the free case and the list of real-life ones come whole, without a game. */
function matching(all) {
  const { minPrice = 0, maxPrice = Infinity } = asked("minPrice", "maxPrice");
  const search = searched().toLowerCase();
  if (GAME.value !== "all") return [];
  return all.filter(({ name, price, isFree }) => {
    const cost = isFree ? 0 : price;
    return name.toLowerCase().includes(search) && cost >= minPrice && cost <= maxPrice;
  });
}

/** The list comes with the newest first. */
async function realCases() {
  const [all, order] = [matching(await getJson("/irl")), SORT.value];
  if (order === "Most Recent") return { cases: all };
  if (order === "Oldest") return { cases: all.toReversed() };
  const sign = order === "Price Ascending" ? 1 : -1;
  return { cases: all.toSorted((one, other) => sign * (one.price - other.price)) };
}

let entered = null; // the parameters of the page that was entered last

/** The query without the game and the reward of the chosen case. */
function filtersOf(game) {
  const filters = query();
  for (const name of ["game", "reward"]) filters.delete(name);
  if (game) filters.set("game", game);
  return filters;
}

export async function enter(params) {
  loadPlayer(); // The level may have grown.
  levels.load();
  const isFirst = entered === null;
  const isChosen = params.id !== undefined && entered !== params;
  entered = params;
  // Another case keeps the list, and another filter keeps the case.
  const loading = isChosen && cases.value?.filters === filtersOf().toString() ? update() : cases.load();
  if (isChosen) {
    const game = query().get("game") === "irl" ? "irl" : "case";
    const name = await showCase({ game, id: params.id, reward: query().get("reward") }, isFirst);
    if (name && current.params === params) setTitle(name);
  }
  await loading;
}

function note() {
  const { groups, failure } = cases.value ?? {};
  if (failure) return `Some cases could not be loaded: ${failure}`;
  return groups?.length === 0 ? html`No case matches. <a href="/cases">Show all cases</a>` : cases.note("The cases");
}

export const page = () => html`
  ${searchAndFilters(
    searchField({ id: "case-search", label: "Search cases by name", onType: () => cases.expect() }),
    [SORT.view(), KIND.view(), GAME.view(), priceRange()])}
  <p class="quiet">A case contains items, each with its own chance. Choose one to see and open it, or
    <a href="/new-case">create one</a> from level ${state.rules?.newCase.minLevel ?? "…"} on.</p>
  <div id="cases" class="groups" aria-busy=${cases.isLoading}>
    ${cases.isFirst ? html`<ul class="cards wide">${skeletons(PAGE_SIZE, "card")}</ul>` : nothing}
    ${cases.value?.groups.map(({ kind, title, note: about, cases: all, pages = 1 }) => html`<section>
      <h3>${title}</h3>
      ${about ? html`<p class="quiet">${about} ${kind === "level" ? nextLevel() : nothing}</p>` : nothing}
      <ul class="cards wide">${all.map((each) => html`<li>${card(kind, each)}</li>`)}</ul>
      ${isAlone() ? pageButtons({ label: "Pages of cases", page: pageNumber(), pages })
        : pages > 1 ? html`<a href=${allOf(kind)}>All ${title.toLowerCase()}</a>` : nothing}
    </section>`)}
  </div>
  ${status("cases-note", note())}`;

/** The address of all cases of a kind, with the other filters. */
function allOf(kind) {
  const filters = filtersOf();
  filters.set("kind", kind);
  return `/cases?${filters}`;
}

function card(kind, shown) {
  const { id, name, price, items, isFree } = shown;
  const access = accessTo(shown);
  const more = filtersOf(kind === "irl" ? kind : null);
  return html`<a class="card case" href="/cases/${encodeURIComponent(id)}${more.size ? `?${more}` : ""}"
    aria-current=${current.params.id === id ? "page" : nothing}>
    ${casePicture(faceOf(shown), 180)}
    <span class="name plate">${name}</span>
    <span class="quiet">${items.length === 1 ? "1 item" : `${items.length} items`}</span>
    <span class="condition ${access?.reason ? "locked" : ""}">${access?.label ?? ""}</span>
    ${isFree ? html`<strong class="free">Free</strong>` : coins(centsOfCoins(price))}
  </a>`;
}
