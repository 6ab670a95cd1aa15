"""Where a host registers hooks, as a table; and its files with and without our hook in them.

Every host that we hold has a Wiring in its wiring.py. Pure: text in, text out.
"""

from __future__ import annotations

import hashlib
import json
from typing import Any

from ..core.record import Record
from ..formats import json_edit, toml_edit

MARK = "loopwright/hook/__main__.py"  # in every command that we register
CONFIG_VARIABLE = "XDG_CONFIG_HOME"  # the folder for settings, where a host follows that habit
HOUR = 3600  # a round of checks runs inside the hook
SHORT = 30
TRUST_FIELD = "trusted_hash"


class ConfigFolder(Record):
    """A folder of the user's: the environment variable that names it, else a path below HOME."""

    variable: str
    default: str
    below: str = ""  # the folder inside the one that the variable names


class OffSwitch(Record):
    """A setting of the host with which it runs no hook, or not ours."""

    file: str  # below the folder
    path: tuple[str, ...]
    off: Any  # the value that switches off; in a list, an item of it


class HookEvent(Record):
    """An event that we register for."""

    name: str
    seconds: int = SHORT


class CommandPages(Record):
    """The host's own format of slash commands."""

    path: str  # below the folder, with {name}
    style: str  # toml, markdown, skill or plain
    arguments: str = ""  # what stands for the words after the command
    prefix: str = "loop "  # how a command is typed
    answered_by_hook: bool = False  # the hook sees the page's text as a prompt, and answers
    runs_inline: str = ""  # runs a command while the page is read, with {command}


class Wiring(Record):
    """How our hook is registered with a host."""

    host: str
    folder: ConfigFolder
    file: str  # below the folder
    events: tuple[HookEvent, ...] = ()
    path: tuple[str, ...] = ("hooks",)  # the object in the file that holds the events
    grouped: bool = True  # an event holds groups of hooks, not hooks
    command_key: str = "command"
    more: tuple[tuple[str, Any], ...] = (("type", "command"),)  # more fields of a hook
    group: tuple[tuple[str, Any], ...] = ()  # more fields of a group
    timeout_key: str = "timeout"
    timeout_unit: int = 1  # how many of them are a second
    top: tuple[tuple[str, Any], ...] = ()  # more members of a file that we create or own
    whole_file: bool = False  # the file is ours alone
    settings: tuple[tuple[str, Any], ...] = ()  # settings that we add unless there are any
    cap: int = 0  # the host's limit that those settings raise
    names_event: bool = False  # its input does not say the event, so the command does
    plugin: str = ""  # a file of plugin/ that is installed as `file` instead
    masks: str = ""  # a file that the host no longer reads once `file` exists
    trust_file: str = ""  # where the host keeps the hashes of hooks that it may run
    steps: tuple[str, ...] = ()  # what the person still has to do
    off_switches: tuple[OffSwitch, ...] = ()
    members: tuple[str, ...] = ()  # if any: the host takes plain JSON with these at the top alone
    commands: CommandPages | None = None


class Registration(Record):
    """One hook of ours in the file of a host."""

    event: str
    command: str
    group: int
    place: int


def add_hooks(wiring: Wiring, text: str, commands: dict[str, str]) -> str:
    """The file with our hook once for each event. One that is there stays in its place.

    Some hosts know the hooks of others by their places.
    """
    wanted = {event.name for event in wiring.events}
    first = {one.event: one for one in reversed(registrations(wiring, text)) if one.event in wanted}
    text = _remove_hooks(wiring, text, keep=tuple(first.values()))
    for name, value in wiring.top:
        if not text.strip() or wiring.whole_file:
            text = json_edit.add_member(text, (name,), value)
    for event in wiring.events:
        hook = {
            **dict(wiring.more),
            wiring.command_key: commands[event.name],
            wiring.timeout_key: event.seconds * wiring.timeout_unit,
        }
        path = (*wiring.path, event.name)
        if kept := first.get(event.name):
            inside = (kept.group, "hooks") if wiring.grouped else ()
            place = kept.place if wiring.grouped else kept.group
            text = json_edit.replace_item(text, (*path, *inside), place, hook)
        else:
            item: Any = {**dict(wiring.group), "hooks": [hook]} if wiring.grouped else hook
            text = json_edit.append_item(text, path, item)
    for name, value in wiring.settings:
        text = json_edit.add_member(text, (name,), value)
    return text


def remove_hooks(wiring: Wiring, text: str) -> str:
    """The file without hooks of ours. What others registered stays, and in its order."""
    return _remove_hooks(wiring, text, keep=())


def _remove_hooks(wiring: Wiring, text: str, keep: tuple[Registration, ...]) -> str:
    """The file without hooks of ours but these, which are the first of their events."""
    for one in reversed(registrations(wiring, text)):
        if one in keep:
            continue
        path: tuple[str | int, ...] = (*wiring.path, one.event)
        group = _value_at(json_edit.read_value(text), (*path, one.group))
        if wiring.grouped and len(group["hooks"]) > 1:  # another hook is in the group
            path, place = (*path, one.group, "hooks"), one.place
        else:
            place = one.group
        text = json_edit.remove_item(text, path, place)
        if _value_at(json_edit.read_value(text), (*wiring.path, one.event)) == []:
            text = json_edit.remove_member(text, (*wiring.path, one.event))
    return text


