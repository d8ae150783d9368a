// The list of battles: those that wait for players, those that are running, and those that are over. It changes as
// they do.

import { loadRules } from "../battles/actions.js";
import { isWanted, loadBattles, withChange } from "../battles/list.js";
import { addressOfBattle, modeNames, MODES, seatCount, teamSizes } from "../battles/terms.js";
import { watchList } from "../battles/watching.js";
import { keptSeat } from "../fairness/battle-seats.js";
import { formatClock, formatTime } from "../format.js";
import { html, nothing, repeat } from "../lit.js";
import { coins, picture, skeletons, status } from "../parts/elements.js";
import { asked, Choice, folded, pageButtons, pageNumber, priceRange, Resource, usedFilters } from "../parts/lists.js";
import { getToken } from "../session.js";
import { update } from "../store.js";
import { loadStyles } from "../styles.js";

await loadStyles("battles.css");

const WHICH = new Choice("show", "Which battles", [
  ["open", "Open"], ["running", "Running"], ["finished", "Finished"],
]);
const MODE = new Choice("mode", "Mode", [["all", "All modes"], ...Object.entries(MODES)]);
const NONE = {
  open: html`No battle is waiting for players. <a href="/new-battle">Create one</a>`,
  running: html`No battle is running. <a href="/battles">See those that wait for players</a>`,
  finished: html`No battle has ended yet. <a href="/battles">See those that wait for players</a>`,
};
const PICTURES = 4;
const MOST_SKELETONS = 6;

const filters = () => ({ mode: MODE.value, ...asked("minPrice", "maxPrice") });

const filtersUsed = () => usedFilters("mode", "minPrice", "maxPrice");

const battles = new Resource((signal) => loadBattles(WHICH.value, filters(), pageNumber(), signal));
const rules = new Resource(loadRules);
let watching = null;

export async function enter() {
  watching ??= watchList({
    // What has changed before the list is followed is in this answer, or in the next list that is loaded.
    answered: ({ battles: all }) => all?.forEach(change),
    changed: change,
  });
  if (!rules.value) rules.load();
  await battles.load();
}

export function leave() {
  watching?.stop();
  watching = null;
}

function change(battle) {
  if (battles.value) battles.value = withChange(battles.value, battle);
  update();
}

export function page() {
  const { value, isFirst, isLoading } = battles;
  const wanted = filters();
  // What has changed since the page was loaded is not filtered by the server.
  const shown = value?.battles.filter((battle) => isWanted(battle, wanted)) ?? [];
  return html`
    <p class="quiet">Two to six seats open the same cases, and the mode says who gets what was drawn. The result follows
      from a round of a public network that nobody knows when the last seat is taken.</p>
    ${rules.value?.demo ? html`<p id="demo-network" class="hint">Demonstration: the house holds the
      key of this network.</p>` : nothing}
    <div class="row filters" role="search">
      ${WHICH.view()} ${folded([MODE.view(), priceRange()], filtersUsed())}
      <a id="new-battle" class="spin create" href="/new-battle">Create a battle</a>
    </div>
    <ul id="battles" class="battle-list" aria-busy=${isLoading && !isFirst}>${
      isFirst ? skeletons(MOST_SKELETONS) : repeat(shown, ({ id }) => id, line)}</ul>
    ${status("battles-note", value && !shown.length ? noneOf(value) : battles.note("The battles"))}
    ${pageButtons({ label: "Pages of battles", page: pageNumber(), pages: value?.pages ?? 0 })}`;
}

const noneOf = ({ which }) =>
  (filtersUsed() ? html`No battle matches. <a href="/battles?show=${which}">Show all of them</a>` : NONE[which]);

function line(battle) {
  const { id, state: now, teams, caseCount, firstCases, costCents, createdAt } = battle;
  const more = caseCount - Math.min(firstCases.length, PICTURES);
  const isOwn = getToken() && keptSeat(id);
  return html`<li><a class="battle-line" href=${addressOfBattle(id)} data-state=${now}>
    <span class="fan">${firstCases.slice(0, PICTURES).map(({ image }) => picture("item", image, 56))}${
      more > 0 ? html`<span class="more-cases">+${more}</span>` : nothing}</span>
    <span class="about">
      <span class="name">${namesOf(battle)}</span>
      <span class="marks">${modeNames(battle).map((name) => html`<span class="badge">${name}</span> `)}${
        now === "void" ? html`<span class="badge">Void</span>` : nothing}${
        isOwn ? html`<span class="badge own">Your seat</span>` : nothing}</span>
      <span class="quiet">${caseCount === 1 ? "1 case" : `${caseCount} cases`} · ${
        now === "open" ? `open since ${formatClock(createdAt)}` : formatTime(createdAt)}</span>
    </span>
    ${seats(battle)}
    <span class="cost">${coins(costCents)}<span class="unseen"> for each seat, ${teams}</span></span>
    <span class="plain go" aria-hidden="true">${now === "open" ? "Join" : now === "locked" ? "Watch" : "See"}</span>
  </a></li>`;
}

/** The names of the first cases, each once. */
const namesOf = ({ firstCases }) => [...new Set(firstCases.map(({ name }) => name))].join(", ");

/** A dot for each seat, filled while it is taken, with the teams apart. */
function seats({ teams, seatsTaken, state: now }) {
  let number = 0;
  const count = seatCount(teams);
  const taken = now === "open" ? seatsTaken : count;
  return html`<span class="seats"><span class="unseen">${taken} of ${count} seats are taken</span>
    ${teamSizes(teams).map((size, team) => html`<span class="dots" data-team=${team} aria-hidden="true">${
      Array.from({ length: size }, () => html`<i ?data-taken=${(number += 1) <= taken}></i>`)}</span>`)}
    <span class="quiet" aria-hidden="true">${teams}</span></span>`;
}

