"""Compare each commit of a repository with its parent, as the final proof of a loop would.

Commits of public repositories are taken for honest, so every finding is a false alarm or a change
that a person should look at.
"""

from __future__ import annotations

import re
import subprocess
import time
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from loopwright import ratchet
from loopwright.checks.test_files import is_test_file
from loopwright.core.findings import HIGH, MEDIUM, SETTLED_BY_REPLAY, Finding
from loopwright.repo.baseline import Change

MAX_BYTES = 1_000_000  # of a file, as in repo/baseline.py
REMOVAL = re.compile(r"(?i)\b(?:remov|drop|delet|deprecat|revert|rip out|get rid|kill)")
FIX_OR_FEATURE = re.compile(
    r"(?i)\b(?:fix|bug|feat|add|support|allow|implement|handle|introduc|improve|enable|correct"
    r"|make|ensure|avoid|prevent|new|resolve|close)|#\d+"
)
COMMANDS = {"python": "python -m pytest", "javascript": "npm test"}
LANGUAGE_OF_SUFFIX = {
    ".py": "python",
    ".go": "go",
    ".rs": "rust",
    ".java": "java",
    ".kt": "kotlin",
    ".cs": "c#",
    ".rb": "ruby",
    ".php": "php",
}


class Commit(NamedTuple):
    sha: str
    parent: str
    subject: str

    @property
    def kind(self) -> str:
        if REMOVAL.search(self.subject):
            return "removal"
        return "fix or feature" if FIX_OR_FEATURE.search(self.subject) else "other"


class Comparison(NamedTuple):
    commit: Commit
    language: str
    findings: list[Finding]
    seconds: float
    files: int

    @property
    def severity(self) -> str:
        severities = {finding.severity for finding in self.findings}
        return HIGH if HIGH in severities else MEDIUM if MEDIUM in severities else ""

    @property
    def is_high_after_replay(self) -> bool:
        """Is something high that no replay settles? The rest depends on how the old tests end."""
        return any(f.severity == HIGH and f.rule not in SETTLED_BY_REPLAY for f in self.findings)


