"""The only place in the CLI that catches everything: a person's mistake is explained, our own is noted."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable

from ..drive.orders import UserError
from ..store.config import ConfigError
from ..store.folder import FolderBusy, NoLocks, NoLoop, NotOurs
from ..store.journal import JournalError
from ..verify.tree import DISK
from .exits import ERROR, PERSON
from .output import warn

EXPLAINED = (UserError, ConfigError, FolderBusy, NoLocks, NoLoop, NotOurs, JournalError)


def explained(command: Callable[[], int]) -> int:
    """Run a command; whatever goes wrong becomes a sentence and an exit code."""
    try:
        return command()
    except EXPLAINED as error:
        warn(f"loop: {error}")
    except BrokenPipeError:  # the reader of our output is gone: nothing to say to nobody
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    except KeyboardInterrupt:
        warn("\nloop: interrupted; the loop is kept as it was")
        return PERSON
    except Exception as error:
        if isinstance(error, OSError) and error.errno in DISK:  # no error of ours, and a note might not be written either
            where = f" ({error.filename})" if error.filename else ""
            warn(f"loop: the disk says: {error.strerror}{where}. What is in the journal is kept. Make room, then try again")
            return ERROR
        import tempfile
        import traceback

        from ..verify.redact import redact

        with tempfile.NamedTemporaryFile("w", prefix="loop-crash-", suffix=".txt", delete=False, encoding="utf-8") as note:
            note.write(redact(traceback.format_exc()))
        shown = redact(f"{error!r}")[:1000]
        warn(f"loop: our own error: {shown}. The loop is untouched. Note: {note.name}. See also: loop doctor")
    return ERROR
