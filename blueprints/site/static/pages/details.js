// Personal details of the player, which prizes are shipped to.

import { getOwn, sendJson } from "../api.js";
import { html, nothing } from "../lit.js";
import { makeForm, textField } from "../parts/form.js";
import { Resource, status } from "../parts/resource.js";
import { addressFields, readAddress } from "../parts/shipping.js";

const details = new Resource(async (signal) => (await getOwn("/profile/details", { signal })).data);
const form = makeForm("details", async (elements) => {
  await sendJson("PUT", "/profile/details", { ...readAddress(elements), phone: elements.phone.value.trim() });
  return "Your details are stored.";
}, () => details.load());

export const enter = () => details.load();

export const page = () => html`
  <p class="quiet">Other players never see them. <a href="/account/prizes">Prizes</a> are shipped to this address.</p>
  ${status("details-note", details.note("Your details"))}
  ${details.value ? form(html`
    ${addressFields({ ...details.value, ...details.value.shippingAddress })}
    ${textField({ form: "details", name: "phone", label: "Phone", unit: "optional", type: "tel", mode: "tel",
      value: details.value.phone, help: "With its country: +12025550123" })}`, "Save") : nothing}`;
