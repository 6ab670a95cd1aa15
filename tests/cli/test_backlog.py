"""loop backlog: what a discovery loop has found and done, by whoever types it; a slip is an error, never a new entry."""

from __future__ import annotations

import pytest

from loopwright.core.discovery.backlog import MAX_ITEMS, MAX_TEXT
from tests.support.builders import a_discovery_loop
from tests.support.discovery import AGENT, section, start_discovery
from tests.support.hook import block, stop
from tests.support.project import Project

MENU, STATE, TYPO = "the menu overlaps", "no empty state", "a typo in the title"


@pytest.fixture
def backlog_project(project) -> Project:
    return start_discovery(project(), "--tasks", f"{MENU}; {STATE}; {TYPO}")


def test_the_list_has_numbers_focus_and_what_is_done(backlog_project: Project) -> None:
    backlog_project.run("backlog", "done", TYPO)
    backlog_project.run("backlog", "focus", "keyboard", "reach")

    assert backlog_project.run("backlog").out.splitlines() == [
        "Focus: keyboard reach",
        "Backlog (3 found, 1 fixed):",
        f"  1. {MENU}",
        f"  2. {STATE}",
        "Completed:",
        f"  ✓ {TYPO}",
    ]
    assert backlog_project.run("backlog", "list").out == backlog_project.run("backlog").out


def test_an_empty_one_says_so(project) -> None:
    assert (
        start_discovery(project()).run("backlog").out
        == "Focus: (none)\nBacklog (0 found, 0 fixed):\n  (empty)\n"
    )


def test_what_is_added_is_listed_counted_and_on_the_page_and_each_once(
    backlog_project: Project,
) -> None:
    said = backlog_project.run(
        "backlog", "add", "weak contrast", "- [ ] weak  contrast", f"{MENU}.", "tiny\ntap\ttargets"
    )

    assert "  4. weak contrast\n  5. tiny tap targets\n" in said.out
    assert "5 found" in said.out
    assert section(backlog_project, "Backlog").endswith(
        f"- {TYPO}\n- weak contrast\n- tiny tap targets"
    )


BY: dict[str, tuple[tuple[str, ...], tuple[str, ...]]] = {
    "its words": ((STATE,), (STATE,)),
    "its words, otherwise written": (("  No EMPTY state. ",), (STATE,)),
    "a part that only it has": (("overlaps",), (MENU,)),
    "its number": (("2",), (STATE,)),
    "several numbers, all of the list before": (("1", "2"), (MENU, STATE)),
    "a number and words": (("3", MENU), (TYPO, MENU)),
}


@pytest.mark.parametrize(("words", "done"), BY.values(), ids=BY)
def test_an_item_is_done_by(
    backlog_project: Project, words: tuple[str, ...], done: tuple[str, ...]
) -> None:
    said = backlog_project.run("backlog", "done", *words)

    assert said.code == 0, said.err
    assert backlog_project.loop.backlog.done == done
    assert set(backlog_project.loop.backlog.items) == {MENU, STATE, TYPO} - set(done)
    assert sorted(section(backlog_project, "Completed").splitlines()) == sorted(
        f"- {text}" for text in done
    )


def test_a_focus_leads_and_is_gone_when_its_item_is_done(backlog_project: Project) -> None:
    backlog_project.run("backlog", "focus", STATE)
    assert f"🎯 Go on with: {STATE}" in stop(backlog_project).prompt
    assert section(backlog_project, "Current Focus") == STATE

    backlog_project.run("backlog", "done", STATE)
    assert f"🎯 Go on with: {MENU}" in stop(backlog_project).prompt


def test_notes_are_added_below_those_that_are_there(backlog_project: Project) -> None:
    backlog_project.run("backlog", "note", "colours come from tokens.css")
    backlog_project.run("backlog", "note", "ask", "Anna")

    assert section(backlog_project, "Notes") == "- colours come from tokens.css\n- ask Anna"


def test_json_is_the_facts_after_it_was_done(backlog_project: Project) -> None:
    facts = backlog_project.run("backlog", "done", "1", "--json").json

    assert (facts["items"], facts["done"]) == ([STATE, TYPO], [MENU])
    assert {name: facts[name] for name in ("preset", "mode", "task_mode", "found", "fixed", "idle", "dry")} == {
        "preset": "ui", "mode": "exploitation", "task_mode": False, "found": 3, "fixed": 1, "idle": 0, "dry": 0,
    }  # fmt: skip


