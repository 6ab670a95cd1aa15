"""What was typed or set about the sandbox: the flags, then LOOP_SANDBOX, then the settings."""

from __future__ import annotations

import argparse
import os
from collections.abc import Sequence
from typing import Any

from ..core.proof.state import CheckBox
from ..disk.links import follow_links, is_inside
from ..disk.user_folders import state_home
from ..drive.errors import UserError
from ..drive.runner.agent_box import AgentSandbox
from ..sandbox.choose import AUTO, Sandbox, SandboxUnavailable, choose_sandbox
from ..sandbox.places import find_places, secret_in
from ..store.config import settings, user_file
from ..store.folder import LoopFolder

NOT_ALLOWED = ("/", "/dev", "/proc", "/sys", "/run")


def chosen_sandbox(args: argparse.Namespace, folder: LoopFolder) -> AgentSandbox:
    """The sandbox for the agents of a run; an error if the one that was asked for fails."""
    values = settings(folder.root)
    wish = args.sandbox or wished_sandbox(values)
    sandbox = require_sandbox(wish, folder.root)
    network = not args.no_network and values["sandbox.network"] == "open"
    if not network and not sandbox.is_on:
        asked = "--no-network" if args.no_network else "sandbox.network = closed"
        raise UserError(f"{asked} needs a sandbox, and there is none: {sandbox.why}")
    read, write = allowed_folders(values, folder.root, args.allow_read, args.allow_write)
    return AgentSandbox(
        sandbox=sandbox,
        allow_read=read,
        allow_write=write,
        network=network,
        is_automatic=wish == AUTO,
    )


def allowed_folders(
    values: dict[str, Any], root: str, read: Sequence[str] = (), write: Sequence[str] = ()
) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """What the agents may read and write besides: as typed, else as set."""
    readable = _folders(read, values["sandbox.allow_read"], "--allow-read")
    writable = _folders(write, values["sandbox.allow_write"], "--allow-write")
    for path in writable:
        own = [os.path.join(os.path.realpath(root), name) for name in (".git", ".loop")]
        if any(is_inside(path, folder) for folder in own):
            raise UserError(f"--allow-write {path}: no agent may change it. See: loop sandbox show")
        refuse_own_folders(path)
    return readable, writable


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
        sandbox = choose_sandbox(wish, root, os.path.dirname(user_file()))
    except SandboxUnavailable as error:
        raise UserError(str(error)) from error
    if sandbox.is_on:
        refuse_own_folders(os.path.realpath(root))
    return sandbox


def refuse_own_folders(folder: str) -> None:
    """An error if the agent, which writes this folder, could put its own in place of our files."""
    for variable, path in (("XDG_CONFIG_HOME", user_file()), ("XDG_STATE_HOME", state_home())):
        real = follow_links(path, (folder,))
        if not real or any(is_inside(place, folder) for place in (os.path.normpath(path), real)):
            what = "our settings" if variable == "XDG_CONFIG_HOME" else "our record"
            raise UserError(
                f"{path} lies in {folder}, or a link there leads to it: an agent that works there "
                f"could write {what}. Name another folder: {variable}=FOLDER loop …. "
                "Without a sandbox: --sandbox off"
            )


def _folders(typed: Sequence[str], setting: str, flag: str) -> tuple[str, ...]:
    """The paths that were typed, else those of the setting; each exists and is no secret."""
    paths = tuple(typed) or tuple(filter(None, setting.split(os.pathsep)))
    places = find_places()
    for path in paths:
        if not os.path.exists(os.path.expanduser(path)):
            raise UserError(f"{flag} {path}: there is no such file or folder")
        if secret := secret_in(path, places):
            raise UserError(f"{flag} {path}: {secret} stays hidden from agents and checks")
        if os.path.realpath(os.path.expanduser(path)) in NOT_ALLOWED:
            raise UserError(f"{flag} {path}: that is too much. Name the folders that it needs")
    # An agent that may write above such a path could replace it by a link to something else.
    return tuple(os.path.realpath(os.path.expanduser(path)) for path in paths)
