"""The `loop:` block of a GSD project's STATE.md: read in any spelling, updated in place.

Every other byte stays. A block in flow style becomes one in block style as soon as something in it
changes; its other keys stay in it.
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
    front_matter_map,
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

    from ..core.plan.plan import HistoryEntry

__all__ = ["GsdLoop", "current_phase", "gsd_loop_from", "read_block", "update_block"]


def read_block(text: str) -> GsdLoop | None:
    """The content of the block; None without one. Values of the wrong type are ignored."""
    block = _find_block(text)
    if block is None:
        return None
    values: dict[str, Any] = {}
    for key, field in FIELDS.items():
        pair = block.node.pair(key)
        value = field.read(pair.node) if pair else None
        if value is not None:
            values[field.name] = value
    return GsdLoop(**values)


def current_phase(text: str) -> str:
    """The phase of the active loop; else the phase in the front matter."""
    loop = read_block(text)
    if loop and loop.active and loop.phase:
        return loop.phase
    if not is_small_enough(text):
        return ""
    return read_short_text(front_matter_map(text).get("phase")) or ""


def _find_block(text: str) -> YamlPair | None:
    return find_key(text, "loop", tuple(FIELDS)) if is_small_enough(text) else None


def gsd_loop_from(loop: Loop, at: float) -> GsdLoop:
    """The block for a plan loop. An ended loop leaves it as it was before the start."""
    plan = plan_of(loop)
    verifying = plan.stage == VERIFY
    iteration = plan.fix_rounds if verifying else loop.spend.iterations
    if loop.status == "cancelled":
        return clamp_loop(GsdLoop(most=plan.max_fix_rounds))
    if loop.status == "finished":
        # A plan without gaps needs no fix round: its last iteration is that of the last task.
        last_iteration = plan.fix_rounds or loop.spend.iterations
        ended = GsdLoop(most=plan.max_fix_rounds, completed=True, final=last_iteration)
        return clamp_loop(ended)
    return clamp_loop(
        GsdLoop(
            active=loop.status in ("running", "asking"),
            kind=plan.stage,
            phase=plan.phase,
            iteration=iteration,
            most=plan.max_fix_rounds if verifying else loop.limits.iterations,
            retries=_task_retries(plan, asking=loop.gate is not None),
            gaps=len(plan.gaps),
            started=_utc_timestamp(loop.clock.started_at),
            last=_utc_timestamp(at),
            paused=loop.status == "paused",
            reason=loop.pause.why if loop.status == "paused" else "",
            error=_last_error(plan),
            history=plan.history,
        )
    )


def _last_error(plan: Plan) -> str:
    """The last error of a task that is not done."""
    for failure in reversed(plan.failures):
        if failure.error and failure.task not in plan.done:
            return failure.error
    return ""


def _task_retries(plan: Plan, asking: bool) -> tuple[tuple[str, int], ...]:
    """How often each failed task was retried. A retry that a person must permit has not begun."""
    ids = {task.id for task in plan.tasks}
    failures = [failure for failure in plan.failures if failure.task in ids]
    counts = {failure.task: min(failure.times, plan.retries) for failure in failures}
    if asking:
        waiting = [name for name in counts if name not in (*plan.done, *plan.parked)]
        counts |= {name: max(0, counts[name] - 1) for name in waiting}
    return tuple(counts.items())


def _utc_timestamp(at: float) -> str:
    return time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(at)) if at else ""


def update_block(text: str, values: GsdLoop) -> str:
    """The text with these values in its block. A missing block or front matter is added."""
    loop = clamp_loop(values)
    # Twice: lines that were indented under another key may belong to the block after the first
    # update, and need one as well.
    return _update_once(_update_once(text, loop), loop)


def _update_once(text: str, loop: GsdLoop) -> str:
    if not is_small_enough(text):
        return text
    block = _find_block(text)
    if block is None:
        return _add_block(text, loop)
    if block.node.kind == MAP and block.node.block:
        return apply_edits(text, _block_edits(text, block, loop))
    return apply_edits(text, _rewrite_edits(text, block, loop))


def _add_block(text: str, loop: GsdLoop) -> str:
    """Add the block to the front matter, or the front matter to the text."""
    span = front_matter_span(text)
    if span:
        pairs = front_matter_pairs(text)
        indent = pairs[-1].indent if pairs else ""
        rows = [f"{indent}loop:", *_missing_rows(loop, set(), f"{indent}  ")]
        return apply_edits(text, [insertion_edit(text, span[1], rows)])
    end = line_ending(text)
    bom = BOM if text.startswith(BOM) else ""
    rows = ["---", "loop:", *_missing_rows(loop, set(), "  "), "---"]
    front_matter = "".join(f"{row}{end}" for row in rows)
    return f"{bom}{front_matter}{text.removeprefix(bom)}"


def _should_write(field: GsdField, loop: GsdLoop) -> bool:
    if not field.omit_if_empty:
        return True
    # The final iteration may be 0, so it belongs to `completed`.
    return bool(loop.completed if field.name == "final" else getattr(loop, field.name))


def _field_rows(key: str, loop: GsdLoop, indent: str) -> list[str]:
    field = FIELDS[key]
    value, below = field.format_value(getattr(loop, field.name), indent)
    return [f"{indent}{key}: {value}".rstrip(" "), *below]


def _missing_rows(loop: GsdLoop, present: set[str], indent: str) -> list[str]:
    rows: list[str] = []
    for key, field in FIELDS.items():
        if key not in present and _should_write(field, loop):
            rows += _field_rows(key, loop, indent)
    return rows


def _block_edits(text: str, block: YamlPair, loop: GsdLoop) -> list[Edit]:
    """Edits of the values that differ, and of nothing else."""
    edits: list[Edit] = []
    pairs = {pair.key: pair for pair in block.node.pairs}
    for key, field in FIELDS.items():
        value = getattr(loop, field.name)
        if key not in pairs or field.read(pairs[key].node) == value:
            continue
        if _should_write(field, loop):
            edits += _field_edits(text, pairs[key], field, value)
        else:
            edits += _key_removal_edits(block, key)
    missing = _missing_rows(loop, set(pairs), block.node.pairs[-1].indent)
    if missing:
        end = max(pair.last_line_end for pair in block.node.pairs)
        edits.append(insertion_edit(text, end, missing))
    return edits


def _key_removal_edits(block: YamlPair, key: str) -> list[Edit]:
    """Remove every pair with this key: after the last one, an earlier one would apply again."""
    edits: list[Edit] = []
    for pair in block.node.pairs:
        if pair.key == key:
            edits += removal_edits(pair)
    return edits


def _field_edits(text: str, pair: YamlPair, field: GsdField, value: Any) -> list[Edit]:
    """Keep the lines of a list or a map where possible; else replace the value."""
    edits: list[Edit] | None = None
    if field.name == "retries" and pair.node.block:
        edits = _retry_edits(text, pair, value)
    elif field.name == "history" and pair.node.block:
        edits = _history_edits(text, pair, value)
    if edits is not None:
        return edits
    return replacement_edits(text, pair, *field.format_value(value, pair.indent))


def _retry_edits(
    text: str, pair: YamlPair, value: tuple[tuple[str, int], ...]
) -> list[Edit] | None:
    """Change a map of retries line by line, so that the comments in it stay beside their keys.

    None if that would not give the order of `value`.
    """
    inner = pair.node.pairs
    if not inner or not value:
        return None
    times_by_id = dict(value)
    old_ids = [bare_id(retry.key) for retry in inner]
    remaining = [name for name in old_ids if name in times_by_id]
    new = [name for name in times_by_id if name not in old_ids]
    if [*remaining, *new] != [name for name, _ in value]:
        return None
    edits: list[Edit] = []
    for retry, name in zip(inner, old_ids, strict=True):
        times = times_by_id.get(name)
        if times is None:
            edits += removal_edits(retry)
        elif retry.node.number != times:
            edits += replacement_edits(text, retry, str(times), [])
    last = inner[-1]
    rows = [f"{last.indent}{retry_key(name)}: {times_by_id[name]}" for name in new]
    return [*edits, insertion_edit(text, last.last_line_end, rows)]


def _history_edits(text: str, pair: YamlPair, value: tuple[HistoryEntry, ...]) -> list[Edit] | None:
    """Append the new rounds to a list; None if the old rounds differ."""
    if pair.node.kind != LIST:
        return None
    old = read_rounds(pair.node) or ()
    if value[: len(old)] != old:
        return None
    rows: list[str] = []
    for entry in value[len(old) :]:
        rows += round_lines(entry, pair.node.indent)
    return [insertion_edit(text, pair.last_line_end, rows)]


def _rewrite_edits(text: str, block: YamlPair, loop: GsdLoop) -> list[Edit]:
    """Write a block in flow style, or one without a map, line by line, with its other keys."""
    pairs = {pair.key: pair for pair in block.node.pairs}
    indent = f"{block.indent}  "
    rows: list[str] = []
    is_current = block.node.kind == MAP
    if not is_current and not block.node.is_null:  # what we cannot read stays as a comment
        before = single_line(flow_text(block.node), LONGEST_TEXT)
        rows.append(f"{indent}# before: {before}")
    for key, pair in pairs.items():
        field = FIELDS.get(key)
        if field is None or field.read(pair.node) == getattr(loop, field.name):
            rows.append(f"{indent}{scalar(key)}: {flow_text(pair.node)}")
            continue
        is_current = False
        if _should_write(field, loop):
            rows += _field_rows(key, loop, indent)
    missing = _missing_rows(loop, set(pairs), indent)
    if is_current and not missing:
        return []
    return replacement_edits(text, block, "", [*rows, *missing])
