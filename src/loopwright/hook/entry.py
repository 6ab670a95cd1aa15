"""What the hook does first: it reads stdin and looks for a loop, and imports nothing of ours.

It runs at every stop of every session, so its cost matters most where there is no loop. Then it
prints nothing and ends.
"""

import sys

# Not os: its import alone takes a seventh of the time that the interpreter needs to start.
if sys.platform == "win32":
    from nt import chdir, environ, getcwd, lstat, stat  # type: ignore[attr-defined]
else:
    from posix import chdir, environ, getcwd, lstat, stat

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

ENDED = (b'"completed"', b'"cancelled"', b'"failed"')
# Claude Code's own event for it; with other hosts, the beginning of a prompt.
TYPED_MARKS = (b'"UserPromptExpansion"', b'"prompt":"loop ', b'"prompt":"/loop', b'"prompt":"$loop')
SESSION_FIELDS = (b'"session_id"', b'"sessionId"', b'"conversation_id"')
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
    folder, homes = plain_path(folder), [home_folder()]
    if sys.platform == "win32":  # the shell of git has a HOME of its own there
        homes.append(plain_path(environment_value("HOME")))
    while not _is_root(folder) and not any(
        home and contains_folder(folder, home) for home in homes
    ):
        if has_loop(folder):
            return folder
        if path_exists(f"{folder}/.git"):
            return ""
        folder = folder.rpartition("/")[0]
    return ""


def _is_root(folder: str) -> bool:
    return not folder.strip("/") or folder[1:] == ":"


def plain_path(path: str) -> str:
    """The path without `.`, `..`, double slashes and slashes at its end."""
    path = without_trailing_slash(path)
    if "//" not in path and "/." not in path:
        return path
    parts: list[str] = []
    for part in path.split("/")[1:]:
        if part == "..":
            parts = parts[:-1]
        elif part not in ("", "."):
            parts.append(part)
    return "/".join((path.partition("/")[0], *parts))


def home_folder() -> str:
    """The user's home; without a usable HOME what the user database says, "" without an entry."""
    if sys.platform == "win32":
        return plain_path(environment_value("USERPROFILE") or environment_value("HOME"))
    home = environment_value("HOME")
    if not home.startswith("/"):
        from posix import getuid
        from pwd import getpwuid

        try:
            home = getpwuid(getuid()).pw_dir
        except KeyError:
            return ""
    return plain_path(home)


def state_folder() -> str:
    """The user's own state folder, outside every project."""
    state = environment_value("XDG_STATE_HOME")
    if not state.startswith("/") and state[1:2] != ":":
        state = f"{home_folder()}/.local/state"
    return f"{state}/loopwright"


def held_loop_root(session: str) -> str:
    """The folder of the loop that this session holds, wherever the session is now; "" for none."""
    if not session.isascii() or not session.replace("-", "").replace("_", "").isalnum():
        return ""
    try:
        with open(f"{state_folder()}/sessions/{session}", "rb") as file:
            root = file.read(10_000).rstrip(b"\n").decode("utf-8", "surrogateescape")
        with open(f"{root}/.loop/driver", "rb") as file:
            is_holder = file.read(300).strip() == session.encode()
    except (OSError, ValueError):
        return ""
    return without_trailing_slash(root) if is_holder and has_loop(root) else ""


def lost_root_above(folder: str) -> str:
    """The folder on the way up where our own record names a loop whose journal is gone, or "".

    store/second_copy.py writes that record: an empty folder tree with a small file per loop.
    """
    active = f"{state_folder()}/active"
    if not path_exists(active):
        return ""
    folder = _path_without_links(folder)
    while not _is_root(folder):
        below = f"/{folder[:1].lower()}{folder[2:]}" if folder[1:2] == ":" else folder
        if path_exists(f"{active}{below}/loop"):
            return "" if path_exists(f"{folder}/.loop/journal.jsonl") else folder
        if path_exists(f"{folder}/.git"):
            return ""
        folder = folder.rpartition("/")[0]
    return ""


def _path_without_links(folder: str) -> str:
    """The path that the system itself gives to the folder; as it is, where it does not exist."""
    folder = plain_path(folder)
    if not folder or sys.platform == "win32":
        return folder
    before = current_folder()
    try:
        chdir(folder)
    except (OSError, ValueError):
        return folder
    found = current_folder() or folder
    if before:
        chdir(before)
    return found


def current_folder() -> str:
    """The folder of this process; "" if it was deleted."""
    try:
        return getcwd()
    except OSError:
        return ""


def find_roots(folder: str, session: str) -> tuple[str, str]:
    """The root of the loop here, or the root where a loop of ours should be and is not.

    A loop that the session holds comes first, wherever the session is now. Else we search from the
    session's folder, then from its project. Where the client names no folder, or one that was
    moved, the folder of this process remains.
    """
    if held := held_loop_root(session):
        return held, ""
    folders = [folder, environment_value("CLAUDE_PROJECT_DIR")]
    if not path_exists(folder):
        folders.append(current_folder())
    for search in (loop_root_above, lost_root_above):
        for path in folders:
            if root := search(path):
                return (root, "") if search is loop_root_above else ("", root)
    return "", ""


def session_in_input(stdin_data: bytes) -> str:
    """The value of "session_id" in the input, without a JSON parser; hosts name it differently."""
    for name in SESSION_FIELDS:
        if value := stdin_data.partition(name)[2].lstrip(b" \t\r\n:"):
            return value[1:].partition(b'"')[0].decode("utf-8", "replace")
    return ""


def folder_in_input(stdin_data: bytes) -> str | None:
    """The value of "cwd" in the input, without a JSON parser; None when it needs a real one."""
    value = stdin_data.partition(b'"cwd"')[2].lstrip(b" \t\r\n:")
    if not value and b'"workspace_roots"' in stdin_data:
        return None
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


def main(load_module: "Callable[[str], Any]") -> None:
    """Answer the event on stdin. `load_module` loads a file of this folder without its package."""
    if environment_value("LOOP_CHILD"):
        return
    stdin_data = read_stdin()
    # A command that a person typed is answered without a loop too.
    always_answered = "--format" in sys.argv or any(mark in stdin_data for mark in TYPED_MARKS)
    if not always_answered and not _may_have_loop(stdin_data):
        return
    import gc

    gc.disable()  # this process ends before a collection would pay off
    parent = __file__.replace("\\", "/").rpartition("/loopwright/")[0]
    sys.path.insert(0, parent)
    importer = load_module("bundle").install_importer(f"{parent}/loopwright", load_module)
    if _is_other_host(sys.argv[1:]):
        from loopwright.hook.host_call import answer_host_event as answer_event
    else:
        from loopwright.hook.dispatch import answer_event

    importer.note_common_modules()
    named_folder, session = folder_in_input(stdin_data) or "", session_in_input(stdin_data)
    answer_event(
        stdin_data, sys.argv[1:], lambda folder: find_roots(folder or named_folder, session)
    )
    if importer.lacks_modules():
        from loopwright.hook.bundle_file import write_bundle

        write_bundle(importer)


def _is_other_host(argv: "list[str]") -> bool:
    return bool(argv) and argv[0] != "claude" and not argv[0].startswith("-")


def _may_have_loop(stdin_data: bytes) -> bool:
    folder = folder_in_input(stdin_data)
    return folder is None or any(find_roots(folder, session_in_input(stdin_data)))
