"""What a check sees through git: the files that git lists, and the names of commits.

A file that is ignored now is still there, but `git ls-files` and tools that obey .gitignore pass
over it. A tag that is gone leaves no trace in the files.
"""

from __future__ import annotations

from ... import lazy_re as re
from ...checks.code_files import CODE_SUFFIXES
from ...core.findings import MEDIUM, Finding
from ..product_rules.suppressions import LINTED_TEXTS

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    Refs = tuple[tuple[str, str], ...]  # name and object

ALL_TAGS = "refs/tags/*"  # stands for more tags than are recorded one by one
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


def find_left_files(paths: Sequence[str], texts: Sequence[str]) -> list[Finding]:
    """Files that git no longer lists, if a check asks git for them. `texts` are the checks."""
    asks_git = any(map(LISTS_FILES.search, texts))
    obeys = any(map(OBEYS_GITIGNORE.search, texts))
    linted = (*CODE_SUFFIXES, *LINTED_TEXTS)
    missed = [path for path in paths if asks_git or (obeys and path.endswith(linted))]
    return [Finding(MEDIUM, "file-left-tree", path) for path in missed]


def find_changed_refs(before: Refs, now: Refs, texts: Sequence[str]) -> Iterator[Finding]:
    """Names that a check asks git for, and that are gone, new or lead elsewhere now."""
    old, new = dict(before), dict(now)
    for name in sorted({*old, *new}):
        is_new_branch = name not in old and not name.startswith(("refs/tags/", REPLACED))
        if old.get(name) != new.get(name) and not is_new_branch and _is_read(name, texts):
            was, now_at = old.get(name, "")[:12], new.get(name, "gone")[:12]
            yield Finding(MEDIUM, "git-ref-changed", name, before=was, after=now_at)


def _is_read(ref: str, texts: Sequence[str]) -> bool:
    """Does a check ask git for this name, or for all names of its kind?"""
    if ref == ALL_TAGS:
        return any(map(READS_TAGS.search, texts))
    if ref.startswith(REPLACED):
        return True
    readers = READS_TAGS if ref.startswith("refs/tags/") else READS_BRANCHES
    short = ref.split("/", 2)[2]
    named = re.compile(rf"(?<![\w/.-]){re.escape(short)}(?![\w/(-])")
    asking = [text for text in texts if CALLS_GIT.search(text)]
    return any(readers.search(text) or named.search(text) for text in asking)
