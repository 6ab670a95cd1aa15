"""The `loop:` block of a GSD project's STATE.md: read in any spelling, and brought up to date with every other byte untouched.

A block in flow style becomes one in block style as soon as something in it changes; its other keys stay in it.
"""

from __future__ import annotations

import time

from ..core.loop import Loop
from ..core.plan import VERIFY, Plan, plan_of
from ..core.reports import plain
from .front_matter import BOM, Edit, applied, changed, find, fits, front, line_end, pairs, put, taken
from .gsd_block import FIELDS, LONGEST, GsdField, GsdLoop, bare_id, item_rows, retry_key, rounds, tidy, word
from .yaml_node import LIST, MAP, YamlPair, scalar, shown

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

__all__ = ["GsdLoop", "of", "phase", "read", "write"]


def read(text: str) -> GsdLoop | None:
    """None where there is no such block. What makes no sense in it is as if it were not there."""
    block = _block(text)
    if block is None:
        return None
    said = {field.name: field.read(pair.node) for key, field in FIELDS.items() if (pair := block.node.pair(key))}
    return GsdLoop(**{name: value for name, value in said.items() if value is not None})


def phase(text: str) -> str:
    """The phase that the project is at: that of an active loop, else that of the front matter."""
    loop = read(text)
    if loop and loop.active and loop.phase:
        return loop.phase
    here = [pair.node for pair in pairs(text) if pair.key == "phase"] if fits(text) else []
    return word(here[-1]) or "" if here else ""


def _block(text: str) -> YamlPair | None:
    return find(text, "loop", tuple(FIELDS)) if fits(text) else None


def of(loop: Loop, at: float) -> GsdLoop:
    """What a plan loop has to say now. One that has ended leaves the block as it was at first."""
    plan = plan_of(loop)
    verifying = plan.stage == VERIFY
    iteration = plan.round if verifying else loop.spend.iterations
    if loop.status in ("finished", "cancelled"):
        finished = loop.status == "finished"
        return tidy(GsdLoop(most=plan.rounds, completed=finished, final=iteration if finished else 0))
    paused = loop.status == "paused"
    return tidy(
        GsdLoop(
            active=loop.status in ("running", "asking"),
            kind=plan.stage,
            phase=plan.phase,
            iteration=iteration,
            most=plan.rounds if verifying else loop.limits.iterations,
            retries=_retries(plan),
            gaps=len(plan.gaps),
            started=_stamp(loop.started_at),
            last=_stamp(at),
            paused=paused,
            reason=loop.why if paused else "",
            error=next((f.error for f in reversed(plan.failed) if f.error and f.task not in plan.done), ""),
            history=plan.history,
        )
    )


def _retries(plan: Plan) -> tuple[tuple[str, int], ...]:
    ids = {task.id for task in plan.tasks}
    return tuple((failed.task, min(failed.times, plan.retries)) for failed in plan.failed if failed.task in ids)


def _stamp(at: float) -> str:
    return time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(at)) if at else ""


def write(text: str, values: GsdLoop) -> str:
    """The same text with the block saying this. Where it is missing it is added to the front matter, or that to the text."""
    loop = tidy(values)
    # Twice: lines that were set in under something else may belong to the block now, and are brought up to date as well.
    return _written(_written(text, loop), loop)


def _written(text: str, loop: GsdLoop) -> str:
    if not fits(text):
        return text
    block = _block(text)
    if block is None:
        return _added(text, loop)
    in_place = block.node.kind == MAP and block.node.block
    return applied(text, _edits(text, block, loop) if in_place else _anew(text, block, loop))


def _added(text: str, loop: GsdLoop) -> str:
    found = front(text)
    if found:
        around = pairs(text)
        indent = around[-1].indent if around else ""
        return applied(text, [put(text, found[1], [f"{indent}loop:", *_missing(loop, set(), f"{indent}  ")])])
    end, mark = line_end(text), BOM * text.startswith(BOM)
    rows = ["---", "loop:", *_missing(loop, set(), "  "), "---"]
    return f"{mark}{''.join(f'{row}{end}' for row in rows)}{text[len(mark) :]}"


