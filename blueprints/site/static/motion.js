// The movement of the wheel and of the reel.

const stillness = matchMedia("(prefers-reduced-motion: reduce)");

/**
 * Move a CSS property of an element from one value to another, more and more slowly; resolves when it has stopped.
 * The movement began `elapsed` seconds ago. With reduced motion nothing is shown before the end.
 */
export async function decelerate(element, property, { from, to, seconds, elapsed }) {
  const easing = stillness.matches ? "step-end" : "cubic-bezier(0.165, 0.84, 0.44, 1)";
  element.style.setProperty(property, to);
  const movement = element.animate({ [property]: [from, to] }, { duration: seconds * 1000, easing });
  movement.currentTime = elapsed * 1000;
  await movement.finished;
}
