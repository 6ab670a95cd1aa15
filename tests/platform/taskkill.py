"""taskkill, made of /proc: python taskkill.py /T /F /PID N ends the process and all below it."""

import os
import signal
import sys


def parents() -> dict[int, int]:
    """Every living process and the one that started it."""
    found = {}
    for name in filter(str.isdecimal, os.listdir("/proc")):
        try:
            with open(f"/proc/{name}/stat", encoding="utf-8", errors="replace") as file:
                state, parent = file.read().rpartition(")")[2].split()[:2]
        except OSError:
            continue
        if state != "Z":
            found[int(name)] = int(parent)
    return found


def below(pid: int, known: dict[int, int]) -> list[int]:
    return [
        pid,
        *(more for child, parent in known.items() if parent == pid for more in below(child, known)),
    ]


def main(words: list[str]) -> int:
    pid, known = int(words[words.index("/PID") + 1]), parents()
    if pid not in known:
        print(f'ERROR: The process "{pid}" not found.', file=sys.stderr)
        return 128
    if "/F" not in words:
        print(
            "ERROR: This process can only be terminated forcefully (with /F option).",
            file=sys.stderr,
        )
        return 1
    for victim in below(pid, known) if "/T" in words else [pid]:
        os.kill(victim, signal.SIGKILL)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
