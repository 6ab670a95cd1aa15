"""The folders of this machine and user that the rules of the profiles speak of."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterable, Iterator, Mapping

from ..core.record import Record
from ..disk.files import read_bytes
from ..disk.links import follow_links, is_inside
from ..disk.user_folders import home_folder, state_home
from .credentials import (
    HIDDEN_PLACES,
    SETTINGS_NAMES,
    SETTINGS_PLACES,
    SHOWN_SETTINGS,
    SYSTEM_SECRETS,
    copy_without_credentials,
    credential_files,
    places_below,
)
from .tables import (
    AGENT_HOMES,
    CACHE_FOLDERS,
    OTHER_HOMES,
    PARTLY_SHOWN,
    SHARED_FOLDERS,
    TOOL_FOLDERS,
    TOOL_HOMES,
)


class Places(Record):
    """What is hidden and what is shown on this machine; all paths are real paths."""

    home: str
    state: tuple[str, ...]  # our record and our settings
    hidden: tuple[str, ...]  # homes, temporary folders and sockets
    tools: tuple[str, ...]
    caches: tuple[tuple[str, bool], ...]
    secrets: tuple[str, ...]
    settings: tuple[str, ...] = ()  # with passwords, perhaps: hidden unless allowed by name
    copies: tuple[tuple[str, str], ...] = ()  # settings, and what is shown of them
    name_service: tuple[str, ...] = ()  # files that DNS needs below a hidden folder
    sockets: tuple[str, ...] = ()  # of services, in folders that are not hidden


def find_places(settings_folder: str = "", written: tuple[str, ...] = ()) -> Places:
    """The places of this user. `settings_folder` is the one of our own settings.

    `written` are the folders in which an agent works: a link there leads to no tool.
    """
    home = os.path.realpath(home_folder())
    own = [os.path.realpath(path) for path in (state_home(), settings_folder) if path]
    own = [path for path in own if os.path.isdir(path)]
    homes = [home, *(os.path.realpath(path) for path in OTHER_HOMES)]
    hidden = [*homes, *map(os.path.realpath, SHARED_FOLDERS)]
    present = [path for path in dict.fromkeys(hidden) if os.path.isdir(path) and path != "/"]
    caches = ((os.path.join(home, name), works) for name, works in CACHE_FOLDERS)
    homes = list(dict.fromkeys(homes))
    secrets = places_below(homes, HIDDEN_PLACES)
    if sys.platform != "win32" and os.geteuid() == 0:
        secrets += places_below(("/",), SYSTEM_SECRETS)
    tools = _tool_paths(home, os.environ, written)
    shown = [path for path in tools if any(is_inside(path, folder) for folder in present)]
    settings = places_below(homes, SETTINGS_PLACES)
    settings += [path for folder in shown for path in credential_files(folder)]
    return Places(
        home=home,
        state=tuple(own),
        hidden=tuple(present),
        tools=tuple(tools),
        caches=tuple((path, works) for path, works in caches if os.path.isdir(path)),
        secrets=tuple(sorted(set(secrets))),
        settings=tuple(sorted(set(settings))),
        copies=tuple(_copied_settings(home, shown)),
        name_service=tuple(_name_service_files()),
        sockets=tuple(_socket_files(present)),
    )


def _copied_settings(home: str, shown: list[str]) -> Iterator[tuple[str, str]]:
    """Settings in what is shown that hold a password, each with its copy without it."""
    paths = [*places_below([home], SHOWN_SETTINGS), *places_below(shown, SETTINGS_NAMES)]
    for path in dict.fromkeys(map(os.path.realpath, paths)):
        copy = copy_without_credentials(path)
        if copy is not None:
            yield path, copy


def _tool_paths(home: str, environment: Mapping[str, str], written: tuple[str, ...]) -> list[str]:
    """Toolchains, folders of the PATH and our own program, as far as they exist."""
    paths = [os.path.join(home, name) for name in TOOL_FOLDERS]
    for folder in environment.get("PATH", "").split(os.pathsep):
        if os.path.isabs(folder):
            paths += [folder, *_program_root(folder, home)]
    paths += [environment.get(name, "") for name in TOOL_HOMES]
    for variable, parts in PARTLY_SHOWN.items():
        folders = filter(None, environment.get(variable, "").split(os.pathsep))
        paths += [os.path.join(folder, part) for folder in folders for part in parts]
    paths += [sys.prefix, sys.base_prefix]
    paths.append(os.path.dirname(follow_links(sys.executable, written)))
    paths.append(os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__)))))
    # A variable may name too much: the home folder itself is no toolchain.
    broad = (home, *(os.path.join(home, name) for name in (".config", ".local", ".local/share")))
    found = [path for path in existing_paths(paths, written) if path not in broad]
    found = [path for path in found if not is_inside(home, path)]
    return [path for path in found if not any(is_inside(path, folder) for folder in written)]


def _program_root(folder: str, home: str) -> list[str]:
    """The folder above a `bin` that holds what its programs load: a venv, a version of node."""
    root = os.path.dirname(folder)
    if os.path.basename(folder) not in ("bin", "Scripts"):
        return []
    if os.path.realpath(root) in ("/", home, os.path.join(home, ".local")):
        return []
    has_parts = any(os.path.lexists(os.path.join(root, name)) for name in ("pyvenv.cfg", "lib"))
    return [root] if has_parts else []


def program_paths(program: str) -> tuple[str, ...]:
    """What a program of an agent needs to start: itself, and the folder of its package."""
    real, home = os.path.realpath(program), os.path.realpath(home_folder())
    folder = os.path.dirname(real)
    around = os.path.dirname(folder) if os.path.basename(folder) == "bin" else folder
    # A folder that is shown lies over the empty folders of the sandbox, with all that is in it.
    hidden = (home, *map(os.path.realpath, (state_home(), *OTHER_HOMES, *SHARED_FOLDERS)))
    broad = (os.path.join(home, ".local"), os.path.join(home, ".config"))
    kept = (path for path in (folder, around) if path not in broad and path.count("/") > 2)
    kept = (path for path in kept if not any(is_inside(top, path) for top in hidden))
    return (program, real, *kept)


def existing_paths(paths: Iterable[str], written: tuple[str, ...] = ()) -> list[str]:
    """The real paths of those that exist, each once, shorter ones first."""
    found = {follow_links(path, written) for path in paths if path and os.path.exists(path)}
    return sorted(found - {"", "/"}, key=lambda path: (path.count("/"), path))


def _socket_files(hidden: list[str]) -> list[str]:
    """Sockets with a path, such as that of a database; those in hidden folders are out of reach."""
    try:
        lines = read_bytes("/proc/net/unix").decode("utf-8", "replace").splitlines()
    except OSError:
        return []
    paths = {line.split(" ", 7)[-1] for line in lines if " /" in line}
    seen = (path for path in sorted(paths) if not any(is_inside(path, top) for top in hidden))
    return [path for path in seen if os.path.exists(path) and os.path.realpath(path) == path]


def _name_service_files() -> list[str]:
    """What /etc/resolv.conf leads to, where that lies below a folder that is hidden."""
    target = os.path.realpath("/etc/resolv.conf")
    return [target] if target != "/etc/resolv.conf" and os.path.isfile(target) else []


def secret_in(path: str, places: Places) -> str:
    """The secret place that lies at or around this path; "" for none."""
    real = os.path.realpath(os.path.expanduser(path))
    return next((secret for secret in places.secrets if is_inside(real, secret)), "")


def agent_homes(names: Iterable[str], environment: Mapping[str, str]) -> list[tuple[str, str]]:
    """The agents among these programs whose login we know, each with its folder."""
    found = []
    for name in dict.fromkeys(names):
        if home := AGENT_HOMES.get(name):
            given = environment.get(home.variable, "") if home.variable else ""
            folder = given or os.path.join(home_folder(), home.folder)
            found.append((name, os.path.realpath(folder)))
    return found
