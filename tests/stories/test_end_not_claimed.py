"""All criteria are met and the agent never claims the end, through the real hook; the rest is in tests/core."""

from __future__ import annotations

from loopwright.core.prompts.spec import EXIT_REQUEST, NO_EXIT_REASON
from tests.support.hook import SESSION, stop

NOTE = "the agent did not claim the end"


def test_without_gates_one_reminder_is_enough(project):
    here = project()
    here.start("--check", "done=test -e done.txt", "--session", SESSION)
    here.write({"done.txt": "x"})

    reminded = stop(here, "I wrote the file.").prompt
    said = stop(here, "What else?").message

    assert reminded.splitlines()[0] == NO_EXIT_REASON
    assert EXIT_REQUEST in reminded
    assert "Shown:\n  ✓" in said
    assert NOTE in said
    assert here.ended.status == "finished"
