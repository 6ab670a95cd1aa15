"""`loop` with a clock that a test can move, so that a night of eight hours takes seconds.

LOOP_CLOCK_FILE names a file with two numbers: how many seconds the time of day and the time awake
are ahead of the machine's clocks. A test, or the agent of a test, writes it. LOOP_CLOCK_FACTOR says
how much faster both run while the runner waits.
"""

from __future__ import annotations

import os
import sys
import time

SHORTEST_WAIT = 0.1  # seconds; shorter sleeps poll for something that really happens
REAL_SHARE = 0.01  # of a wait that really passes


class SimulatedClock:
    """The functions of the module time that a test replaces."""

    def __init__(self, path: str, factor: float) -> None:
        self.path, self.factor = path, factor
        self._time, self._monotonic, self._sleep = time.time, time.monotonic, time.sleep

    def install(self) -> None:
        """Replace the clocks in this process."""
        from loopwright.agents import process

        process.SUSPENDED_SECONDS *= self.factor  # a step of this clock is not a suspension
        time.time, time.monotonic = self.time, self.monotonic
        time.sleep = self.sleep  # type: ignore[assignment]

    def time(self) -> float:
        return self._time() + self._seconds_ahead()[0]

    def monotonic(self) -> float:
        return self._monotonic() + self._seconds_ahead()[1]

    def sleep(self, seconds: float) -> None:
        if seconds < SHORTEST_WAIT:
            self._sleep(seconds)
            return
        self._sleep(seconds * REAL_SHARE)
        wall, awake = self._seconds_ahead()
        draft = f"{self.path}.{os.getpid()}"
        with open(draft, "w", encoding="ascii") as file:
            file.write(f"{wall + seconds * self.factor} {awake + seconds * self.factor}\n")
        os.replace(draft, self.path)

    def _seconds_ahead(self) -> tuple[float, float]:
        with open(self.path, encoding="ascii") as file:
            wall, awake = file.read().split()
        return float(wall), float(awake)


if __name__ == "__main__":
    SimulatedClock(os.environ["LOOP_CLOCK_FILE"], float(os.environ["LOOP_CLOCK_FACTOR"])).install()
    from loopwright.cli.main import main

    sys.exit(main())
