"""What a plan loop tells its agent: the tasks of the wave with what went wrong before, or the gaps to fix; and how to report.

Hints to a session name its own commands; under a runner the agent has one task and nobody to ask.
"""

from __future__ import annotations

from ..criteria import Criterion
from ..loop import Loop, plan_of
from ..plan.plan import EXECUTE, GAP_STRATEGIES, Gap, Plan, Task, criterion_names
from .parts import (
    MAX_PROMPT,
    claim_protocol,
    cost_text,
    guidance_lines,
    iteration_line,
    unmet_criterion_text,
    warning_lines,
)
from .phrases import clip_text, count_phrase
from .plan_person import fix_commit_subject, task_commit_subject

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

MAX_ERROR = 1_500


def continue_reason(loop: Loop) -> str:
    """Why it goes on, in the seed's words."""
    plan = plan_of(loop)
    if plan.stage == EXECUTE:
        return f"Loop active. Continuing execute loop iteration {loop.spend.iterations + 1}/{loop.limits.iterations}."
    return (
        f"Loop active. Continuing verify loop iteration {plan.fix_rounds}/{plan.max_fix_rounds}."
        if plan.gaps
        else "Loop active."
    )


def _session_reason(loop: Loop) -> str:
    """The same for the agent of a session, with the command that is its own there."""
    plan = plan_of(loop)
    if loop.headless_run:
        return continue_reason(loop)
    if plan.stage == EXECUTE:
        return f"{continue_reason(loop)} Run /loop:execute to retry failed tasks."
    return f"{continue_reason(loop)} Run /loop:{'verify to fix gaps and re-verify' if plan.gaps else 'status to check state'}."


def continue_prompt(loop: Loop) -> str:
    return _compose_prompt(loop, [_session_reason(loop), iteration_line(loop)])


def opening_prompt(loop: Loop) -> str:
    return _compose_prompt(loop, [start_line(loop), iteration_line(loop)])


def lane_prompt(loop: Loop, task: str) -> str:
    """One task in a worktree of its own: the rest of the plan is the others' business."""
    plan = plan_of(loop)
    where = "You work in a git worktree of your own, made for this task. Other tasks run beside you in theirs."
    # What the last turn was denied, or cut off by, was most likely another lane's; the task's own stands in its previous attempt.
    own = loop.but(
        plan=plan.but(assigned=(task,)),
        run=loop.run and loop.run.but(cut_reason="", denied_calls=()),
    )
    return _compose_prompt(own, [iteration_line(own), where])


def _compose_prompt(loop: Loop, head: list[str]) -> str:
    """What is to be done, between where it stands and how to report; only the middle is cut where all is too long."""
    what, work, how = _work_parts(loop)
    start, end = (
        "\n".join([*head, what]),
        "\n".join([*warning_lines(loop), *guidance_lines(loop), how]),
    )
    most = MAX_PROMPT - len(start) - len(end) - 4
    return f"{start}\n\n{clip_text(work(most), most)}\n\n{end}"


def _work_parts(loop: Loop) -> tuple[str, Callable[[int], str], str]:
    """What it is, all of it in so many letters, and how to report it."""
    plan = plan_of(loop)
    if plan.stage == EXECUTE:
        tasks = [plan.task(name) for name in plan.assigned]
        return (
            f"{_phase_title(plan)}. {_task_progress(plan)}",
            lambda most: _task_blocks(loop, tasks, most),
            _task_report_protocol(loop, tasks),
        )
    if gaps := [gap for gap in plan.gaps if gap.key in plan.assigned]:
        found = f"Verification of phase {plan.phase} found {count_phrase(len(plan.gaps), 'gap')}. Fix these now:"
        return found, lambda most: _gap_blocks(loop, gaps, most), _gap_report_protocol(loop)
    if not (
        plan.history
        and plan.history[-1].result == "passed"
        and (_open_claims(loop) or loop.dialogue.guidance)
    ):  # in the middle of it
        return (
            f"The verification of phase {plan.phase} is not over.",
            lambda _: "",
            "Now end your turn, and it goes on.",
        )
    found = f"Verification of phase {plan.phase}: every check passes. What no check can show is yours to examine:"
    return (
        found,
        lambda most: _open_claims(loop),
        f"{_examine_instructions(plan)}\n{claim_protocol(loop.but(criteria=_claimable_criteria(loop)))}",
    )


