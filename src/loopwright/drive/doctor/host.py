"""What `loop doctor` finds in clients other than Claude Code: a stop is sent through each wiring.

The stop is of a session in an empty folder with a loop of its own, so no loop of the person is
touched. What the registered command answers is what the client would read.
"""

from __future__ import annotations

import json
import os
import shlex
import subprocess
import tempfile
import time
from collections.abc import Iterator
from typing import Any

from ...agents import wiring as hook_wiring
from ...agents.shell_variables import AGENT_VARIABLES
from ...agents.wiring import MARK, Wiring
from ...core.json_text import json_object
from ...core.prompts.phrases import cut_at_word
from ...disk.files import read_text
from ...disk.own_python import OWN_COMMAND
from ...disk.temporary import own_prefix
from ...formats.json_edit import JsonEditError
from ...formats.toml_edit import TomlEditError
from ..clients.host_files import (
    config_folder,
    effective_cap,
    hook_file,
    is_client_here,
    load_wire,
    switched_off,
    wired_hosts,
)
from .diagnosis import Diagnosis

MAX_CHARS = 4_000_000
SESSION = "doctor"
WAIT_SECONDS = 60
STOPS = ("decision", "followup_message")  # fields that refuse a stop


def diagnose_hosts() -> Iterator[Diagnosis]:
    """One row for each client that is here or has our hook."""
    registered = {}
    for host, wiring in wired_hosts().items():
        found, path = hook_file(wiring)
        try:
            command = registered_command(found, path)
        except JsonEditError as error:
            yield Diagnosis("fail", f"{host}: {path} cannot be read: {error}", "mend the file")
            continue
        if command:
            registered[host] = (found, path, command)
        elif is_client_here(host):
            yield Diagnosis(
                "warn",
                f"{host} is here without our hook: a session of it is not held",
                f"loop install {host}",
            )
    for host, (wiring, path, command) in registered.items():
        yield from diagnose_trust(wiring, path)
        with tempfile.TemporaryDirectory(prefix=own_prefix("doctor")) as folder:
            yield send_stop(host, wiring, command, folder)
        cap = effective_cap(wiring, read_text(path, MAX_CHARS) or "")
        if cap and f"--cap {cap}" not in command:
            what = f"{host}: {wiring.settings[0][0]} has changed, and our hook does not know it"
            yield Diagnosis("warn", what, f"loop install {host}")
        if off := switched_off(wiring):
            yield Diagnosis("fail", f"{host} runs no hook of ours", off)


def hosts_with_hook() -> list[str]:
    """The clients that have our hook, as their own files say."""
    found = []
    for host, wiring in wired_hosts().items():
        try:
            if registered_command(*hook_file(wiring)):
                found.append(host)
        except JsonEditError:
            continue
    return found


def registered_command(wiring: Wiring, path: str) -> str:
    """The command that the client runs at a stop; "" without one of ours."""
    text = read_text(path, MAX_CHARS) or ""
    if wiring.plugin:
        return shlex.join(plugin_words(text)) if MARK in text else ""
    stop = wiring.events[0].name
    commands = [one.command for one in hook_wiring.registrations(wiring, text) if one.event == stop]
    return commands[0] if commands else ""


def plugin_words(text: str) -> list[str]:
    """The words with which a plugin of ours starts the hook."""
    line = next((line for line in text.splitlines() if MARK in line), "")
    try:
        words = json.loads(line[line.index("= [") + 2 :])
    except ValueError as error:
        raise JsonEditError("its line with our command was changed") from error
    return [str(word) for word in words]


def start_trial_loop(folder: str) -> dict[str, str]:
    """A loop in an empty folder that cannot be done, and the environment in which it is known."""
    state = os.path.join(folder, "state")
    env = {**os.environ, "XDG_STATE_HOME": state, "LOOP_SESSION": SESSION}
    for name in (*AGENT_VARIABLES, "CLAUDE_PROJECT_DIR"):
        env.pop(name, None)
    project = os.path.join(folder, "project")
    os.mkdir(project)
    # A clean checkout would be calibrated in the background, while we remove the folder.
    criterion = ("--check", "done=false", "--room", "off")
    start = ("start", "answer the doctor", *criterion, "--score", "9", "--yes")
    done = subprocess.run(
        [*OWN_COMMAND, *start],
        cwd=project,
        env=env,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        timeout=WAIT_SECONDS,
        check=False,
    )
    if not os.path.exists(os.path.join(project, ".loop")):
        said = (done.stderr or done.stdout).decode("utf-8", "replace").strip()
        raise OSError(f"no loop starts in {project}: {said[-300:] or done.returncode}")
    return env


def send_stop(host: str, wiring: Wiring, command: str, folder: str) -> Diagnosis:
    """The answer of the registered command to a stop."""
    project = os.path.join(folder, "project")
    stop = synthetic_stop(wiring, project)
    try:
        env = start_trial_loop(folder)
        done = subprocess.run(
            command if os.name == "nt" else ["/bin/sh", "-c", command],
            input=json.dumps(stop).encode(),
            cwd=project,
            env=env,
            capture_output=True,
            timeout=WAIT_SECONDS,
            check=False,
        )
    except (OSError, subprocess.TimeoutExpired) as error:
        return Diagnosis("fail", f"{host}: our hook does not run: {error}", f"loop install {host}")
    shown = cut_at_word(done.stdout.decode("utf-8", "replace").strip(), 100)
    if any(field in STOPS for field in json_object(done.stdout) or {}):
        return Diagnosis("ok", f"{host}: a stop was sent through its wiring; our answer: {shown}")
    said = shown or cut_at_word(done.stderr.decode("utf-8", "replace").strip(), 200) or "nothing"
    return Diagnosis("fail", f"{host}: a stop is not held; our hook said: {said}", _fix(host))


def _fix(host: str) -> str:
    return f"loop uninstall {host}, then: loop install {host}"


def synthetic_stop(wiring: Wiring, project: str) -> dict[str, Any]:
    """A stop as this client would send it."""
    event, wire = wiring.events[0].name, load_wire(wiring.host)
    session = dict(wire.fields).get("session_id", "session_id")
    return {
        **({"hook_event_name": event} if not wiring.names_event else {}),
        **({session: SESSION, "cwd": project} if wire.names_session else {}),
        "timestamp": int(time.time() * 1000),
        "last_assistant_message": "Done.",
        "prompt_response": "Done.",
        "stop_hook_active": False,
    }


def diagnose_trust(wiring: Wiring, path: str) -> Iterator[Diagnosis]:
    """Does the client run our hook at all? Codex skips one whose hash it does not know."""
    if not wiring.trust_file:
        return
    config = os.path.join(config_folder(wiring), wiring.trust_file)
    text = read_text(config, MAX_CHARS) or ""
    expected = hook_wiring.expected_trust(wiring, path, read_text(path, MAX_CHARS) or "")
    try:
        missing = hook_wiring.untrusted_hooks(text, expected)
    except TomlEditError as error:
        yield Diagnosis("fail", f"{wiring.host}: {config} cannot be read: {error}", "mend the file")
        return
    if missing:
        yield Diagnosis(
            "fail",
            f"{wiring.host} does not trust our hook, and skips it without a word",
            f"loop install {wiring.host}, or type /hooks in {wiring.host} and trust it",
        )
    else:
        yield Diagnosis("ok", f"{wiring.host} trusts our hook ({config})")
