"""The entry point for hooks. Without a loop above the folder it prints and imports nothing.

It runs at every stop of every session, so its cost matters most where there is no loop.

python3 -I -S .../loopwright/hook/__main__.py claude [--format claude|ok|gsd]
"""

import sys

# Not os: its import alone takes a seventh of the time that the interpreter needs to start.
if sys.platform == "win32":
    from nt import _exit, environ, lstat, stat  # type: ignore[attr-defined]
else:
    from posix import _exit, environ, lstat, stat

ENDED = (b'"completed"', b'"cancelled"', b'"failed"')
HOME_VARIABLES = ("HOME", "USERPROFILE")
# A client may leave stdin open. After this long without a byte we take the input as complete.
STDIN_TIMEOUT_SECONDS = 5


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
    """Is there a journal, or a state.json in the documented format that has not ended?

    Whether we may drive that loop is decided later.
    """
    if path_exists(f"{folder}/.loop/journal.jsonl"):
        return True
    path = f"{folder}/.loop/state.json"
    try:
        is_regular_file = stat(path).st_mode & 0o170000 == 0o100000
        if not is_regular_file:  # to open a pipe would block
            return False
        with open(path, "rb") as file:
            status = file.read(1_000_000).rpartition(b'"status"')[2][:20]
    except (OSError, ValueError):
        return False
    return not any(word in status for word in ENDED)


def without_trailing_slash(path: str) -> str:
    """The path without slashes at its end. On Windows, and only there, a backslash is one too."""
    if sys.platform == "win32":
        path = path.replace("\\", "/")
    return path.rstrip("/")


def contains_folder(folder: str, path: str) -> bool:
    """Is the path this folder, or inside it? Windows ignores case."""
    if sys.platform == "win32":
        folder, path = folder.lower(), path.lower()
    return f"{path}/".startswith(f"{folder}/")


def loop_root_above(folder: str) -> str:
    """The first folder with a loop on the way up; "" for none.

    The search ends at the top of a checkout, below HOME and below the root of a drive.
    """
    folder = without_trailing_slash(folder)
    homes = [without_trailing_slash(environment_value(name)) for name in HOME_VARIABLES]
    while _may_hold_project(folder, homes):
        if has_loop(folder):
            return folder
        if path_exists(f"{folder}/.git"):
            return ""
        folder = folder.rpartition("/")[0]
    return ""


def _may_hold_project(folder: str, homes: list[str]) -> bool:
    is_root = not folder.strip("/") or folder[1:] == ":"
    return not is_root and not any(contains_folder(folder, home) for home in homes)


def folder_in_input(stdin_data: bytes) -> str | None:
    """The value of "cwd" in the input, without a JSON parser; None when it needs a real one."""
    value = stdin_data.partition(b'"cwd"')[2].lstrip(b" \t\r\n:")
    text = value[1:].partition(b'"')[0] if value.startswith(b'"') else b""
    # The only escape that we decode is the backslash itself: every folder on Windows has it.
    parts = text.split(b"\\\\")
    if any(b"\\" in part for part in parts):
        return None
    return b"\\".join(parts).decode("utf-8", "surrogateescape")


def read_stdin() -> bytes:
    """The input; empty without stdin. A client that never closes stdin does not block us."""
    if sys.platform == "win32" or sys.stdin is None:
        return sys.stdin.buffer.read() if sys.stdin else b""
    from _signal import SIGALRM, alarm, signal  # type: ignore[import-not-found]
    from posix import read

    def stop_reading(*_: object) -> None:
        raise TimeoutError

    signal(SIGALRM, stop_reading)
    parts: list[bytes] = []
    try:
        while not parts or parts[-1]:
            alarm(STDIN_TIMEOUT_SECONDS)
            parts.append(read(0, 1_000_000))
    except OSError:  # the timeout (TimeoutError is one), or stdin cannot be read
        pass
    alarm(0)
    return b"".join(parts)


def main() -> None:
    if environment_value("LOOP_CHILD"):
        return
    stdin_data = read_stdin()
    # A command that a person typed is answered without a loop too.
    always_answered = "--format" in sys.argv or b'"UserPromptExpansion"' in stdin_data
    if not always_answered and not _may_have_loop(stdin_data):
        return
    import gc

    gc.disable()  # this process ends before a collection would pay off
    parent = __file__.replace("\\", "/").rpartition("/loopwright/")[0]
    sys.path.insert(0, parent)
    from loopwright.hook.bundle import install_bundle, update_bundle

    install_bundle(f"{parent}/loopwright")
    from loopwright.hook.dispatch import answer_event

    answer_event(stdin_data, sys.argv[1:], loop_root_above)
    update_bundle(f"{parent}/loopwright")


def _may_have_loop(stdin_data: bytes) -> bool:
    folder = folder_in_input(stdin_data)
    if folder is None or loop_root_above(folder):
        return True
    return bool(loop_root_above(environment_value("CLAUDE_PROJECT_DIR")))


if __name__ == "__main__":
    main()
    _exit(0)  # skips the time that the interpreter needs to shut down
