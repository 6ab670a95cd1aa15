"""The door. Called at every stop of every session, so: no loop above this folder → silence, and nothing imported.

python3 -I -S .../loopwright/hook/__main__.py claude [--format claude|ok|gsd]
"""

import sys

# Not os: importing it alone would cost a seventh of the interpreter's start.
if sys.platform == "win32":
    from nt import _exit, environ, lstat, stat  # type: ignore[attr-defined]
else:
    from posix import _exit, environ, lstat, stat

ENDED = (b'"completed"', b'"cancelled"', b'"failed"')
HOME_VARIABLES = ("HOME", "USERPROFILE")
STDIN_TIMEOUT_SECONDS = (
    5  # seconds in which nothing comes: then all has been said, though nobody has closed stdin
)


def environment_value(name: str) -> str:
    if sys.platform == "win32":
        return environ.get(name, "")
    return environ.get(name.encode(), b"").decode("utf-8", "surrogateescape")


def path_exists(path: str) -> bool:
    try:
        lstat(path)
    except (OSError, ValueError):
        return False
    return True


def has_loop(folder: str) -> bool:
    """A journal, or a state.json of the seeds that has not ended. (Whether it is ours to drive is asked later.)"""
    if path_exists(f"{folder}/.loop/journal.jsonl"):
        return True
    path = f"{folder}/.loop/state.json"
    try:
        if stat(path).st_mode & 0o170000 != 0o100000:  # a pipe would keep us waiting for ever
            return False
        with open(path, "rb") as file:
            status = file.read(1_000_000).rpartition(b'"status"')[2][:20]
    except (OSError, ValueError):
        return False
    return not any(word in status for word in ENDED)


def without_trailing_slash(path: str) -> str:
    """Without the last slash. On Windows a backslash is one too; elsewhere it is a letter like any other."""
    return (path.replace("\\", "/") if sys.platform == "win32" else path).rstrip("/")


def contains_folder(folder: str, other: str) -> bool:
    """Is the other this folder, or somewhere in it? Windows does not tell capitals from small letters."""
    if sys.platform == "win32":
        folder, other = folder.lower(), other.lower()
    return f"{other}/".startswith(f"{folder}/")


def loop_root_above(folder: str) -> str:
    """The first folder with a loop, going up; never past a checkout's top, never into HOME or above it, never a drive."""
    folder = without_trailing_slash(folder)
    homes = [without_trailing_slash(environment_value(name)) for name in HOME_VARIABLES]
    while (
        folder.strip("/")
        and folder[1:] != ":"
        and not any(contains_folder(folder, home) for home in homes)
    ):
        if has_loop(folder):
            return folder
        if path_exists(f"{folder}/.git"):
            return ""
        folder = folder.rpartition("/")[0]
    return ""


def folder_in_input(said: bytes) -> str | None:
    """The value of "cwd" in the input, without a JSON parser; None sends us on to a real one."""
    value = said.partition(b'"cwd"')[2].lstrip(b" \t\r\n:")
    word = value[1:].partition(b'"')[0] if value.startswith(b'"') else b""
    parts = word.split(
        b"\\\\"
    )  # of all escapes only the backslash itself: every folder on Windows has it
    return (
        None
        if any(b"\\" in part for part in parts)
        else b"\\".join(parts).decode("utf-8", "surrogateescape")
    )


def read_stdin() -> bytes:
    """All that comes on stdin. A client that never closes it traps nobody; one that has none says nothing."""
    if sys.platform == "win32" or sys.stdin is None:
        return sys.stdin.buffer.read() if sys.stdin else b""
    from _signal import SIGALRM, alarm, signal  # type: ignore[import-not-found]
    from posix import read

    def enough(*_: object) -> None:
        raise TimeoutError

    signal(SIGALRM, enough)
    parts: list[bytes] = []
    try:
        while not parts or parts[-1]:
            alarm(STDIN_TIMEOUT_SECONDS)
            parts.append(read(0, 1_000_000))
    except OSError:  # silence, or nothing that can be read
        pass
    alarm(0)
    return b"".join(parts)


def main() -> None:
    if environment_value("LOOP_CHILD"):
        return
    said = read_stdin()
    guess = folder_in_input(said)
    asked = (
        "--format" in sys.argv or b'"UserPromptExpansion"' in said
    )  # a person typed a command: answered without a loop too
    if (
        asked
        or guess is None
        or loop_root_above(guess)
        or loop_root_above(environment_value("CLAUDE_PROJECT_DIR"))
    ):
        import gc

        gc.disable()  # we are gone before it would be worth it
        parent = __file__.replace("\\", "/").rpartition("/loopwright/")[0]
        sys.path.insert(0, parent)
        from loopwright.hook.bundle import install_bundle, update_bundle

        install_bundle(f"{parent}/loopwright")
        from loopwright.hook.dispatch import answer_event

        answer_event(said, sys.argv[1:], loop_root_above)
        update_bundle(f"{parent}/loopwright")


if __name__ == "__main__":
    main()
    _exit(0)  # skips the interpreter's tear-down
