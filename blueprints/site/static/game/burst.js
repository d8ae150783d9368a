// Particles that fly from the rim of the wheel or the reel when a player wins.

const COLOURS = ["#3ddc97", "#ffd166", "#7cb2ff", "#ff8fab", "#f1f4fa"];
const LIFE_MS = 2_200;

/** Draws a burst over the whole window, from the centre of an element. Nothing moves with reduced motion. */
export async function burstFrom(element, count) {
  if (!element || matchMedia("(prefers-reduced-motion: reduce)").matches) return;
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
