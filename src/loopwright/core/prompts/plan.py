"""What a plan loop tells its agent: the tasks of the wave or the gaps to fix, and how to report.

Hints to a session name its own commands. Under a runner the agent has one task and no person to
ask.
"""

from __future__ import annotations

from ..criteria import Criterion
from ..loop import Loop, plan_of
from ..plan.plan import EXECUTE, PASSED, UNPROVEN, Gap, Plan, Task, criterion_names
from .gap_texts import GAP_STRATEGIES
from .parts import (
    MAX_PROMPT,
    assumption_lines,
    claim_protocol,
    cost_text,
    guidance_lines,
    iteration_line,
    unmet_criterion_text,
    warning_lines,
)
from .phrases import DISPUTE_SENTENCE, clip_text, count_phrase
from .plan_person import fix_commit_subject, task_commit_subject

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

MAX_ERROR = 1_500
DISPUTE_LINE = f"{DISPUTE_SENTENCE} on a line of its own."


def continue_reason(loop: Loop) -> str:
    """Why the loop continues, in the words of the documented format."""
    plan = plan_of(loop)
    if plan.stage == EXECUTE:
        iteration = f"{loop.spend.iterations + 1}/{loop.limits.iterations}"
        return f"Loop active. Continuing execute loop iteration {iteration}."
    if not plan.gaps:
        return "Loop active."
    return f"Loop active. Continuing verify loop iteration {plan.fix_rounds}/{plan.max_fix_rounds}."


def _session_reason(loop: Loop) -> str:
    """The reason for the agent; in a session it also names the command to run."""
    reason = continue_reason(loop)
    plan = plan_of(loop)
    if loop.headless_run:
        return reason
    if plan.stage == EXECUTE:
        return f"{reason} Run /loop:execute to retry failed tasks."
    if plan.gaps:
        return f"{reason} Run /loop:verify to fix gaps and re-verify."
    return f"{reason} Run /loop:status to check state."


def continue_prompt(loop: Loop) -> str:
    return _compose_prompt(loop, [_session_reason(loop), iteration_line(loop)])


def opening_prompt(loop: Loop) -> str:
    return _compose_prompt(loop, [start_line(loop), iteration_line(loop)])


def lane_prompt(loop: Loop, task: str) -> str:
    """The prompt of one task in a worktree of its own, without the rest of the plan."""
    plan = plan_of(loop)
    where = (
        "You work in a git worktree of your own, made for this task. "
        "Other tasks run beside you in theirs."
    )
    # If the last turn was cut off or denied a call, it was most likely another lane's turn.
    # The task's own error is in its previous attempt.
    lane_loop = loop.but(
        plan=plan.but(assigned=(task,)),
        run=loop.run and loop.run.but(cut_reason="", denied_calls=()),
    )
    return _compose_prompt(lane_loop, [iteration_line(lane_loop), where])


def _compose_prompt(loop: Loop, head: list[str]) -> str:
    """The head, the work and how to report it; only the work in the middle is clipped."""
    title, work, protocol = _work_parts(loop)
    start = "\n".join([*head, title])
    end = "\n".join([*warning_lines(loop), *guidance_lines(loop), DISPUTE_LINE, protocol])
    most = MAX_PROMPT - len(start) - len(end) - 4
    return f"{start}\n\n{clip_text(work(most), most)}\n\n{end}"


def _work_parts(loop: Loop) -> tuple[str, Callable[[int], str], str]:
    """A title, a function that words the work in so many characters, and the reply protocol."""
    plan = plan_of(loop)
    if plan.stage == EXECUTE:
        tasks = [plan.task(name) for name in plan.assigned]
        title = f"{_phase_title(plan)}. {_task_progress(plan)}"
        protocol = _task_report_protocol(loop, tasks)
        return title, lambda most: _task_blocks(loop, tasks, most), protocol
    if gaps := _assigned_gaps(plan):
        count = count_phrase(len(plan.gaps), "gap")
        title = f"Verification of phase {plan.phase} found {count}. Fix these now:"
        protocol = _gap_report_protocol(loop, gaps)
        return title, lambda most: _gap_blocks(plan, gaps, most), protocol
    if not _awaits_claims(loop):
        title = f"The verification of phase {plan.phase} is not over."
        return title, lambda most: "", "End your turn now; then it continues."
    title = (
        f"Verification of phase {plan.phase}: every check passes. "
        "What no check can show is yours to examine:"
    )
    claimable = loop.but(criteria=_claimable_criteria(loop))
    protocol = f"{_examine_instructions(plan)}\n{claim_protocol(claimable)}"
    return title, lambda most: _open_claims(loop), protocol


def _assigned_gaps(plan: Plan) -> list[Gap]:
    return [gap for gap in plan.gaps if gap.key in plan.assigned]


