// The movement of the wheel and of the reel.

const stillness = matchMedia("(prefers-reduced-motion: reduce)");

/**
 * Call `show(progress)` in each frame, with a progress from 0 to 1 that grows more and more slowly; resolves when
 * it is 1. With reduced motion nothing is shown before the end.
 */
export function decelerate(seconds, show) {
  return new Promise((stopped) => {
    const began = performance.now();
    const step = (now) => {
      const done = seconds > 0 ? Math.min(Math.max((now - began) / (seconds * 1000), 0), 1) : 1;
      if (done === 1 || !stillness.matches) show(1 - (1 - done) ** 4);
      if (done === 1) stopped();
      else requestAnimationFrame(step);
    };
    requestAnimationFrame(step);
  });
}
