"""What a check sees through git: the files that git lists, and the names of commits.

Neither is part of the tree. A file that is ignored now is still there, but `git ls-files` and tools
that obey .gitignore pass over it. A tag that is gone leaves no trace in the files.
"""

from __future__ import annotations

import os

from .. import lazy_re as re
from ..checks.code_files import CODE_SUFFIXES
from ..checks.reach import reach_of
from ..core.findings import MEDIUM, Finding
from ..core.record import digest
from ..disk.files import read_text
from ..ratchet.product_rules.suppressions import LINTED_TEXTS
from ..repo.plumbing import ask_user_git, user_git_text

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    Commands = Sequence[str | tuple[str, ...]]
    Refs = tuple[tuple[str, str], ...]  # name and object

MAX_CHARS = 200_000
MAX_REFS = 500  # that are recorded one by one
ALL_TAGS = "refs/tags/*"  # stands for more tags than that
REPLACED = "refs/replace/"  # commits and files in whose place git shows others
GIT = r"\bgit\b[^\n;|&]*?[\s\"',]"
LISTS_FILES = re.compile(
    rf"{GIT}(?:ls-files|grep|diff|ls-tree|archive|status)\b"
    r"|\b(?:pre-commit|prek|lint-staged)\b"
)
OBEYS_GITIGNORE = re.compile(
    r"(?:^|[\s/])(?:ruff|black|prettier|biome|oxlint|eslint|rg|ag|fd|semgrep|typos|codespell|reuse"
    r"|editorconfig-checker|treefmt|taplo|markdownlint-cli2|deno)(?=\s|$)"
)
READS_TAGS = re.compile(rf"{GIT}(?:tag|describe|for-each-ref|show-ref|name-rev)\b")
READS_BRANCHES = re.compile(rf"{GIT}(?:branch|for-each-ref|show-ref)\b|@\{{(?:u|upstream)\}}")
CALLS_GIT = re.compile(rf"{GIT}\w")


def left_files(root: str, findings: Sequence[Finding], commands: Commands) -> list[Finding]:
    """The findings, without files that git no longer lists if no check asks git for them."""
    if all(finding.rule != "file-left-tree" for finding in findings):
        return list(findings)
    texts = _texts(root, commands)
    asks_git = any(map(LISTS_FILES.search, texts))
    obeys = any(map(OBEYS_GITIGNORE.search, texts))
    linted = (*CODE_SUFFIXES, *LINTED_TEXTS)

    def counts(finding: Finding) -> bool:
        if finding.rule != "file-left-tree":
            return True
        return asks_git or (obeys and finding.file.endswith(linted))

    return list(filter(counts, findings))


def refs_of_checks(root: str, commands: Commands) -> Refs:
    """Branches and tags with their objects, if a check could ask git for them."""
    if not any(map(CALLS_GIT.search, _texts(root, commands))):
        return ()
    refs = _refs(root)
    if len(refs) <= MAX_REFS:
        return tuple(refs.items())
    return ((ALL_TAGS, _tags_digest(refs)),)


def ref_findings(root: str, before: Refs, commands: Commands) -> Iterator[Finding]:
    """Names that a check asks git for, and that are gone, new or lead elsewhere now.

    The branch that is checked out moves with every commit.
    """
    if not before:
        return
    texts = _texts(root, commands)
    old, now = dict(before), _refs(root)
    if ALL_TAGS in old:
        if old[ALL_TAGS] != _tags_digest(now) and any(map(READS_TAGS.search, texts)):
            yield Finding(MEDIUM, "git-ref-changed", ALL_TAGS)
        return
    current = f"refs/heads/{user_git_text(root, 'symbolic-ref', '--short', 'HEAD')}"
    for name in sorted({*old, *now} - {current}):
        is_new_branch = name not in old and not name.startswith(("refs/tags/", REPLACED))
        if old.get(name) != now.get(name) and not is_new_branch and _is_read(name, texts):
            was, now_at = old.get(name, "")[:12], now.get(name, "gone")[:12]
            yield Finding(MEDIUM, "git-ref-changed", name, before=was, after=now_at)


def _texts(root: str, commands: Commands) -> list[str]:
    """The commands of the checks, line by line, and the programs of the project that they run."""

    def read_file(path: str) -> str | None:
        full = os.path.join(root, path)
        return read_text(full, MAX_CHARS) if os.path.isfile(full) else None

    reach = reach_of(commands, read_file)
    return [*reach.lines, *(read_file(path) or "" for path in reach.scripts)]


def _refs(root: str) -> dict[str, str]:
    kinds = ("refs/heads", "refs/tags", "refs/remotes", REPLACED)
    code, out = ask_user_git(root, "for-each-ref", "--format=%(refname) %(objectname)", *kinds)
    rows = [row.rpartition(" ") for row in os.fsdecode(out).splitlines()] if code == 0 else []
    return {name: commit for name, _, commit in rows if not name.endswith("/HEAD")}


def _tags_digest(refs: dict[str, str]) -> str:
    tags = [f"{name} {commit}" for name, commit in refs.items() if name.startswith("refs/tags/")]
    return digest("\n".join(sorted(tags)).encode("utf-8", "surrogateescape"))


def _is_read(ref: str, texts: list[str]) -> bool:
    """Does a check ask git for this name, or for all names of its kind?"""
    if ref.startswith(REPLACED):
        return True
    readers = READS_TAGS if ref.startswith("refs/tags/") else READS_BRANCHES
    short = ref.split("/", 2)[2]
    named = re.compile(rf"(?<![\w/.-]){re.escape(short)}(?![\w/(-])")
    asking = [text for text in texts if CALLS_GIT.search(text)]
    return any(readers.search(text) or named.search(text) for text in asking)
