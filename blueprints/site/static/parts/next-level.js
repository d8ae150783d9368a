// What a player reaches next: the next level, and what the next one that unlocks something opens.

import { getJson } from "../api.js";
import { html, nothing } from "../lit.js";
import { state } from "../store.js";
import { Resource } from "./lists.js";

export const levels = new Resource((signal) => getJson("/upgrader/levels", { signal }));

const number = (coins) => coins.toLocaleString("en-US");

/** The next step as sentences, once it is known. */
export function nextLevel() {
  if (!state.player) return nothing;
  const { level, experience, nextLevelExperience } = state.player;
  const next = levels.value?.find((each) => each.level > level);
  return html`Wager ${number(nextLevelExperience - experience)} coins more to reach level ${level + 1}.
    ${next ? html`Level ${next.level}, after ${number(next.experience - experience)} coins, opens
      ${unlocks(next)}.` : nothing}`;
}

/** What a level unlocks. */
const unlocks = ({ cases: [first], createsCases }) => html`${first ? html`<a
  href="/cases/${encodeURIComponent(first.id)}">${first.name}</a>` : nothing}${
  first && createsCases ? " and " : ""}${createsCases ? "the making of your own cases" : ""}`;
