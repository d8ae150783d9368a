// Creating a battle: its cases with their counts, mode, teams, and who may take part; what a seat costs, and how likely
// a tie is.

import { getJson } from "../api.js";
import { createBattle, loadRules } from "../battles/actions.js";
import { chanceText, tieChance } from "../battles/chances.js";
import { addressOfBattle, isDuel, MODES, seatCount, whoWins } from "../battles/terms.js";
import { centsOfCoins, format } from "../format.js";
import { accessTo } from "../game/case-content.js";
import { html, live, nothing, repeat } from "../lit.js";
import { casePicture, coins, faceOf, section, skeletons, status } from "../parts/elements.js";
import { makeForm } from "../parts/forms.js";
import { asked, pageButtons, pageNumber, priceRange, Resource, searched, searchField } from "../parts/lists.js";
import { loadPlayer } from "../player.js";
import { open } from "../router.js";
import { playerId } from "../session.js";
import { state, update } from "../store.js";
import { loadStyles } from "../styles.js";

await loadStyles("battles.css");

const PAGE_SIZE = 24;
const TIE_PAUSE_MS = 300;
const KEY = "new-battle";
const EMPTY = {
  cases: [], mode: "normal", teams: "1v1", crazy: false, terminal: false, playersOnly: false, isPrivate: false,
};

// Its cases are `{ id, name, face, priceCents, snapshot, count }`. A reload keeps it.
const draft = { ...EMPTY };
const { player: owner, ...kept } = JSON.parse(sessionStorage.getItem(KEY)) ?? {};
if (owner === playerId()) Object.assign(draft, kept);
addEventListener("session", () => change(EMPTY));

const rules = new Resource(loadRules);
const tie = { text: "", timer: null };

const found = new Resource(async (signal) => {
  const wanted = new URLSearchParams({
    ...asked("minPrice", "maxPrice"), search: searched(), sort: "Price Ascending", page: pageNumber(), limit: PAGE_SIZE,
  });
  const kinds = await Promise.all(["false", "true"].map((caseType) =>
    getJson(`/api/cases/pagination?${wanted}&caseType=${caseType}`, { signal })));
  return {
    cases: kinds.flatMap(({ cases }) => cases).map(caseOf),
    pages: Math.max(...kinds.map(({ pagination }) => pagination.totalPages)),
  };
});

/** A listed case as the draft has it. */
const caseOf = ({ id, name, price, image, items, snapshot, requiredLevel }) =>
  ({ id, name, priceCents: centsOfCoins(price), face: faceOf({ image, items }), snapshot, requiredLevel });

export async function enter() {
  loadPlayer(); // The level may have grown.
  rules.load();
  await found.load();
  refreshPrices();
  computeTie();
}

/** The draft may be older than the prices of its cases. */
function refreshPrices() {
  const now = new Map(found.value?.cases.map((each) => [each.id, each]));
  change({ cases: draft.cases.map((each) => ({ ...each, ...now.get(each.id) })) });
}

function change(patch) {
  Object.assign(draft, patch);
  if (draft.mode === "shared") Object.assign(draft, { crazy: false, terminal: false });
  sessionStorage.setItem(KEY, JSON.stringify({ player: playerId(), ...draft }));
  update();
  clearTimeout(tie.timer);
  tie.timer = setTimeout(computeTie, TIE_PAUSE_MS);
}

/** Begin with the cases and the mode of a battle that was played. */
export function copyOf({ cases, mode, teams, crazy, terminal, playersOnly, private: isPrivate }) {
  const counts = Map.groupBy(cases, ({ id }) => id);
  // A battle does not say whether the picture of a case is its own.
  const chosen = [...counts.values()].map((same) =>
    ({ ...same[0], face: { image: same[0].image, isOwn: true }, count: same.length }));
  change({ cases: chosen, mode, teams, crazy, terminal, playersOnly, isPrivate });
}

