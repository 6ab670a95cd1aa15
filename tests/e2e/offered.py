"""What a script writes for Claude Code's tools, said with the tools that another client offers."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from pathlib import Path
from typing import Any

Call = tuple[str, Mapping[str, Any]]


def as_offered(name: str, given: Mapping[str, Any], offered: Collection[str]) -> list[Call]:
    """The calls that do the same with what this client offers."""
    if name == "Bash":
        return [_command(given, offered)]
    if name == "Write":
        return _writing(Path(given["file_path"]), given["content"], offered)
    return [(name, given)]


def _command(given: Mapping[str, Any], offered: Collection[str]) -> Call:
    told = {"command": given["command"], "description": given["description"]}
    if "run_shell_command" in offered or "bash" not in offered:  # Gemini and Qwen
        return "run_shell_command", {**told, "is_background": False}
    return "bash", told


def _writing(path: Path, content: str, offered: Collection[str]) -> list[Call]:
    if "create" in offered:  # Copilot, which replaces no file that is there
        if path.exists():
            old = path.read_text(encoding="utf-8")
            return [("edit", {"path": str(path), "old_str": old, "new_str": content})]
        return [("create", {"path": str(path), "file_text": content})]
    if "write_file" in offered:
        write = ("write_file", {"file_path": str(path), "content": content})
        # Qwen replaces nothing that it has not read.
        return [("read_file", {"file_path": str(path)}), write] if path.exists() else [write]
    return [("write", {"filePath": str(path), "content": content})]  # OpenCode
