"""Every input under a watch; houses with a loop in each, as they were again after every visit; their door, in this process."""

from __future__ import annotations

import gc
import io
import json
import os
import shutil
import signal
import sys
import tempfile
import time
import tracemalloc
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, redirect_stderr
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from random import Random
from unittest.mock import patch

import pytest

from loopwright.core.limits import Spend
from loopwright.core.loop import Lease
from loopwright.hook import entry as door
from tests.support.builders import a_discovery_loop, a_loop_without_checks, an_asking_loop
from tests.support.hook import SESSION
from tests.support.project import Project
from tests.torture.conftest import Figure
from tests.torture.fuzz.guided import RUNS, guided
from tests.torture.fuzz.mutate import MAX, mutate_sample
from tests.torture.size import FIGURES, chunks

CHUNKS = pytest.mark.parametrize("seeds", chunks(100, 100_000, each=2_000), ids=str)
SECONDS, BYTES = (
    20,
    50_000_000,
)  # of work and of memory for one input; one in 400 is weighed, as that takes long
Trial = Callable[[bytes, Random], object]
MEMORY = (
    "/dev/shm" if os.access("/dev/shm", os.W_OK) else None
)  # a hundred thousand small files; the disk is tried by others
LEASE, NOW = Lease(SESSION), time.time()
LOOP = a_loop_without_checks(
    "docs read well",
    "it is quick",
    lease=LEASE,
    spend=Spend(iterations=1),
    started_at=NOW,
    running_since=NOW,
)


@pytest.fixture
def tmp_path(monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    place = Path(tempfile.mkdtemp(prefix="fuzz-", dir=MEMORY))
    for name in ("state", "config"):
        monkeypatch.setenv(f"XDG_{name.upper()}_HOME", str(place / "home" / name))
    monkeypatch.chdir(place)
    yield place
    shutil.rmtree(place)


class Hung(BaseException): ...  # no Exception: nothing on the way may catch it


def fuzz(
    tell: Figure,
    what: str,
    seeds: range,
    trial: Trial,
    samples: Sequence[bytes],
    words: Sequence[bytes] = (),
) -> None:
    """A trial says something true of what it understood: of the samples, as they are, that must be one at least."""
    assert any(trial(sample, Random(0)) for sample in samples), "nothing was understood"

    def ring(*_: object) -> None:
        raise Hung

    bad, before = [], signal.signal(signal.SIGPROF, ring)
    for seed in seeds:
        random = Random(f"{what} {seed}")
        data = mutate_sample(random, samples, words)
        signal.setitimer(signal.ITIMER_PROF, SECONDS)
        if seed % 400 == 0:
            tracemalloc.start()
        try:
            trial(data, random)
            assert tracemalloc.get_traced_memory()[1] < BYTES, "too much memory"
        except (Exception, Hung) as error:
            bad.append(f"seed {seed}: {error!r:.300} for {data[:80]!r}")
        finally:
            tracemalloc.stop()
            signal.setitimer(signal.ITIMER_PROF, 0)
    signal.signal(signal.SIGPROF, before)
    tell(f"fuzz: {what}", of=len(seeds), bad=bad)
    if FIGURES and not seeds.start and find_spec("atheris"):
        tell("fuzz, guided", of=RUNS, bad=guided(trial, samples, words, MAX), note=what)


@contextmanager
def allow_explained_errors(*kinds: type[Exception], naming: object = "") -> Iterator[None]:
    """An error of ours is an answer, if it says where and is not longer than the input."""
    try:
        yield
    except kinds as error:
        if str(naming) not in str(error) or len(str(error)) > MAX + 1_000:
            raise AssertionError("an error that explains nothing") from error


class LoopFolders:
    """A told, an asking and an improving loop, each in a house of its own."""

    def __init__(self, root: Path) -> None:
        self.root, self.projects = (
            root,
            [Project(root / f"house{number}", git=False) for number in range(3)],
        )
        loops = (
            LOOP,
            an_asking_loop("G1", lease=LEASE),
            a_discovery_loop("the menu", lease=LEASE, running_since=NOW),
        )
        for house, loop in zip(self.projects, loops, strict=True):
            house.create(loop)

    def files(self) -> dict[str, bytes]:
        return {
            str(path): path.read_bytes()
            for path in self.root.rglob("*")
            if path.is_file() and path.name != "lock"
        }

    def restore(self, looks: dict[str, bytes]) -> None:
        """As it was at first. Whatever was written lies in places that are ours."""
        now = self.files()
        new = now.keys() - looks.keys()
        for name in new:
            os.remove(name)
        for name in [name for name, data in looks.items() if now.get(name) != data]:
            os.makedirs(os.path.dirname(name), exist_ok=True)
            Path(name).write_bytes(looks[name])
        ours = ("/home/", "/.loop/", "/.claude/")
        assert not [
            name for name in new if "/crash/" in name or not any(place in name for place in ours)
        ], f"written: {new}"


def hook_output(data: bytes, *argv: str) -> bytes:
    """What the door's own main function prints: one JSON object or nothing, and no word of an error of ours."""
    out, err = io.TextIOWrapper(io.BytesIO()), io.StringIO()
    said = patch.multiple(
        sys, stdout=out, argv=["door", *argv], path=[*sys.path], meta_path=[*sys.meta_path]
    )
    with (
        said,
        patch.object(door, "read_stdin", lambda: data),
        patch.object(gc, "disable"),
        redirect_stderr(err),
    ):
        door.main(lambda name: import_module(f"loopwright.hook.{name}"))
    out.seek(0)
    told = out.buffer.read()
    assert err.getvalue() == "", err.getvalue()
    assert told == b"" or (told.count(b"\n") == 1 and isinstance(json.loads(told), dict)), told[
        :300
    ]
    assert not any(words in told for words in (b"Our own error", b"loopwright failed")), told[:400]
    return told
