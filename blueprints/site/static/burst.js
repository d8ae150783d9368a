// Particles that fly from a point of the screen when a player wins.

const COLOURS = ["#3ddc97", "#ffd166", "#7cb2ff", "#ff8fab", "#f1f4fa"];
const LIFE_MS = 2_200;
const GRAVITY = 900; // pixels a second, each second
const DRAG = 0.985; // of the speed, kept from one frame to the next

/** Draws a burst over the whole window, from the centre of an element. Nothing moves with reduced motion. */
export function burstFrom(element, count) {
  if (matchMedia("(prefers-reduced-motion: reduce)").matches) return;
  const canvas = document.createElement("canvas");
  canvas.className = "burst";
  canvas.setAttribute("aria-hidden", "true");
  canvas.width = innerWidth;
  canvas.height = innerHeight;
  document.body.append(canvas);
  const { left, top, width, height } = element.getBoundingClientRect();
  const particles = Array.from({ length: count }, () => particleAt(left + width / 2, top + height / 2, width / 2));
  animate(canvas, particles);
}

function particleAt(x, y, radius) {
  const angle = Math.random() * 2 * Math.PI;
  const speed = 180 + 620 * Math.random();
  return {
    // They start at the rim of the wheel.
    x: x + Math.cos(angle) * radius * 0.8,
    y: y + Math.sin(angle) * radius * 0.8,
    right: Math.cos(angle) * speed,
    down: Math.sin(angle) * speed - 250,
    size: 4 + 6 * Math.random(),
    turn: Math.random() * Math.PI,
    colour: COLOURS[Math.floor(Math.random() * COLOURS.length)],
  };
}

function animate(canvas, particles) {
  const context = canvas.getContext("2d");
  const began = performance.now();
  let last = began;
  requestAnimationFrame(function frame(now) {
    const seconds = Math.max(now - last, 0) / 1000;
    const left = 1 - (now - began) / LIFE_MS;
    last = now;
    if (left <= 0) return canvas.remove();
    context.clearRect(0, 0, canvas.width, canvas.height);
    context.globalAlpha = Math.min(1, left * 2);
    for (const particle of particles) {
      particle.right *= DRAG;
      particle.down = particle.down * DRAG + GRAVITY * seconds;
      particle.x += particle.right * seconds;
      particle.y += particle.down * seconds;
      particle.turn += 5 * seconds;
      context.fillStyle = particle.colour;
      context.setTransform(1, 0, 0, 1, particle.x, particle.y);
      context.rotate(particle.turn);
      context.fillRect(-particle.size / 2, -particle.size / 4, particle.size, particle.size / 2);
    }
    context.resetTransform();
    requestAnimationFrame(frame);
  });
}
