"""Switch Claude Code's own sandbox on in one of its settings files, and restore the file again."""

from __future__ import annotations

from ..drive.clients.client_sandbox import INSTALL, missing_programs, sandbox_settings
from ..drive.clients.client_settings import read_settings, settings_text
from ..drive.errors import UserError
from . import host_install, host_record
from .host_install import FileChange


def set_client_sandbox(path: str, remove: bool) -> str:
    """Write the settings, or restore the file; what happened, for people."""
    if not remove and (missing := missing_programs()):
        raise UserError(
            f"Claude Code would not start: its sandbox needs {' and '.join(missing)}. "
            f"Install first: {INSTALL}. Nothing was changed"
        )
    record = f"claude-sandbox-{host_record.digest(path.encode())[:8]}"
    before = host_install.read_file(path)
    if remove and path not in host_record.recorded_files(record):
        return f"our sandbox settings are not in {path}"
    settings = sandbox_settings(read_settings(path), remove)
    after: bytes | None = settings_text(settings).encode() if settings or before else None
    entry = host_record.recorded_files(record).get(path)
    if remove and entry and host_record.is_as_written(entry, before):
        after = host_record.original_content(entry)
    if before != after:
        change = FileChange(path, before, after)
        host_install.apply_changes(record, [change], installs=not remove)
    if remove:
        return f"our sandbox settings are out of {path}"
    return f"the sandbox of Claude Code is on and required in {path}; it covers commands, not hooks"
