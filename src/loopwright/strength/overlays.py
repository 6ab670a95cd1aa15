"""Puts another text over a file of the clean checkout while a check runs, and takes it off again.

A build or an interpreter must never take a result of before: each write has a later time than all
writes before it, and compiled Python beside the file is removed.
"""

from __future__ import annotations

import glob
import os
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress

from ..core.record import digest
from ..disk.files import open_at_once, open_no_link

TIME_STEP = 2  # seconds: the coarsest clock that tools compare with


class FileChanged(Exception):
    """A check changed the file under its overlay: its result says nothing."""


class Overlays:
    """The overlays of one checkout."""

    def __init__(self, root: str) -> None:
        self.root = root
        self.last_time = time.time()

    @contextmanager
    def overlay_files(self, texts: Mapping[str, str | None]) -> Iterator[None]:
        """The files with these texts, None: without it; as before afterwards.

        FileChanged if a check wrote them.
        """
        before = {path: self._read(path) for path in texts}
        modes = {path: os.stat(os.path.join(self.root, path)).st_mode for path in texts}
        try:
            for path, text in texts.items():
                if text is None:
                    os.remove(os.path.join(self.root, path))
                else:
                    self._write(path, text.encode("utf-8", "surrogateescape"))
            laid = {path: self._digest(path) for path in texts}
            if all(laid[path] == digest(content) for path, content in before.items()):
                raise FileChanged("nothing would be different")
            yield
            for path, name in laid.items():
                if self._digest(path) != name:
                    raise FileChanged(f"the check changed {path}")
        finally:
            for path, content in before.items():
                self._write(path, content)
                os.chmod(os.path.join(self.root, path), modes[path])
        for path, content in before.items():
            assert digest(self._read(path)) == digest(content), f"BUG: {path} is not as before"

    def _digest(self, path: str) -> str:
        is_there = os.path.isfile(os.path.join(self.root, path))
        return digest(self._read(path)) if is_there else ""

    def _read(self, path: str) -> bytes:
        with open(os.path.join(self.root, path), "rb", opener=open_at_once) as file:
            return file.read()

    def _write(self, path: str, content: bytes) -> None:
        full = os.path.join(self.root, path)
        with open(open_no_link(full, os.O_WRONLY | os.O_CREAT | os.O_TRUNC), "wb") as file:
            file.write(content)
        self.last_time = max(time.time(), self.last_time + TIME_STEP)
        os.utime(full, (self.last_time, self.last_time))
        folder, name = os.path.split(full)
        compiled = os.path.join(
            glob.escape(folder), "__pycache__", f"{name.partition('.')[0]}.*.pyc"
        )
        for entry in glob.glob(compiled):
            with suppress(OSError):
                os.remove(entry)
