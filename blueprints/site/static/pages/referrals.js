// Promo codes: the player's own one with its earnings and the players who used it, and the one that the player uses.

import { sendJson } from "../api.js";
import { centsOfCoins } from "../format.js";
import { html, nothing } from "../lit.js";
import { coins, named, picture, section, signedCoins, values } from "../parts/elements.js";
import { Actions, makeForm, sendConfirmed, textField } from "../parts/forms.js";
import { ownResource, pageButtons, pageNumber } from "../parts/lists.js";
import { askForPromoCode } from "../parts/promo-code.js";
import { loadPlayer } from "../player.js";
import { state } from "../store.js";

const PAGE_SIZE = 10;
const CODE_FIELD = textField({
  form: "own", name: "code", label: "Choose your own code",
  help: html`4 to 24 letters and digits. It can't be changed. Friends who use it get a bonus, and you earn a share of
    their deposits. If you have the code of a friend, enter it below.`,
});

const referrals = ownResource("/affiliate/overview", "/affiliate/stats");
const claiming = new Actions("claim-said", () => referrals.load());
const using = new Actions("promo-said", loadPlayer);
const codeForm = makeForm("own", async ({ code }) =>
  (await sendJson("POST", "/affiliate/set-code", { code: code.value.trim() })).message, showCode);

/** The code is in the place of the form, which had the focus. */
async function showCode() {
  await loadPlayer();
  document.getElementById("own-set")?.focus();
}

export const enter = () => Promise.all([loadPlayer(), referrals.load()]);

export function page() {
  const { code, used } = state.player?.affiliate ?? {};
  return referrals.view("referrals-note", "Your referrals", ([overview, players]) => (state.player ? html`
    <div class="parts">
      ${section("own", "Your promo code", code ? html`<p><code id="own-set" tabindex="-1">${code}</code></p>
        <p class="quiet">Give it to friends. They get a bonus and the free case, and you earn a share of their
          deposits.</p>`
        : codeForm(CODE_FIELD, "Set the code"))}
      ${section("earned", "Earnings", earnings(overview))}
      ${section("referred", "Players who use your code", referred(players))}
      ${section("used", "The code that you use", usedCode(used))}
    </div>` : nothing));
}

const claim = async () => `${(await sendConfirmed("POST", "/affiliate/claim")).message}.`;

const earnings = ({ commissionPercentage, totalDeposits, totalEarnings, availableEarnings }) => html`
  ${claiming.view()}
  <ul class="lines"><li>
    ${named(html`To claim: <strong id="earnings">${coins(centsOfCoins(availableEarnings))}</strong>`)}
    ${availableEarnings ? claiming.button("Claim", claim) : nothing}
  </li></ul>
  ${values([
    ["Your share", `${Math.round(commissionPercentage * 100)} %`],
    ["Deposited by these players", coins(centsOfCoins(totalDeposits))],
    ["Earned so far", coins(centsOfCoins(totalEarnings))],
  ], "amounts")}
  <p class="quiet">You earn your share of what these players deposit, less what they withdraw and their bonus. You can
    claim at most your share of what their bets cost on average.</p>`;

function referred(players) {
  const pages = Math.ceil(players.length / PAGE_SIZE);
  const page = Math.min(pageNumber(), pages);
  if (!pages) return html`<p class="quiet">Nobody yet. Give your code to a friend.</p>`;
  return html`
    <ul id="referred" class="lines">${players.slice((page - 1) * PAGE_SIZE, page * PAGE_SIZE).map((player) => html`<li>
      ${picture("avatar", player.avatar, 36)}
      ${named(player.username, html`Deposited ${coins(centsOfCoins(player.deposited))}`)}
      <span class="quiet">you earned</span> ${signedCoins(centsOfCoins(player.earned))}
    </li>`)}</ul>
    ${pageButtons({ label: "Pages of players", page, pages })}`;
}

const usedCode = (used) => html`
  ${using.view()}
  <ul class="lines"><li>
    ${named(html`<span id="promo-used">${used || "none"}</span>`, html`Another player's code gives you a bonus and the
      <a href="/cases">free case</a>. You can use one, once.`)}
    ${used ? nothing : using.button("Enter a promo code", askForPromoCode)}
  </li></ul>`;
