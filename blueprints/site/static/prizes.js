// The player's prizes of real-life cases: selling one, and asking for another to be shipped.

import { makeActions } from "./actions.js";
import { getOwn, makeSignals } from "./api.js";
import { byId, make, namedButton, openDialog, picture } from "./dom.js";
import { centsOfCoins, coins, format } from "./money.js";
import { getToken } from "./session.js";
import { askToShip } from "./shipping.js";
import { sendConfirmed } from "./two-factor-prompt.js";

const PAGE_SIZE = 10;
const NO_PRIZES = "There are no prizes here yet. Open a case with real-life prizes to win one.";

const NONE = { prizes: [], totalPages: 0, currentPage: 1 };
const STATUSES = { kept: "Yours", sold: "Sold", shipping: "Will be shipped", shipped: "Shipped" };

const act = makeActions("prizes-said", () => showPrizes());
const nextSignal = makeSignals();
let shownPage = 1;

byId("prize-status").addEventListener("change", () => showPrizes(1));
byId("previous-prizes").addEventListener("click", () => showPrizes(shownPage - 1));
byId("next-prizes").addEventListener("click", () => showPrizes(shownPage + 1));

/** Load and draw a page of the list. */
export async function showPrizes(page = shownPage) {
  const signal = nextSignal();
  if (!getToken()) return draw(NONE, "Sign in to see your prizes.");
  const query = new URLSearchParams({ page, limit: PAGE_SIZE, status: byId("prize-status").value });
  try {
    const { data } = await getOwn(`/prizes?${query}`, { signal });
    // The last prize of the last page may have been sold.
    if (page > 1 && page > data.totalPages) return showPrizes(Math.max(data.totalPages, 1));
    draw(data, data.total ? "" : NO_PRIZES);
  } catch (problem) {
    if (!signal.aborted) byId("prizes-note").textContent = `The prizes could not be loaded: ${problem.message}`;
  }
}

function draw({ prizes, totalPages, currentPage }, note) {
  shownPage = currentPage;
  byId("prizes").replaceChildren(...prizes.map(line));
  byId("prizes-note").textContent = note;
  byId("prize-pages").hidden = totalPages < 2;
  byId("prize-page").textContent = `Page ${currentPage} of ${totalPages}`;
  byId("previous-prizes").disabled = currentPage <= 1;
  byId("next-prizes").disabled = currentPage >= totalPages;
}

function line({ id, name, image, value, status, wonAt }) {
  const won = new Date(wonAt).toLocaleDateString([], { dateStyle: "medium" });
  const history = make("p", { className: "quiet" }, `Won on ${won} · ${STATUSES[status]}`);
  const about = make("div", { className: "name" }, name, history);
  const line = make("li", {}, picture("item", image, 56), about, coins(centsOfCoins(value)));
  if (status === "kept") {
    const buttons = [
      namedButton("Sell", name, () => sell(id, name, value)),
      namedButton("Ship", name, () => ship(id, name)),
    ];
    line.append(make("div", { className: "row" }, ...buttons));
  }
  return line;
}

async function sell(id, name, value) {
  if (!(await confirmSale(name, value))) return;
  await act(async () => {
    const { amount } = await sendConfirmed("POST", `/prizes/${id}/sell`);
    return `You sold ${name} for ${format(centsOfCoins(amount))} coins.`;
  });
}

async function ship(id, name) {
  if (await askToShip(id, name)) await act(async () => `${name} will be shipped to you.`);
}

/** Ask before selling, which can't be undone; resolves with whether the player agrees. */
async function confirmSale(name, value) {
  byId("sale-text").replaceChildren("You get ", coins(centsOfCoins(value)), ` for ${name}. This can't be undone.`);
  return (await openDialog("sale")) === "accept";
}