def _due(field: GsdField, loop: GsdLoop) -> bool:
    return not field.passing or bool(loop.completed if field.name == "final" else getattr(loop, field.name))


def _rows(key: str, loop: GsdLoop, indent: str) -> list[str]:
    value, below = FIELDS[key].show(getattr(loop, FIELDS[key].name), indent)
    return [f"{indent}{key}: {value}".rstrip(" "), *below]


def _missing(loop: GsdLoop, there: set[str], indent: str) -> list[str]:
    absent = [key for key, field in FIELDS.items() if key not in there and _due(field, loop)]
    return [row for key in absent for row in _rows(key, loop, indent)]


def _edits(text: str, block: YamlPair, loop: GsdLoop) -> list[Edit]:
    """Only what says something else is touched."""
    edits: list[Edit] = []
    found = {pair.key: pair for pair in block.node.pairs}
    for key, field in FIELDS.items():
        pair, value = found.get(key), getattr(loop, field.name)
        if pair is None or field.read(pair.node) == value:
            continue
        if _due(field, loop):
            edits += _changed(text, pair, field, value)
        else:  # all of that name: else one further up would speak again
            edits += [edit for other in block.node.pairs if other.key == key for edit in taken(other)]
    if missing := _missing(loop, set(found), block.node.pairs[-1].indent):
        edits.append(put(text, max(pair.last for pair in block.node.pairs), missing))
    return edits


def _changed(text: str, pair: YamlPair, field: GsdField, value: Any) -> list[Edit]:
    if field.name == "retries" and pair.node.block and pair.node.pairs and value:
        ids = [bare_id(inner.key) for inner in pair.node.pairs]
        kept = [name for name in ids if name in dict(value)]
        new = [name for name, _ in value if name not in ids]
        if [*kept, *new] == [name for name, _ in value]:
            return _retried(text, pair, dict(value), new)
    if field.name == "history" and pair.node.block and pair.node.kind == LIST:
        old = rounds(pair.node) or ()
        if value[: len(old)] == old:
            more = [row for one in value[len(old) :] for row in item_rows(one, pair.node.indent)]
            return [put(text, pair.last, more)]
    return changed(text, pair, *field.show(value, pair.indent))


def _retried(text: str, pair: YamlPair, value: dict[str, int], new: list[str]) -> list[Edit]:
    """A map of its own lines is changed line by line: a comment stays where its key stays."""
    edits: list[Edit] = []
    for inner in pair.node.pairs:
        times = value.get(bare_id(inner.key))
        if times is None:
            edits += taken(inner)
        elif inner.node.number != times:
            edits += changed(text, inner, str(times), [])
    last = pair.node.pairs[-1]
    return [*edits, put(text, last.last, [f"{last.indent}{retry_key(name)}: {value[name]}" for name in new])]


def _anew(text: str, block: YamlPair, loop: GsdLoop) -> list[Edit]:
    """A block in flow style, or one that says nothing: line by line, with whatever else it says."""
    found = {pair.key: pair for pair in block.node.pairs}
    indent = f"{block.indent}  "
    rows, same = [], block.node.kind == MAP
    if not same and not block.node.is_null:
        rows.append(f"{indent}# before: {plain(shown(block.node), LONGEST)}")  # what cannot be read is not thrown away
    for key, pair in found.items():
        field = FIELDS.get(key)
        stays = field is None or field.read(pair.node) == getattr(loop, field.name)
        same = same and stays
        if stays:
            rows.append(f"{indent}{scalar(key)}: {shown(pair.node)}")
        elif field and _due(field, loop):
            rows += _rows(key, loop, indent)
    missing = _missing(loop, set(found), indent)
    return changed(text, block, "", [*rows, *missing]) if missing or not same else []
