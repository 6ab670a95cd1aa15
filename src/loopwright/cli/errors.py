"""Turn every error of a command into a message and an exit code.

This is the only place in the CLI that catches everything.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Callable

from ..disk.lock import FolderBusy, LocksUnsupported
from ..disk.problems import disk_problem
from ..disk.user_folders import NoHomeFolder
from ..drive.errors import UserError, WaitsForPerson
from ..store.config import ConfigError
from ..store.folder import NoLoop, UnsafePath, UntrustedFolder
from ..store.journal import JournalChanged, JournalError, NewerFormat
from .exits import ERROR, PERSON, WAITS
from .output import show_warning

EXPECTED_ERRORS = (
    UserError,
    ConfigError,
    FolderBusy,
    LocksUnsupported,
    NoLoop,
    UntrustedFolder,
    NoHomeFolder,
    # These say themselves what to do.
    JournalChanged,
    NewerFormat,
    UnsafePath,
)


def run_explaining_errors(command: Callable[[], int]) -> int:
    """Run a command; an error becomes a message and an exit code."""
    try:
        return command()
    except EXPECTED_ERRORS as error:
        show_warning(f"loop: {error}")
        if isinstance(error, WaitsForPerson):
            return WAITS
    except JournalError as error:
        show_warning(f"loop: {error}. The way out: loop doctor --fix")
    except BrokenPipeError:
        # The reader of our output has exited. Python would fail again when it flushes stdout.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    except KeyboardInterrupt:
        show_warning("\nloop: interrupted; the loop is kept as it was")
        return PERSON
    except Exception as error:
        # A full disk or a folder without access is not our bug.
        problem, way_out = disk_problem(error)
        if problem:
            kept = "What is in the journal is kept"
            show_warning(f"loop: {problem}. {kept}. {way_out}, then try again")
        else:
            report_bug(error)
    return ERROR


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
