"""What a check sees through git: its words, and the names of commits.

Neither is part of the tree. A tag that is gone leaves no trace in the files.
"""

from __future__ import annotations

import os

from ..checks.reach import reach_on_disk
from ..core.record import digest
from ..ratchet.surrounding_rules.git_state import ALL_TAGS, CALLS_GIT, REPLACED
from ..repo.plumbing import ask_user_git, user_git_text

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from ..ratchet.surrounding_rules.git_state import Refs

    Commands = Sequence[str | tuple[str, ...]]

MAX_REFS = 500  # that are recorded one by one


def texts_of_checks(root: str, commands: Commands) -> list[str]:
    """The commands of the checks, line by line, and the programs of the project that they run."""
    reach = reach_on_disk(commands, root)
    return [*reach.lines, *(reach.read_file(path) or "" for path in reach.scripts)]


def refs_of_checks(root: str, commands: Commands) -> Refs:
    """Branches and tags with their objects, if a check could ask git for them."""
    if not any(map(CALLS_GIT.search, texts_of_checks(root, commands))):
        return ()
    refs = _refs(root)
    return tuple(refs.items()) if len(refs) <= MAX_REFS else _tags_as_one(refs)


def refs_now(root: str, before: Refs) -> Refs:
    """The same now; but the branch that is checked out, which every commit moves, as it was."""
    known, refs = dict(before), _refs(root)
    if ALL_TAGS in known:
        return _tags_as_one(refs)
    current = f"refs/heads/{user_git_text(root, 'symbolic-ref', '--short', 'HEAD')}"
    return tuple((refs | {name: known[name] for name in {current} & known.keys()}).items())


def _refs(root: str) -> dict[str, str]:
    kinds = ("refs/heads", "refs/tags", "refs/remotes", REPLACED)
    code, out = ask_user_git(root, "for-each-ref", "--format=%(refname) %(objectname)", *kinds)
    rows = [row.rpartition(" ") for row in os.fsdecode(out).splitlines()] if code == 0 else []
    return {name: commit for name, _, commit in rows if not name.endswith("/HEAD")}


def _tags_as_one(refs: dict[str, str]) -> Refs:
    tags = [f"{name} {commit}" for name, commit in refs.items() if name.startswith("refs/tags/")]
    return ((ALL_TAGS, digest("\n".join(sorted(tags)).encode("utf-8", "surrogateescape"))),)