def _awaits_claims(loop: Loop) -> bool:
    """Whether all checks have passed and only the agent can show the rest."""
    history = plan_of(loop).history
    if not history or history[-1].result not in (PASSED, UNPROVEN):
        return False
    return bool(_open_claims(loop) or loop.dialogue.guidance)


def _examine_instructions(plan: Plan) -> str:
    page = plan.phase_file("VERIFICATION.md")
    return (
        "Look at the code and try it out. "
        "Claim each in the status block below with its verification and evidence. "
        f"What you find missing, write into {page} instead: "
        '<gaps><gap type="stub" file="PATH">what</gap></gaps>.'
    )


def start_line(loop: Loop) -> str:
    plan = plan_of(loop)
    tasks = count_phrase(len(plan.tasks), "task")
    waves = count_phrase(len({task.wave for task in plan.tasks}), "wave")
    return (
        f"[LOOP] Starting | Phase {plan.phase} | {tasks} in {waves}"
        f" | Retries: {plan.retries} | Rounds: {plan.max_fix_rounds}"
        f" | Budget: ${loop.limits.dollars:g}"
    )


def _phase_title(plan: Plan) -> str:
    title = f": {clip_text(plan.title, 200)}" if plan.title else ""
    return f"Phase {clip_text(plan.phase, 40)}{title}"


def _task_progress(plan: Plan) -> str:
    parked = f", {len(plan.parked)} parked" if plan.parked else ""
    return f"{len(plan.done)} of {count_phrase(len(plan.tasks), 'task')} done{parked}."


def resume_text(loop: Loop) -> str:
    """What a resumed session is told; its context may no longer hold the tasks."""
    plan = plan_of(loop)
    _, work, _ = _work_parts(loop)
    head = (
        "[LOOP RESUME] Active loop detected\n"
        f"{_phase_title(plan)}\n"
        f"{_task_progress(plan)}\n"
        f"Next: {_next_work(plan)}"
    )
    guidance = "\n".join(guidance_lines(loop))
    # The caller adds the protocol below this text.
    most = MAX_PROMPT - len(head) - len(guidance) - len(reply_protocol(loop)) - 5
    return f"{head}\n\n{clip_text(work(most), most)}\n\n{guidance}"


def _next_work(plan: Plan) -> str:
    if plan.stage == EXECUTE:
        return f"task {clip_text(', '.join(plan.assigned), 300)}"
    return f"{count_phrase(len(plan.gaps), 'gap')} to fix" if plan.gaps else "the verification"


# --- tasks ---


def _task_blocks(loop: Loop, tasks: list[Task], most: int) -> str:
    space = most // max(1, len(tasks)) - 60
    return "\n\n".join(_task_block(loop, task, space) for task in tasks)


def _task_block(loop: Loop, task: Task, most: int) -> str:
    plan = plan_of(loop)
    checks = [f"{name}{_check_hint(loop, name)}" for name in criterion_names(task)]
    rows = [f'<task id="{task.id}" wave="{task.wave}" phase="{plan.phase}">']
    if task.title:
        rows.append(f"  <title>{task.title}</title>")
    rows += _tag_lines("files", [f"{file.action} {file.path}" for file in task.files])
    rows += _tag_lines("libraries", task.libraries)
    rows += _tag_lines("skills", task.skills)
    if task.done_when:
        rows.append(f"  <done>{task.done_when}</done>")
    rows += _tag_lines("checks", checks)
    rows += _previous_attempt(plan, task.id)
    space = most - len("\n".join(rows)) - 40
    action = task.action
    if len(action) > space:
        action = f"{clip_text(action, max(200, space))}\n(the rest: task {task.id} in {plan.file})"
    return "\n".join([*rows, "  <action>", action, "  </action>", "</task>"])


def _tag_lines(tag: str, items: list[str] | tuple[str, ...]) -> list[str]:
    if not items:
        return []
    return [f"  <{tag}>", *(f"    {item}" for item in items), f"  </{tag}>"]


def _check_hint(loop: Loop, name: str) -> str:
    """The command behind a check; a probe has none, and the agent itself must show a claim."""
    check = next((c.check for c in loop.criteria if c.name == name), None)
    if check is None:
        return " (no command checks this: look yourself, and say what you saw)"
    return "" if check.probe else f" [{check.command_line}]"


def _previous_attempt(plan: Plan, task: str) -> list[str]:
    """The failed attempt in the documented format. What a tool printed is quoted as data."""
    failure = plan.failure_of(task)
    if not failure.error:
        return []
    analysis = _quote_data(failure.analysis)
    fix = _quote_data(failure.fix)
    no_analysis = "not known: find the root cause before you change anything"
    no_fix = "whatever removes that cause; do not repeat what failed"
    return [
        "  <previous_attempt>",
        f"    <error>{_quote_data(failure.error)}</error>",
        f"    <analysis>{analysis or no_analysis}</analysis>",
        f"    <suggested_fix>{fix or no_fix}</suggested_fix>",
        f"    <attempt>{max(1, failure.times)} of {plan.retries}</attempt>",
        "  </previous_attempt>",
    ]


