"""--commit: one commit for each turn that proved something new. On the branch that is checked out; nothing is ever pushed."""

from __future__ import annotations

from ...core.loop import Loop
from ...core.prompts.parts import spec_summary
from ...core.prompts.phrases import clip_text
from ...repo import user_repo


def commit_turn(root: str, before: Loop, after: Loop) -> str:
    """What was committed or could not be, in words; "" where the turn proved nothing new, or changed nothing."""
    news = newly_proven(before, after)
    if not news:
        return ""
    subject = f"loop: {clip_text(', '.join(news), 60)}"
    body = f"{spec_summary(after, 300)}\n\nIteration {after.spend.iterations} of loop {after.id}; proven by its checks on this tree."
    made = user_repo.commit_changes(root, f"{subject}\n\n{body}")
    if not made and user_repo.uncommitted_files(root):
        return f"[LOOP] Not committed, git would not: {subject}. See: git status"
    return f"[LOOP] Committed {made}: {subject}" if made else ""


def newly_proven(before: Loop, after: Loop) -> list[str]:
    """Criteria whose check passes now and did not before, and steps that were finished while no check fell back."""
    held = {c.name for c in before.criteria if before.is_met(c)}
    holds = {c.name for c in after.criteria if after.is_met(c) and c.proof and c.proof.by == "loop"}
    if held - {c.name for c in after.criteria if after.is_met(c)}:
        return []
    steps = [
        s.name
        for s in after.completed_steps
        if s.name not in {one.name for one in before.completed_steps}
    ]
    done = (
        list(after.backlog.done[len(before.backlog.done) :])
        if after.backlog and before.backlog
        else []
    )
    return [*(c.name for c in after.criteria if c.name in holds - held), *steps, *done]
