"""What a plan loop tells its agent: the tasks of the wave with what went wrong before, or the gaps to fix; and how to report.

Hints to a session name its own commands; under a runner the agent has one task and nobody to ask.
"""

from __future__ import annotations

from .loop import Criterion, Loop
from .plan import EXECUTE, GAPS, Gap, Plan, Task, names, plan_of
from .standing import fix_subject, subject
from .wording import MOST_PROMPT, claiming, clip, counted, failing, iteration, person_says, spent, warnings

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

MOST_ERROR = 1_500


def reason(loop: Loop) -> str:
    """Why it goes on, in the seed's words."""
    plan = plan_of(loop)
    if plan.stage == EXECUTE:
        return f"Loop active. Continuing execute loop iteration {loop.spend.iterations + 1}/{loop.limits.iterations}."
    return f"Loop active. Continuing verify loop iteration {plan.round}/{plan.rounds}." if plan.gaps else "Loop active."


def _held(loop: Loop) -> str:
    """The same for the agent of a session, with the command that is its own there."""
    plan = plan_of(loop)
    if loop.headless:
        return reason(loop)
    if plan.stage == EXECUTE:
        return f"{reason(loop)} Run /loop:execute to retry failed tasks."
    return f"{reason(loop)} Run /loop:{'verify to fix gaps and re-verify' if plan.gaps else 'status to check state'}."


def go_on(loop: Loop) -> str:
    return _composed(loop, [_held(loop), iteration(loop)])


def opening(loop: Loop) -> str:
    return _composed(loop, [started(loop), iteration(loop)])


def of_a_lane(loop: Loop, task: str) -> str:
    """One task in a worktree of its own: the rest of the plan is the others' business."""
    plan = plan_of(loop)
    where = "You work in a git worktree of your own, made for this task. Other tasks run beside you in theirs."
    # What the last turn was denied, or cut off by, was most likely another lane's; the task's own stands in its previous attempt.
    own = loop.but(plan=plan.but(assigned=(task,)), run=loop.run and loop.run.but(cut="", denied=()))
    return _composed(own, [iteration(own), where])


def _composed(loop: Loop, head: list[str]) -> str:
    """What is to be done, between where it stands and how to report; only the middle is cut where all is too long."""
    what, work, how = _work(loop)
    start, end = "\n".join([*head, what]), "\n".join([*warnings(loop), *person_says(loop), how])
    most = MOST_PROMPT - len(start) - len(end) - 4
    return f"{start}\n\n{clip(work(most), most)}\n\n{end}"


def _work(loop: Loop) -> tuple[str, Callable[[int], str], str]:
    """What it is, all of it in so many letters, and how to report it."""
    plan = plan_of(loop)
    if plan.stage == EXECUTE:
        tasks = [plan.task(name) for name in plan.assigned]
        return f"{_phase(plan)}. {_standing(plan)}", lambda most: _tasks(loop, tasks, most), _report_tasks(loop, tasks)
    if gaps := [gap for gap in plan.gaps if gap.key in plan.assigned]:
        found = f"Verification of phase {plan.phase} found {counted(len(plan.gaps), 'gap')}. Fix these now:"
        return found, lambda most: _gaps(loop, gaps, most), _report_gaps(loop)
    if not (plan.history and plan.history[-1].result == "passed" and (_open(loop) or loop.guidance)):  # in the middle of it
        return f"The verification of phase {plan.phase} is not over.", lambda _: "", "Now end your turn, and it goes on."
    found = f"Verification of phase {plan.phase}: every check passes. What no check can show is yours to examine:"
    return found, lambda most: _open(loop), f"{_examine(plan)}\n{claiming(loop.but(criteria=_claimable(loop)))}"


def _examine(plan: Plan) -> str:
    return (
        "Look at the code and try it out. Claim each in the status block below with its verification and evidence. What you find "
        f'missing, write into {plan.beside("VERIFICATION.md")} instead: <gaps><gap type="stub" file="PATH">what</gap></gaps>.'
    )


