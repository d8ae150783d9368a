// The movement of the wheel and of the reel.

const stillness = matchMedia("(prefers-reduced-motion: reduce)");
const moving = new WeakMap();

/**
 * Move a CSS property of an element as a motion `{ from, to, seconds, began }` says: ever more slowly, from the time
 * `began` in milliseconds. With reduced motion nothing is shown before the end. It may be called again with the same
 * motion, and later with an element that was not there when it began.
 */
export function move(element, property, motion) {
  if (!element || !motion) return;
  const { from, to, seconds, began } = motion;
  const elapsedMs = Math.max(Date.now() - began, 0);
  if (moving.get(element)?.motion !== motion) {
    const easing = stillness.matches ? "step-end" : "cubic-bezier(0.165, 0.84, 0.44, 1)";
    element.style.setProperty(property, to);
    const animation = element.animate({ [property]: [from, to] }, { duration: seconds * 1_000, easing });
    animation.currentTime = elapsedMs;
    moving.set(element, { motion, animation });
  }
  if (elapsedMs >= seconds * 1_000) moving.get(element).animation.finish();
}
