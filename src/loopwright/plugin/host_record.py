"""Our record of what we wrote for a host: what each file held before, and the folders we made."""

from __future__ import annotations

import base64
import hashlib
import json
import os
from typing import Any

from ..core.json_text import json_object
from ..disk.files import read_text, remove_file, write_atomic
from ..disk.user_folders import state_home
from ..drive.clients.host_files import wired_hosts

MAX_RECORD = 64_000_000  # characters: it holds what each file held before


def is_as_written(entry: dict[str, Any], now: bytes | None) -> bool:
    """Has nobody changed the file since we wrote it?"""
    return now is not None and digest(now) == entry["after"]


def original_content(entry: dict[str, Any]) -> bytes | None:
    """What the file held before we wrote it; None: there was none."""
    before = entry["before"]
    return base64.b64decode(before) if before is not None else None


def folders_of_ours() -> list[str]:
    """The folders that we made for any host, the deepest first: the last one to go removes them."""
    entries = [entry for host in wired_hosts() for entry in recorded_files(host).values()]
    return sorted({folder for one in entries for folder in one.get("folders", [])}, key=len)[::-1]


def missing_folders(path: str) -> list[str]:
    """The folders that must be made for the file, the deepest first."""
    folders, folder = [], os.path.dirname(path)
    while not os.path.isdir(folder):
        folders.append(folder)
        folder = os.path.dirname(folder)
    return folders


def record_path(host: str) -> str:
    return os.path.join(state_home(), "hosts", f"{host}.json")


def recorded_files(host: str) -> dict[str, Any]:
    """Path → what the file held before, and the hash of what we wrote."""
    return json_object(read_text(record_path(host), MAX_RECORD) or "") or {}


def write_record(host: str, record: dict[str, Any]) -> None:
    path = record_path(host)
    if record:
        os.makedirs(os.path.dirname(path), mode=0o700, exist_ok=True)
        write_atomic(path, json.dumps(record, indent=1).encode())
    else:
        remove_file(path)


def digest(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()
