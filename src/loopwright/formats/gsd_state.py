"""The `loop:` block of a GSD project's STATE.md: read in any spelling, and brought up to date with every other byte untouched.

A block in flow style becomes one in block style as soon as something in it changes; its other keys stay in it.
"""

from __future__ import annotations

import time

from ..core.loop import Loop, plan_of
from ..core.plan.plan import VERIFY, Plan
from ..core.replies.reports import single_line
from .front_matter import (
    BOM,
    Edit,
    apply_edits,
    find_key,
    front_matter_pairs,
    front_matter_span,
    insertion_edit,
    is_small_enough,
    line_ending,
    removal_edits,
    replacement_edits,
)
from .gsd_block import (
    FIELDS,
    LONGEST_TEXT,
    GsdField,
    GsdLoop,
    bare_id,
    clamp_loop,
    read_rounds,
    read_short_text,
    retry_key,
    round_lines,
)
from .yaml_node import LIST, MAP, YamlPair, flow_text, scalar

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

__all__ = ["GsdLoop", "current_phase", "gsd_loop_from", "read_block", "update_block"]


def read_block(text: str) -> GsdLoop | None:
    """None where there is no such block. What makes no sense in it is as if it were not there."""
    block = _find_block(text)
    if block is None:
        return None
    said = {
        field.name: field.read(pair.node)
        for key, field in FIELDS.items()
        if (pair := block.node.pair(key))
    }
    return GsdLoop(**{name: value for name, value in said.items() if value is not None})


def current_phase(text: str) -> str:
    """The phase that the project is at: that of an active loop, else that of the front matter."""
    loop = read_block(text)
    if loop and loop.active and loop.phase:
        return loop.phase
    here = (
        [pair.node for pair in front_matter_pairs(text) if pair.key == "phase"]
        if is_small_enough(text)
        else []
    )
    return read_short_text(here[-1]) or "" if here else ""


def _find_block(text: str) -> YamlPair | None:
    return find_key(text, "loop", tuple(FIELDS)) if is_small_enough(text) else None


def gsd_loop_from(loop: Loop, at: float) -> GsdLoop:
    """What a plan loop has to say now. One that has ended leaves the block as it was at first."""
    plan = plan_of(loop)
    verifying = plan.stage == VERIFY
    iteration = plan.fix_rounds if verifying else loop.spend.iterations
    if loop.status in ("finished", "cancelled"):
        finished = loop.status == "finished"
        return clamp_loop(
            GsdLoop(
                most=plan.max_fix_rounds, completed=finished, final=iteration if finished else 0
            )
        )
    paused = loop.status == "paused"
    return clamp_loop(
        GsdLoop(
            active=loop.status in ("running", "asking"),
            kind=plan.stage,
            phase=plan.phase,
            iteration=iteration,
            most=plan.max_fix_rounds if verifying else loop.limits.iterations,
            retries=_task_retries(plan),
            gaps=len(plan.gaps),
            started=_utc_timestamp(loop.clock.started_at),
            last=_utc_timestamp(at),
            paused=paused,
            reason=loop.pause.why if paused else "",
            error=next(
                (f.error for f in reversed(plan.failures) if f.error and f.task not in plan.done),
                "",
            ),
            history=plan.history,
        )
    )


def _task_retries(plan: Plan) -> tuple[tuple[str, int], ...]:
    ids = {task.id for task in plan.tasks}
    return tuple(
        (failed.task, min(failed.times, plan.retries))
        for failed in plan.failures
        if failed.task in ids
    )


def _utc_timestamp(at: float) -> str:
    return time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(at)) if at else ""


def update_block(text: str, values: GsdLoop) -> str:
    """The same text with the block saying this. Where it is missing it is added to the front matter, or that to the text."""
    loop = clamp_loop(values)
    # Twice: lines that were set in under something else may belong to the block now, and are brought up to date as well.
    return _update_once(_update_once(text, loop), loop)


def _update_once(text: str, loop: GsdLoop) -> str:
    if not is_small_enough(text):
        return text
    block = _find_block(text)
    if block is None:
        return _add_block(text, loop)
    in_place = block.node.kind == MAP and block.node.block
    return apply_edits(
        text, _block_edits(text, block, loop) if in_place else _rewrite_edits(text, block, loop)
    )


