"""Files as one compressed archive, and back: modes, times and links are kept, links never followed.

The same files give the same bytes.
"""

from __future__ import annotations

import gzip
import io
import os
import shutil
import stat
import tarfile
from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress

from ..disk.files import open_no_link
from ..drive.errors import UserError

MAX_UNPACKED_BYTES = 1024**3  # an archive that becomes larger is not one of ours


class BadArchive(UserError):
    """The archive is damaged, or holds what we never put into one."""


def pack_files(
    items: Iterable[tuple[str, str]],
    texts: Iterable[tuple[str, bytes]] = (),
    max_bytes: int = MAX_UNPACKED_BYTES,
) -> bytes:
    """The archive of these paths by their names in it, and of these texts.

    A path that is gone by now is left out. A folder is packed without what is in it.
    """
    buffer, total = io.BytesIO(), 0
    with (
        gzip.GzipFile(fileobj=buffer, mode="wb", mtime=0) as packed,
        tarfile.open(fileobj=packed, mode="w", format=tarfile.PAX_FORMAT) as archive,
    ):
        for name, data in texts:
            entry = tarfile.TarInfo(name)
            entry.size, entry.mode = len(data), 0o600
            archive.addfile(entry, io.BytesIO(data))
        for name, path in items:
            total += _add_path(archive, name, path, MAX_UNPACKED_BYTES - total)
            if buffer.tell() > max_bytes:
                raise _too_large(name, max_bytes)
    return buffer.getvalue()


def _add_path(archive: tarfile.TarFile, name: str, path: str, bytes_left: int) -> int:
    """Add the entry and return its size; BadArchive if it is larger than what is left."""
    with suppress(FileNotFoundError):
        status = os.lstat(path)
        entry = tarfile.TarInfo(name)
        entry.mode, entry.mtime = stat.S_IMODE(status.st_mode), int(status.st_mtime)
        if stat.S_ISLNK(status.st_mode):
            entry.type, entry.linkname = tarfile.SYMTYPE, os.readlink(path)
            archive.addfile(entry)
        elif stat.S_ISDIR(status.st_mode):
            entry.type = tarfile.DIRTYPE
            archive.addfile(entry)
        elif stat.S_ISREG(status.st_mode):
            with open(path, "rb", opener=open_no_link) as file:
                entry.size = os.fstat(file.fileno()).st_size
                if entry.size > bytes_left:
                    raise _too_large(name, MAX_UNPACKED_BYTES)
                archive.addfile(entry, file)
            return entry.size
    return 0


def _too_large(name: str, limit: int) -> BadArchive:
    return BadArchive(
        f"with {name}, the files of the loop are larger than {limit / 1e6:.0f} MB, and so many "
        "cannot be kept with it. Delete what is large in .loop/"
    )


def paths_below(
    folder: str, prefix: str, is_left_out: Callable[[str], bool]
) -> Iterator[tuple[str, str]]:
    """Name and path of everything in a folder, in a fixed order; names begin with the prefix.

    `is_left_out` gets the path of an entry within the folder; a folder is left out as a whole.
    """
    for parent, folders, files in os.walk(folder):
        inside = os.path.relpath(parent, folder)
        here = "" if inside == "." else f"{inside}/"
        folders[:] = sorted(name for name in folders if not is_left_out(here + name))
        for name in sorted((*folders, *files)):
            if not is_left_out(here + name):
                yield f"{prefix}{here}{name}", os.path.join(parent, name)


def unpack_files(data: bytes, folder: str, is_expected: Callable[[str], bool]) -> None:
    """Write the files of the archive into the folder. What is there under their names is replaced.

    `is_expected` says whether we put an entry of this name into such an archive.
    """
    modes: list[tuple[str, int]] = []
    for archive, entry in _entries(data):
        if not is_expected(entry.name):
            raise BadArchive(f"the archive has an entry that is not ours: {entry.name!r}")
        path = _safe_path(folder, entry.name)
        if entry.isdir():
            os.makedirs(path, mode=0o700, exist_ok=True)
            modes.append((path, entry.mode))
            continue
        os.makedirs(os.path.dirname(path), mode=0o700, exist_ok=True)
        if os.path.lexists(path):
            os.remove(path)
        if entry.issym():
            os.symlink(entry.linkname, path)
            continue
        _write_entry(archive, entry, path)
        os.chmod(path, entry.mode)
    for path, mode in reversed(modes):  # last: a folder may be read-only
        os.chmod(path, mode)


def unpack_plain_files(data: bytes, folder: str, is_wanted: Callable[[str], bool]) -> None:
    """Write only the files that are wanted, for reading: without links, and with private modes."""
    for archive, entry in _entries(data):
        if not entry.isreg() or not is_wanted(entry.name):
            continue
        path = _safe_path(folder, entry.name)
        os.makedirs(os.path.dirname(path), mode=0o700, exist_ok=True)
        _write_entry(archive, entry, path)


def _write_entry(archive: tarfile.TarFile, entry: tarfile.TarInfo, path: str) -> None:
    """Write the content of this file, with its time and a private mode."""
    content = archive.extractfile(entry)
    assert content is not None, "BUG: an entry is a folder, a link or a file"
    flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL
    with open(os.open(path, flags, 0o600), "wb") as file:
        shutil.copyfileobj(content, file)
    os.utime(path, (entry.mtime, entry.mtime))


def read_file(data: bytes, name: str) -> bytes:
    """One file of the archive."""
    for archive, entry in _entries(data):
        if entry.name == name and entry.isreg():
            content = archive.extractfile(entry)
            assert content is not None
            return content.read()
    raise BadArchive(f"{name} is missing in the archive")


def _entries(data: bytes) -> Iterator[tuple[tarfile.TarFile, tarfile.TarInfo]]:
    total = 0
    try:
        with tarfile.open(fileobj=io.BytesIO(data), mode="r:gz") as archive:
            for entry in archive:
                total += entry.size
                if not (entry.isreg() or entry.isdir() or entry.issym()):
                    raise BadArchive(f"the archive has a special file: {entry.name!r}")
                if total > MAX_UNPACKED_BYTES:
                    raise BadArchive(f"the archive is larger than {MAX_UNPACKED_BYTES} bytes")
                yield archive, entry
    except (tarfile.TarError, EOFError, gzip.BadGzipFile) as error:
        raise BadArchive(f"the archive cannot be read: {error}") from error


def _safe_path(folder: str, name: str) -> str:
    """Where the entry belongs. No name and no link on the way leads out of the folder."""
    parts = name.split("/")
    if os.path.isabs(name) or not all(part not in ("", ".", "..") for part in parts):
        raise BadArchive(f"the archive has an entry outside its folder: {name!r}")
    path = folder
    for part in parts[:-1]:
        path = os.path.join(path, part)
        if os.path.islink(path):
            raise BadArchive(f"the archive has an entry behind a link: {name!r}")
    return os.path.join(path, parts[-1])
