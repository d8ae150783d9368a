// The player's own limits, breaks and self-exclusion.

import { getOwn, sendJson } from "../api.js";
import { html, nothing } from "../lit.js";
import { centsOfCoins, coinsOfCents, format, plain } from "../money.js";
import { Actions } from "../parts/action.js";
import { readAmount } from "../parts/amount.js";
import { openDialog } from "../parts/dialog.js";
import { namedButton } from "../parts/facts.js";
import { field } from "../parts/field.js";
import { Resource, status } from "../parts/resource.js";
import { sendConfirmed } from "../parts/two-factor.js";
import { formatClock, formatTime } from "../times.js";

// What is used of each kind, from a period of `/limits/summary`.
const KINDS = {
  wager: ["Wagers", ({ wagered }) => `${format(centsOfCoins(wagered))} coins wagered so far`],
  loss: ["Losses: wagers minus payouts", ({ net }) => `${format(Math.max(centsOfCoins(-net), 0))} coins lost so far`],
  deposit: ["Deposits", () => ""],
};
const PERIODS = { day: "Daily", week: "Weekly", month: "Monthly" };

const HOUR_MS = 3_600_000;
const HOURS = { h: 1, d: 24 };
const PERMANENT = "permanent";
const DURATIONS = {
  "24h": "24 hours", "7d": "7 days", "30d": "30 days", "180d": "180 days", "365d": "1 year", "1825d": "5 years",
  [PERMANENT]: "ever (exclude yourself permanently)",
};

const limits = new Resource(async (signal) => {
  const paths = ["/limits", "/limits/summary"];
  const [all, summary] = await Promise.all(paths.map((path) => getOwn(path, { signal })));
  return { ...all, summary };
});
const limiting = new Actions("limits-said", () => limits.load());
const breaking = new Actions("break-said", () => limits.load());

const nameOf = ({ kind, period }) => `${PERIODS[period].toLowerCase()} ${kind} limit`;
const amountOf = (cents) => (cents === null ? "no limit" : `${format(cents)} coins`);
const centsOf = (value) => (value === null ? null : centsOfCoins(value));

export const enter = () => limits.load();

export const page = () => html`
  ${status("limits-note", limits.note("Your limits"))}
  ${limits.value ? html`<div class="parts">
    <section aria-labelledby="limits-title">
      <h3 id="limits-title">Your limits</h3>
      <p class="quiet">A bet or a deposit that would exceed a limit is refused. A first or a lower limit counts at
        once. A higher one, or removing one, counts when you confirm it after 24 hours. A day begins at
        ${formatClock(new Date().setUTCHours(0, 0, 0, 0))}, a week on Monday and a month on the 1st: midnight in UTC,
        shown in your time.</p>
      ${limiting.view()}
      ${Object.entries(KINDS).map(([kind, [title, used]]) => html`
        <h4>${title}</h4>
        <ul id="${kind}-limits" class="lines limits">${Object.keys(PERIODS).map((period) => line(kind, period, used))}</ul>`)}
    </section>
    ${breaks(limits.value.exclusion)}
  </div>` : nothing}`;

function line(kind, period, describeUsed) {
  const { pending, summary, [kind]: values } = limits.value;
  const limit = { kind, period, cents: centsOf(values[period]) };
  const used = describeUsed(summary[period]);
  const raise = pending.find((request) => request.kind === kind && request.period === period);
  const verb = limit.cents === null ? "Set" : "Change";
  return html`<li>
    <div class="name">${PERIODS[period]}: ${amountOf(limit.cents)}${used ? html`<p class="quiet">${used}</p>` : nothing}</div>
    ${namedButton(verb, nameOf(limit), () => edit(limit))}
    ${raise ? raiseOf(limit, raise) : nothing}
  </li>`;
}

/** A raise that is not confirmed yet: when it can be, and the choice. */
function raiseOf(limit, { id, value, confirmableAt, expiresAt }) {
  const name = nameOf(limit);
  const asked = amountOf(centsOf(value));
  const confirm = () => limiting.run(async () => {
    await sendConfirmed("POST", `/limits/requests/${id}/confirm`);
    return `Your ${name} is now ${asked}.`;
  });
  const isDue = Date.now() >= confirmableAt;
  const from = isDue ? "" : `from ${formatTime(confirmableAt)} `;
  return html`<div class="raise">
    <p>You asked for ${asked}. You can confirm this ${from}until ${formatTime(expiresAt)}.</p>
    <div class="row">
      ${namedButton(`Keep ${amountOf(limit.cents)}`, `as ${name}`, () => change(limit, limit.cents))}
      ${isDue ? namedButton(`Confirm ${asked}`, `as ${name}`, confirm) : nothing}
    </div>
  </div>`;
}