def _examine_instructions(plan: Plan) -> str:
    return (
        "Look at the code and try it out. Claim each in the status block below with its verification and evidence. What you find "
        f'missing, write into {plan.phase_file("VERIFICATION.md")} instead: <gaps><gap type="stub" file="PATH">what</gap></gaps>.'
    )


def start_line(loop: Loop) -> str:
    plan = plan_of(loop)
    waves = len({task.wave for task in plan.tasks})
    return (
        f"[LOOP] Starting | Phase {plan.phase} | {count_phrase(len(plan.tasks), 'task')} in {count_phrase(waves, 'wave')}"
        f" | Retries: {plan.retries} | Rounds: {plan.max_fix_rounds} | Budget: ${loop.limits.dollars:g}"
    )


def _phase_title(plan: Plan) -> str:
    return f"Phase {clip_text(plan.phase, 40)}{f': {clip_text(plan.title, 200)}' if plan.title else ''}"


def _task_progress(plan: Plan) -> str:
    parked = f", {len(plan.parked)} parked" if plan.parked else ""
    return f"{len(plan.done)} of {count_phrase(len(plan.tasks), 'task')} done{parked}."


def resume_text(loop: Loop) -> str:
    """For a session that comes back and may have forgotten what it was told."""
    plan = plan_of(loop)
    _, work, how = _work_parts(loop)
    gaps = f"{count_phrase(len(plan.gaps), 'gap')} to fix" if plan.gaps else "the verification"
    following = (
        f"task {clip_text(', '.join(plan.assigned), 300)}" if plan.stage == EXECUTE else gaps
    )
    head = f"[LOOP RESUME] Active loop detected\n{_phase_title(plan)}\n{_task_progress(plan)}\nNext: {following}"
    said = "\n".join(guidance_lines(loop))
    most = MAX_PROMPT - len(head) - len(said) - len(how) - 5
    return f"{head}\n\n{clip_text(work(most), most)}\n\n{said}"


# --- tasks ---


