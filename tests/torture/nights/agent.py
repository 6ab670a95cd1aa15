"""A stand-in for Claude Code that plays one entry of a night's plan in each turn: work, or a fault.

Its arguments of the environment: NIGHT is the folder of the night. The clock of the runner is a
file there, so an hour of work takes no time. It imports nothing of Loopwright.
"""

import json
import os
import signal
import subprocess
import sys
import time

NIGHT = os.environ["NIGHT"]
STEP_SECONDS = 600.0  # less than the runner waits for a sign of life
CLAIM = """It is done.

---LOOP_STATUS---
EXIT_SIGNAL: true
CRITERIA: {"done": true}
NEXT: nothing
---END_STATUS---"""


def clock_file() -> str:
    return os.path.join(NIGHT, "clock")


def move_clock(wall: float, awake: float) -> None:
    with open(clock_file(), encoding="ascii") as file:
        before = [float(word) for word in file.read().split()]
    with open(f"{clock_file()}.new", "w", encoding="ascii") as file:
        file.write(f"{before[0] + wall} {before[1] + awake}\n")
    os.replace(f"{clock_file()}.new", clock_file())


def now() -> float:
    with open(clock_file(), encoding="ascii") as file:
        return time.time() + float(file.read().split()[0])


def say(**event: object) -> None:
    print(json.dumps(event), flush=True)


def say_words(text: str) -> None:
    say(type="assistant", message={"content": [{"type": "text", "text": text}]})


def result(text: str, dollars: float = 0.5, **more: object) -> None:
    say(type="result", is_error=False, result=text, total_cost_usd=dollars, **more)


def wait_until_heard(lines: int) -> None:
    """Until the runner has read so many lines: it keeps them in the log of the turn."""
    logs = os.path.join(os.getcwd(), ".loop", "logs")
    end = time.monotonic() + 3
    while time.monotonic() < end:
        names = [name for name in os.listdir(logs) if name.endswith(".log")]
        newest = max(names, key=lambda name: int(name.partition("-")[0]))
        with open(os.path.join(logs, newest), encoding="utf-8") as file:
            if file.read().count("\n") >= lines:
                return
        time.sleep(0.005)


def work(minutes: float, file: str = "") -> None:
    """The time passes step by step, with a word at each: nothing here looks like a hang.

    Without a name the file is a new one. The check counts files, so this shows as progress.
    """
    left, heard = minutes * 60, 1
    while left > 0:
        step = min(left, STEP_SECONDS)
        move_clock(step, step)
        say_words("I am at it.")
        left, heard = left - step, heard + 1
        wait_until_heard(heard)
    with open(file or f"work-{time.monotonic_ns()}.txt", "a", encoding="ascii") as output:
        output.write(f"{time.monotonic_ns()}\n")


def play_work(minutes: float, dollars: float = 0.5) -> None:
    work(minutes)
    result("I looked around.", dollars)


def play_lie(minutes: float) -> None:
    work(minutes, "noise.txt")
    result(CLAIM)


def play_done(minutes: float) -> None:
    open("done.txt", "w", encoding="ascii").close()
    play_lie(minutes)


def play_crash(amount: float) -> None:
    os.kill(os.getpid(), signal.SIGKILL if amount else signal.SIGSEGV)


def play_limit(hours: float) -> None:
    info = {"status": "rejected", "resetsAt": now() + hours * 3600}
    say(type="rate_limit_event", rate_limit_info=info)
    say(type="result", is_error=True, result="limit reached", api_error_status=429)


def play_network(_: float) -> None:
    say(type="result", is_error=True, result="API Error: Connection error.")


def play_hang(_: float) -> None:
    for _ in range(100):  # step by step: one jump would look like a machine that was suspended
        move_clock(300, 300)
        time.sleep(0.25)


def play_suspend(hours: float) -> None:
    move_clock(hours * 3600, 0.0)  # the machine slept: no time awake has passed
    play_work(10)


def play_clean(_: float) -> None:
    work(10)
    subprocess.run(["git", "clean", "-fdxq", "-e", "work-*"], check=True)
    result("I cleaned up.")


def play_full(_: float) -> None:
    open("new.txt", "w", encoding="ascii").close()  # it needs room in the tree that we keep
    with open(".git/filler", "wb", buffering=0) as file:
        for size in (65_536, 4_096, 1):
            try:
                while file.write(b"x" * size):
                    pass
            except OSError:
                pass
    result("I wrote a large file.")


def play_signal(number: int) -> None:
    """Something happens to the runner: its terminal is closed, or it is killed."""
    os.kill(os.getppid(), number)
    time.sleep(60)


KINDS = {
    "work": play_work,
    "costly": lambda minutes: play_work(minutes, 7.0),
    "idle": lambda _: result("I think."),
    "lie": play_lie,
    "done": play_done,
    "crash": play_crash,
    "limit": play_limit,
    "network": play_network,
    "hang": play_hang,
    "suspend": play_suspend,
    "clean": play_clean,
    "full": play_full,
    "terminal": lambda _: play_signal(signal.SIGHUP),
    "killed": lambda _: play_signal(signal.SIGKILL),
}


def main() -> None:
    number_path = os.path.join(NIGHT, "turns")
    with open(number_path, "a", encoding="ascii") as file:
        file.write("x")
    with open(os.path.join(NIGHT, "plan.json"), encoding="ascii") as file:
        plan = json.load(file)
    kind, amount = plan[min(os.path.getsize(number_path), len(plan)) - 1]
    say(type="system", subtype="init", session_id=f"s{os.getpid()}")
    wait_until_heard(1)
    KINDS[kind](amount)
    sys.exit(0)


if __name__ == "__main__":
    main()
