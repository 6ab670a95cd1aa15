"""What `loop install` and `loop uninstall` do with clients: show each change, ask, and write."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable
from difflib import get_close_matches

from ..agents.registry import ACP, AGENT_NAMES, HOST_NAMES, load_about
from ..agents.wiring import MARK, TRUST_FIELD
from ..disk.programs import own_environment, own_program
from ..drive.clients.host_files import is_client_here, load_wiring, switched_off, wired_hosts
from ..drive.clients.plugin_folders import install_commands, installed_plugins
from ..drive.errors import UserError, WrongValue
from ..plugin import host_install
from ..plugin.host_record import recorded_files
from . import exits, output

CLAUDE = "claude"
INSTALLABLE = (CLAUDE, *wired_hosts())


def chosen_hosts(names: list[str], every: bool, may_be_none: bool = False) -> list[str]:
    """The clients that were named, each once, or every one that is here."""
    names = list(dict.fromkeys(names))
    unknown = [name for name in names if name not in INSTALLABLE]
    if unknown and unknown[0] in HOST_NAMES:
        raise UserError(
            f"nothing can hold a session of {unknown[0]}. Drive it: loop run --agent {unknown[0]}"
        )
    if unknown and unknown[0].partition(":")[0] in AGENT_NAMES:
        raise UserError(
            f"{unknown[0]} has no sessions that a hook could hold. "
            f"Drive it: loop run --agent {'acp:COMMAND' if unknown[0] == ACP else unknown[0]}"
        )
    if unknown:
        close = get_close_matches(unknown[0].lower(), INSTALLABLE, 1)
        hint = f"did you mean {close[0]}?" if close else f"there are {', '.join(INSTALLABLE)}"
        raise WrongValue(f"no client {unknown[0]!r}; {hint}")
    hosts = names or [name for name in INSTALLABLE if every and is_client_here(name)]
    if not hosts and not may_be_none:
        raise UserError(
            "no client is here that we could hold. Name one: "
            f"loop install {' | '.join(INSTALLABLE)}"
        )
    return hosts


def installed_hosts() -> list[str]:
    """The clients that have our hook, as far as our own record knows."""
    hosts = [name for name in wired_hosts() if recorded_files(name)]
    return [*([CLAUDE] if installed_plugins() else []), *hosts]


def install_hosts(hosts: list[str], yes: bool) -> int:
    for_each_host(hosts, lambda host: install_host(host, yes), "installed")
    undo = f"loop uninstall {' '.join(hosts)}"
    output.show_text(f"Try it: `loop doctor` sends a stop through each. Undo: `{undo}`")
    return exits.PROVEN


def for_each_host(hosts: list[str], act: Callable[[str], None], done: str) -> None:
    """Act on each client; those after one with a problem do not wait for it."""
    problems = []
    for host in hosts:
        try:
            act(host)
        except UserError as error:
            problems.append(str(error))
            if len(hosts) > 1:
                output.show_text(f"✗ {host}: {error}")
    if problems:
        raise UserError(problems[0] if len(hosts) == 1 else f"not every client could be {done}")


def install_host(host: str, yes: bool) -> None:
    """Show what registers our hook with the client, ask, and write."""
    if host == CLAUDE:
        lines = [command.split() for line in install_commands() for command in line.split(" && ")]
        run_client_commands(lines, yes)
        return
    wiring = load_wiring(host)
    assert wiring is not None
    changes = host_install.installing_changes(wiring, exits.MEANINGS)
    if not changes:
        output.show_text(f"✓ {host}: our hook is registered already")
        return
    show_changes(changes)
    if not confirm_change(f"Register our hook with {host}?", yes):
        output.show_text(f"{host}: nothing was changed")
        return
    host_install.apply_changes(host, changes, installs=True)
    output.show_text(f"✓ {host}: our hook is registered. Restart its open sessions.")
    for step in wiring.steps:
        output.show_text(f"    then {step}")
    if off := switched_off(wiring):
        output.show_text(f"! {host} runs no hook: {off}")


def uninstall_hosts(hosts: list[str], yes: bool) -> int:
    if not hosts:
        output.show_text("No client has our hook.")
    for_each_host(hosts, lambda host: uninstall_host(host, yes), "uninstalled")
    return exits.PROVEN


def uninstall_host(host: str, yes: bool) -> None:
    """Show what removes our hook from the client, ask, and write."""
    if host == CLAUDE:
        names = list(installed_plugins()) or ["loop@loopwright"]
        run_client_commands([["claude", "plugin", "uninstall", name] for name in names], yes)
        return
    wiring = load_wiring(host)
    assert wiring is not None
    changes = host_install.removing_changes(wiring)
    if not changes:
        output.show_text(f"{host}: our hook is not registered")
        return
    show_changes(changes)
    for path in host_install.changed_pages(wiring):
        output.show_text(f"kept, because it was changed since: {path}")
    if confirm_change(f"Remove our hook from {host}?", yes):
        host_install.apply_changes(host, changes, installs=False)
        output.show_text(f"✓ {host}: our hook is removed")


def show_changes(changes: list[host_install.FileChange]) -> None:
    """What registers the hook as a diff; of the pages of our commands only their names."""
    for change in changes:
        is_edit = change.before is not None and change.after is not None
        data = change.after or change.before or b""
        if is_edit or any(mark.encode() in data for mark in (MARK, TRUST_FIELD)):
            output.show_text(change.diff().rstrip())
        else:
            output.show_text(f"{'new' if change.before is None else 'removed'}: {change.path}")


def confirm_change(question: str, yes: bool) -> bool:
    if yes:
        return True
    if not sys.stdin or not sys.stdin.isatty():
        raise UserError("nobody is here to agree to these changes. Add --yes to make them")
    return input(f"{question} [Y/n] ").strip().lower() in ("", "y", "yes")


def run_client_commands(commands: list[list[str]], yes: bool) -> None:
    """Claude Code installs a plugin by its own commands."""
    lines = "\n".join(f"  {' '.join(words)}" for words in commands)
    output.show_text(f"For Claude Code these commands are run:\n{lines}")
    if not confirm_change("Run them?", yes):
        return
    for words in commands:
        program = own_program(words[0])
        if not program:
            raise UserError(f"{words[0]} is not on the PATH. {load_about(CLAUDE).install}")
        if subprocess.run([program, *words[1:]], env=own_environment(), check=False).returncode:
            raise UserError(f"`{' '.join(words)}` failed; its own words are above")