def remove_leftovers(wiring: Wiring, text: str, original: Any) -> str:
    """The file without empty objects and settings of ours that it did not have before."""
    for end in range(len(wiring.path), 0, -1):
        path = wiring.path[:end]
        if _value_at(json_edit.read_value(text), path) == {} and _value_at(original, path) is None:
            text = json_edit.remove_member(text, path)
    # A version that we wrote stays as long as the file holds anything else.
    is_all = json_edit.read_value(text) == dict(wiring.top)
    for name, value in (*wiring.settings, *(wiring.top if is_all else ())):
        is_ours = _value_at(original, (name,)) is None
        if is_ours and _value_at(json_edit.read_value(text), (name,)) == value:
            text = json_edit.remove_member(text, (name,))
    return text


def _value_at(value: Any, path: tuple[str | int, ...]) -> Any:
    for key in path:
        if isinstance(key, int):
            value = value[key] if isinstance(value, list) and key < len(value) else None
        else:
            value = value.get(key) if isinstance(value, dict) else None
    return value


def registrations(wiring: Wiring, text: str) -> list[Registration]:
    """Our hooks in the file."""
    return [one for one in all_registrations(wiring, text) if MARK in one.command]


def all_registrations(wiring: Wiring, text: str) -> list[Registration]:
    """Every hook in the file, in its order."""
    value = _value_at(json_edit.read_value(text) if text.strip() else {}, wiring.path)
    found = []
    for event, items in value.items() if isinstance(value, dict) else ():
        for group, item in enumerate(items if isinstance(items, list) else []):
            hooks = item.get("hooks", []) if wiring.grouped and isinstance(item, dict) else [item]
            for place, hook in enumerate(hooks if isinstance(hooks, list) else []):
                command = hook.get(wiring.command_key, "") if isinstance(hook, dict) else ""
                found.append(Registration(event, str(command), group, place))
    return found


# --- Codex runs a hook only if its configuration names the hash of it ---


def snake_case(event: str) -> str:
    return "".join(f"_{c.lower()}" if c.isupper() else c for c in event).lstrip("_")


def trust_key(path: str, registration: Registration) -> str:
    event = snake_case(registration.event)
    return f"{path}:{event}:{registration.group}:{registration.place}"


def trust_hash(event: str, hook: dict[str, Any]) -> str:
    """The hash of a hook, as Codex 0.166 computes it."""
    normal = {"type": "command", "timeout": 600, "async": False, **hook}
    entry = {"event_name": snake_case(event), "hooks": [normal]}
    text = json.dumps(entry, sort_keys=True, separators=(",", ":"), ensure_ascii=False)
    return f"sha256:{hashlib.sha256(text.encode()).hexdigest()}"


def expected_trust(wiring: Wiring, path: str, text: str) -> dict[str, str]:
    """Key and hash of each hook of ours in the file at this path."""
    value = json_edit.read_value(text) if text.strip() else {}
    trusted = {}
    for one in registrations(wiring, text):
        hook = value["hooks"][one.event][one.group]["hooks"][one.place]
        trusted[trust_key(path, one)] = trust_hash(one.event, hook)
    return trusted


def add_trust(config: str, trusted: dict[str, str]) -> str:
    """The host's configuration with these hashes."""
    for key, value in trusted.items():
        path = ("hooks", "state", key)
        config = toml_edit.set_table(config, path, {TRUST_FIELD: value, "enabled": True})
    return config


def untrusted_hooks(config: str, expected: dict[str, str]) -> list[str]:
    """The keys of those hooks that the host's configuration does not let run."""
    state = _value_at(toml_edit.read_value(config), ("hooks", "state"))
    return [
        key
        for key, value in expected.items()
        if _value_at(state, (key, TRUST_FIELD)) != value
        or _value_at(state, (key, "enabled")) is False
    ]


def switch_that_is_off(switches: tuple[tuple[OffSwitch, Any], ...]) -> OffSwitch | None:
    """The first of these switches that is off in the settings beside it."""
    for switch, settings in switches:
        value = _value_at(settings, switch.path)
        if switch.off in value if isinstance(value, list) else value is switch.off:
            return switch
    return None


def move_trust(wiring: Wiring, config: str, path: str, before: str, after: str) -> str:
    """The configuration in which the hooks of others keep their trust at their new places."""
    others = (
        [one for one in all_registrations(wiring, text) if MARK not in one.command]
        for text in (before, after)
    )
    for old, new in zip(*others, strict=True):
        if old != new:
            keys = (("hooks", "state", trust_key(path, one)) for one in (old, new))
            config = toml_edit.rename_table(config, *keys)
    return config


def remove_trust(config: str, keys: tuple[str, ...]) -> str:
    for key in keys:
        config = toml_edit.remove_table(config, ("hooks", "state", key))
    return config