class Clone:
    """The commits and files of a repository, read with git."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.reader = subprocess.Popen(
            ["git", "-C", str(path), "cat-file", "--batch"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
        )

    @property
    def name(self) -> str:
        name = self.path.name if self.path.name not in ("repo", ".git") else self.path.parent.name
        return name.replace("+", "/")

    def close(self) -> None:
        self.reader.communicate()

    def read(self, name: str) -> str | None:
        """The text of an object (`SHA` or `COMMIT:PATH`); None if there is none."""
        assert self.reader.stdin
        assert self.reader.stdout
        self.reader.stdin.write(f"{name}\n".encode())
        self.reader.stdin.flush()
        head = self.reader.stdout.readline().split()
        if len(head) != 3:
            return None
        data = self.reader.stdout.read(int(head[2]) + 1)[:-1]
        if head[1] != b"blob" or len(data) > MAX_BYTES:
            return None
        return data.decode("utf-8", "replace")

    def git(self, *args: str) -> str:
        command = ["git", "-C", str(self.path), *args]
        return subprocess.run(command, capture_output=True, text=True, errors="replace").stdout

    def commits(self) -> Iterator[Commit]:
        """Those with one parent, the newest first."""
        lines = self.git("log", "--no-merges", "--format=%H%x09%P%x09%s", "-n", "4000")
        for line in lines.splitlines():
            sha, parents, subject = line.split("\t", 2)
            if parents:
                yield Commit(sha, parents.split()[0], subject)

    def changes(self, commit: Commit) -> list[Change]:
        """What the product would compare: the relevant files, whole."""
        listing = self.git("diff-tree", "-r", "-z", "--no-renames", commit.parent, commit.sha)
        parts = listing.split("\0")
        changes = []
        for head, path in zip(parts[::2], parts[1::2], strict=False):
            _, _, old, new, _ = head.split()
            if ratchet.is_relevant(path):
                changes.append(Change(path, self._blob(old), self._blob(new)))
        return changes

    def _blob(self, sha: str) -> str | None:
        return None if set(sha) == {"0"} else self.read(sha)

    def files(self, commit: str = "HEAD") -> list[str]:
        return self.git("ls-tree", "-r", "--name-only", commit).splitlines()


def language_of(path: str) -> str:
    if not is_test_file(path):
        return ""
    return LANGUAGE_OF_SUFFIX.get(Path(path).suffix, "javascript")


def compare_commits(clone: Clone, count: int) -> Iterator[Comparison]:
    """The last commits that touch tests, each compared with its parent."""
    for commit in clone.commits():
        paths = clone.git(
            "diff-tree", "-r", "--name-only", "--no-renames", "--no-commit-id", commit.sha
        )
        languages = [language_of(path) for path in paths.splitlines()]
        named = sorted(set(filter(None, languages)), key=lambda name: -languages.count(name))
        if not named:
            continue
        changes = clone.changes(commit)
        command = COMMANDS.get(named[0])
        begin = time.process_time()  # other programs may run on this machine
        findings = ratchet.findings(
            changes,
            (command,) if command else (),
            lambda path, sha=commit.sha: clone.read(f"{sha}:{path}"),
            list_paths=lambda sha=commit.sha: clone.files(sha),
        )
        seconds = time.process_time() - begin
        yield Comparison(commit, named[0], findings, seconds, len(changes))
        count -= 1
        if count == 0:
            return


def print_commit_tables(paths: list[Path], count: int, show: bool) -> None:
    everything: list[Comparison] = []
    columns = (
        "commits",
        "high",
        "high, whatever a replay says",
        "medium",
        "high, fixes and features",
        "high, removals",
        "slowest",
    )
    print(f"| repository | language | {' | '.join(columns)} |")
    print("|---|---|--:|--:|--:|--:|--:|--:|--:|")
    for path in paths:
        clone = Clone(path)
        by_language = defaultdict(list)
        for comparison in compare_commits(clone, count):
            by_language[comparison.language].append(comparison)
            everything.append(comparison)
        for language, comparisons in sorted(by_language.items()):
            print(table_row(clone.name, language, comparisons), flush=True)
            if show:
                show_findings(comparisons)
        clone.close()
    for language in sorted({comparison.language for comparison in everything}):
        of_language = [c for c in everything if c.language == language]
        print(table_row("all", language, of_language))
    print(table_row("all", "all", everything))


def table_row(name: str, language: str, comparisons: list[Comparison]) -> str:
    cells = [
        str(len(comparisons)),
        _share(comparisons, HIGH),
        _percent([c for c in comparisons if c.is_high_after_replay], comparisons),
        _share(comparisons, MEDIUM),
        _share([c for c in comparisons if c.commit.kind == "fix or feature"], HIGH),
        _share([c for c in comparisons if c.commit.kind == "removal"], HIGH),
        f"{max((c.seconds for c in comparisons), default=0.0):.2f} s",
    ]
    return f"| {name} | {language} | {' | '.join(cells)} |"


def _share(comparisons: list[Comparison], severity: str) -> str:
    return _percent([c for c in comparisons if c.severity == severity], comparisons)


def _percent(some: list[Comparison], comparisons: list[Comparison]) -> str:
    if not comparisons:
        return "–"
    return f"{len(some) / len(comparisons):.1%} of {len(comparisons)}"


def show_findings(comparisons: list[Comparison]) -> None:
    for comparison in comparisons:
        grave = [f for f in comparison.findings if f.severity in (HIGH, MEDIUM)]
        if not grave:
            continue
        commit = comparison.commit
        print(f"    {commit.sha[:9]} [{commit.kind}] {commit.subject} ({comparison.seconds:.2f} s)")
        for finding in grave[:8]:
            change = f"{finding.before[:110]!r} → {finding.after[:110]!r}"
            print(f"        {finding.severity} {finding.rule} {finding.place}: {change}")
