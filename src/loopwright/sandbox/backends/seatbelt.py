"""sandbox-exec of macOS: a profile in its own language. It hides no processes and no /tmp."""

from __future__ import annotations

import sys

from ...core.json_text import dumps
from ...disk.programs import own_program
from ..mounts import WRITE, Box, Mount

NAME, PROGRAM = "sandbox-exec", "sandbox-exec"


def problem(root: str) -> str:
    if sys.platform != "darwin":
        return "sandbox-exec needs macOS"
    return "" if own_program(PROGRAM, root) else "sandbox-exec is missing from this macOS"


def features(root: str) -> tuple[str, ...]:
    return ()


def launcher_words(
    box: Box, mounts: tuple[Mount, ...], features: tuple[str, ...]
) -> tuple[str, ...]:
    return (own_program(PROGRAM, box.root) or PROGRAM, "-p", profile_text(box, mounts))


def profile_text(box: Box, mounts: tuple[Mount, ...]) -> str:
    """The profile. The last rule that matches decides, as the last mount does elsewhere."""
    rules = [
        "(version 1)",
        "(allow default)",
        "(deny file-write*)",
        '(allow file-write* (literal "/dev/null") (literal "/dev/zero") (literal "/dev/tty")'
        ' (regex #"^/dev/fd/"))',
        '(allow file-write* (subpath "/private/tmp") (subpath "/private/var/folders"))',
        "(deny signal (target others))",
        "(deny process-info* (target others))",
        '(deny mach-lookup (global-name "com.apple.SecurityServer"))',
    ]
    if not box.network:
        rules.append("(deny network*)")
    for mount in mounts:
        if mount.path in ("/private/tmp", "/private/var/tmp"):
            continue  # it has no private one; the probe and the documentation say so
        rules += _rules_of(mount)
    return "\n".join(rules)


def _rules_of(mount: Mount) -> list[str]:
    place = f"(subpath {dumps(mount.path)})"
    if mount.hides_path:
        return [f"(deny file-read* file-write* {place})", f"(allow file-read-metadata {place})"]
    if mount.kind == WRITE:
        return [f"(allow file-read* file-write* {place})"]
    return [f"(allow file-read* {place})", f"(deny file-write* {place})"]