/** Ask for the new value of a limit, and send it. */
async function edit(limit) {
  const value = limit.cents === null ? "" : plain(limit.cents);
  const chosen = await openDialog({
    id: "limit",
    title: `Your ${nameOf(limit)}`,
    content: field({
      id: "limit-value",
      label: "Limit",
      unit: "in coins",
      help: "A lower limit counts at once. A higher one, or none, has to be confirmed after 24 hours.",
      input: html`<input id="limit-value" name="value" inputmode="decimal" autocomplete="off" value=${value}
        aria-describedby="limit-value-help limit-problem" autofocus>`,
    }),
    choices: limit.cents === null ? [] : [["remove", "Remove the limit"]],
    accept: "Set the limit",
    send: ({ elements }, choice) =>
      ({ cents: choice === "remove" ? null : readAmount(elements.value.value, "The limit") }),
  });
  if (chosen) await change(limit, chosen.cents);
}

const change = (limit, cents) => limiting.run(async () => {
  const { kind, period } = limit;
  const content = { kind, period, value: cents === null ? null : coinsOfCents(cents) };
  // The limits, or the request that the player has to confirm later.
  const { confirmableAt } = await sendConfirmed("PUT", "/limits", content);
  if (confirmableAt === undefined) return `Your ${nameOf(limit)} is now ${amountOf(cents)}.`;
  return `Your ${nameOf(limit)} stays ${amountOf(limit.cents)}. You can confirm the change from ` +
    `${formatTime(confirmableAt)}.`;
});

function breaks(exclusion) {
  const isTooShort = (duration) => Boolean(exclusion) && endOf(duration) < exclusion.until;
  const first = Object.keys(DURATIONS).find((duration) => !isTooShort(duration));
  const option = ([duration, text]) => html`<option value=${duration} ?disabled=${isTooShort(duration)}
    ?selected=${duration === first}>${text}</option>`;
  return html`
    <section aria-labelledby="breaks-title">
      <h3 id="breaks-title">Breaks</h3>
      <p class="quiet">During a break you can't bet or deposit. You can withdraw, and your vault, prizes and earlier
        bets stay usable.</p>
      ${breaking.view()}
      <p id="break-now" class="name">${exclusion ? describeBreak(exclusion.until) : ""}</p>
      ${exclusion?.until === null ? nothing : html`
        <form id="break-form" class="row" @submit=${takeBreak}>
          <label for="break-duration">Do not bet for</label>
          <select id="break-duration" name="duration">${Object.entries(DURATIONS).map(option)}</select>
          <button type="submit" class="plain">Take a break</button>
        </form>`}
    </section>`;
}

const describeBreak = (until) =>
  until === null ? "You have excluded yourself permanently." : `You are taking a break until ${formatTime(until)}.`;

/** Begin the chosen break, if the player agrees. */
async function takeBreak(event) {
  event.preventDefault();
  const duration = event.target.elements.duration.value;
  const isPermanent = duration === PERMANENT;
  const isAgreed = await openDialog({
    id: "break",
    title: isPermanent ? "Exclude yourself permanently?" : `Take a break for ${DURATIONS[duration]}?`,
    content: html`<p>${isPermanent
      ? "You will never be able to bet with this account again. Nobody can undo this."
      : `You can't bet until ${formatTime(endOf(duration))}. A break can't be ended earlier, only made longer.`}</p>
      ${isPermanent ? html`<p><label><input type="checkbox" required> I understand that I can never bet with this
        account again.</label></p>` : nothing}`,
    accept: isPermanent ? "Exclude me permanently" : "Take the break",
  });
  if (!isAgreed) return;
  await breaking.run(async () => describeBreak((await sendJson("POST", "/limits/exclusion", { duration })).until));
}

/** When a break ends that begins now. */
function endOf(duration) {
  if (duration === PERMANENT) return Infinity;
  return Date.now() + parseInt(duration, 10) * HOURS[duration.at(-1)] * HOUR_MS;
}
