"""The only place in the CLI that catches everything: a person's mistake is explained, our own is noted."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable

from ..disk.lock import FolderBusy, LocksUnsupported
from ..drive.errors import UserError
from ..repo.tree import DISK_ERRORS
from ..store.config import ConfigError
from ..store.folder import NoLoop, UntrustedFolder
from ..store.journal import JournalError
from .exits import ERROR, PERSON
from .output import show_warning

EXPECTED_ERRORS = (
    UserError,
    ConfigError,
    FolderBusy,
    LocksUnsupported,
    NoLoop,
    UntrustedFolder,
    JournalError,
)


def run_explaining_errors(command: Callable[[], int]) -> int:
    """Run a command; whatever goes wrong becomes a sentence and an exit code."""
    try:
        return command()
    except EXPECTED_ERRORS as error:
        show_warning(f"loop: {error}")
    except BrokenPipeError:  # the reader of our output is gone: nothing to say to nobody
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    except KeyboardInterrupt:
        show_warning("\nloop: interrupted; the loop is kept as it was")
        return PERSON
    except Exception as error:
        if (
            isinstance(error, OSError) and error.errno in DISK_ERRORS
        ):  # no error of ours, and a note might not be written either
            where = f" ({error.filename})" if error.filename else ""
            show_warning(
                f"loop: the disk says: {error.strerror}{where}. What is in the journal is kept. Make room, then try again"
            )
            return ERROR
        import tempfile
        import traceback

        from ..verify.redact import redact_text

        with tempfile.NamedTemporaryFile(
            "w", prefix="loop-crash-", suffix=".txt", delete=False, encoding="utf-8"
        ) as note:
            note.write(redact_text(traceback.format_exc()))
        shown = redact_text(f"{error!r}")[:1000]
        show_warning(
            f"loop: our own error: {shown}. The loop is untouched. Note: {note.name}. See also: loop doctor"
        )
    return ERROR