def _task_blocks(loop: Loop, tasks: list[Task], most: int) -> str:
    return "\n\n".join(_task_block(loop, task, most // max(1, len(tasks)) - 60) for task in tasks)


def _task_block(loop: Loop, task: Task, most: int) -> str:
    plan = plan_of(loop)
    rows = [
        f'<task id="{task.id}" wave="{task.wave}" phase="{plan.phase}">',
        *([f"  <title>{task.title}</title>"] if task.title else []),
        *_tag_lines("files", [f"{file.action} {file.path}" for file in task.files]),
        *_tag_lines("libraries", task.libraries),
        *_tag_lines("skills", task.skills),
        *([f"  <done>{task.done_when}</done>"] if task.done_when else []),
        *_tag_lines(
            "checks", [f"{name}{_check_hint(loop, name)}" for name in criterion_names(task)]
        ),
        *_previous_attempt(plan, task.id),
    ]
    room = most - len("\n".join(rows)) - 40
    action = task.action
    if len(action) > room:
        action = f"{clip_text(action, max(200, room))}\n(the rest: task {task.id} in {plan.file})"
    return "\n".join([*rows, "  <action>", action, "  </action>", "</task>"])


def _tag_lines(tag: str, items: list[str] | tuple[str, ...]) -> list[str]:
    return [f"  <{tag}>", *(f"    {item}" for item in items), f"  </{tag}>"] if items else []


def _check_hint(loop: Loop, name: str) -> str:
    check = next((c.check for c in loop.criteria if c.name == name), None)
    if check is None:
        return " (nobody can run this: look yourself, and say what you saw)"
    return f" [{check.command_line}]" if not check.probe else ""


def _previous_attempt(plan: Plan, task: str) -> list[str]:
    """The seed's words about the attempt before this one. What a tool printed is data, whatever it says."""
    failed = plan.failure_of(task)
    if not failed.error:
        return []
    return [
        "  <previous_attempt>",
        f"    <error>{_quote_data(failed.error)}</error>",
        f"    <analysis>{_quote_data(failed.analysis) or 'not known: find the root cause before you change anything'}</analysis>",
        f"    <suggested_fix>{_quote_data(failed.fix) or 'whatever removes that cause; do not repeat what failed'}</suggested_fix>",
        f"    <attempt>{max(1, failed.times)} of {plan.retries}</attempt>",
        "  </previous_attempt>",
    ]


def _quote_data(text: str, most: int = MAX_ERROR) -> str:
    """Somebody's words inside a tag of ours: they cannot close it."""
    return clip_text(text, min(most, MAX_ERROR)).replace("</", "< /").strip()


def _task_report_protocol(loop: Loop, tasks: list[Task]) -> str:
    plan, several = plan_of(loop), len(tasks) > 1
    example = tasks[0].id if tasks else "01"
    rows = []
    if not loop.headless_run:
        if several:
            rows.append(
                "These tasks share no file: give each to a sub-agent of its own (the Task or Agent tool), all at once, with its "
                "whole <task> block. Each touches its own files only."
            )
        commits = clip_text(
            "; ".join(f"`{task_commit_subject(plan, task)}`" for task in tasks), 2_000
        )
        rows.append(f"One commit for each task, one after the other: {commits}")
    else:
        rows.append(
            "Touch the files of your task only; new files that no task names are fine. We commit what you leave."
        )
    rows.append(
        f"End your answer with one line for each task, outside any code fence: `TASK COMPLETE: {example}`, or "
        f"`TASK FAILED: {example}: <reason>` with lines `Progress:`, `Blocker:` and `Suggested fix:` under it. We run the checks "
        "ourselves: a claim that they refute is a failed attempt. Also `NEW ISSUE: [severity] <what you found beside it>`, "
        "and `CHECKPOINT: <question>` only where nobody but a person can decide."
    )
    return "\n".join(rows)


# --- gaps ---


def _gap_blocks(loop: Loop, gaps: list[Gap], most: int) -> str:
    plan = plan_of(loop)
    room = max(
        100, (most // max(1, len(gaps)) - 250) // 4
    )  # for each of its words: a gap that is cut off has no end
    return "\n\n".join(_gap_block(plan, gap, room) for gap in gaps)


def _gap_block(plan: Plan, gap: Gap, room: int) -> str:
    target = f"\n  <to>{_quote_data(gap.target, room)}</to>" if gap.target else ""
    tried = f"\n  <attempt>{gap.tries} of {plan.retries}</attempt>" if gap.tries else ""
    return (
        f'<gap type="{gap.kind}" iteration="{plan.fix_rounds}/{plan.max_fix_rounds}">\n  <file>{_quote_data(gap.file, room)}</file>{target}\n'
        f"  <description>{_quote_data(gap.text, room)}</description>\n  <evidence>{_quote_data(gap.evidence, room)}</evidence>\n"
        f"  <strategy>{GAP_STRATEGIES[gap.kind]}</strategy>{tried}\n</gap>"
    )


def _gap_report_protocol(loop: Loop) -> str:
    plan = plan_of(loop)
    given = [gap for gap in plan.gaps if gap.key in plan.assigned]
    rows = []
    if not loop.headless_run:
        rows.append(
            f"One commit for each gap: {'; '.join(f'`{fix_commit_subject(plan, gap)}`' for gap in given[:20])}"
        )
    else:
        rows.append("Fix this and nothing else. We commit what you leave.")
    rows.append(
        "Never weaken a check to close a gap. End your answer with a line for each, outside any code fence: "
        "`GAP CLOSED: <file>` or `GAP FAILED: <why>`. We verify again ourselves."
    )
    return "\n".join(rows)


def _claimable_criteria(loop: Loop) -> tuple[Criterion, ...]:
    return tuple(c for c in loop.criteria if not c.check)


def _open_claims(loop: Loop) -> str:
    rows = [unmet_criterion_text(c, loop) for c in _claimable_criteria(loop) if not loop.is_met(c)]
    rows += [
        f'- {name}: "assumption" does not count. Verify it, then claim it again.'
        for name in loop.assumed_criteria
    ]
    return "\n".join(rows)


def final_summary(loop: Loop) -> str:
    plan = plan_of(loop)
    gaps = f", {count_phrase(len(plan.gaps), 'gap')} left" if plan.gaps else ""
    return (
        f"Phase {plan.phase}: {_task_progress(plan)[:-1]}{gaps} | {count_phrase(loop.spend.iterations, 'iteration')}, "
        f"{count_phrase(plan.fix_rounds, 'round')} of fixing, {cost_text(loop)}"
    )


def reply_protocol(loop: Loop) -> str:
    """How to report, for a session that comes back in the middle."""
    return _work_parts(loop)[2]
