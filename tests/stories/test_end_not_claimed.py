"""All criteria are met and the agent never claims the end, through the real hook; the rest is in tests/core."""

from __future__ import annotations

from loopwright.core.prompts.spec import EXIT_REQUEST, NO_EXIT_REASON
from tests.support.hook import SESSION, prompts, stop

QUESTION = "All criteria are proven; the agent has not claimed the end. Finish? [y/n]"
NOTE = "the agent did not claim the end"


def test_without_gates_one_reminder_is_enough(project):
    here = project()
    here.start("--check", "done=test -e done.txt", "--session", SESSION)
    here.write({"done.txt": "x"})

    reminded = stop(here, "I wrote the file.").prompt
    said = stop(here, "What else?").message

    assert reminded.splitlines()[0] == NO_EXIT_REASON
    assert EXIT_REQUEST in reminded
    assert "<loop-complete>" in said
    assert NOTE in said
    assert here.ended.status == "finished"


def test_with_gates_the_person_is_asked_in_the_session_and_a_yes_ends_it(project):
    here = project()
    here.start("--check", "done=test -e done.txt", "--session", SESSION)
    loop = here.loop
    here.run("cancel")
    colleague = loop.but(shape=loop.shape.but(name="colleague"), gates_enabled=True)
    here.create(colleague)
    here.write({"done.txt": "x"})
    for _ in range(4):  # the first finds a new file, the others are talk
        answered = stop(here, "It is fine.")

    assert QUESTION in answered.message
    assert here.loop.status == "asking"

    assert NOTE in prompts(here, "y").out
    assert here.state["status"] == "completed"
