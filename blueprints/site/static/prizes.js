// The player's prizes of real-life cases: selling one, and asking for another to be shipped.

import { makeActions } from "./actions.js";
import { getJson } from "./api.js";
import { byId, make, namedButton, openDialog, picture } from "./dom.js";
import { centsOfCoins, coins, format } from "./money.js";
import { askToShip } from "./shipping.js";
import { sendConfirmed } from "./two-factor-prompt.js";

const PAGE_SIZE = 10;
const NO_PRIZES = "There are no prizes here yet. Open a case with real-life prizes to win one.";

const NONE = { prizes: [], totalPages: 0, currentPage: 1 };
const STATUSES = { kept: "Yours", sold: "Sold", shipping: "Will be shipped", shipped: "Shipped" };

/** The list. `getToken()` returns the player's token, or null for a guest. */
export class Prizes {
  #getToken;
  #act = makeActions("prizes-said", () => this.show());
  #page = 1;
  #loading = 0;

  constructor(getToken) {
    this.#getToken = getToken;
    byId("prize-status").addEventListener("change", () => this.show(1));
    byId("previous-prizes").addEventListener("click", () => this.show(this.#page - 1));
    byId("next-prizes").addEventListener("click", () => this.show(this.#page + 1));
  }

  /** Load and draw a page. */
  async show(page = this.#page) {
    const mine = ++this.#loading;
    const token = this.#getToken();
    if (!token) return this.#draw(NONE, "Sign in to see your prizes.");
    const query = new URLSearchParams({ page, limit: PAGE_SIZE, status: byId("prize-status").value });
    try {
      const { data } = await getJson(`/prizes?${query}`, { token });
      if (mine !== this.#loading) return;
      this.#draw(data, data.total ? "" : NO_PRIZES);
    } catch (problem) {
      if (mine !== this.#loading) return;
      byId("prizes-note").textContent = `The prizes could not be loaded: ${problem.message}`;
    }
  }

  #draw({ prizes, totalPages, currentPage }, note) {
    this.#page = currentPage;
    byId("prizes").replaceChildren(...prizes.map((prize) => this.#line(prize)));
    byId("prizes-note").textContent = note;
    byId("prize-pages").hidden = totalPages < 2;
    byId("prize-page").textContent = `Page ${currentPage} of ${totalPages}`;
    byId("previous-prizes").disabled = currentPage <= 1;
    byId("next-prizes").disabled = currentPage >= totalPages;
  }

  #line(prize) {
    const { name, image, value, status, wonAt } = prize;
    const won = new Date(wonAt).toLocaleDateString([], { dateStyle: "medium" });
    const history = make("p", { className: "quiet" }, `Won on ${won} · ${STATUSES[status]}`);
    const about = make("div", { className: "name" }, name, history);
    const line = make("li", {}, picture("item", image, 56), about, coins(centsOfCoins(value)));
    if (status === "kept") {
      line.append(make("div", { className: "row" }, this.#sellButton(prize), this.#shipButton(prize)));
    }
    return line;
  }

  #sellButton({ id, name, value }) {
    return namedButton("Sell", name, async () => {
      if (!(await confirmSale(name, value))) return;
      await this.#act(async () => {
        const { amount } = await sendConfirmed("POST", `/prizes/${id}/sell`, { token: this.#getToken() });
        return `You sold ${name} for ${format(centsOfCoins(amount))} coins.`;
      });
    });
  }

  #shipButton({ id, name }) {
    return namedButton("Ship", name, async () => {
      if (!(await askToShip({ id, name }, this.#getToken()))) return;
      await this.#act(async () => `${name} will be shipped to you.`);
    });
  }
}

/** Ask before selling, which can't be undone; resolves with whether the player agrees. */
async function confirmSale(name, value) {
  byId("sale-text").replaceChildren("You get ", coins(centsOfCoins(value)), ` for ${name}. This can't be undone.`);
  return (await openDialog("sale")) === "accept";
}