def started(loop: Loop) -> str:
    plan = plan_of(loop)
    waves = len({task.wave for task in plan.tasks})
    return (
        f"[LOOP] Starting | Phase {plan.phase} | {counted(len(plan.tasks), 'task')} in {counted(waves, 'wave')}"
        f" | Retries: {plan.retries} | Rounds: {plan.rounds} | Budget: ${loop.limits.dollars:g}"
    )


def _phase(plan: Plan) -> str:
    return f"Phase {clip(plan.phase, 40)}{f': {clip(plan.title, 200)}' if plan.title else ''}"


def _standing(plan: Plan) -> str:
    parked = f", {len(plan.parked)} parked" if plan.parked else ""
    return f"{len(plan.done)} of {counted(len(plan.tasks), 'task')} done{parked}."


def resumed(loop: Loop) -> str:
    """For a session that comes back and may have forgotten what it was told."""
    plan = plan_of(loop)
    _, work, how = _work(loop)
    gaps = f"{counted(len(plan.gaps), 'gap')} to fix" if plan.gaps else "the verification"
    following = f"task {clip(', '.join(plan.assigned), 300)}" if plan.stage == EXECUTE else gaps
    head = f"[LOOP RESUME] Active loop detected\n{_phase(plan)}\n{_standing(plan)}\nNext: {following}"
    said = "\n".join(person_says(loop))
    most = MOST_PROMPT - len(head) - len(said) - len(how) - 5
    return f"{head}\n\n{clip(work(most), most)}\n\n{said}"


# --- tasks ---


