"""What a checkpoint says about itself: the loop, its commits, and files beside its tree."""

from __future__ import annotations

import json
from typing import Any

from ..core.record import Record
from ..drive.errors import UserError

FACTS_NAME = ".loop/checkpoint.json"  # in the archive only
FORMAT = 1


class CheckpointError(UserError):
    """The loop cannot be packed or unpacked; the message says why.

    A full disk is an OSError instead: it is not the fault of the loop.
    """


class CheckpointFacts(Record):
    """All that is needed to put the loop together again."""

    loop: str
    base: str  # the commit that whoever unpacks it must have
    branch: str  # that is checked out; "": none, HEAD names a commit
    head: str
    kept: str  # the commit with the files as they were
    refs: tuple[tuple[str, str], ...]  # the commit and the name of each
    journal: str  # its path in the project
    ended: bool
    has_page: bool  # is it a discovery loop, with a page in .claude/?
    volatile: tuple[str, ...]
    files: tuple[str, ...]  # changed files that are not part of the tree
    removed: tuple[str, ...]
    unchanged: tuple[str, ...] = ()  # as in HEAD


def encode_facts(facts: CheckpointFacts) -> bytes:
    return json.dumps({"format": FORMAT, **facts.__dict__}).encode()


def decode_facts(data: bytes) -> CheckpointFacts:
    try:
        values = json.loads(data)
        version = values.pop("format")
        if version == FORMAT:
            facts = CheckpointFacts(
                **{name: _freeze_value(value) for name, value in values.items()}
            )
            _require_inside(facts)
            return facts
    except (ValueError, TypeError, KeyError, AttributeError) as error:
        raise CheckpointError(f"the checkpoint is damaged: {error}") from error
    raise CheckpointError(
        f"the checkpoint has format {version}, and this version of Loopwright reads {FORMAT}. "
        "Let a worker of the other version continue it"
    )


def _freeze_value(value: Any) -> Any:
    return tuple(map(_freeze_value, value)) if isinstance(value, list) else value


def _require_inside(facts: CheckpointFacts) -> None:
    """Refuse a name that leads out of the project, into its repository, or to a foreign ref."""
    expected = (f"refs/loop/{facts.loop}/", "refs/heads/")
    for _, ref in facts.refs:
        if not ref.startswith(expected):
            raise ValueError(f"{ref!r} is not a ref of the loop")
    for name in (facts.journal, *facts.files, *facts.removed, *facts.unchanged):
        parts = name.split("/")
        if not set(parts).isdisjoint(("", ".", "..", ".git")):
            raise ValueError(f"{name!r} is not a file of the project")
