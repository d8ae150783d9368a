// Messages to the player. Opening the page marks them as read; until it is left it shows which ones are new.

import { sendJson } from "../api.js";
import { formatTime } from "../format.js";
import { html, nothing } from "../lit.js";
import { named, status } from "../parts/elements.js";
import { Actions } from "../parts/forms.js";
import { loadPlayer, notifications } from "../player.js";
import { state, update } from "../store.js";

const actions = new Actions("notifications-said", () => notifications.load());
let readBefore = Infinity; // what was read when the page was opened

export async function enter() {
  await Promise.all([loadPlayer(), notifications.load()]);
  readBefore = state.player?.notificationsReadAt ?? Infinity;
  update();
  const [newest] = notifications.value ?? [];
  if (!(newest?.date > readBefore)) return;
  // They stay unread if this fails.
  await sendJson("POST", "/profile/notifications/read", { date: newest.date }).then(loadPlayer, () => {});
}

async function clear() {
  await sendJson("DELETE", "/profile/notifications");
  return "Your notifications are cleared.";
}

export function page() {
  const all = notifications.value ?? [];
  const isEmpty = notifications.value && !all.length;
  return html`
    ${actions.view()}
    ${status("notifications-note", isEmpty ? html`There are none. Here you will read about
      <a href="/account/cashier">payments</a>, shipped <a href="/account/prizes">prizes</a>, and changes of your
      <a href="/account/security">security</a>.` : notifications.note("Your notifications"))}
    <ul id="notifications" class="lines">${all.map(({ title, message, date }) => html`<li>
      ${named(html`${title}${date > readBefore ? html` <span class="unread">new</span>` : nothing}`, message,
        formatTime(date))}
    </li>`)}</ul>
    ${all.length ? actions.button("Clear all", clear) : nothing}`;
}
