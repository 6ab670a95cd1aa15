"""The door. Called at every stop of every session, so: no loop above this folder → silence, and nothing imported.

python3 -I -S .../loopwright/hook/__main__.py claude [--format claude|ok|gsd]
"""

import sys

# Not os: importing it alone would cost a seventh of the interpreter's start.
if sys.platform == "win32":  # pragma: no cover
    from nt import _exit, environ, lstat
else:
    from posix import _exit, environ, lstat

ENDED = (b'"completed"', b'"cancelled"', b'"failed"')


def variable(name: str) -> str:
    if sys.platform == "win32":  # pragma: no cover
        return environ.get(name, "")
    return environ.get(name.encode(), b"").decode("utf-8", "surrogateescape")


def is_there(path: str) -> bool:
    try:
        lstat(path)
    except (OSError, ValueError):
        return False
    return True


def has_loop(folder: str) -> bool:
    """A journal, or a state.json of the seeds that has not ended. (Whether it is ours to drive is asked later.)"""
    if is_there(f"{folder}/.loop/journal.jsonl"):
        return True
    try:
        with open(f"{folder}/.loop/state.json", "rb") as file:
            status = file.read(1_000_000).rpartition(b'"status"')[2][:20]
    except (OSError, ValueError):
        return False
    return not any(word in status for word in ENDED)


def above(folder: str) -> str:
    """The first folder with a loop, going up; never past a checkout's top, never into HOME or above it."""
    folder = folder.replace("\\", "/").rstrip("/") if ":" in folder[:2] else folder.rstrip("/")
    home = variable("HOME").rstrip("/") + "/"
    while folder and not home.startswith(folder + "/"):
        if has_loop(folder):
            return folder
        if is_there(f"{folder}/.git"):
            return ""
        folder = folder.rpartition("/")[0]
    return ""


def spoken_folder(said: bytes) -> str | None:
    """The value of "cwd" in the input, without a JSON parser; None sends us on to a real one."""
    value = said.partition(b'"cwd"')[2].lstrip(b" \t\r\n:")
    word = value[1:].partition(b'"')[0] if value.startswith(b'"') else b""
    return None if b"\\" in word else word.decode("utf-8", "surrogateescape")


def main() -> None:
    if variable("LOOP_CHILD"):
        return
    said = sys.stdin.buffer.read()
    guess = spoken_folder(said)
    if guess is None or above(guess) or above(variable("CLAUDE_PROJECT_DIR")) or "--format" in sys.argv:
        import gc

        gc.disable()  # we are gone before it would be worth it
        sys.path.insert(0, __file__.replace("\\", "/").rpartition("/loopwright/")[0])
        from loopwright.hook.door import answer

        answer(said, sys.argv[1:], above)


if __name__ == "__main__":
    main()
    _exit(0)  # skips the interpreter's tear-down
