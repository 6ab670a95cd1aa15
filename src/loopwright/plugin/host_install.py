"""Register our hook with a host, and remove it again: every change is shown first and kept.

What a file held before is kept in our own folder. If nobody has changed the file since, removing
restores it byte for byte; else only our own entries are cut.
"""

from __future__ import annotations

import base64
import difflib
import json
import os
from contextlib import suppress
from typing import Any

from ..agents import wiring as hook_wiring
from ..agents.wiring import MARK, Wiring
from ..core.record import Record
from ..disk.files import open_at_once, write_atomic
from ..drive.clients.host_files import (
    config_folder,
    effective_cap,
    hook_argv,
    hook_command,
    hook_file,
    load_wiring,
)
from ..drive.errors import UserError
from ..formats.json_edit import JsonEditError, read_value
from ..formats.toml_edit import TomlEditError
from .host_commands import command_files
from .host_record import (
    digest,
    folders_of_ours,
    is_as_written,
    missing_folders,
    original_content,
    recorded_files,
    write_record,
)

PLUGIN_FOLDER = os.path.dirname(os.path.abspath(__file__))


class FileChange(Record):
    """A file before and after; None: there is none."""

    path: str
    before: bytes | None
    after: bytes | None
    is_left: bool = False  # after an install, nothing of ours is in it any more

    def diff(self) -> str:
        """What changes, for people."""
        before, after = (
            (data or b"").decode("utf-8", "replace").splitlines(keepends=True)
            for data in (self.before, self.after)
        )
        lines = difflib.unified_diff(
            before,
            after,
            fromfile=self.path if self.before is not None else "/dev/null",
            tofile=self.path if self.after is not None else "/dev/null",
            n=1,
        )
        return "".join(line if line.endswith("\n") else f"{line}\n" for line in lines)


def installing_changes(wiring: Wiring, exits: dict[int, str]) -> list[FileChange]:
    """What registering our hook changes; nothing if it is registered as it should be."""
    wanted = {**_hook_files(wiring), **_command_files(wiring, exits)}
    changes = [FileChange(path, read_file(path), data) for path, data in wanted.items()]
    for path, entry in recorded_files(wiring.host).items():
        if path not in wanted:  # the host reads another folder or file now, or a page is gone
            now = read_file(path)
            after = _content_without_us(wiring, path, now, entry)
            changes.append(FileChange(path, now, after, is_left=True))
    return [change for change in changes if change.before != change.after]


def _hook_files(wiring: Wiring) -> dict[str, bytes]:
    found, path = hook_file(wiring)
    if wiring.plugin:
        with open(os.path.join(PLUGIN_FOLDER, wiring.plugin), encoding="utf-8") as file:
            command = json.dumps(hook_argv(wiring))
            return {path: file.read().replace("{{command}}", command).encode()}
    text = "" if wiring.whole_file else read_editable(path)
    try:
        cap = effective_cap(wiring, text)
        commands = {event.name: hook_command(wiring, event.name, cap) for event in wiring.events}
        text = hook_wiring.add_hooks(found, text, commands)
    except JsonEditError as error:
        raise edit_problem(path, error, f"loop install {wiring.host}") from error
    files = {path: text.encode()}
    if wiring.trust_file:
        config = os.path.join(config_folder(wiring), wiring.trust_file)
        files[config] = _trusting(wiring, config, path, text).encode()
    return files


def _trusting(wiring: Wiring, config: str, path: str, text: str) -> str:
    """The configuration with the hashes of our hooks, and without those of earlier ones."""
    before = read_editable(config)
    wanted = hook_wiring.expected_trust(wiring, path, text)
    old = hook_wiring.expected_trust(wiring, path, read_editable(path))
    try:
        state = hook_wiring.remove_trust(before, tuple(key for key in old if key not in wanted))
        state = hook_wiring.move_trust(wiring, state, path, read_editable(path), text)
        missing = hook_wiring.untrusted_hooks(state, wanted)
        return hook_wiring.add_trust(state, {key: wanted[key] for key in missing})
    except TomlEditError as error:
        raise edit_problem(config, error, f"loop install {wiring.host}") from error


