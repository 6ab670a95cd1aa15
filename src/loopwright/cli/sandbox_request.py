"""What was typed or set about the sandbox: the flags, then LOOP_SANDBOX, then the settings."""

from __future__ import annotations

import argparse
import os
from typing import Any

from ..core.loop import CheckBox
from ..drive.errors import UserError
from ..drive.runner.agent_box import AgentSandbox
from ..sandbox.choose import AUTO, Sandbox, SandboxUnavailable, choose_sandbox
from ..sandbox.places import find_places, secret_in
from ..store.config import settings, user_file
from ..store.folder import LoopFolder


def chosen_sandbox(args: argparse.Namespace, folder: LoopFolder) -> AgentSandbox:
    """The sandbox for the agents of a run; an error if the one that was asked for fails."""
    values = settings(folder.root)
    wish = args.sandbox or wished_sandbox(values)
    return AgentSandbox(
        sandbox=require_sandbox(wish, folder.root),
        allow_read=_folders(args.allow_read, values["sandbox.allow_read"], "--allow-read"),
        allow_write=_folders(args.allow_write, values["sandbox.allow_write"], "--allow-write"),
        network=not args.no_network and values["sandbox.network"] == "open",
        is_automatic=wish == AUTO,
    )


def chosen_check_box(folder: LoopFolder, typed: str | None) -> CheckBox:
    """The sandbox of the checks of a new loop; none where `auto` finds none."""
    values = settings(folder.root)
    sandbox = require_sandbox(typed or wished_sandbox(values), folder.root)
    if not sandbox.is_on:
        return CheckBox()
    return CheckBox(
        backend=sandbox.backend,
        argument=sandbox.argument,
        features=sandbox.features,
        allow_read=_folders([], values["sandbox.allow_read"], "sandbox.allow_read"),
    )


def wished_sandbox(values: dict[str, Any]) -> str:
    return os.environ.get("LOOP_SANDBOX") or str(values["sandbox.use"])


def require_sandbox(wish: str, root: str) -> Sandbox:
    try:
        return choose_sandbox(wish, root, os.path.dirname(user_file()))
    except SandboxUnavailable as error:
        raise UserError(str(error)) from error


def _folders(typed: list[str], setting: str, flag: str) -> tuple[str, ...]:
    """The paths that were typed, else those of the setting; each exists and is no secret."""
    paths = tuple(typed) or tuple(filter(None, setting.split(os.pathsep)))
    places = find_places()
    for path in paths:
        if not os.path.exists(os.path.expanduser(path)):
            raise UserError(f"{flag} {path}: there is no such file or folder")
        if secret := secret_in(path, places):
            raise UserError(f"{flag} {path}: {secret} stays hidden from agents and checks")
    return tuple(os.path.abspath(os.path.expanduser(path)) for path in paths)