def _add_block(text: str, loop: GsdLoop) -> str:
    found = front_matter_span(text)
    if found:
        around = front_matter_pairs(text)
        indent = around[-1].indent if around else ""
        return apply_edits(
            text,
            [
                insertion_edit(
                    text, found[1], [f"{indent}loop:", *_missing_rows(loop, set(), f"{indent}  ")]
                )
            ],
        )
    end, mark = line_ending(text), BOM * text.startswith(BOM)
    rows = ["---", "loop:", *_missing_rows(loop, set(), "  "), "---"]
    return f"{mark}{''.join(f'{row}{end}' for row in rows)}{text[len(mark) :]}"


def _should_write(field: GsdField, loop: GsdLoop) -> bool:
    return not field.omit_if_empty or bool(
        loop.completed if field.name == "final" else getattr(loop, field.name)
    )


def _field_rows(key: str, loop: GsdLoop, indent: str) -> list[str]:
    value, below = FIELDS[key].format_value(getattr(loop, FIELDS[key].name), indent)
    return [f"{indent}{key}: {value}".rstrip(" "), *below]


def _missing_rows(loop: GsdLoop, there: set[str], indent: str) -> list[str]:
    absent = [
        key for key, field in FIELDS.items() if key not in there and _should_write(field, loop)
    ]
    return [row for key in absent for row in _field_rows(key, loop, indent)]


def _block_edits(text: str, block: YamlPair, loop: GsdLoop) -> list[Edit]:
    """Only what says something else is touched."""
    edits: list[Edit] = []
    found = {pair.key: pair for pair in block.node.pairs}
    for key, field in FIELDS.items():
        pair, value = found.get(key), getattr(loop, field.name)
        if pair is None or field.read(pair.node) == value:
            continue
        if _should_write(field, loop):
            edits += _field_edits(text, pair, field, value)
        else:  # all of that name: else one further up would speak again
            edits += [
                edit
                for other in block.node.pairs
                if other.key == key
                for edit in removal_edits(other)
            ]
    if missing := _missing_rows(loop, set(found), block.node.pairs[-1].indent):
        edits.append(
            insertion_edit(text, max(pair.last_line_end for pair in block.node.pairs), missing)
        )
    return edits


def _field_edits(text: str, pair: YamlPair, field: GsdField, value: Any) -> list[Edit]:
    if field.name == "retries" and pair.node.block and pair.node.pairs and value:
        ids = [bare_id(inner.key) for inner in pair.node.pairs]
        kept = [name for name in ids if name in dict(value)]
        new = [name for name, _ in value if name not in ids]
        if [*kept, *new] == [name for name, _ in value]:
            return _retry_edits(text, pair, dict(value), new)
    if field.name == "history" and pair.node.block and pair.node.kind == LIST:
        old = read_rounds(pair.node) or ()
        if value[: len(old)] == old:
            more = [row for one in value[len(old) :] for row in round_lines(one, pair.node.indent)]
            return [insertion_edit(text, pair.last_line_end, more)]
    return replacement_edits(text, pair, *field.format_value(value, pair.indent))


def _retry_edits(text: str, pair: YamlPair, value: dict[str, int], new: list[str]) -> list[Edit]:
    """A map of its own lines is changed line by line: a comment stays where its key stays."""
    edits: list[Edit] = []
    for inner in pair.node.pairs:
        times = value.get(bare_id(inner.key))
        if times is None:
            edits += removal_edits(inner)
        elif inner.node.number != times:
            edits += replacement_edits(text, inner, str(times), [])
    last = pair.node.pairs[-1]
    return [
        *edits,
        insertion_edit(
            text,
            last.last_line_end,
            [f"{last.indent}{retry_key(name)}: {value[name]}" for name in new],
        ),
    ]


def _rewrite_edits(text: str, block: YamlPair, loop: GsdLoop) -> list[Edit]:
    """A block in flow style, or one that says nothing: line by line, with whatever else it says."""
    found = {pair.key: pair for pair in block.node.pairs}
    indent = f"{block.indent}  "
    rows, same = [], block.node.kind == MAP
    if not same and not block.node.is_null:
        rows.append(
            f"{indent}# before: {single_line(flow_text(block.node), LONGEST_TEXT)}"
        )  # what cannot be read is not thrown away
    for key, pair in found.items():
        field = FIELDS.get(key)
        stays = field is None or field.read(pair.node) == getattr(loop, field.name)
        same = same and stays
        if stays:
            rows.append(f"{indent}{scalar(key)}: {flow_text(pair.node)}")
        elif field and _should_write(field, loop):
            rows += _field_rows(key, loop, indent)
    missing = _missing_rows(loop, set(found), indent)
    return replacement_edits(text, block, "", [*rows, *missing]) if missing or not same else []