def edit_problem(path: str, error: ValueError, command: str) -> UserError:
    return UserError(
        f"{path} cannot be edited: {error}. It was left as it is. Mend it, then: {command}"
    )


def _command_files(wiring: Wiring, exits: dict[int, str]) -> dict[str, bytes]:
    base = config_folder(wiring)
    return {os.path.join(base, name): data for name, data in command_files(wiring, exits).items()}


def removing_changes(wiring: Wiring) -> list[FileChange]:
    """What removing our hook changes."""
    recorded = recorded_files(wiring.host)
    paths = {hook_file(wiring)[1], *recorded}
    if wiring.trust_file:
        paths.add(os.path.join(config_folder(wiring), wiring.trust_file))
    changes = []
    for each in sorted(paths):
        now = read_file(each)
        after = _content_without_us(wiring, each, now, recorded.get(each))
        if now != after:
            changes.append(FileChange(each, now, after))
    return changes


def changed_pages(wiring: Wiring) -> list[str]:
    """The pages of our commands that somebody has changed since: they stay."""
    recorded = recorded_files(wiring.host).items()
    pages = [(path, entry) for path, entry in recorded if not _wiring_at(wiring, path)[1]]
    return [
        path for path, entry in pages if (now := read_file(path)) and not is_as_written(entry, now)
    ]


def _content_without_us(
    wiring: Wiring, path: str, now: bytes | None, entry: dict[str, Any] | None
) -> bytes | None:
    """The file as it was before us, or without our entries if somebody has changed it since."""
    if entry and is_as_written(entry, now):
        return original_content(entry)
    found, hooks = _wiring_at(wiring, path)
    try:
        return _without_ours(found, path, now, hooks, entry)
    except (JsonEditError, TomlEditError) as error:
        raise edit_problem(path, error, f"loop uninstall {wiring.host}") from error


def _wiring_at(wiring: Wiring, path: str) -> tuple[Wiring, str]:
    """How a file was written, and the file with our hook beside it; "" for a page of our commands.

    It may be in a folder that a variable no longer names.
    """
    if wiring.masks and path.endswith(os.sep + wiring.masks):
        return wiring.but(path=("hooks", *wiring.path), file=wiring.masks), path
    for name in (wiring.file, wiring.trust_file):
        if name and path.endswith(os.sep + name):
            return wiring, path.removesuffix(name) + wiring.file
    return wiring, ""


def _without_ours(
    wiring: Wiring, path: str, now: bytes | None, hooks: str, entry: dict[str, Any] | None
) -> bytes | None:
    """The file without our entries, when somebody has changed it since; None: nothing is left."""
    left = _cut_ours(wiring, path, now, hooks, entry)
    is_new = entry is not None and entry["before"] is None
    return None if is_new and left is not None and left.strip() in (b"", b"{}") else left


def _cut_ours(
    wiring: Wiring, path: str, now: bytes | None, hooks: str, entry: dict[str, Any] | None
) -> bytes | None:
    if now is None:
        return None
    text = now.decode("utf-8", "surrogateescape")
    if path == hooks and not wiring.plugin:
        text = hook_wiring.remove_hooks(wiring, text)
        if entry:
            before = (original_content(entry) or b"").decode("utf-8", "replace")
            text = hook_wiring.remove_leftovers(wiring, text, read_value(before))
        return text.encode("utf-8", "surrogateescape")
    if wiring.trust_file and path.endswith(wiring.trust_file):
        registered = read_editable(hooks)
        keys = tuple(hook_wiring.expected_trust(wiring, hooks, registered))
        text = hook_wiring.remove_trust(text, keys)
        left = hook_wiring.remove_hooks(wiring, registered)
        text = hook_wiring.move_trust(wiring, text, hooks, registered, left)
        return text.encode("utf-8", "surrogateescape")
    # A file that was ours alone goes, but not a page that the person has written anew.
    return None if path == hooks and MARK in text else now


