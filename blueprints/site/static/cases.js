// The list of cases, and a dialog with the items of a case and their chances.

import { getJson } from "./api.js";
import { byId, make, picture } from "./dom.js";
import { centsOfCoins, centsOfPrice, coins } from "./money.js";

const MOST = 24;
const PICTURES = 3;

/** Load the cases and draw them. */
export async function showCases() {
  const query = new URLSearchParams({ caseType: "all", limit: MOST, sort: "Price Ascending" });
  try {
    const { cases } = await getJson(`/api/cases/pagination?${query}`);
    byId("cases").replaceChildren(...cases.map((each) => make("li", {}, card(each))));
    byId("cases-note").textContent = cases.length ? "" : "There are no cases yet.";
  } catch (problem) {
    byId("cases-note").textContent = `The cases could not be loaded: ${problem.message}`;
  }
}

function card({ id, name, price, items }) {
  const mostExpensive = [...items].sort((one, other) => centsOf(other) - centsOf(one)).slice(0, PICTURES);
  const button = make(
    "button",
    { type: "button", className: "card" },
    make("span", { className: "fan" }, ...mostExpensive.map(({ image }) => picture("item", image, 96))),
    make("span", { className: "name" }, name),
    make("span", { className: "quiet" }, items.length === 1 ? "1 item" : `${items.length} items`),
    coins(centsOfCoins(price)),
  );
  button.addEventListener("click", () => open(id));
  return button;
}

async function open(id) {
  try {
    const { name, price, items } = await getJson(`/api/cases/${encodeURIComponent(id)}`);
    byId("case-title").textContent = name;
    byId("case-price").replaceChildren(coins(centsOfCoins(price)));
    byId("case-items").replaceChildren(...items.map(line));
    byId("case").showModal();
  } catch (problem) {
    byId("cases-note").textContent = `The case could not be loaded: ${problem.message}`;
  }
}

function line(item) {
  return make(
    "li",
    {},
    picture("item", item.image, 48),
    make("span", { className: "name" }, item.marketHashName),
    make("span", { className: "quiet" }, `${item.percentage} %`),
    item.price === null ? make("span", { className: "quiet" }, "no price yet") : coins(centsOfPrice(item.price)),
  );
}

const centsOf = ({ price }) => (price === null ? 0 : centsOfPrice(price));
