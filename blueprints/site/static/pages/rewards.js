// Rewards: what the player can claim or open free, what comes next and how far it is. Guests see what there is.

import { getJson, sendJson } from "../api.js";
import { centsOfCoins, format, formatClock, formatTime } from "../format.js";
import { html, nothing } from "../lit.js";
import { casePicture, coins, faceOf, logins, named, section, status } from "../parts/elements.js";
import { Actions } from "../parts/forms.js";
import { Resource } from "../parts/lists.js";
import { loadPlayer } from "../player.js";
import { addressOfOpening, isClaimable, isOffered, rewards } from "../rewards.js";
import { getToken } from "../session.js";
import { state, update } from "../store.js";

const MINUTE_MS = 60_000;
const MOST_PAST = 10; // grants that are over
const STATES = { claimed: "Claimed", used: "Opened", forfeited: "Lost", expired: "Expired" };

const rules = new Resource((signal) => getJson("/rewards/rules", { signal }));
const cases = new Map(); // what is shown of cases, by their ids; null until it is loaded
const claiming = new Actions("claimed", () => Promise.all([rewards.load(), loadPlayer()]));
let passing = null; // draws the page each minute: a claim may be possible by now

export function enter() {
  clearInterval(passing);
  passing = setInterval(update, MINUTE_MS);
  return Promise.all([rules.load(), ...(getToken() ? [loadPlayer(), rewards.load()] : [])]);
}

export const leave = () => clearInterval(passing);

export const page = () => html`
  <p class="quiet">What the house gives back is a share of what it expects to win with your bets. It is the same whether
    you win or lose them.</p>
  ${getToken() ? ofPlayer() : rules.view("rewards-note", "The rewards", ofGuest)}`;

function ofPlayer() {
  const problem = rewards.note("Your rewards") || rules.note("The rewards") || (state.player ? "" : "Loading…");
  if (problem) return status("rewards-note", problem);
  // The rakeback is there, if only with a rate of 0, for everybody who may play.
  if (!rewards.value.rakeback) {
    return status("rewards-note", "There are no rewards while you can't play. What you have earned stays, and you can"
      + " claim it afterwards.");
  }
  const { rakeback, levels, daily, bonus, granted } = rewards.value;
  return html`
    ${claiming.view()}
    <div id="rewards" class="parts">
      ${granted.length ? section("granted", "Given to you", grants(granted)) : nothing}
      ${daily ? section("daily", "Daily free opening", dailyOpening(daily)) : nothing}
      ${rakeback.rate ? section("rakeback", "Rakeback", ofRakeback(rakeback)) : nothing}
      ${section("gifts", "Levels", ofLevels(levels))}
      ${bonus ? section("bonus", "Bonus of a deposit", ofBonus(bonus)) : nothing}
    </div>`;
}

// What several parts have

const claimButton = (id, of) => claiming.button("Claim", () => claim(id), of);

async function claim(id) {
  const { amount } = await sendJson("POST", `/rewards/${encodeURIComponent(id)}/claim`);
  return `${format(centsOfCoins(amount))} coins were added to your balance.`;
}

const openLink = (reward) => html`<a class="plain" href=${addressOfOpening(reward)}
  aria-label="Open it: ${caseOf(reward.case).name}">Open it</a>`;

/** The name and the face of a case; its id until they are loaded. Loads each case once. */
function caseOf(id) {
  if (!cases.has(id)) {
    cases.set(id, null);
    getJson(`/api/cases/${encodeURIComponent(id)}`).then((found) => {
      cases.set(id, { name: found.name, face: faceOf(found) });
      update();
    }, () => {});
  }
  return cases.get(id) ?? { name: id, face: {} };
}

/** What a reward gives: coins, or a free opening with the picture of its case. */
const nameOf = (reward) => (reward.case ? html`Free opening of ${caseOf(reward.case).name}`
  : coins(centsOfCoins(reward.coins)));

const pictureOf = (reward) => (reward.case ? casePicture(caseOf(reward.case).face, 56) : nothing);

const wordsFor = (reward) => (reward.case ? `the free opening of ${caseOf(reward.case).name}`
  : `${format(centsOfCoins(reward.coins))} coins`);

const actionOf = (reward) => (!isOffered(reward) ? nothing
  : reward.case ? openLink(reward) : claimButton(reward.id, wordsFor(reward)));

/** How far something is, in coins, with a sentence that says so. */
const progress = (id, value, max, text) => html`
  <progress max=${max} value=${Math.min(Math.max(value, 0), max)} aria-labelledby="${id}-progress"></progress>
  <p id="${id}-progress" class="quiet">${text}</p>`;

const share = (fraction) => `${Number((fraction * 100).toFixed(4))} %`;

const amount = (value) => format(centsOfCoins(value));

/** Experience is counted in whole coins. */
const whole = (value) => value.toLocaleString("en-US");

// Rakeback

function ofRakeback(rakeback) {
  const { available, rate, claimableAt } = rakeback;
  const isNow = isClaimable(rakeback);
  return html`<ul class="lines"><li>
    ${named(html`To claim: <strong id="rakeback-available">${coins(centsOfCoins(available))}</strong>`,
      `${share(rate)} of what the house expects to win with your bets, once an hour at most.`,
      isNow ? "" : available > 0 ? `You can claim it from ${formatClock(claimableAt)} on.`
        : "It grows with each of your bets.")}
    ${isNow ? claimButton("rakeback", `the rakeback of ${amount(available)} coins`) : nothing}
  </li></ul>`;
}

// Levels