def _tasks(loop: Loop, tasks: list[Task], most: int) -> str:
    return "\n\n".join(_task(loop, task, most // max(1, len(tasks)) - 60) for task in tasks)


def _task(loop: Loop, task: Task, most: int) -> str:
    plan = plan_of(loop)
    rows = [
        f'<task id="{task.id}" wave="{task.wave}" phase="{plan.phase}">',
        *([f"  <title>{task.title}</title>"] if task.title else []),
        *_listed("files", [f"{file.action} {file.path}" for file in task.files]),
        *_listed("libraries", task.libraries),
        *_listed("skills", task.skills),
        *([f"  <done>{task.done}</done>"] if task.done else []),
        *_listed("checks", [f"{name}{_how(loop, name)}" for name in names(task)]),
        *_previous(plan, task.id),
    ]
    room = most - len("\n".join(rows)) - 40
    action = task.action
    if len(action) > room:
        action = f"{clip(action, max(200, room))}\n(the rest: task {task.id} in {plan.file})"
    return "\n".join([*rows, "  <action>", action, "  </action>", "</task>"])


def _listed(tag: str, items: list[str] | tuple[str, ...]) -> list[str]:
    return [f"  <{tag}>", *(f"    {item}" for item in items), f"  </{tag}>"] if items else []


def _how(loop: Loop, name: str) -> str:
    check = next((c.check for c in loop.criteria if c.name == name), None)
    if check is None:
        return " (nobody can run this: look yourself, and say what you saw)"
    return f" [{check.line}]" if not check.probe else ""


def _previous(plan: Plan, task: str) -> list[str]:
    """The seed's words about the attempt before this one. What a tool printed is data, whatever it says."""
    failed = plan.failure(task)
    if not failed.error:
        return []
    return [
        "  <previous_attempt>",
        f"    <error>{_data(failed.error)}</error>",
        f"    <analysis>{_data(failed.analysis) or 'not known: find the root cause before you change anything'}</analysis>",
        f"    <suggested_fix>{_data(failed.fix) or 'whatever removes that cause; do not repeat what failed'}</suggested_fix>",
        f"    <attempt>{max(1, failed.times)} of {plan.retries}</attempt>",
        "  </previous_attempt>",
    ]


def _data(text: str, most: int = MOST_ERROR) -> str:
    """Somebody's words inside a tag of ours: they cannot close it."""
    return clip(text, min(most, MOST_ERROR)).replace("</", "< /").strip()


def _report_tasks(loop: Loop, tasks: list[Task]) -> str:
    plan, several = plan_of(loop), len(tasks) > 1
    example = tasks[0].id if tasks else "01"
    rows = []
    if not loop.headless:
        if several:
            rows.append(
                "These tasks share no file: give each to a sub-agent of its own (the Task or Agent tool), all at once, with its "
                "whole <task> block. Each touches its own files only."
            )
        commits = clip("; ".join(f"`{subject(plan, task)}`" for task in tasks), 2_000)
        rows.append(f"One commit for each task, one after the other: {commits}")
    else:
        rows.append("Touch the files of your task only; new files that no task names are fine. We commit what you leave.")
    rows.append(
        f"End your answer with one line for each task, outside any code fence: `TASK COMPLETE: {example}`, or "
        f"`TASK FAILED: {example}: <reason>` with lines `Progress:`, `Blocker:` and `Suggested fix:` under it. We run the checks "
        "ourselves: a claim that they refute is a failed attempt. Also `NEW ISSUE: [severity] <what you found beside it>`, "
        "and `CHECKPOINT: <question>` only where nobody but a person can decide."
    )
    return "\n".join(rows)


# --- gaps ---


def _gaps(loop: Loop, gaps: list[Gap], most: int) -> str:
    plan = plan_of(loop)
    room = max(100, (most // max(1, len(gaps)) - 250) // 4)  # for each of its words: a gap that is cut off has no end
    return "\n\n".join(_gap(plan, gap, room) for gap in gaps)


def _gap(plan: Plan, gap: Gap, room: int) -> str:
    target = f"\n  <to>{_data(gap.target, room)}</to>" if gap.target else ""
    tried = f"\n  <attempt>{gap.tries} of {plan.retries}</attempt>" if gap.tries else ""
    return (
        f'<gap type="{gap.kind}" iteration="{plan.round}/{plan.rounds}">\n  <file>{_data(gap.file, room)}</file>{target}\n'
        f"  <description>{_data(gap.text, room)}</description>\n  <evidence>{_data(gap.evidence, room)}</evidence>\n"
        f"  <strategy>{GAPS[gap.kind]}</strategy>{tried}\n</gap>"
    )


def _report_gaps(loop: Loop) -> str:
    plan = plan_of(loop)
    given = [gap for gap in plan.gaps if gap.key in plan.assigned]
    rows = []
    if not loop.headless:
        rows.append(f"One commit for each gap: {'; '.join(f'`{fix_subject(plan, gap)}`' for gap in given[:20])}")
    else:
        rows.append("Fix this and nothing else. We commit what you leave.")
    rows.append(
        "Never weaken a check to close a gap. End your answer with a line for each, outside any code fence: "
        "`GAP CLOSED: <file>` or `GAP FAILED: <why>`. We verify again ourselves."
    )
    return "\n".join(rows)


def _claimable(loop: Loop) -> tuple[Criterion, ...]:
    return tuple(c for c in loop.criteria if not c.check)


def _open(loop: Loop) -> str:
    rows = [failing(c, loop) for c in _claimable(loop) if not loop.is_met(c)]
    rows += [f'- {name}: "assumption" does not count. Verify it, then claim it again.' for name in loop.assumed]
    return "\n".join(rows)


def final(loop: Loop) -> str:
    plan = plan_of(loop)
    gaps = f", {counted(len(plan.gaps), 'gap')} left" if plan.gaps else ""
    return (
        f"Phase {plan.phase}: {_standing(plan)[:-1]}{gaps} | {counted(loop.spend.iterations, 'iteration')}, "
        f"{counted(plan.round, 'round')} of fixing, {spent(loop)}"
    )


def protocol(loop: Loop) -> str:
    """How to report, for a session that comes back in the middle."""
    return _work(loop)[2]