const caseCount = () => draft.cases.reduce((sum, { count }) => sum + count, 0);
const costCents = () => draft.cases.reduce((sum, { priceCents, count }) => sum + priceCents * count, 0);
const countOf = (id) => draft.cases.find((each) => each.id === id)?.count ?? 0;

function setCount(each, count) {
  const isThere = countOf(each.id) > 0;
  const cases = isThere ? draft.cases.map((one) => (one.id === each.id ? { ...one, count } : one))
    : [...draft.cases, { ...each, count }];
  change({ cases: cases.filter((one) => one.count > 0) });
}

/** Take a case out by a button that goes away with it, and had the focus. */
async function remove(each) {
  setCount(each, 0);
  await update();
  document.getElementById("chosen-title").focus();
}

async function computeTie() {
  const { mode, teams, crazy, terminal } = draft;
  const content = draft.cases.map(({ id }) => id).join();
  const cases = draft.cases.flatMap(({ count, ...each }) => Array(count).fill(each));
  if (!cases.length || mode !== "normal") return showTie("");
  try {
    const withSnapshots = await Promise.all(cases.map(snapshotOf));
    const text = chanceText(await tieChance({ cases: withSnapshots, teams, mode, crazy, terminal }));
    if (content === draft.cases.map(({ id }) => id).join()) showTie(text);
  } catch {
    showTie("unknown");
  }
}

function showTie(text) {
  tie.text = text;
  update();
}

const described = new Map();

function describe(id) {
  if (!described.has(id)) described.set(id, getJson(`/api/cases/${encodeURIComponent(id)}`));
  return described.get(id);
}

/** A case with the hash of its snapshot, which the list of cases does not have. */
const snapshotOf = async (each) => ({ ...each, snapshot: each.snapshot ?? (await describe(each.id)).snapshot });

/** Load the chosen cases anew, after a refusal that their prices may explain. */
async function reloadChosen() {
  described.clear();
  const now = await Promise.all(draft.cases.map(async (each) => ({ ...each, ...caseOf(await describe(each.id)) })));
  change({ cases: now });
}

const form = makeForm("new-battle", async () => {
  const { cases, mode, teams, crazy, terminal, playersOnly, isPrivate } = draft;
  const battle = await createBattle({
    cases: cases.map(({ id, count }) => ({ case: id, count })),
    mode, teams, crazy, terminal, playersOnly, private: isPrivate, costCents: costCents(),
  }).catch(async (problem) => {
    await reloadChosen().catch(() => {});
    throw problem;
  });
  change(EMPTY);
  open(addressOfBattle(battle.id));
});

export function page() {
  const { value, problem } = rules;
  if (problem) return status("new-battle-note", `The rules of battles could not be loaded: ${problem}`);
  if (!value || !state.player) return status("new-battle-note", "Loading…");
  return html`
    <div class="halves maker">${chosen(value)}${offered(value)}</div>`;
}

const chosen = ({ maxCases, teams, modes, demo }) => form(html`
  <h3 id="chosen-title" tabindex="-1">Cases <span class="quiet">${caseCount()} of ${maxCases}</span></h3>
  ${draft.cases.length ? nothing : html`<p class="quiet">Add cases from the list. All seats open the same ones, in this
    order.</p>`}
  <ul id="chosen-cases" class="lines">${repeat(draft.cases, ({ id }) => id, (each) => line(each, maxCases))}</ul>
  ${choice("mode", "Mode", modes.map((mode) => [mode, MODES[mode] ?? mode]))}
  <div class="row switches">
    ${toggle("crazy", "Crazy", "the lowest wins", draft.mode === "shared")}
    ${toggle("terminal", "Terminal", "only the last case counts", draft.mode === "shared")}
  </div>
  ${choice("teams", "Teams", teams.filter(isAllowed).map((name) => [name, name]))}
  <p id="who-wins" class="quiet">${whoWins(draft)}</p>
  <div class="row switches">
    ${toggle("playersOnly", "Players only", "no bots")}
    ${toggle("isPrivate", "Private", "only not listed; its log entry is public")}
  </div>
  <dl class="amounts">
    <dt>Price of a seat</dt><dd id="seat-price" aria-live="polite">${coins(costCents())}</dd>
    <dt>All ${seatCount(draft.teams)} seats</dt><dd>${coins(costCents() * seatCount(draft.teams))}</dd>
    ${tie.text && draft.cases.length ? html`<dt>Chance of a tie <span class="quiet">then a draw decides</span></dt>
      <dd id="tie-chance">${tie.text}</dd>` : nothing}
  </dl>
  ${demo ? html`<p id="demo-network" class="hint">Demonstration: the house holds the key of this network.</p>`
    : nothing}
  `, html`Create for ${coins(costCents())}`);

