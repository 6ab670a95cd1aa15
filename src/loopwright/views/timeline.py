"""The iterations of a loop with their check results, from the journal alone. Pure."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from itertools import chain, pairwise

from ..core import events as ev
from ..core.event import Event
from ..core.loop import Loop
from ..core.pausing.trajectory import IterationResult, best_iteration
from ..core.prompts.phrases import clip_text, count_phrase, duration
from .turn_history import changed_trees

NOTHING_CHANGED: Mapping[tuple[str, str], str] = {}
# Events after which the results of the current iteration are read again.
CHANGES_RESULTS = (ev.LoopStarted, ev.CheckRan, ev.CheckRoundStarted, ev.CheckRoundEnded)


def waypoints_from_journal(
    moves: Iterable[tuple[Event, ...]], before: Loop | None = None
) -> tuple[IterationResult, ...]:
    """The baseline, then every iteration that counted.

    With the loop `before` the moves, only the iterations that they hold.
    """
    points: list[IterationResult] = []
    loop = before
    for event in chain.from_iterable(moves):
        if loop is None:
            if isinstance(event, ev.LoopStarted):
                loop = event.loop
                points.append(with_check_results(_baseline_point(loop), loop))
            continue
        if isinstance(event, ev.TurnEnded) and event.counts_as_iteration:
            commit = event.kept_commit or _commit_of_tree(points, event.tree)
            number, dollars = loop.spend.iterations + 1, event.dollars
            points.append(IterationResult(number, event.tree, commit, dollars=dollars))
        loop = event.apply(loop)
        if points and isinstance(event, ev.TurnEnded):
            points[-1] = points[-1].but(seconds=loop.spend.seconds)
        if points and isinstance(event, CHANGES_RESULTS):
            points[-1] = with_check_results(points[-1], loop)
    return tuple(points)


def _baseline_point(loop: Loop) -> IterationResult:
    # Without git the tree id is the digest of copies, and there is no commit.
    commit = loop.baseline.tree_id if len(loop.baseline.tree_id) == 40 else ""
    return IterationResult(0, loop.tree, commit)


def _commit_of_tree(points: list[IterationResult], tree: str) -> str:
    """An iteration that changed no file has the commit of an earlier one with the same tree."""
    return next((point.commit for point in reversed(points) if point.tree == tree), "")


def with_check_results(point: IterationResult, loop: Loop) -> IterationResult:
    """The iteration with the results of our own checks on its tree."""
    results: list[tuple[str, bool]] = []
    failure_counts: list[tuple[str, int]] = []
    for c in loop.criteria:
        proof = c.proof
        if not proof or proof.by != "loop" or proof.tree != loop.tree:
            continue
        results.append((proof.criterion, proof.passed))
        if not proof.passed and proof.failures is not None:
            failure_counts.append((proof.criterion, proof.failures))
    return point.but(results=tuple(results), failure_counts=tuple(failure_counts))


def rows(
    points: tuple[IterationResult, ...], changed: Mapping[tuple[str, str], str] = NOTHING_CHANGED
) -> list[str]:
    """One line for each iteration; a star marks the best one that has a commit.

    `changed` has the files that changed between two trees.
    """
    best = best_iteration(points)
    lines = []
    for before, point in zip((None, *points), points, strict=False):
        mark = "★" if point == best else " "
        spent = " " * 14
        if point.number:
            seconds = point.seconds - (before.seconds if before else 0.0)
            spent = f"{duration(seconds):>6}  ${point.dollars:.2f} "
        files = changed.get(changed_trees(before.tree if before else point.tree, point.tree), "")
        text = f"{_results_text(point)}{f'  {files}' if files else ''}"
        lines.append(f"  {mark} {point.number:>3}  {spent} {text}")
    return lines


def tree_pairs(points: tuple[IterationResult, ...]) -> set[tuple[str, str]]:
    """The trees before and after each iteration that changed files, as git names them."""
    pairs = {changed_trees(a.tree, b.tree) for a, b in pairwise(points)}
    return {pair for pair in pairs if pair[0]}


def _results_text(point: IterationResult) -> str:
    text = "no check has run"
    if point.results:
        passed = sum(passes for _, passes in point.results)
        text = f"{passed} of {count_phrase(len(point.results), 'check')} pass"
        for name, count in point.failure_counts:
            text += f", {name} {count} failing"
    if not point.commit:
        text += " (not kept)"
    return clip_text(text, 110)


def facts(points: tuple[IterationResult, ...]) -> list[dict[str, object]]:
    best = best_iteration(points)
    return [
        {
            "iteration": point.number,
            "tree": point.tree,
            "commit": point.commit or None,
            "results": dict(point.results),
            "failures": dict(point.failure_counts),
            "best": point == best,
        }
        for point in points
    ]
