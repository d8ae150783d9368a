// The dialog in which a player says where a prize is shipped to.

import { getOwn, sendJson } from "../api.js";
import { html } from "../lit.js";
import { openDialog, sendConfirmed, textField } from "./forms.js";

const NAMES = [["firstName", "First name", "given-name"], ["lastName", "Last name", "family-name"]];
const ADDRESS = [
  ["addressLine1", "Street and number", "address-line1"],
  ["addressLine2", "Address line 2", "address-line2", "optional"],
  ["zipCode", "Postal code", "postal-code"],
  ["city", "City", "address-level2"],
  ["state", "State or province", "address-level1", "optional"],
  ["country", "Country", "country-name"],
];

/** The fields of a name and an address in a form, filled with what `GET /profile/details` answers. */
export const addressFields = (form, { shippingAddress, ...names }) => html`<div class="fields">${
  [...NAMES, ...ADDRESS].map(([name, label, complete, unit]) => textField({
    form, name, label, unit, complete, most: 120, capitals: "words", value: { ...names, ...shippingAddress }[name],
  }))}</div>`;

/** What `PUT /profile/details` gets from the elements of a form with these fields. */
export function readAddress(elements) {
  const valuesOf = (fields) => Object.fromEntries(fields.map(([name]) => [name, elements[name].value]));
  return { ...valuesOf(NAMES), shippingAddress: valuesOf(ADDRESS) };
}

/** Ask where to ship a prize to, store the address in the profile, and request it; resolves with whether it was. */
export async function askToShip(prizeId, name) {
  const { data } = await getOwn("/profile/details");
  return openDialog({
    id: "shipping",
    title: `Ship ${name}`,
    content: html`
      <p class="quiet">The prize can't be sold any more once it is to be shipped. The address is stored in your
        profile.</p>
      ${addressFields("shipping", data)}`,
    accept: "Ship to this address",
    send: async ({ elements }) => {
      await sendJson("PUT", "/profile/details", readAddress(elements));
      await sendConfirmed("POST", `/prizes/${prizeId}/ship`);
      return true;
    },
  });
}
