// The newest bets of all players, by game, or only the high rolls.

import { html } from "../lit.js";
import { Choice } from "../parts/lists.js";
import { isHigh, liveBets } from "../parts/live-bets.js";
import { state } from "../store.js";

const SHOWN = new Choice("show", "Which bets", [
  ["all", "All bets"], ["high", "High rolls"],
  ["upgrader", "Upgrader"], ["case", "Cases"], ["irl", "Real-life prizes"], ["battle", "Battles"],
]);

export function page() {
  const show = SHOWN.value;
  const bets = state.liveBets.filter((bet) => show === "all" || (show === "high" ? isHigh(bet) : bet.game === show));
  const none = state.liveBets.length
    ? html`None of the newest bets is one of these. They appear here as they happen. <a href="/live">Show all bets</a>`
    : html`There are no bets yet. <a href="/">Be the first</a>`;
  return html`
    <p class="quiet">High rolls are bets of 50 coins or more, and those that pay ten times their wager.</p>
    <div class="row filters">${SHOWN.view()}</div>
    ${liveBets(bets, none)}`;
}
