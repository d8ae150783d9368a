// Everything that is known of the player, as a file: it is asked for, made by the server, and saved here.

import { getOwnResponse } from "../api.js";
import { html } from "../lit.js";
import { update } from "../store.js";
import { section, status } from "./elements.js";
import { Actions, sendConfirmed } from "./forms.js";

const BEING_MADE = 202;
const PAUSE_MS = 2_000;

const actions = new Actions("export-said");
let progress = "";

export const dataExport = () => section("export", "Your data", html`
  <p class="quiet">A file with everything that is known of you: your account, bets, payments, logins and more, as JSON.
    You are notified when somebody asks for it. It can be downloaded again for a day.</p>
  ${actions.view()}
  ${status("export-progress", progress)}
  <p>${actions.button("Download my data", download)}</p>`);

async function download() {
  const { id } = await sendConfirmed("POST", "/profile/export");
  try {
    save(await fileOf(id));
  } finally {
    show("");
  }
  return "Your file is saved, where your browser keeps downloads.";
}

/** The file as a blob, as soon as the server has made it. */
async function fileOf(id) {
  for (;;) {
    const response = await getOwnResponse(`/profile/export/${id}`);
    if (response.status !== BEING_MADE) {
      show("Your file is being downloaded.");
      return response.blob();
    }
    show("Your file is being made. With many bets this takes a minute; you may go on meanwhile.");
    await new Promise((over) => { setTimeout(over, PAUSE_MS); });
  }
}

function save(file) {
  const address = URL.createObjectURL(file);
  const name = `my-data-${new Date().toISOString().slice(0, "YYYY-MM-DD".length)}.json`;
  Object.assign(document.createElement("a"), { href: address, download: name }).click();
  // The browser has begun to read it by then.
  setTimeout(() => URL.revokeObjectURL(address), 60_000);
}

function show(text) {
  if (progress === text) return;
  progress = text;
  update();
}
