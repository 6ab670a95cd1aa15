"""Weaken real test files and settings mechanically, and count how many of these the ratchet finds.

A language is a module in `weakenings/` with `LANGUAGE`, `is_target(path)` and `KINDS`: the name of
each kind of weakening, with a function that yields the weakened texts of a file (None: deleted).
"""

from __future__ import annotations

import importlib
import pkgutil
import warnings
from collections import defaultdict
from collections.abc import Callable, Iterator
from itertools import islice
from pathlib import Path
from typing import NamedTuple

import weakenings
from ratchet_commits import Clone

from loopwright import ratchet
from loopwright.core.findings import HIGH, MEDIUM, Finding
from loopwright.repo.baseline import Change

FILES_PER_KIND = 6  # of each clone
MAX_CHARS = 60_000  # larger files make it slow and tell nothing more

Weaken = Callable[[str], Iterator[str | None]]


class Trial(NamedTuple):
    language: str
    kind: str
    file: str
    findings: list[Finding]

    @property
    def is_found(self) -> bool:
        return any(finding.severity in (HIGH, MEDIUM) for finding in self.findings)


def language_modules() -> list:
    names = [module.name for module in pkgutil.iter_modules(weakenings.__path__)]
    return [importlib.import_module(f"weakenings.{name}") for name in names]


def weaken_files(language, files: dict[str, str], clone: Clone) -> Iterator[Trial]:
    """Each kind in some files of a clone, spread over them, one place of each."""
    for number, (kind, weaken) in enumerate(language.KINDS.items()):
        paths = sorted(files)
        start = number * 7 % max(1, len(paths))
        trials = 0
        for path in paths[start:] + paths[:start]:
            for after in islice(_weakened(weaken, files[path], number), 1):
                changes = [Change(path, files[path], after)]
                found = ratchet.findings(changes, (), lambda name: clone.read(f"HEAD:{name}"))
                yield Trial(language.LANGUAGE, kind, f"{clone.name} {path}", found)
                trials += 1
            if trials == FILES_PER_KIND:
                break


def _weakened(weaken: Weaken, text: str, number: int) -> Iterator[str | None]:
    """The weakened texts of a file, begun at another place for each kind."""
    texts = [after for after in islice(weaken(text), 40) if after != text]
    if texts:
        yield texts[number % len(texts)]


def print_recall_table(paths: list[Path], show: bool) -> None:
    warnings.simplefilter("ignore")  # of syntax in files of others
    trials: list[Trial] = []
    for path in paths:
        clone = Clone(path)
        names = clone.files()
        for language in language_modules():
            targets = [name for name in names if language.is_target(name)]
            texts = {name: clone.read(f"HEAD:{name}") or "" for name in targets}
            files = {name: text for name, text in texts.items() if 0 < len(text) < MAX_CHARS}
            trials += weaken_files(language, files, clone)
        clone.close()
    for language in language_modules():
        for kind, before, after, path in getattr(language, "EXAMPLES", ()):
            found = ratchet.findings([Change(path, before, after)], ())
            trials.append(Trial(language.LANGUAGE, kind, path, found))
    print("| language | kinds | weakened | found | recall |")
    print("|---|--:|--:|--:|--:|")
    by_language = defaultdict(list)
    for trial in trials:
        by_language[trial.language].append(trial)
    for name, of_language in sorted(by_language.items()):
        found = sum(trial.is_found for trial in of_language)
        kinds = {trial.kind for trial in of_language}
        row = (name, len(kinds), len(of_language), found, f"{found / len(of_language):.2f}")
        print(f"| {' | '.join(map(str, row))} |")
        if show:
            show_missed(of_language)


def show_missed(trials: list[Trial]) -> None:
    by_kind = defaultdict(list)
    for trial in trials:
        by_kind[trial.kind].append(trial)
    for kind, of_kind in by_kind.items():
        missed = [trial.file for trial in of_kind if not trial.is_found]
        if missed:
            print(f"    {kind}: {len(missed)} of {len(of_kind)} missed: {', '.join(missed[:4])}")