function ofLevels(levels) {
  const { level, experience, levelExperience: began } = state.player;
  const next = rules.value.levels.find((gift) => gift.level > level);
  const due = levels.filter((gift) => gift.level <= level && gift.state !== "claimed" && gift.state !== "used");
  return html`
    ${due.length ? html`<ul id="due-gifts" class="lines">${due.map(dueGift)}</ul>` : nothing}
    ${next ? progress("gifts", experience - began, next.experience - began, html`You have level ${level}.
      Level ${next.level} gives ${textOf(next)}: wager ${whole(next.experience - experience)} coins more.`) : nextLevelOnly()}
    ${levels.length ? html`<details><summary>All gifts of levels</summary>
      <ul class="lines">${levels.map((gift) => html`<li>${named(html`Level ${gift.level}: ${nameOf(gift)}`)}
        <span class="quiet">${STATES[gift.state] ?? (gift.level <= level ? "Reached" : "")}</span></li>`)}</ul>
    </details>` : nothing}`;
}

const textOf = (gift) => (gift.case ? html`a free opening of ${caseOf(gift.case).name}`
  : `${amount(gift.coins)} coins`);

/** The next step of a player for whom no level has a gift. */
function nextLevelOnly() {
  const { level, experience, levelExperience, nextLevelExperience } = state.player;
  return progress("gifts", experience - levelExperience, nextLevelExperience - levelExperience,
    `You have level ${level}. Wager ${whole(nextLevelExperience - experience)} coins more to reach level ${level + 1}.`);
}

/** A gift that the player can claim, or that the bets have not paid for yet. */
const dueGift = (gift) => html`<li>
  ${pictureOf(gift)}
  ${named(html`Level ${gift.level}: ${nameOf(gift)}`,
    isOffered(gift) ? "" : `You have the level. The gift comes when your bets have paid for it${
      gift.case ? ", and its case can be opened" : ""}.`)}
  ${isOffered(gift) && !gift.case ? claimButton(gift.id, `${amount(gift.coins)} coins for level ${gift.level}`)
    : actionOf(gift)}
</li>`;

// The daily free opening

const dailyOpening = (daily) => html`<ul class="lines"><li>
  ${daily.case ? pictureOf(daily) : nothing}
  ${named(daily.case ? nameOf(daily) : "None today", describeDaily(daily))}
  ${actionOf(daily)}
</li></ul>
<p class="quiet">A level case a day. Which one depends on your level, and on your bets of the seven days before.</p>`;

/** `availableAt` is when the next day begins, and `needed` what the bets of seven days lack for one on that day. */
function describeDaily({ state: now, needed, availableAt }) {
  const next = formatTime(availableAt);
  if (now === "offered") return `Until ${next}.`;
  const opened = now === "used" ? "You have opened it today. " : "";
  if (needed === null) return `${opened}You have not reached the level of a level case yet.`;
  if (needed === 0) return `${opened}The next one is there from ${next} on.`;
  return `${opened}For one from ${next} on, ${amount(needed)} coins are still to be wagered before.`;
}

// The bonus of a deposit

function ofBonus(bonus) {
  const { state: now, percent, max, wagered, needed, endsAt } = bonus;
  if (now === "available") {
    const { wagering, days } = rules.value.bonus;
    return html`<p>${percent} % of your next deposit, up to ${coins(centsOfCoins(max))}, if you take it in the
      <a href="/account/cashier">cashier</a>.</p>
      <p class="quiet">It is paid when you have wagered it ${wagering} times within ${days} days. You lose it afterwards,
        or when you request a withdrawal before.</p>`;
  }
  return html`
    ${progress("bonus", wagered, needed, html`${amount(wagered)} of ${amount(needed)} coins wagered. Then
      ${coins(centsOfCoins(bonus.amount))} are added to your balance.`)}
    <p class="quiet">It ends on ${formatTime(endsAt)}. You lose it then, or when you request a withdrawal before.</p>`;
}

// What was given to the player: by staff, or by a promo code

function grants(granted) {
  const past = granted.filter((reward) => !isOffered(reward)).slice(0, MOST_PAST);
  return html`<ul id="grants" class="lines">${[...granted.filter(isOffered), ...past].map((reward) => html`<li>
    ${pictureOf(reward)}
    ${named(nameOf(reward), reward.kind === "code" ? "By a promo code" : "",
      isOffered(reward) && reward.expiresAt ? `Until ${formatTime(reward.expiresAt)}` : "")}
    ${isOffered(reward) ? actionOf(reward) : html`<span class="quiet">${STATES[reward.state]}</span>`}
  </li>`)}</ul>`;
}

// What a guest sees

function ofGuest({ rakebackRate, levels, dailyShare, bonus }) {
  const offered = [
    rakebackRate && ["Rakeback", `${share(rakebackRate)} of what the house expects to win with your bets, in coins.`],
    levels.length && ["Gifts of levels", html`Each once. The first one: level ${levels[0].level} gives
      ${textOf(levels[0])}, after ${whole(levels[0].experience)} coins wagered.`],
    dailyShare && ["Daily free opening", "A case a day, by your bets of the last seven days."],
    bonus && ["Bonus of a deposit", `${bonus.percent} % of the next deposit of a player who has used a promo code,
      up to ${amount(bonus.max)} coins, paid when you have wagered it ${bonus.wagering} times within ${bonus.days} days.`],
  ].filter(Boolean);
  if (!offered.length) return status("no-rewards", "There are no rewards at the moment.");
  return html`
    <ul id="offered" class="lines">${offered.map(([name, text]) => html`<li>${named(name, text)}</li>`)}</ul>
    <p>Sign in to see yours.</p>
    <p class="row logins">${logins()}</p>`;
}