const isAllowed = (teams) => draft.mode !== "shared" || isDuel(teams);

function choice(name, label, pairs) {
  return html`<fieldset class="choice"><legend>${label}</legend>
    <div class="count">${pairs.map(([value, text]) => html`<label class="plain"><input class="unseen" type="radio"
      name=${name} value=${value} .checked=${live(draft[name] === value)} @change=${() => choose(name, value)}>${text}
    </label>`)}</div>
  </fieldset>`;
}

function choose(name, value) {
  change({ [name]: value });
  if (!isAllowed(draft.teams)) change({ teams: EMPTY.teams });
}

const toggle = (name, label, about, isDisabled = false) => html`<label class="switch">
  <input id="battle-${name}" type="checkbox" role="switch" ?disabled=${isDisabled} .checked=${live(draft[name])}
    @change=${({ target }) => change({ [name]: target.checked })}>
  ${label} <span class="quiet">${about}</span></label>`;

/** A chosen case with the buttons that change how often it is opened. */
function line(each, most) {
  const { name, face, priceCents, count } = each;
  return html`<li>
    ${casePicture(face, 44)}
    <span class="name">${name}<span class="quiet"> ${format(priceCents)}</span></span>
    <span class="row stepper">
      <button type="button" class="plain" aria-label=${count === 1 ? `Remove ${name}` : `One ${name} less`}
        @click=${() => (count === 1 ? remove(each) : setCount(each, count - 1))}>−</button>
      <span class="number" aria-live="polite">${count}<span class="unseen"> of ${name}</span></span>
      <button type="button" class="plain" aria-label="One ${name} more" aria-disabled=${caseCount() >= most}
        @click=${() => (caseCount() < most ? setCount(each, count + 1) : undefined)}>+</button>
    </span>
  </li>`;
}

const offered = ({ maxCases }) => section("offered", "Cases to add", html`
  <div class="row filters" role="search">
    ${searchField({ id: "case-search", label: "Search cases by name", onType: () => found.expect() })} ${priceRange()}
  </div>
  <ul id="offered-cases" class="cards">${found.isFirst ? skeletons(PAGE_SIZE, "card")
    : repeat(found.value?.cases ?? [], ({ id }) => id, (each) => html`<li>${card(each, maxCases)}</li>`)}</ul>
  ${status("offered-note", found.value?.cases.length === 0 ? "No case matches." : found.note("The cases"))}
  ${pageButtons({ label: "Pages of cases", page: pageNumber(), pages: found.value?.pages ?? 0 })}`);

function card(each, most) {
  const count = countOf(each.id);
  const access = accessTo(each);
  const isClosed = caseCount() >= most || Boolean(access?.reason);
  return html`<button type="button" class="card" aria-disabled=${isClosed} aria-pressed=${count > 0}
    @click=${() => (isClosed ? undefined : setCount(each, count + 1))}>
    ${casePicture(each.face, 96)}
    <span class="name"><span class="unseen">Add </span>${each.name}</span>
    <span class="condition ${access?.reason ? "locked" : ""}">${access?.label ?? ""}</span>
    ${count ? html`<span class="times-added">${count} ×</span>` : nothing}
    ${coins(each.priceCents)}
  </button>`;
}
