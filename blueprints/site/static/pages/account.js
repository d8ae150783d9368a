// The overview of the account: links to its pages, the level, and what the player has wagered and was paid.

import { centsOfCoins, whenPeriodsBegin } from "../format.js";
import { html, nothing } from "../lit.js";
import { coins, section, signedCoins } from "../parts/elements.js";
import { ownResource } from "../parts/lists.js";
import { levels, nextLevel } from "../parts/next-level.js";
import { loadPlayer } from "../player.js";
import { accountLinks } from "../shell.js";
import { state } from "../store.js";

const PERIODS = { day: "Today", week: "This week", month: "This month", total: "In all" };

const summary = ownResource("/limits/summary");

export const enter = () => Promise.all([loadPlayer(), summary.load(), levels.load()]);

export const page = () => html`
  <nav class="menu-of-account" aria-label="Pages of your account">${accountLinks()}</nav>
  <div class="parts">
    ${state.player ? level(state.player) : nothing}
    ${summary.view("account-note", "Your account", netPosition)}
  </div>`;

function level({ level: reached, experience, levelExperience, nextLevelExperience }) {
  return section("level", `Level ${reached}`, html`
    <progress max=${nextLevelExperience - levelExperience} value=${experience - levelExperience}
      aria-labelledby="level-progress"></progress>
    <p id="level-progress" class="quiet">${nextLevel()} Each coin that you wager counts once.</p>
    <ul id="unlocks" class="lines">${levels.value?.map((each) => unlocks(each, reached))}</ul>`);
}

const unlocks = ({ level: needed, cases, createsCases }, reached) => html`<li>
  <span class="name">Level ${needed}${needed <= reached ? " ✓" : ""}</span>
  <div>${cases.map(({ id, name, price }) => html`<a href="/cases/${encodeURIComponent(id)}">${name}</a>
    (${coins(centsOfCoins(price))}) `)}${createsCases ? "create your own cases" : nothing}</div>
</li>`;

const netPosition = (periods) => section("position", "What you have wagered and were paid", html`
  <table>
    <thead>
      <tr>${["Period", "Wagered", "Paid", "Net"].map((name) => html`<th scope="col">${name}</th>`)}</tr>
    </thead>
    <tbody id="net-position">${Object.entries(PERIODS).map(([period, name]) => row(name, periods[period]))}</tbody>
  </table>
  <p class="quiet">${whenPeriodsBegin()}</p>`);

const row = (name, { wagered, paid, net }) => html`<tr>
  <th scope="row">${name}</th>
  <td>${coins(centsOfCoins(wagered))}</td>
  <td>${coins(centsOfCoins(paid))}</td>
  <td>${signedCoins(centsOfCoins(net))}</td>
</tr>`;
