// The movement of the wheel and of the reel, and the burst when a player wins.

const COLOURS = ["#3ddc97", "#ffd166", "#7cb2ff", "#ff8fab", "#f1f4fa"];
const LIFE_MS = 2_200; // of a particle

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

/** Draws a burst over the whole window, from the centre of an element. Nothing moves with reduced motion. */
export async function burstFrom(element, count) {
  if (!element || stillness.matches) return;
  const { left, top, width, height } = element.getBoundingClientRect();
  const particles = Array.from({ length: count }, () => document.createElement("i"));
  const burst = Object.assign(document.createElement("div"), { className: "burst", ariaHidden: "true" });
  burst.append(...particles);
  document.body.append(burst);
  const flights = particles.map((particle) => fly(particle, left + width / 2, top + height / 2, width / 2));
  await Promise.all(flights);
  burst.remove();
}

/** Move a particle outwards from a circle, then down while it fades; resolves at the end. */
function fly(particle, x, y, radius) {
  const angle = Math.random() * 2 * Math.PI;
  const far = 80 + 280 * Math.random();
  const place = (distance, down) =>
    `${x + Math.cos(angle) * distance}px ${y + Math.sin(angle) * distance + down}px`;
  particle.style.fontSize = `${4 + 6 * Math.random()}px`;
  particle.style.background = COLOURS[Math.floor(Math.random() * COLOURS.length)];
  return particle.animate([
    { translate: place(radius * 0.8, 0), easing: "ease-out" },
    { translate: place(radius * 0.8 + far, -60), opacity: 1, offset: 0.35, easing: "ease-in" },
    { translate: place(radius * 0.8 + far * 1.4, 900), opacity: 0, rotate: "2turn" },
  ], { duration: LIFE_MS }).finished;
}
