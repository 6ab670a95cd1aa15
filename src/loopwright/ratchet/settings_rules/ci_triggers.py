"""Finds what starts a workflow of GitHub less often than before. No check runs a workflow."""

from __future__ import annotations

from ... import lazy_re as re
from ...core.findings import MEDIUM, Finding

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from ..project import Project

WORKFLOW = re.compile(r"^\.github/workflows/[^/]+\.ya?ml$")
TRIGGERS = re.compile(
    r"(?m)^(?:on|[\"']on[\"'])[ \t]*:[ \t]*(.*)\n((?:(?:[ \t]+.*|[ \t]*#.*|)\n)*)"
)
EVENT = re.compile(r"^([ \t]+)(?:- *)?([a-z_]+)\b", re.M)
FILTER = re.compile(r"^[ \t]+((?:paths|branches|tags)(?:-ignore)?|types):", re.M)


def is_workflow(path: str) -> bool:
    return bool(WORKFLOW.search(path))


def find(project: Project) -> Iterator[Finding]:
    for change in project.changes.values():
        if not is_workflow(change.path) or change.before is None or change.after is None:
            continue
        before, after = events_of(change.before), events_of(change.after)
        for name, filters in before.items():
            if name not in after:
                yield Finding(MEDIUM, "ci-narrowed", change.path, before=name)
            elif new := sorted(after[name] - filters):
                yield Finding(MEDIUM, "ci-narrowed", change.path, before=name, after=", ".join(new))


def events_of(text: str) -> dict[str, frozenset[str]]:
    """What starts the workflow: the events, each with the filters that narrow it."""
    match = TRIGGERS.search(text if text.endswith("\n") else f"{text}\n")
    if not match:
        return {}
    inline = re.sub(r"#.*", "", match[1])
    if inline.strip():
        return dict.fromkeys(re.findall(r"[a-z_]+", inline), frozenset())
    heads = list(EVENT.finditer(match[2]))
    level = min((len(head[1]) for head in heads), default=0)
    heads = [head for head in heads if len(head[1]) == level]
    ends = [head.start() for head in heads[1:]] + [len(match[2])]
    return {
        head[2]: frozenset(FILTER.findall(match[2][head.end() : end]))
        for head, end in zip(heads, ends, strict=True)
    }
