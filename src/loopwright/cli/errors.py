"""Turn every error of a command into a message and an exit code.

This is the only place in the CLI that catches everything.
"""

from __future__ import annotations

import os
import sys

from .exits import ERROR, PERSON, USAGE, WAITS
from .output import show_warning

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable


def run_explaining_errors(command: Callable[[], int]) -> int:
    """Run a command; an error becomes a message and an exit code."""
    try:
        return command()
    except KeyboardInterrupt:
        show_warning("\nloop: interrupted; the loop is kept as it was")
        return PERSON
    except Exception as error:
        return explain_error(error)


def explain_error(error: Exception) -> int:
    """Show what went wrong and the way out. What this needs is imported only after an error."""
    from ..disk.problems import disk_problem
    from ..drive.errors import WaitsForPerson, WrongValue
    from ..store.journal import JournalError

    if isinstance(error, BrokenPipeError):
        # The reader of our output has exited. Python would fail again when it flushes stdout.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    elif isinstance(error, expected_errors()):
        show_warning(f"loop: {error}")
        if isinstance(error, WaitsForPerson):
            return WAITS
        if isinstance(error, WrongValue):
            return USAGE
    elif isinstance(error, JournalError):
        show_warning(f"loop: {error}. The way out: loop doctor --fix")
    else:
        # A full disk or a folder without access is not our bug.
        problem, way_out = disk_problem(error)
        if problem:
            kept = "What is in the journal is kept"
            show_warning(f"loop: {problem}. {kept}. {way_out}, then try again")
        else:
            report_bug(error)
    return ERROR


def expected_errors() -> tuple[type[Exception], ...]:
    """Errors whose message says itself what to do."""
    from ..disk.lock import FolderBusy, LocksUnsupported
    from ..disk.user_folders import NoHomeFolder
    from ..drive.errors import UserError
    from ..store.config import ConfigError
    from ..store.folder import NoLoop, UnsafePath, UntrustedFolder
    from ..store.journal import JournalChanged, NewerFormat

    of_the_folder = (FolderBusy, LocksUnsupported, NoLoop, UntrustedFolder, UnsafePath)
    return (UserError, ConfigError, NoHomeFolder, JournalChanged, NewerFormat, *of_the_folder)


def report_bug(error: Exception) -> None:
    """Write the traceback, without secrets, into a temporary file and name the file."""
    import tempfile
    import traceback

    from ..verify.redact import redact_text

    with tempfile.NamedTemporaryFile(
        "w", prefix="loop-crash-", suffix=".txt", delete=False, encoding="utf-8"
    ) as note:
        note.write(redact_text(traceback.format_exc()))
    shown = redact_text(f"{error!r}")[:1000]
    show_warning(
        f"loop: our own error: {shown}. The loop is untouched. "
        f"Note: {note.name}. See also: loop doctor"
    )
