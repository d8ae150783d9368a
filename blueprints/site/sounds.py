"""Writes the sounds of the built-in page: ``python -m blueprints.site.sounds``."""

import math
import random
import wave
from array import array
from collections.abc import Iterable, Sequence
from itertools import zip_longest

from blueprints.site.assets import FILES

RATE = 11_025
"""Samples in a second. The highest tones have 4,000 hertz."""
LOUDEST = 2**15 - 1

# The partials of a small bell: times the frequency, how loud, and how fast each fades.
BELL = ((1, 1.0, 5), (2.0, 0.5, 7), (2.76, 0.3, 11), (5.4, 0.12, 18))
WOOD = ((1, 1.0, 30), (2.3, 0.5, 45))
DRUM = ((1, 1.0, 9), (1.5, 0.4, 14))


def tone(
    frequency: float, seconds: float, partials: Sequence[tuple[float, float, float]], *, falls: float = 0
) -> list[float]:
    """A struck tone, whose frequency may fall by a part of it in a second."""

    def at(second: float) -> float:
        turns = math.tau * frequency * (second - falls * second * second / 2)
        # Without an edge that one would hear as a click.
        edges = min(second / 0.003, (seconds - second) / 0.02, 1)
        return edges * sum(
            loud * math.exp(-fades * second) * math.sin(times * turns)
            for times, loud, fades in partials
            if times * frequency < RATE / 2
        )

    return [at(number / RATE) for number in range(int(seconds * RATE))]


def noise(seconds: float, fades: float) -> list[float]:
    """A short hiss, the same each time."""
    drawn = random.Random(1)  # noqa: S311
    return [drawn.uniform(-1, 1) * math.exp(-fades * number / RATE) for number in range(int(seconds * RATE))]


def together(*sounds: Iterable[float]) -> list[float]:
    return [sum(values) for values in zip_longest(*sounds, fillvalue=0.0)]


def later(seconds: float, sound: list[float]) -> list[float]:
    return [0.0] * int(seconds * RATE) + sound


def tune(*frequencies: float, every: float, seconds: float) -> list[float]:
    """Bells one after the other; the earlier ones ring on."""
    return together(
        *(later(place * every, tone(each, seconds, BELL)) for place, each in enumerate(frequencies))
    )


SOUNDS = {
    "won": tune(523.25, 659.26, 783.99, 1046.5, every=0.09, seconds=0.6),
    "lost": together(tone(160, 0.4, DRUM, falls=1), [value / 4 for value in noise(0.1, 40)]),
    "refused": together(tone(330, 0.12, WOOD), later(0.11, tone(277, 0.14, WOOD))),
    "on": tune(659.26, 880, every=0.08, seconds=0.3),
    "drawn": tone(880, 0.4, BELL),
    "tick": together(tone(1_500, 0.03, WOOD), [value / 3 for value in noise(0.01, 300)]),
}


def write() -> None:
    """Write the files, each as loud as the others."""
    for name, sound in SOUNDS.items():
        loudest = max(map(abs, sound))
        with wave.open(str(FILES / "sounds" / f"{name}.wav"), "wb") as file:
            file.setparams((1, 2, RATE, 0, "NONE", ""))
            file.writeframes(array("h", [int(value / loudest * LOUDEST) for value in sound]).tobytes())


if __name__ == "__main__":
    write()
