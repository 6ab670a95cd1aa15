"""srt, Anthropic's sandbox runtime: its settings are written to a private file for each start."""

from __future__ import annotations

import os

from ...core.json_text import dumps
from ...disk.programs import own_program
from ..mounts import EMPTY, WRITE, Box, Mount

NAME, PROGRAM = "srt", "srt"
# It has no word for "every domain": models, registries of packages and code hosts.
DOMAINS = (
    *("api.anthropic.com", "*.anthropic.com", "claude.ai", "*.claude.ai", "*.openai.com"),
    *("chatgpt.com", "*.chatgpt.com", "*.googleapis.com", "openrouter.ai", "*.githubcopilot.com"),
    *("github.com", "*.github.com", "*.githubusercontent.com", "gitlab.com", "*.gitlab.com"),
    *("registry.npmjs.org", "*.npmjs.org", "registry.yarnpkg.com", "pypi.org", "*.pypi.org"),
    *("files.pythonhosted.org", "crates.io", "*.crates.io", "proxy.golang.org", "sum.golang.org"),
    *("rubygems.org", "*.rubygems.org", "repo.maven.apache.org", "repo1.maven.org"),
)


def problem(root: str) -> str:
    if own_program(PROGRAM, root):
        return ""
    return "srt is not installed: npm install -g @anthropic-ai/sandbox-runtime"


def features(root: str) -> tuple[str, ...]:
    return ()


def launcher_words(
    box: Box, mounts: tuple[Mount, ...], features: tuple[str, ...]
) -> tuple[str, ...]:
    settings = _write_settings(settings_text(box, mounts))
    return (own_program(PROGRAM, box.root) or PROGRAM, "--settings", settings, "--")


def settings_text(box: Box, mounts: tuple[Mount, ...]) -> str:
    """What is denied and allowed. For reads the closer path decides, for writes the denial."""
    from tempfile import gettempdir  # it imports much that no other sandbox needs

    deny_read = [mount.path for mount in mounts if mount.hides_path]
    allow_read = [mount.path for mount in mounts if not mount.hides_path]
    allow_write = [mount.path for mount in mounts if mount.kind == WRITE]
    deny_write = [
        mount.path
        for mount in mounts
        if mount.kind not in (EMPTY, WRITE)
        and any(mount.path.startswith(f"{folder}/") for folder in allow_write)
    ]
    settings = {
        "filesystem": {
            "denyRead": _once(deny_read),
            "allowRead": _once(allow_read),
            "allowWrite": _once([*allow_write, gettempdir()]),
            "denyWrite": _once(deny_write),
        },
        "network": {
            "allowedDomains": list(DOMAINS) if box.network else [],
            "deniedDomains": [],
            "allowLocalBinding": True,
        },
    }
    return dumps(settings)


def _once(paths: list[str]) -> list[str]:
    return list(dict.fromkeys(paths))


def _write_settings(text: str) -> str:
    """The same text is the same file, so that turns leave no heap of files behind."""
    from ...core.record import digest
    from ...disk.files import make_folder, write_private
    from ...disk.user_folders import state_home

    folder = os.path.join(state_home(), "sandbox")
    make_folder(folder)
    path = os.path.join(folder, f"{digest(text.encode())}.json")
    if not os.path.exists(path):
        write_private(path, text.encode())
    return path
