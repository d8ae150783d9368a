// The dialog in which a player says where a prize is shipped to.

import { getOwn, sendJson } from "./api.js";
import { byId, openDialog } from "./dom.js";
import { sendConfirmed } from "./two-factor-prompt.js";

const NAMES = ["firstName", "lastName"];
const ADDRESS = ["addressLine1", "addressLine2", "city", "zipCode", "state", "country"];

const input = (field) => byId("shipping-form").elements[field];
const valuesOf = (fields) => Object.fromEntries(fields.map((field) => [field, input(field).value]));

/** Ask where to ship a prize to, and request it; resolves with whether it will be shipped. */
export async function askToShip(id, name) {
  byId("shipping-title").textContent = `Ship ${name}`;
  byId("shipping-form").onsubmit = (event) => {
    event.preventDefault();
    ship(id);
  };
  await fill();
  return (await openDialog("shipping")) === "shipped";
}

/** Fill the form with the details of the player's profile. */
async function fill() {
  byId("shipping-problem").textContent = "";
  try {
    const { data } = await getOwn("/profile/details");
    const known = { ...data, ...data.shippingAddress };
    for (const field of [...NAMES, ...ADDRESS]) input(field).value = known[field];
  } catch (problem) {
    byId("shipping-problem").textContent = `Your address could not be loaded: ${problem.message}`;
  }
}

/** Store the address in the profile, then ask for the prize to be shipped. */
async function ship(prizeId) {
  const button = byId("shipping-accept");
  button.disabled = true;
  byId("shipping-problem").textContent = "";
  try {
    await sendJson("PUT", "/profile/details", { ...valuesOf(NAMES), shippingAddress: valuesOf(ADDRESS) });
    await sendConfirmed("POST", `/prizes/${prizeId}/ship`);
    byId("shipping").close("shipped");
  } catch (problem) {
    byId("shipping-problem").textContent = `${problem.message}.`;
  } finally {
    button.disabled = false;
  }
}
