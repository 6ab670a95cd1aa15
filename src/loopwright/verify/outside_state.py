"""New things outside the project that new product code names: files, and local services.

The runs of the proof happen on this machine, where the agent may have left what the product needs.
"""

from __future__ import annotations

import os

from .. import lazy_re as re
from ..disk.processes import process_started_at

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

QUOTED = re.compile(r"['\"`]([^'\"`\n]{2,300})['\"`]")
PORT = re.compile(r"(?<![\w.])(\d{4,5})(?![\w.])")
MIN_NAME = 3
MAX_ENTRIES = 2_000
MAX_PROCESSES = 5_000
SYSTEM_FOLDERS = ("/proc/", "/sys/")  # their files are always new
LISTENING = "0A"  # the state of a socket in /proc/net/tcp


def new_things(root: str, since: float, lines: list[str]) -> list[str]:
    """Files and services that are newer than the start and that these lines name."""
    words = [word for line in lines for word in QUOTED.findall(line)]
    return [*_new_files(root, since, words), *_new_services(since, lines)]


def _new_files(root: str, since: float, words: list[str]) -> Iterator[str]:
    """New files with an absolute path, or in the home folder, that the words name."""
    home = os.path.expanduser("~")
    parts = {part for word in words for part in word.split("/") if len(part) >= MIN_NAME}
    for word in dict.fromkeys(words):
        path = os.path.expanduser(word) if word.startswith("~/") else word
        is_outside = path.startswith("/") and not path.startswith((f"{root}/", *SYSTEM_FOLDERS))
        if is_outside and _is_new_file(path, since):
            yield word
    if parts:
        for path in _files_below(home):
            name = os.path.relpath(path, home)
            if name in parts and _is_new_file(path, since):
                yield f"~/{name}"


def _files_below(home: str) -> Iterator[str]:
    """The files at the top of the home folder."""
    try:
        names = sorted(os.listdir(home))[:MAX_ENTRIES]
    except OSError:
        return
    yield from (os.path.join(home, name) for name in names)


def _is_new_file(path: str, since: float) -> bool:
    try:
        return os.path.isfile(path) and os.lstat(path).st_ctime >= since
    except (OSError, ValueError):
        return False


def _new_services(since: float, lines: list[str]) -> Iterator[str]:
    """Ports in the lines on which a process listens that began after the start."""
    ports = {int(number) for line in lines for number in PORT.findall(line)}
    if not ports:
        return
    inodes = {inode: port for port, inode in _listening_sockets() if port in ports}
    if not inodes:
        return
    for pid in [name for name in os.listdir("/proc") if name.isdigit()][:MAX_PROCESSES]:
        for inode in _sockets_of(pid) & inodes.keys():
            if process_started_at(pid) >= since:
                yield f"port {inodes[inode]}, on which a process listens that began after the start"


def _listening_sockets() -> Iterator[tuple[int, str]]:
    """Port and inode of each socket that listens; nothing where the system does not say."""
    for name in ("/proc/net/tcp", "/proc/net/tcp6"):
        try:
            with open(name, encoding="ascii", errors="replace") as file:
                rows = file.read().splitlines()[1:]
        except OSError:
            continue
        for row in rows:
            fields = row.split()
            if len(fields) > 9 and fields[3] == LISTENING:
                yield int(fields[1].rpartition(":")[2], 16), fields[9]


def _sockets_of(pid: str) -> set[str]:
    try:
        links = [os.readlink(f"/proc/{pid}/fd/{n}") for n in os.listdir(f"/proc/{pid}/fd")]
    except OSError:
        return set()
    return {link[len("socket:[") : -1] for link in links if link.startswith("socket:[")}
