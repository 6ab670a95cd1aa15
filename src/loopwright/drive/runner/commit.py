"""--commit: one commit for each turn that proved something new.

The commit is on the branch on which the run began; nothing is ever pushed.
"""

from __future__ import annotations

from ...core.events import LoopStarted
from ...core.loop import Loop, run_of
from ...core.prompts.order_replies import branch_switched_text
from ...core.prompts.parts import spec_summary
from ...core.prompts.phrases import clip_text
from ...core.runner.events import TurnStarted
from ...repo import user_repo
from ...repo.tree import read_tree
from ...store.folder import LoopFolder
from ...store.journal_moves import recent_moves


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
    origin = f"{_turn_name(after)}; proven by its checks on this tree."
    message = f"{subject}\n\n{spec_summary(after, 300)}\n\n{origin}"
    commit = user_repo.commit_changes(root, message)
    if commit:
        return f"[LOOP] Committed {commit}: {subject}"
    if user_repo.uncommitted_files(root):
        return f"[LOOP] Not committed, git would not: {subject}. See: git status"
    return ""


def _turn_name(loop: Loop) -> str:
    return f"Iteration {loop.spend.iterations} of loop {loop.id}"


def loop_at_turn_start(journal_path: str) -> Loop | None:
    """The loop as it was when its last turn started; None if a runner has started none."""
    loop, moves = recent_moves(journal_path, 1)
    found = None
    for event in (event for move in moves for event in move):
        if isinstance(event, LoopStarted):
            loop = event.loop
        elif loop:
            loop = event.apply(loop)
        if isinstance(event, TurnStarted):
            found = loop
    return found


def commit_left_turn(folder: LoopFolder, before: Loop, after: Loop) -> str:
    """Commit the turn that a killed run left uncommitted, and say so.

    Not when it is committed, nor when the files are no longer those that were proven.
    """
    if after.plan or not newly_proven(before, after):  # the runner of a plan commits its tasks
        return ""
    base = run_of(before).base_commit
    if user_repo.has_commit_with(folder.root, base, f"{_turn_name(after)};"):
        return ""
    reading = read_tree(folder.root, folder.path, after.settings.volatile_globs)
    return commit_turn(folder.root, before, after) if reading.tree == after.tree else ""


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
