"""Whatever the checks, the look back, the held-out check and the reviewer answer: proven is said only when all of them agree."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from loopwright.core.criteria import Check, Criterion
from loopwright.core.directives import CompareWithBaseline, RunCheck
from loopwright.core.findings import HIGH, LOW, MEDIUM, Finding
from loopwright.core.limits import Limits
from loopwright.core.signals import BaselineComparison
from tests.support.builders import Story, a_loop, block, failed, order, passed, turn, with_check

DONE = block({"tests pass": True, "lint clean": True}, exit=True)
FINDINGS = st.lists(
    st.builds(
        Finding, st.sampled_from((HIGH, MEDIUM, LOW)), st.sampled_from("abc"), st.just("f.py")
    ),
    max_size=2,
)
ANSWERS = st.fixed_dictionaries(
    {
        "fine": st.sampled_from((True, True, True, True, False)),
        "findings": st.one_of(st.just([]), st.just([]), FINDINGS),
        "same": st.integers(0, 4),  # 0: the tree is another when hashed anew
        "touched": st.integers(0, 4),
        "outcome": st.sampled_from(("exit", "exit", "exit", "missing", "timeout")),
    }
)


def a_guarded_loop():
    last = (
        Criterion("no leaks", Check("(held out)", origin="holdout")),
        Criterion("review", Check("r", origin="review")),
    )
    criteria = (with_check("tests pass", guard=False), with_check("lint clean", guard=True))
    return a_loop(
        criteria=criteria,
        final_checks=last,
        tree_id="c0ffee",
        tree="tree-0",
        limits=Limits(iterations=50, stuck=30),
    )


class Told:
    """What was last said of each thing that must agree, and on which tree."""

    def __init__(self) -> None:
        self.fine: dict[str, str] = {}
        self.looked: tuple[str, list[Finding]] = ("", [])


def answer(story: Story, told: Told, given: dict) -> None:
    wanted = story.directive
    if isinstance(wanted, CompareWithBaseline):
        tree = wanted.tree if given["same"] else f"{wanted.tree}+"
        touched = () if given["touched"] else ("tests pass",)
        told.looked = (tree, given["findings"])
        story.tell(
            BaselineComparison(
                0.0, wanted.round, wanted.fence, tree, tuple(given["findings"]), touched
            )
        )
    elif isinstance(wanted, RunCheck):
        told.fine[wanted.criterion] = wanted.tree if given["fine"] else ""
        result = (
            passed(wanted.criterion)
            if given["fine"]
            else failed(wanted.criterion, outcome=given["outcome"])
        )
        story.tell(result)


@given(st.lists(ANSWERS, min_size=8, max_size=60), st.sets(st.integers(0, 60)))
def test_proven_means_that_all_agree_on_one_tree(answers, accepting):
    story, told = Story(a_guarded_loop()), Told()
    for number, given_now in enumerate(answers):
        if story.loop.status == "finished":
            break
        if story.loop.status == "paused":
            story.tell(order("continue", iterations=5))
        elif isinstance(story.directive, CompareWithBaseline | RunCheck):
            answer(story, told, given_now)
        else:
            story.tell(turn(DONE, f"tree-{number}"))
        if number in accepting and story.loop.baseline.findings and story.loop.status == "running":
            story.tell(order("accept", arguments=(story.loop.baseline.findings[0].key,)))

    if story.loop.status == "finished" and story.loop.verdict.proven:
        tree = story.loop.tree
        assert told.fine == dict.fromkeys(("tests pass", "lint clean", "no leaks", "review"), tree)
        looked, found = told.looked
        assert looked == tree
        assert {f.key for f in found if f.severity != LOW} <= set(
            story.loop.baseline.accepted_findings
        )