def test_text_and_json_name_the_same_focus(project) -> None:
    """In task mode it is the first item; while a guard is broken, the guard."""
    here = start_discovery(project(), "--task-mode", "--tasks", f"{MENU}; {STATE}")

    assert here.run("backlog", "--json").json["focus"] == MENU
    assert f"Focus: {MENU}\n" in here.run("backlog").out


def test_a_focus_without_words_clears_it(backlog_project: Project) -> None:
    backlog_project.run("backlog", "focus", "the dialogs")
    assert "Focus: the dialogs\n" in backlog_project.run("backlog").out

    assert "Focus: (none)\n" in backlog_project.run("backlog", "focus").out


WRONG: dict[str, tuple[tuple[str, ...], int, str]] = {
    "words that no item has": (
        ("done", "the logo"),
        1,
        "no open item 'the logo'. See them: loop backlog",
    ),
    "words that two items have": (("done", "the"), 1, "no open item 'the'"),
    "a number beyond the list": (("done", "4"), 1, "no open item '4'"),
    "number nought": (("done", "0"), 1, "no open item '0'"),
    "one right and one wrong": (("done", MENU, "the logo"), 1, "no open item 'the logo'"),
    "nothing to add": (("add",), 1, "what? For example: loop backlog add TEXT"),
    "empty words": (("add", " ", "- "), 1, "what? For example: loop backlog add TEXT"),
    "words for a list": (
        ("list", "the menu"),
        1,
        "list takes no words. To add it: loop backlog add 'the menu'",
    ),
    "no note": (("note", ""), 1, "what? For example: loop backlog note TEXT"),
    "no such action": (("drop", MENU), 64, "invalid choice: 'drop'"),
}


def test_a_slip_changes_nothing(backlog_project: Project) -> None:
    before = backlog_project.loop
    for words, code, says in WRONG.values():
        said = backlog_project.run("backlog", *words)

        assert (said.code, says in said.err) == (code, True), said.err
        assert backlog_project.loop == before


def test_a_full_backlog_takes_no_more(project) -> None:
    here = project()
    here.create(a_discovery_loop(*(f"item {number}" for number in range(MAX_ITEMS))))

    said = here.run("backlog", "add", "one more")

    assert said.code == 1
    assert (
        f"the backlog has {MAX_ITEMS} open items, and {MAX_ITEMS} is the most. Do some first"
        in said.err
    )


def test_a_long_item_is_cut_and_cannot_hide_in_a_comment(backlog_project: Project) -> None:
    backlog_project.run("backlog", "add", "x" * 1_000, "<!-- unseen --> seen")

    assert backlog_project.loop.backlog.items[3:] == ("x" * MAX_TEXT, "< !-- unseen -- > seen")


@pytest.mark.parametrize(
    "words", [("list",), ("add", "weak contrast"), ("done", MENU), ("focus", STATE), ("note", "hm")]
)
def test_an_agent_may_do_all_of_it(backlog_project: Project, words: tuple[str, ...]) -> None:
    assert backlog_project.run("backlog", *words, **AGENT).code == 0


@pytest.mark.parametrize("how", ["paused", "asking"])
def test_a_loop_that_waits_still_takes_notes_and_goes_on_waiting(
    backlog_project: Project, how: str
) -> None:
    if how == "paused":
        backlog_project.run("pause")
    else:
        stop(backlog_project, block({}, "ASK: Which?"))

    assert backlog_project.run("backlog", "add", "weak contrast").code == 0
    assert backlog_project.loop.status == how
    assert "- weak contrast" in section(backlog_project, "Backlog")


def test_a_loop_on_a_spec_has_none(project) -> None:
    here = project()
    here.start()

    said = here.run("backlog", "add", MENU)

    assert said.code == 1
    assert (
        "this loop works on a spec and has no backlog. One that improves: loop start --preset NAME SCOPE"
        in said.err
    )


def test_without_a_loop_the_way_to_one_is_shown(project) -> None:
    said = project().run("backlog")

    assert (said.code, "no active loop in this folder. Start one: loop start" in said.err) == (
        1,
        True,
    )
