// What the buttons of a section do.

import { byId } from "./dom.js";

/**
 * Returns `act(action)`. It awaits `action()`, which resolves with a sentence, then `redraw()`, and shows the sentence
 * in the element `saidId`; or it shows why the action failed. While an action runs, others are ignored.
 */
export function makeActions(saidId, redraw) {
  let isRunning = false;
  return async (action) => {
    if (isRunning) return;
    isRunning = true;
    let said;
    try {
      said = await action();
    } catch (problem) {
      said = `${problem.message}.`;
    }
    isRunning = false;
    await redraw();
    byId(saidId).textContent = said;
    // The button may be gone, and the focus with it.
    byId(saidId).focus();
  };
}
