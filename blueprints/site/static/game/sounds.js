// Sounds of the game, computed by Web Audio. They are off until the player turns them on.

import { update } from "../store.js";

const KEY = "sounds";
const TICKS = 30;
const VOLUME = 0.08;
// Frequencies in hertz, one after the other.
const TUNES = { won: [523, 659, 784, 1047], lost: [220, 165], refused: [330], on: [660, 880], drawn: [880] };

let audio = null;

export const areSoundsOn = () => localStorage.getItem(KEY) === "on";

export function switchSounds() {
  localStorage.setItem(KEY, areSoundsOn() ? "off" : "on");
  play("on");
  update();
}

function tone(frequency, inSeconds, seconds) {
  audio ??= new AudioContext();
  const start = audio.currentTime + inSeconds;
  const gain = new GainNode(audio, { gain: VOLUME });
  gain.gain.setValueAtTime(VOLUME, start);
  gain.gain.exponentialRampToValueAtTime(0.001, start + seconds);
  const oscillator = new OscillatorNode(audio, { type: "triangle", frequency });
  oscillator.connect(gain).connect(audio.destination);
  oscillator.start(start);
  oscillator.stop(start + seconds);
}

/** Play how a bet ended: "won", "lost" or "refused"; or that something was "drawn" in a battle. */
export function play(name) {
  if (areSoundsOn()) TUNES[name].forEach((frequency, place) => tone(frequency, place * 0.11, 0.3));
}

/** Tick while the wheel or the reel turns, more and more slowly. With reduced motion nothing turns or ticks. */
export function tick(seconds) {
  if (!areSoundsOn() || seconds <= 0 || matchMedia("(prefers-reduced-motion: reduce)").matches) return;
  for (let done = 0; done < TICKS; done += 1) tone(1_200, seconds * (1 - (1 - done / TICKS) ** 0.25), 0.03);
}
