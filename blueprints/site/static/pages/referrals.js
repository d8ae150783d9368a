// Promo codes: the player's own one with its earnings and the players who used it, and the one that the player uses.

import { getOwn, sendJson } from "../api.js";
import { html, nothing } from "../lit.js";
import { centsOfCoins } from "../money.js";
import { Actions } from "../parts/action.js";
import { coins, signedCoins } from "../parts/amount.js";
import { values } from "../parts/facts.js";
import { makeForm, textField } from "../parts/form.js";
import { pageButtons } from "../parts/paged-list.js";
import { picture } from "../parts/picture.js";
import { askForPromoCode } from "../parts/promo-code.js";
import { Resource, status } from "../parts/resource.js";
import { sendConfirmed } from "../parts/two-factor.js";
import { loadPlayer } from "../player.js";
import { query, setQuery } from "../router.js";
import { state } from "../store.js";

const PAGE_SIZE = 10;
const CODE_HELP = "4 to 24 letters and digits. It can't be changed. Friends who use it get a bonus, and you earn from what "
  + "they lose.";

const referrals = new Resource(async (signal) => {
  const paths = ["/affiliate/overview", "/affiliate/stats"];
  const [overview, players] = await Promise.all(paths.map((path) => getOwn(path, { signal })));
  return { overview, players };
});
const claiming = new Actions("claim-said", () => referrals.load());
const using = new Actions("promo-said", loadPlayer);
const codeForm = makeForm("own", async ({ code }) =>
  (await sendJson("POST", "/affiliate/set-code", { code: code.value.trim() })).message, loadPlayer);

export const enter = () => Promise.all([loadPlayer(), referrals.load()]);

const section = (id, title, content) => html`<section aria-labelledby="${id}-title">
  <h3 id="${id}-title">${title}</h3>${content}</section>`;

export function page() {
  const { overview, players } = referrals.value ?? {};
  const { code, used } = state.player?.affiliate ?? {};
  return html`
    ${status("referrals-note", referrals.note("Your referrals"))}
    ${state.player && overview ? html`<div class="parts">
      ${section("own", "Your promo code", code ? html`<p><code id="own-set">${code}</code></p>
        <p class="quiet">Give it to friends. They get a bonus and the free case, and you earn from what they lose.</p>`
        : codeForm(textField({ form: "own", name: "code", label: "Choose your code", help: CODE_HELP }), "Set the code"))}
      ${section("earned", "Earnings", earnings(overview))}
      ${section("referred", "Players who use your code", referred(players))}
      ${section("used", "The code that you use", usedCode(used))}
    </div>` : nothing}`;
}

const claim = () => claiming.run(async () => `${(await sendConfirmed("POST", "/affiliate/claim")).message}.`);

const earnings = ({ commissionPercentage, totalDeposits, totalEarnings, availableEarnings }) => html`
  ${claiming.view()}
  <ul class="lines"><li>
    <div class="name">To claim: <strong id="earnings">${coins(centsOfCoins(availableEarnings))}</strong></div>
    ${availableEarnings ? html`<button id="claim" type="button" class="plain" @click=${claim}>Claim</button>` : nothing}
  </li></ul>
  ${values([
    ["Your share", `${Math.round(commissionPercentage * 100)} %`],
    ["Deposited by these players", coins(centsOfCoins(totalDeposits))],
    ["Earned so far", coins(centsOfCoins(totalEarnings))],
  ], "amounts")}`;

function referred(players) {
  const pages = Math.ceil(players.length / PAGE_SIZE);
  const page = Math.min(Number(query().get("page") ?? 1), pages);
  if (!pages) return html`<p class="quiet">Nobody yet. Give your code to a friend.</p>`;
  return html`
    <ul id="referred" class="lines">${players.slice((page - 1) * PAGE_SIZE, page * PAGE_SIZE).map((player) => html`<li>
      ${picture("avatar", player.avatar, 36)}
      <div class="name">${player.username}<p class="quiet">Deposited ${coins(centsOfCoins(player.deposited))}</p></div>
      <span class="unseen">you earned </span>${signedCoins(centsOfCoins(player.earned))}
    </li>`)}</ul>
    ${pages < 2 ? nothing
      : pageButtons({ label: "Pages of players", page, pages, goTo: (to) => setQuery({ page: to }) })}`;
}

async function usePromoCode() {
  const message = await askForPromoCode();
  if (message) await using.run(async () => message);
}

const usedCode = (used) => html`
  ${using.view()}
  <ul class="lines"><li>
    <div class="name"><span id="promo-used">${used || "none"}</span>
      <p class="quiet">Another player's code gives you a bonus and the free case. You can use one, once.</p></div>
    ${used ? nothing : html`<button type="button" class="plain" @click=${usePromoCode}>Enter a promo code</button>`}
  </li></ul>`;
