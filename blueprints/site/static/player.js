// The account of the signed-in player, /auth/me.

import { getOwn } from "./api.js";
import { seedKnownToServer } from "./fairness/client-seed.js";
import { getToken } from "./session.js";
import { endNotice, notify, update } from "./store.js";

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
    await update({ player });
  } catch (problem) {
    if (problem.status === UNAUTHORIZED || getToken() !== owner) return;
    const isSuspended = problem.message === "Account suspended";
    notify(isSuspended ? SUSPENDED : `Your account could not be loaded: ${problem.message}`, "account");
  }
}
