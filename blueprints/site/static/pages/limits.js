// The player's own limits: what is used of them, setting them, and confirming a higher one.

import { makeActions } from "./actions.js";
import { byId, make, namedButton, openDialog } from "./dom.js";
import { centsOfCoins, centsOfText, coinsOfCents, format, plain } from "./money.js";
import { formatClock, formatTime } from "./times.js";
import { sendConfirmed } from "./two-factor-prompt.js";

// What is used of each kind, from a period of `/limits/summary`.
const KINDS = {
  wager: ({ wagered }) => `${format(centsOfCoins(wagered))} coins wagered so far`,
  loss: ({ net }) => `${format(Math.max(centsOfCoins(-net), 0))} coins lost so far`,
  deposit: () => "",
};
const PERIODS = { day: "Daily", week: "Weekly", month: "Monthly" };

const nameOf = ({ kind, period }) => `${PERIODS[period].toLowerCase()} ${kind} limit`;
const amountOf = (cents) => (cents === null ? "no limit" : `${format(cents)} coins`);
const centsOf = (value) => (value === null ? null : centsOfCoins(value));

/** The section. `redraw()` loads and draws the tab anew. */
export class Limits {
  #act;

  constructor(redraw) {
    this.#act = makeActions("limits-said", redraw);
    byId("limit-form").addEventListener("submit", checkTyped);
    byId("limit-remove").addEventListener("click", () => byId("limit").close("remove"));
  }

  /** Draw `/limits`, with what `/limits/summary` says is used. */
  draw({ pending, ...limits }, summary) {
    byId("day-begins").textContent = formatClock(new Date().setUTCHours(0, 0, 0, 0));
    for (const [kind, describeUsed] of Object.entries(KINDS)) {
      byId(`${kind}-limits`).replaceChildren(...Object.keys(PERIODS).map((period) => {
        const limit = { kind, period, cents: centsOf(limits[kind][period]) };
        const raise = pending.find((request) => request.kind === kind && request.period === period);
        return this.#line(limit, describeUsed(summary[period]), raise);
      }));
    }
  }

  #line(limit, used, raise) {
    const about = make("div", { className: "name" }, `${PERIODS[limit.period]}: ${amountOf(limit.cents)}`);
    if (used) about.append(make("p", { className: "quiet" }, used));
    const verb = limit.cents === null ? "Set" : "Change";
    const line = make("li", {}, about, namedButton(verb, nameOf(limit), () => this.#edit(limit)));
    if (raise) line.append(this.#raise(limit, raise));
    return line;
  }

  /** A raise that is not confirmed yet: when it can be, and the choice. */
  #raise(limit, { id, value, confirmableAt, expiresAt }) {
    const name = nameOf(limit);
    const asked = amountOf(centsOf(value));
    const keep = () => this.#change(limit, limit.cents);
    const confirm = () => this.#act(async () => {
      await sendConfirmed("POST", `/limits/requests/${id}/confirm`);
      return `Your ${name} is now ${asked}.`;
    });
    const isDue = Date.now() >= confirmableAt;
    const from = isDue ? "" : `from ${formatTime(confirmableAt)} `;
    const when = `You asked for ${asked}. You can confirm this ${from}until ${formatTime(expiresAt)}.`;
    const choice = make("div", { className: "row" }, namedButton(`Keep ${amountOf(limit.cents)}`, `as ${name}`, keep));
    if (isDue) choice.append(namedButton(`Confirm ${asked}`, `as ${name}`, confirm));
    return make("div", { className: "raise" }, make("p", {}, when), choice);
  }

  /** Ask for the new value of a limit, and send it. */
  async #edit(limit) {
    byId("limit-title").textContent = `Your ${nameOf(limit)}`;
    byId("limit-value").value = limit.cents === null ? "" : plain(limit.cents);
    byId("limit-problem").textContent = "";
    byId("limit-remove").hidden = limit.cents === null;
    const choice = await openDialog("limit");
    if (choice === "remove") await this.#change(limit, null);
    if (choice === "set") await this.#change(limit, centsOfText(byId("limit-value").value));
  }

  #change(limit, cents) {
    const { kind, period } = limit;
    const content = { kind, period, value: cents === null ? null : coinsOfCents(cents) };
    return this.#act(async () => {
      // The limits, or the request that the player has to confirm later.
      const { confirmableAt } = await sendConfirmed("PUT", "/limits", content);
      if (confirmableAt === undefined) return `Your ${nameOf(limit)} is now ${amountOf(cents)}.`;
      return `Your ${nameOf(limit)} stays ${amountOf(limit.cents)}. You can confirm the change from ` +
        `${formatTime(confirmableAt)}.`;
    });
  }
}

/** Close the dialog if an amount was typed. */
function checkTyped(event) {
  event.preventDefault();
  if (centsOfText(byId("limit-value").value) !== null) return byId("limit").close("set");
  byId("limit-problem").textContent = "The limit must be an amount with at most two decimals.";
}
