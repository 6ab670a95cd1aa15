"""--commit: one commit for each turn that proved something new.

The commit is on the branch on which the run began; nothing is ever pushed.
"""

from __future__ import annotations

from ...core.loop import Loop, run_of
from ...core.prompts.order_replies import branch_switched_text
from ...core.prompts.parts import spec_summary
from ...core.prompts.phrases import clip_text
from ...repo import user_repo


def switched_branch(root: str, loop: Loop) -> str:
    """Why nothing is committed here: the run began on another branch; "" if it did not."""
    before, now = run_of(loop).branch, user_repo.current_branch(root)
    return branch_switched_text(before, now) if before and before != now else ""


def commit_turn(root: str, before: Loop, after: Loop) -> str:
    """Commit the turn and say so; "" when it proved nothing new or changed nothing."""
    news = newly_proven(before, after)
    if not news:
        return ""
    subject = f"loop: {clip_text(', '.join(news), 60)}"
    if why := switched_branch(root, after):
        return f"[LOOP] Not committed: {subject}. The work is in the files; {why}"
    origin = (
        f"Iteration {after.spend.iterations} of loop {after.id}; proven by its checks on this tree."
    )
    message = f"{subject}\n\n{spec_summary(after, 300)}\n\n{origin}"
    commit = user_repo.commit_changes(root, message)
    if commit:
        return f"[LOOP] Committed {commit}: {subject}"
    if user_repo.uncommitted_files(root):
        return f"[LOOP] Not committed, git would not: {subject}. See: git status"
    return ""


def newly_proven(before: Loop, after: Loop) -> list[str]:
    """What the turn added: criteria whose check passes now, steps and items that are done.

    Nothing when a criterion that was met is unmet now.
    """
    met_before = {c.name for c in before.criteria if before.is_met(c)}
    met = [c for c in after.criteria if after.is_met(c)]
    if met_before - {c.name for c in met}:
        return []
    criteria = [
        c.name for c in met if c.name not in met_before and c.proof and c.proof.by == "loop"
    ]
    steps_before = {step.name for step in before.completed_steps}
    steps = [step.name for step in after.completed_steps if step.name not in steps_before]
    items: list[str] = []
    if before.backlog and after.backlog:
        items = list(after.backlog.done[len(before.backlog.done) :])
    return [*criteria, *steps, *items]
