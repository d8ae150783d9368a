// Messages to the player, and how many are unread.

import { html, nothing } from "../lit.js";
import { state } from "../store.js";
import { ownResource } from "./resource.js";

export const notifications = ownResource("/profile/notifications");

/** The number of unread notifications as a mark; nothing when there are none. */
export function unreadMark() {
  const readAt = state.player?.notificationsReadAt ?? Infinity;
  const count = notifications.value?.filter(({ date }) => date > readAt).length;
  return count ? html`<span class="unread">${count}<span class="unseen"> unread</span></span>` : nothing;
}
