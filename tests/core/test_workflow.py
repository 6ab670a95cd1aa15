"""Workflow: build, debug or refactor, by the words of the spec."""

import pytest

from loopwright.core.prompts.workflow_steps import STEP_ZERO, USUAL_STEPS
from loopwright.core.start.workflow import detect_workflow, reversibility


@pytest.mark.parametrize(
    ("spec", "letter", "sure"),
    [
        pytest.param("add a login page", "A", True, id="build"),
        pytest.param("Implement the parser", "A", True, id="build, in capitals"),
        pytest.param("fix all failing tests", "B", True, id="debug"),
        pytest.param("the build is broken", "B", True, id="debug, a tie with build"),
        pytest.param("refactor the parser", "C", True, id="refactor"),
        pytest.param(
            "Our Customer has a mail.\n- Rename `mail` to `email`\n- The form rejects one without @",
            "A",
            True,
            id="a rename, and new behaviour",
        ),
        pytest.param("clean up and reorganize the tests", "C", True, id="refactor, two words"),
        pytest.param("add a test that shows the bug", "B", True, id="a tie goes to B"),
        pytest.param("create it, then refactor it", "C", True, id="a tie goes to C before A"),
        pytest.param("Add top.sh: it prints the ERROR lines", "A", True, id="an error is a thing"),
        pytest.param('write "no bug, no crash" into NEWS', "A", True, id="a quoted text"),
        pytest.param("fix it by refactor", "B", True, id="a tie goes to B before C"),
        pytest.param("create, build and write the broken one", "A", True, id="most hits win"),
        pytest.param(
            "fix the export: add quotes, write tests, support CRLF, create a case",
            "B",
            True,
            id="a repair stays one, whatever is built for it",
        ),
        pytest.param("the total is wrong for empty carts", "B", True, id="a bug without its name"),
        pytest.param("the login page", "A", False, id="no hit is A, unsure"),
        pytest.param("", "A", False, id="nothing is A, unsure"),
        pytest.param(
            "the parser:\nfix what fails", "B", True, id="a word at the beginning of a line"
        ),
        pytest.param(
            "ring_dump and ring_level are never used, delete them", "C", True, id="never used"
        ),
        pytest.param("delete the dead function shorten", "C", True, id="dead code by its kind"),
        pytest.param("add type annotations to jobs.py", "C", True, id="types change nothing"),
        pytest.param("Move the tests to tests/.", "C", True, id="moved tests"),
        pytest.param("Convert tests/test_q.py from unittest to pytest", "C", True, id="converted"),
        pytest.param(
            "Move the pytest settings from setup.cfg to pyproject.toml", "C", True, id="settings"
        ),
        pytest.param(
            "move money from packages/cli to packages/core. cli uses it from core",
            "C",
            True,
            id="moved code",
        ),
        pytest.param("Remove _old_wrap from mailer/text.py.", "C", True, id="removed code"),
        pytest.param("We drop XML export. Delete src/xml.js and its test.", "C", True, id="a file"),
        pytest.param("old/a.py is not used any more. Delete it.", "C", True, id="not used"),
        pytest.param("The cache is not used. Delete old entries.", "A", False, id="not in code"),
        pytest.param("Add a login. Move the tests to tests/.", "A", True, id="a feature, too"),
        pytest.param("Remove trailing blanks from the output", "A", False, id="other output too"),
        pytest.param("Move the player left on a key", "A", False, id="something in a game moves"),
        pytest.param("Move the settings page into the sidebar", "A", False, id="a page moves"),
        pytest.param("Convert the output of report.py to JSON", "A", False, id="other output"),
        pytest.param("add a dead letter queue", "A", True, id="dead, but no code"),
        pytest.param("login page (fix)", "B", True, id="a word in brackets"),
        pytest.param("prefix every name", "A", False, id="a word inside another is no hit"),
        pytest.param("rename.sh breaks on blanks. Add a test.", "A", True, id="a file's name"),
        pytest.param("Once renamed, name() gives the old one.", "A", False, id="it was renamed"),
        pytest.param("getUser should be renamed to findUser", "C", True, id="it shall be renamed"),
        pytest.param(
            "pay_all in a.py is dead. Remove it and its test.", "C", True, id="it is dead"
        ),
        pytest.param("Extend the stack: Pop() (int, error)", "A", True, id="an error as a type"),
    ],
)
def test_detect(spec, letter, sure):
    found = detect_workflow(spec)

    assert (found.letter, found.sure) == (letter, sure)
    assert found.step_zero == (STEP_ZERO[letter] if sure else "")
    assert found.step_zero_note == ""


def test_every_workflow_has_steps_of_its_own():
    assert set(USUAL_STEPS) == set(STEP_ZERO) == {"A", "B", "C"}
    assert all(len(steps) >= 3 for steps in USUAL_STEPS.values())


@pytest.mark.parametrize(
    ("spec", "kind"),
    [
        ("fix a typo", "2A"),
        ('write a page "Breaking changes"', "2A"),
        ("upgrade the dependencies", "2B"),
        ("refactor the parser", "2B"),
        ("change the database schema", "1"),
        ("a Breaking Change of the public API", "1"),
        ("migrate the production database", "1"),
        ("add zod, no new dependencies", "2A"),
        ("drop the old users table", "1"),
        ("drop the column of the production database", "1"),
        ("deploy it to production", "1"),
        ("cut a new release", "1"),
        ("release version 2.0 on PyPI: publish it there, to pypi", "1"),
        ("Release 0.4.0: set the version and add a changelog entry", "2A"),
        ("fix settings/production.py: secure cookies", "2A"),
        ("a prerelease sorts before its release", "2A"),
        ("close() releases a file that is still open", "2A"),
        ("print the schema as JSON", "2A"),
        ("the report reads its rows from the database", "2A"),
    ],
)
def test_reversibility(spec, kind):
    assert reversibility(spec) == kind
