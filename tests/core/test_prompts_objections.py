"""Lists of findings are cut after so many rows, and only a client with a task list hears of it."""

from __future__ import annotations

import pytest

from loopwright.core.findings import HIGH, MEDIUM, Finding
from loopwright.core.prompts.objections import MAX_ROWS, acceptance_question, objection_lines
from loopwright.core.prompts.parts import TASK_LIST_HINT
from loopwright.core.prompts.spec import continue_prompt, opening_prompt
from tests.support.builders import a_loop


def loop_with(severity: str, number: int):
    findings = (Finding(severity, "a test is gone", f"test_{n}.py") for n in range(number))
    return a_loop(findings=tuple(findings))


@pytest.mark.parametrize(("number", "last"), [(MAX_ROWS, "test_11.py"), (MAX_ROWS + 2, "2 more")])
def test_the_agent_is_told_twelve_objections_and_how_many_more_there_are(
    number: int, last: str
) -> None:
    lines = objection_lines(loop_with(HIGH, number))

    assert last in lines[-1]
    assert len([line for line in lines if ".py" in line]) == MAX_ROWS


@pytest.mark.parametrize("more", [0, 2])
def test_a_yes_accepts_only_the_findings_that_were_shown(more: int) -> None:
    loop = loop_with(MEDIUM, MAX_ROWS + more)

    question, keys = acceptance_question(loop, "Go on?")

    assert ("- and 2 more, which a yes does not accept\nGo on?" in question) == bool(more)
    assert keys == tuple(finding.key for finding in loop.baseline.findings[:MAX_ROWS])


@pytest.mark.parametrize("offered", [True, False])
def test_only_a_client_with_a_task_list_hears_of_it(offered: bool) -> None:
    loop = a_loop(has_task_list=offered, protocol_due=True)

    assert (TASK_LIST_HINT in opening_prompt(loop)) == offered
    assert (TASK_LIST_HINT in continue_prompt(loop)) == offered, "told in full again"
