// The player's own limits, breaks and self-exclusion.

import { sendJson } from "../api.js";
import { centsOfCoins, coinsOfCents, format, formatTime, plain, whenPeriodsBegin } from "../format.js";
import { html, nothing } from "../lit.js";
import { named, section } from "../parts/elements.js";
import { Actions, ask, openDialog, readAmount, sendConfirmed, textField } from "../parts/forms.js";
import { ownResource } from "../parts/lists.js";
import { offerWithdrawal } from "../parts/withdraw-all.js";
import { rewards } from "../rewards.js";

// What is used of each kind, from a period of `/limits/summary`.
const KINDS = {
  wager: ["Wagers", ({ wagered }) => `${format(centsOfCoins(wagered))} coins wagered so far`],
  loss: ["Losses: wagers minus payouts", ({ net }) => `${format(Math.max(centsOfCoins(-net), 0))} coins lost so far`],
  deposit: ["Deposits", () => ""],
};
const PERIODS = { day: "Daily", week: "Weekly", month: "Monthly" };

const DAY_MS = 86_400_000;
// The breaks, with their days and what they are called.
const DURATIONS = {
  "24h": [1, "24 hours"], "7d": [7, "7 days"], "30d": [30, "30 days"], "180d": [180, "180 days"],
  "365d": [365, "1 year"], "1825d": [1825, "5 years"], permanent: [Infinity, "ever (exclude yourself permanently)"],
};

const limits = ownResource("/limits", "/limits/summary");
const limiting = new Actions("limits-said", () => limits.load());
const breaking = new Actions("break-said", () => limits.load());

const nameOf = ({ kind, period }) => `${PERIODS[period].toLowerCase()} ${kind} limit`;
const amountOf = (value) => (value === null ? "no limit" : `${format(centsOfCoins(value))} coins`);

export const enter = () => limits.load();

export const page = () => limits.view("limits-note", "Your limits", ([values, summary]) => html`<div class="parts">
  ${section("limits", "Your limits", html`
    <p class="quiet">A bet or a deposit that would exceed a limit is refused. A first or a lower limit counts at
      once. A higher one, or removing one, counts when you confirm it after 24 hours. ${whenPeriodsBegin()}</p>
    ${limiting.view()}
    ${Object.entries(KINDS).map(([kind, [title, describeUsed]]) => html`
      <h4>${title}</h4>
      <ul id="${kind}-limits" class="lines limits">${Object.keys(PERIODS).map((period) => {
        const raise = values.pending.find((request) => request.kind === kind && request.period === period);
        return line({ kind, period, value: values[kind][period] }, describeUsed(summary[period]), raise);
      })}</ul>`)}`)}
  ${section("breaks", "Breaks", breaks(values.exclusion))}
</div>`);

const line = (limit, used, raise) => html`<li>
  ${named(`${PERIODS[limit.period]}: ${amountOf(limit.value)}`, used)}
  ${limiting.button(limit.value === null ? "Set" : "Change", () => edit(limit), nameOf(limit))}
  ${raise ? raiseOf(limit, raise) : nothing}
</li>`;

/** A raise that is not confirmed yet: when it can be, and the choice. */
function raiseOf(limit, { id, value, confirmableAt, expiresAt }) {
  const name = nameOf(limit);
  const asked = amountOf(value);
  const confirm = async () => {
    await sendConfirmed("POST", `/limits/requests/${id}/confirm`);
    return `Your ${name} is now ${asked}.`;
  };
  const isDue = Date.now() >= confirmableAt;
  const from = isDue ? "" : `from ${formatTime(confirmableAt)} `;
  return html`<div class="raise">
    <p>You asked for ${asked}. You can confirm this ${from}until ${formatTime(expiresAt)}.</p>
    <div class="row">
      ${limiting.button(`Keep ${amountOf(limit.value)}`, () => change(limit, limit.value), `as ${name}`)}
      ${isDue ? limiting.button(`Confirm ${asked}`, confirm, `as ${name}`) : nothing}
    </div>
  </div>`;
}

/** Ask for the new value of a limit, and send it. */
async function edit(limit) {
  const isNew = limit.value === null;
  const value = await openDialog({
    id: "limit",
    title: `Your ${nameOf(limit)}`,
    content: textField({
      form: "limit", name: "value", label: "Limit", unit: "in coins", mode: "decimal", isFirst: true,
      value: isNew ? "" : plain(centsOfCoins(limit.value)),
      help: "A lower limit counts at once. A higher one, or none, has to be confirmed after 24 hours.",
    }),
    choices: isNew ? [] : [["remove", "Remove the limit"]],
    accept: "Set the limit",
    send: async ({ elements }, choice) =>
      (choice === "remove" ? null : coinsOfCents(readAmount(elements.value.value, "The limit"))),
  });
  return value === undefined ? undefined : change(limit, value);
}

async function change(limit, value) {
  const { kind, period } = limit;
  // The limits, or the request that the player has to confirm later.
  const { confirmableAt } = await sendConfirmed("PUT", "/limits", { kind, period, value });
  if (confirmableAt === undefined) return `Your ${nameOf(limit)} is now ${amountOf(value)}.`;
  const from = formatTime(confirmableAt);
  return `Your ${nameOf(limit)} stays ${amountOf(limit.value)}. You can confirm the change from ${from}.`;
}

function breaks(exclusion) {
  const isTooShort = (duration) => Boolean(exclusion) && endOf(duration) < exclusion.until;
  const first = Object.keys(DURATIONS).find((duration) => !isTooShort(duration));
  const option = ([duration, [, text]]) => html`<option value=${duration} ?disabled=${isTooShort(duration)}
    ?selected=${duration === first}>${text}</option>`;
  const submit = (event) => {
    event.preventDefault();
    breaking.run(() => takeBreak(event.target.elements.duration.value));
  };
  return html`
    <p class="quiet">During a break you can't bet or deposit. You can withdraw, and your vault, prizes and earlier
      bets stay usable.</p>
    ${breaking.view()}
    <p id="break-now" class="name">${exclusion ? describeBreak(exclusion.until) : ""}</p>
    ${exclusion?.until === null ? nothing : html`
      <form id="break-form" class="row" @submit=${submit}>
        <label for="break-duration">Do not bet for</label>
        <select id="break-duration" name="duration">${Object.entries(DURATIONS).map(option)}</select>
        <button class="plain">Take a break</button>
      </form>`}`;
}

const describeBreak = (until) =>
  until === null ? "You have excluded yourself permanently." : `You are taking a break until ${formatTime(until)}.`;

const askForBreak = (duration) => ask("break", `Take a break for ${DURATIONS[duration][1]}?`, html`
  <p>You can't bet until ${formatTime(endOf(duration))}. A break can't be ended earlier, only made longer.</p>`,
"Take the break");

const askForExclusion = () => ask("break", "Exclude yourself permanently?", html`
  <p>You will never be able to bet with this account again. Nobody can undo this.</p>
  <p><label><input type="checkbox" required> I understand that I can never bet with this account again.</label></p>`,
"Exclude me permanently");

async function takeBreak(duration) {
  const isAgreed = await (duration === "permanent" ? askForExclusion() : askForBreak(duration));
  if (!isAgreed) return undefined;
  const { until, withdrawable } = await sendJson("POST", "/limits/exclusion", { duration });
  rewards.load(); // There are none during a break.
  await limits.load();
  return `${describeBreak(until)} ${await offerWithdrawal(withdrawable)}`.trim();
}

/** When a break ends that begins now. */
const endOf = (duration) => Date.now() + DURATIONS[duration][0] * DAY_MS;