def apply_changes(host: str, changes: list[FileChange], installs: bool) -> None:
    """Write the files, and keep what was there before. If one cannot be written, none is."""
    earlier, recorded, done = recorded_files(host), recorded_files(host), []
    try:
        if installs:
            made = folders_of_ours()
            for change in (one for one in changes if not one.is_left):
                _keep_original(recorded, change, made, _original_of(host, change, recorded))
            write_record(host, recorded)  # before the files: what was there is never lost
        for change in changes:
            _apply_change(change, recorded)
            done.append(change)
    except OSError as error:
        with suppress(OSError):
            for change in reversed(done):
                _apply_change(FileChange(change.path, change.after, change.before), recorded)
            write_record(host, earlier)
        raise UserError(
            f"{error.filename} cannot be written: {error.strerror}. Nothing was changed. "
            "Give yourself access to it (chmod u+rwX), then try again"
        ) from error
    left = [change.path for change in changes if change.is_left or not installs]
    if left:
        kept = {path: entry for path, entry in recorded.items() if path not in left}
        write_record(host, kept if installs else {})


def _apply_change(change: FileChange, recorded: dict[str, Any]) -> None:
    if change.after is None:
        os.remove(change.path)
        _remove_empty_folders(change.path, recorded.get(change.path, {}))
    else:
        _write_through(change.path, change.after)


def _write_through(path: str, data: bytes) -> None:
    """Replace the file; a link stays a link, and the file keeps its mode."""
    target = os.path.realpath(path)
    os.makedirs(os.path.dirname(target), exist_ok=True)
    mode = os.stat(target).st_mode & 0o777 if os.path.exists(target) else 0o644
    write_atomic(target, data)
    os.chmod(target, mode)


def _original_of(host: str, change: FileChange, recorded: dict[str, Any]) -> bytes | None:
    """What the file would hold without us, whoever has changed it since we wrote it."""
    known = load_wiring(host)
    if known is None:  # other settings of ours
        return change.before
    wiring, path = hook_file(known)
    entry, now = recorded.get(change.path), change.before
    is_hook_file = change.path == path and MARK.encode() in (now or b"")
    if is_hook_file and wiring.whole_file:
        return original_content(entry) if entry else None
    trust = os.path.join(config_folder(wiring), wiring.trust_file) if wiring.trust_file else ""
    if is_hook_file or change.path == trust:
        return _without_ours(wiring, change.path, now, path, entry)
    return now


def _keep_original(
    recorded: dict[str, Any], change: FileChange, made: list[str], original: bytes | None
) -> None:
    entry = recorded.get(change.path)
    is_unchanged = entry and change.before and digest(change.before) == entry["after"]
    before = entry["before"] if entry and is_unchanged else None
    if not is_unchanged and original is not None:
        before = base64.b64encode(original).decode()
    shared = [folder for folder in made if change.path.startswith(folder + os.sep)]
    folders = entry.get("folders", []) if entry else missing_folders(change.path) + shared
    after = digest(change.after) if change.after is not None else ""
    recorded[change.path] = {"before": before, "after": after, "folders": folders}


def _remove_empty_folders(path: str, entry: dict[str, Any]) -> None:
    for folder in entry.get("folders", []):
        if os.path.isdir(folder) and not os.listdir(folder):
            os.rmdir(folder)


def read_file(path: str) -> bytes | None:
    if os.path.lexists(path) and not os.path.isfile(path):
        what = "a link to a file that is not there" if os.path.islink(path) else "no plain file"
        raise UserError(f"{path} is {what}. It was left as it is")
    try:
        with open(path, "rb", opener=open_at_once) as file:
            return file.read()
    except FileNotFoundError:
        return None
    except OSError as error:
        raise UserError(f"{path} cannot be read ({error}). It was left as it is") from error


def read_editable(path: str) -> str:
    """The text of a file that we edit; "" without one."""
    try:
        return (read_file(path) or b"").decode()
    except UnicodeDecodeError as error:
        raise UserError(f"{path} is not UTF-8. It was left as it is") from error
