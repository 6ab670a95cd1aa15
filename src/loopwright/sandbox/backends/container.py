"""docker, podman and dev containers: agent and checks run inside, Loopwright stays outside.

The project is mounted at its own path and the user keeps the number. The home folder, the state
folder and everything else of the host are not there at all.
"""

from __future__ import annotations

import json
import os
import re

from ...disk.files import open_at_once
from ...disk.links import is_inside
from ...disk.programs import own_program
from ..bounds import Bounds
from ..mounts import EMPTY, MASK, SHOW, WRITE, Box, Mount

DOCKER, PODMAN, DEVCONTAINER = "docker", "podman", "devcontainer"
SETTINGS_FILES = (".devcontainer/devcontainer.json", ".devcontainer.json")
INSTALL = {
    DOCKER: "install Docker",
    PODMAN: "install podman",
    DEVCONTAINER: "npm install -g @devcontainers/cli",
}
# The agent finds its own variables there; every other one belongs to the host.
PASSED_PREFIXES = (
    *("ANTHROPIC_", "CLAUDE_", "OPENAI_", "CODEX_", "GEMINI_", "GOOGLE_", "AZURE_OPENAI_"),
    *("LOOP_", "PYTEST_", "NODE_OPTIONS", "CI", "TERM", "LANG", "LC_", "TZ", "NO_COLOR"),
)


def problem(name: str, image: str, root: str) -> str:
    """Why this engine cannot be used for this project; "" if it can."""
    if not own_program(name, root):
        return f"{name} is not installed: {INSTALL[name]}"
    if name == DEVCONTAINER and not settings_file(root):
        return f"{root} has no .devcontainer/devcontainer.json"
    if (image or declared_image(root)).startswith("-"):
        return f"{image or declared_image(root)!r} is no image"
    if name != DEVCONTAINER and not (image or declared_image(root)):
        return (
            f"which image? Name it: --sandbox {name}:IMAGE, or as `image` in "
            ".devcontainer/devcontainer.json"
        )
    return ""


def settings_file(root: str) -> str:
    paths = (os.path.join(root, name) for name in SETTINGS_FILES)
    return next((path for path in paths if os.path.isfile(path)), "")


def declared_image(root: str) -> str:
    """The image that the dev container of the project names; "" for none."""
    path = settings_file(root)
    if not path:
        return ""
    with open(path, encoding="utf-8", errors="replace", opener=open_at_once) as file:
        text = re.sub(r'("(?:\\.|[^"\\])*")|//[^\n]*|/\*.*?\*/', r"\1", file.read(), flags=re.S)
    try:
        image = json.loads(re.sub(r",(\s*[}\]])", r"\1", text)).get("image", "")
    except (ValueError, AttributeError):
        return ""
    return image if isinstance(image, str) else ""


def launcher_words(
    name: str, image: str, box: Box, mounts: tuple[Mount, ...], environment: dict[str, str]
) -> tuple[str, ...]:
    """The words before a command that run it in a container of its own."""
    if name == DEVCONTAINER:
        return (own_program(name, box.root) or name, "exec", "--workspace-folder", box.root)
    words = [own_program(name, box.root) or name, "run", "--rm", "--interactive", "--init"]
    words += ["--workdir", box.root]
    words += ["--user", f"{os.getuid()}:{os.getgid()}", "--cap-drop", "ALL"]
    words += ["--security-opt", "no-new-privileges", "--tmpfs", "/tmp"]  # noqa: S108
    words += ["--userns", "keep-id"] if name == PODMAN else []
    words += [] if box.network else ["--network", "none"]
    words += _bound_words(box.bounds)
    for variable in sorted(environment):
        if variable.startswith(PASSED_PREFIXES):
            words += ["--env", variable]  # by name: the value is not in the command line
    for mount in _project_mounts(box, mounts):
        if mount.kind == EMPTY:
            words += ["--tmpfs", mount.path]
        else:
            suffix = ":ro" if mount.kind == SHOW else ""
            words += ["--volume", f"{mount.outside}:{mount.path}{suffix}"]
    return (*words, image or declared_image(box.root))


def _bound_words(bounds: Bounds) -> list[str]:
    """Memory and processes as the engine bounds them; of the disk only the size of one file."""
    words = ["--memory", str(bounds.memory)] if bounds.memory else []
    words += ["--pids-limit", str(bounds.processes)] if bounds.processes else []
    return words + (["--ulimit", f"fsize={bounds.disk}"] if bounds.disk else [])


def _project_mounts(box: Box, mounts: tuple[Mount, ...]) -> list[Mount]:
    """The mounts of project, repository and what the person allowed; a tool of the host is none."""
    at = next(n for n, mount in enumerate(mounts) if mount.path == box.root)
    allowed = [os.path.realpath(os.path.expanduser(p)) for p in (*box.allow_read, *box.allow_write)]
    earlier = [mount for mount in mounts[:at] if mount.path in allowed]
    # What lies over the project, and its git folder elsewhere; masks of the host are no mounts.
    later = [m for m in mounts[at:] if m.kind in (SHOW, WRITE) or is_inside(m.path, box.root)]
    return [*earlier, *(mount for mount in later if mount.kind != MASK)]
