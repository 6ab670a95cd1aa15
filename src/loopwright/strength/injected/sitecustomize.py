"""Records which lines of some files a Python process runs. Loaded through PYTHONPATH by `site`.

It imports nothing that the process would not have anyway, and it must not change what a check
says. Each line is written at once, so that a killed or forked process loses nothing.
"""

from __future__ import annotations

import os
import sys

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from types import CodeType, FrameType
    from typing import Any

OWN_FOLDER = os.path.dirname(os.path.abspath(__file__))
MONITORING_IDS = (4, 3)  # the others have a name in the documentation
FLAGS = os.O_WRONLY | os.O_APPEND | os.O_CREAT | getattr(os, "O_CLOEXEC", 0)


class Recorder:
    """Writes each line once per process. It keeps its own references: tests replace functions."""

    def __init__(self, folder: str, root: str, wanted: frozenset[str]) -> None:
        self.out = os.path.join(folder, "lines")
        self.roots = tuple(
            dict.fromkeys(f"{each}{os.sep}" for each in (root, os.path.realpath(root)))
        )
        self.wanted = wanted
        self.paths: dict[
            str, str
        ] = {}  # the name in code → the path in the project; "": not wanted
        self.seen: set[tuple[str, int]] = set()
        self.calls = (os.open, os.write, os.close, os.getpid, os.path.abspath)

    def path_of(self, name: str) -> str:
        """The path of a wanted file; "" for any other."""
        path = self.paths.get(name)
        if path is None:
            self.paths[name] = path = self._wanted_path(name)
        return path

    def _wanted_path(self, name: str) -> str:
        if name.startswith("<"):
            return ""
        full = self.calls[4](name)
        root = next((root for root in self.roots if full.startswith(root)), "")
        path = full[len(root) :].replace(os.sep, "/") if root else ""
        if path in self.wanted:
            return path
        if path and "site-packages/" not in path:
            self.write(f"!project\n!python {sys.executable}")
        return ""

    def record(self, path: str, line: int) -> None:
        if (path, line) not in self.seen:
            self.seen.add((path, line))
            self.write(f"{path}\t{line}")

    def write(self, text: str) -> None:
        open_file, write, close, pid, _ = self.calls
        try:
            file = open_file(f"{self.out}-{pid()}", FLAGS, 0o666)
            try:
                write(file, f"{text}\n".encode("utf-8", "surrogateescape"))
            finally:
                close(file)
        except OSError:  # the check may not write there: nothing is measured
            pass


def record_by_monitoring(recorder: Recorder) -> None:
    """Python 3.12 and later: each event disables itself after the first time."""
    monitoring: Any = sys.monitoring  # type: ignore[attr-defined, unused-ignore]
    tool = next((each for each in MONITORING_IDS if monitoring.get_tool(each) is None), None)
    if tool is None:
        recorder.write("!tracer")
        return
    disable, line_event = monitoring.DISABLE, monitoring.events.LINE
    set_local_events = monitoring.set_local_events

    def note_start(code: CodeType, _: int) -> object:
        if recorder.path_of(code.co_filename):
            set_local_events(tool, code, line_event)
        return disable

    def note_line(code: CodeType, line: int) -> object:
        recorder.record(recorder.path_of(code.co_filename), line)
        return disable

    monitoring.use_tool_id(tool, "loopwright")
    monitoring.register_callback(tool, monitoring.events.PY_START, note_start)
    monitoring.register_callback(tool, line_event, note_line)
    monitoring.set_events(tool, monitoring.events.PY_START)


def record_by_tracing(recorder: Recorder) -> None:
    """Python 3.11 and earlier: a trace function, for the wanted files only."""
    get_trace = sys.gettrace
    modules = sys.modules
    waits_for_threading = True

    def trace_call(frame: FrameType, event: str, argument: object) -> Callable[..., Any] | None:
        nonlocal waits_for_threading
        if waits_for_threading:
            threading: Any = modules.get("threading")
            if hasattr(threading, "settrace"):
                waits_for_threading = False
                if threading._trace_hook is None:
                    threading._trace_hook = trace_call
        if not recorder.path_of(frame.f_code.co_filename):
            return None
        return trace_line

    def trace_line(frame: FrameType, event: str, argument: object) -> Callable[..., Any] | None:
        if event == "line":
            recorder.record(recorder.path_of(frame.f_code.co_filename), frame.f_lineno)
        return trace_line

    def note_other_tracer() -> None:
        if get_trace() is not trace_call:
            recorder.write("!tracer")

    if get_trace() is not None:
        recorder.write("!tracer")
        return
    import atexit

    atexit.register(note_other_tracer)
    sys.settrace(trace_call)


def load_next_sitecustomize() -> None:
    """Load what Python would have loaded without us."""
    own = sys.modules.pop("sitecustomize", None)
    sys.path[:] = [path for path in sys.path if os.path.abspath(path or ".") != OWN_FOLDER]
    sys.path_importer_cache.pop(OWN_FOLDER, None)
    try:
        __import__("sitecustomize")
    except ImportError as error:
        if error.name != "sitecustomize":
            raise
    finally:
        # The import that loads us takes its module from there.
        if own is not None and "sitecustomize" not in sys.modules:
            sys.modules["sitecustomize"] = own


def start_recording() -> None:
    with open(os.path.join(OWN_FOLDER, "wanted.txt"), encoding="utf-8") as file:
        root, *paths = file.read().splitlines()
    recorder = Recorder(OWN_FOLDER, root, frozenset(paths))
    if sys.version_info >= (3, 12):
        record_by_monitoring(recorder)
    else:
        record_by_tracing(recorder)


if __name__ == "sitecustomize":
    try:
        start_recording()
    except Exception:  # noqa: S110 - without a record, lines are not measured
        pass
    load_next_sitecustomize()