def _quote_data(text: str, most: int = MAX_ERROR) -> str:
    """Text of others inside one of our tags; it cannot close the tag."""
    return clip_text(text, min(most, MAX_ERROR)).replace("</", "< /").strip()


def _task_report_protocol(loop: Loop, tasks: list[Task]) -> str:
    example = tasks[0].id if tasks else "01"
    return "\n".join(
        [
            *_task_commit_lines(loop, tasks),
            "End your answer with one line for each task, outside any code fence: "
            f"`TASK COMPLETE: {example}`, or `TASK FAILED: {example}: <reason>` "
            "with lines `Progress:`, `Blocker:` and `Suggested fix:` under it. "
            "We run the checks ourselves: a claim that they refute is a failed attempt. "
            "Also `NEW ISSUE: [severity] <what you found beside it>`, "
            "and `CHECKPOINT: <question>` only where a person must decide.",
        ]
    )


def _task_commit_lines(loop: Loop, tasks: list[Task]) -> list[str]:
    """How to split and commit the work. In a session the agent commits; a runner does it itself."""
    if loop.headless_run:
        return [
            "Touch the files of your task only; new files that no task names are fine. "
            "We commit what you leave."
        ]
    rows = []
    if len(tasks) > 1:
        rows.append(
            "These tasks share no file: give each to a sub-agent of its own "
            "(the Task or Agent tool), all at once, with its whole <task> block. "
            "Each touches its own files only."
        )
    plan = plan_of(loop)
    subjects = "; ".join(f"`{task_commit_subject(plan, task)}`" for task in tasks)
    rows.append(f"One commit for each task, one after the other: {clip_text(subjects, 2_000)}")
    return rows


# --- gaps ---


def _gap_blocks(plan: Plan, gaps: list[Gap], most: int) -> str:
    # Each quoted text of a gap is clipped by itself: a clipped block would lose its closing tag.
    space = max(100, (most // max(1, len(gaps)) - 250) // 4)
    return "\n\n".join(_gap_block(plan, gap, space) for gap in gaps)


def _gap_block(plan: Plan, gap: Gap, space: int) -> str:
    target = f"\n  <to>{_quote_data(gap.target, space)}</to>" if gap.target else ""
    attempt = f"\n  <attempt>{gap.tries} of {plan.retries}</attempt>" if gap.tries else ""
    return (
        f'<gap type="{gap.kind}" iteration="{plan.fix_rounds}/{plan.max_fix_rounds}">\n'
        f"  <file>{_quote_data(gap.file, space)}</file>{target}\n"
        f"  <description>{_quote_data(gap.text, space)}</description>\n"
        f"  <evidence>{_quote_data(gap.evidence, space)}</evidence>\n"
        f"  <strategy>{GAP_STRATEGIES[gap.kind]}</strategy>{attempt}\n"
        "</gap>"
    )


def _gap_report_protocol(loop: Loop, gaps: list[Gap]) -> str:
    plan = plan_of(loop)
    subjects = "; ".join(f"`{fix_commit_subject(plan, gap)}`" for gap in gaps[:20])
    commits = f"One commit for each gap: {subjects}"
    if loop.headless_run:
        commits = "Fix this and nothing else. We commit what you leave."
    return (
        f"{commits}\n"
        "Never weaken a check to close a gap. "
        "End your answer with a line for each, outside any code fence: "
        "`GAP CLOSED: <file>` or `GAP FAILED: <why>`. We verify again ourselves."
    )


def _claimable_criteria(loop: Loop) -> tuple[Criterion, ...]:
    return tuple(c for c in loop.criteria if not c.check)


def _open_claims(loop: Loop) -> str:
    unmet = [c for c in _claimable_criteria(loop) if not loop.is_met(c)]
    rows = [unmet_criterion_text(c, loop) for c in unmet]
    return "\n".join([*rows, *assumption_lines(loop)])


def final_summary(loop: Loop) -> str:
    plan = plan_of(loop)
    gaps = f", {count_phrase(len(plan.gaps), 'gap')} left" if plan.gaps else ""
    iterations = count_phrase(loop.spend.iterations, "iteration")
    rounds = count_phrase(plan.fix_rounds, "round")
    return (
        f"Phase {plan.phase}: {_task_progress(plan).removesuffix('.')}{gaps} | {iterations}, "
        f"{rounds} of fixing, {cost_text(loop)}"
    )


def reply_protocol(loop: Loop) -> str:
    """How to report, for a session that is resumed in the middle of its work."""
    return f"{DISPUTE_LINE}\n{_work_parts(loop)[2]}"
