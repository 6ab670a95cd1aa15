"""Inputs that coverage finds: atheris changes whatever took a new branch of ours. In a child of its own, for it never returns."""

from __future__ import annotations

import importlib
import os
import sys
import tempfile
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from random import Random
from types import FunctionType
from typing import Any

RUNS = 20_000


def guided(
    trial: Callable[[bytes, Random], object],
    samples: Sequence[bytes],
    words: Sequence[bytes],
    longest: int,
) -> list[str]:
    """What it said at its end, if that was not the end of its runs. The input stands in what it said."""
    with tempfile.TemporaryDirectory() as place:
        corpus, said = Path(place, "corpus"), Path(place, "said")
        corpus.mkdir()
        for number, sample in enumerate(samples):
            (corpus / str(number)).write_bytes(sample)
        spelled = ["".join(map(r"\x{:02x}".format, word)) for word in words if word]
        Path(place, "words").write_text("".join(f'"{word}"\n' for word in spelled))
        child = os.fork()
        if not child:
            out = os.open(said, os.O_WRONLY | os.O_CREAT, 0o600)
            os.dup2(out, 1)
            os.dup2(out, 2)
            limits = [
                f"-runs={RUNS}",
                f"-max_len={longest}",
                "-timeout=20",
                "-rss_limit_mb=2048",
                "-seed=8",
            ]
            try:
                _run_atheris(
                    trial,
                    samples,
                    [
                        "fuzz",
                        *limits,
                        f"-artifact_prefix={place}/",
                        f"-dict={place}/words",
                        str(corpus),
                    ],
                )
            finally:  # at the end of its runs it has left by a door of its own, and with another word
                os._exit(1)
        code = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
        return [f"exit {code}: {said.read_text(errors='replace')[-2_000:]}"] if code else []


def _run_atheris(
    trial: Callable[[bytes, Random], object], samples: Sequence[bytes], words: list[str]
) -> None:
    atheris: Any = importlib.import_module("atheris")
    for sample in samples:  # what is imported at need is there now
        trial(sample, Random(sample))
    for function in _our_functions():
        atheris.instrument_func(function)

    def one(data: bytes) -> None:
        try:
            trial(data, Random(data))
        except BaseException:
            print(f"for {data[:1_000]!r}", flush=True)
            raise

    atheris.Setup(words, one)
    atheris.Fuzz()


def _our_functions() -> Iterator[FunctionType]:
    for name, module in list(sys.modules.items()):
        if name.startswith("loopwright"):
            for one in list(vars(module).values()):
                inside = list(vars(one).values()) if isinstance(one, type) else [one]
                yield from (
                    each
                    for each in inside
                    if isinstance(each, FunctionType) and each.__module__ == name
                )
