// Personal details of the player, which prizes are shipped to, and the file with everything that is known.

import { sendJson } from "../api.js";
import { html } from "../lit.js";
import { dataExport } from "../parts/data-export.js";
import { makeForm, textField } from "../parts/forms.js";
import { ownResource } from "../parts/lists.js";
import { addressFields, readAddress } from "../parts/shipping.js";

const details = ownResource("/profile/details");
const form = makeForm("details", async (elements) => {
  await sendJson("PUT", "/profile/details", { ...readAddress(elements), phone: elements.phone.value.trim() });
  return "Your details are stored.";
}, () => details.load());

export const enter = () => details.load();

export const page = () => html`<div class="parts"><div>
  <p class="quiet">Other players never see them. <a href="/account/prizes">Prizes</a> are shipped to this address.</p>
  ${details.view("details-note", "Your details", ({ data }) => form(html`
    ${addressFields("details", data)}
    ${textField({ form: "details", name: "phone", label: "Phone", unit: "optional", type: "tel", mode: "tel",
      value: data.phone, help: "With its country: +12025550123" })}`, "Save"))}
  </div>${dataExport()}</div>`;
