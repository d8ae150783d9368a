// The account of the signed-in player, /auth/me, and the messages to the player.

import { getOwn } from "./api.js";
import { seedKnownToServer } from "./fairness/client-seed.js";
import { html, nothing } from "./lit.js";
import { ownResource } from "./parts/lists.js";
import { getToken } from "./session.js";
import { endNotice, notify, state, update } from "./store.js";

const UNAUTHORIZED = 401;
const SUSPENDED = "Your account is suspended: you can't play. Please contact support.";

/** Load it. A failure is shown as a notice. */
export async function loadPlayer() {
  const owner = getToken();
  if (!owner) return;
  try {
    const player = await getOwn("/auth/me");
    seedKnownToServer(player.clientSeed);
    endNotice("account");
    // A level may have a gift.
    if (state.player && player.level > state.player.level) dispatchEvent(new Event("level"));
    await update({ player });
  } catch (problem) {
    if (problem.status === UNAUTHORIZED || getToken() !== owner) return;
    const isSuspended = problem.message === "Account suspended";
    notify(isSuspended ? SUSPENDED : `Your account could not be loaded: ${problem.message}`, "account");
  }
}

export const notifications = ownResource("/profile/notifications");

/** The number of unread notifications as a mark; nothing when there are none. */
export function unreadMark() {
  const readAt = state.player?.notificationsReadAt ?? Infinity;
  const count = notifications.value?.filter(({ date }) => date > readAt).length;
  return count ? html`<span class="unread">${count}<span class="unseen"> unread</span></span>` : nothing;
}
