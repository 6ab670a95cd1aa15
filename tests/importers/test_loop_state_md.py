"""A page of the seed's own plugin with no journal beside it: `loop start --resume` goes on from there, and keeps every word."""

from __future__ import annotations

from pathlib import Path

import pytest

from loopwright.core.discovery.backlog import EXPLOITATION, EXPLORATION
from loopwright.formats.markdown_page import MAX_CHARS, BacklogPage
from loopwright.store.config import user_file
from loopwright.store.presets import built_in_presets
from tests.support.discovery import PAGE
from tests.support.hook import SESSION, stop
from tests.support.project import CommandResult, Project

HEAD = """---
mode: discovery
preset: ui
iteration: 3
max_iterations: 20
scope: Polish the settings page
idle_streak: 0
task_started_at: 1
issues_found: 4
issues_fixed: 2
---
"""
BODY = """
## Scope
Polish the settings page <!-- not the footer -->

## Current Focus
The menu

## Backlog
(Tasks discovered but not yet addressed)
- fix menu (mobile)   <!-- Ann saw it -->
  it overlaps
- [ ] name the buttons
- [x] one ticked by hand

<!-- ask Tim
about these -->

## Completed
- colours

## Notes
iteration: 3 of the parser had the bug
"""
README = HEAD + BODY


def put(here: Project, text: str | bytes) -> Path:
    path = here.root / PAGE
    path.parent.mkdir(exist_ok=True)
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    return path


def resume(here: Project, text: str | bytes = README, *words: str) -> CommandResult:
    put(here, text)
    return here.run("start", "--resume", *words)


def live(here: Project) -> str:
    return (here.root / PAGE).read_bytes().decode()


# --- all that the page says ---


def test_the_readmes_page_becomes_a_loop_that_goes_on_from_there(here: Project) -> None:
    said = resume(here)
    loop, b = here.loop, here.loop.backlog

    assert (said.code, said.err) == (0, "")
    assert "Polish the settings page" in said.out
    assert (loop.policy, loop.status, loop.spec) == (
        "discovery",
        "running",
        "Polish the settings page",
    )
    assert (b.items, set(b.done)) == (
        ("fix menu (mobile)", "name the buttons"),
        {"colours", "one ticked by hand"},
    )
    assert (b.focus, b.notes) == ("The menu", "iteration: 3 of the parser had the bug")
    assert (b.preset, b.suggestions, b.mode) == (
        "ui",
        built_in_presets()["ui"].suggestions,
        EXPLOITATION,
    )


def test_counters_and_limit_are_kept(here: Project) -> None:
    resume(here)

    assert (here.loop.spend.iterations, here.loop.limits.iterations) == (2, 20)
    assert (here.loop.backlog.found_count, here.loop.backlog.fixed_count) == (4, 2)
    found = BacklogPage(live(here))
    assert [
        found.number_field(name)
        for name in ("iteration", "max_iterations", "issues_found", "issues_fixed")
    ] == [3, 20, 4, 2]


def test_s11_the_field_that_the_readme_lacks_is_added(here: Project) -> None:
    resume(here)

    assert BacklogPage(live(here)).number_field("exploration_streak") == 0


def test_every_word_outside_the_frontmatter_stays_in_the_live_page_but_what_was_ticked_moves(
    here: Project,
) -> None:
    resume(here)

    ticked = "- [x] one ticked by hand\n"
    assert live(here).endswith(
        BODY.replace(ticked, "").replace("- colours\n", f"- colours\n{ticked}")
    )


def test_what_was_there_is_kept_as_a_backup(here: Project) -> None:
    resume(here)

    assert (here.root / ".claude/loop-state.backup.md").read_text() == README
    assert not (here.root / ".claude/loop-history").exists()


def test_fields_of_somebody_else_and_their_comments_stay(here: Project) -> None:
    resume(here, README.replace("iteration: 3\n", 'iteration: 3  # since Monday\nticket: "A: 1"\n'))

    assert 'iteration: 3  # since Monday\nticket: "A: 1"\n' in live(here)


def test_the_next_stop_goes_on_with_the_next_iteration(here: Project) -> None:
    resume(here, README, "--session", SESSION)
    assert here.loop.lease.holder == SESSION

    said = stop(here, "still at it").prompt
    assert "Iteration 4 of 20" in said
    assert "- fix menu (mobile)\n- name the buttons\n" in said
    assert "Ann" not in said, "comments are between people"
    assert here.loop.backlog.items == ("fix menu (mobile)", "name the buttons")


# --- in whatever form ---


@pytest.mark.parametrize("mark", [b"", b"\xef\xbb\xbf"], ids=["no mark", "byte order mark"])
def test_s23_with_crlf(here: Project, mark: bytes) -> None:
    text = README.replace("max_iterations: 20", "max_iterations: 3")
    said = resume(here, mark + text.replace("\n", "\r\n").encode())

    assert (said.code, here.loop.limits.iterations, here.loop.spend.iterations) == (0, 3, 2)
    assert here.loop.spec == "Polish the settings page"
    assert here.loop.backlog.items == ("fix menu (mobile)", "name the buttons")
    assert live(here).count("\n") == live(here).count("\r\n")
    assert live(here).encode().startswith(mark + b"---\r\n")


NUMBERS = {
    "s24 quoted": ('iteration: "4"', "max_iterations: '10'", (3, 10)),
    "s24 nought": ("iteration: 0", "max_iterations: 0", (0, 50)),
    "past the end": ("iteration: 12", "max_iterations: 10", (9, 10)),
    "more than a file may ask for": ("iteration: 1", "max_iterations: 5000", (0, 50)),
    "negative": ("iteration: -3", "max_iterations: -1", (0, 50)),
}


@pytest.mark.parametrize(("iteration", "most", "counted"), NUMBERS.values(), ids=NUMBERS)
def test_s24_numbers(here: Project, iteration: str, most: str, counted: tuple[int, int]) -> None:
    text = README.replace("iteration: 3\nmax_iterations: 20", f"{iteration}\n{most}", 1)

    assert resume(here, text).code == 0
    assert (here.loop.spend.iterations, here.loop.limits.iterations) == counted


def test_a_file_does_not_raise_what_the_user_has_set(here: Project) -> None:
    Path(user_file()).parent.mkdir(parents=True)
    Path(user_file()).write_text("limits.iterations = 7\n")
    resume(here)

    assert here.loop.limits.iterations == 7


def test_s10_a_scope_of_many_lines_is_kept_whole(here: Project) -> None:
    scope = "Improve auth flow.\n\n- login\n- logout\n\n### Not\n\nthe tokens"
    resume(here, README.replace("Polish the settings page <!-- not the footer -->", scope))

    assert here.loop.spec == scope
    assert f"## Scope\n{scope}\n\n## Current Focus\n" in live(here)


def test_without_a_section_the_frontmatter_says_the_scope(here: Project) -> None:
    resume(here, HEAD + "## Backlog\n- only one\n")

    assert (here.loop.spec, here.loop.backlog.items) == ("Polish the settings page", ("only one",))


@pytest.mark.parametrize("items", ["(Tasks discovered but not yet addressed)\n", "- [x] done\n"])
def test_with_an_empty_backlog_it_explores(here: Project, items: str) -> None:
    resume(here, f"{HEAD}\n## Backlog\n{items}\n## Completed\n")

    assert (here.loop.backlog.items, here.loop.backlog.mode) == ((), EXPLORATION)


def test_context_is_taken_along_whole(here: Project) -> None:
    context = "\n".join(f"line {n}" for n in range(15))
    resume(here, f"{README}\n## Context\n{context}\n")

    assert here.loop.backlog.context == context


def test_an_item_that_is_written_twice_is_one(here: Project) -> None:
    resume(here, f"{HEAD}\n## Backlog\n- Fix it.\n- fix it\n- other\n## Completed\n- other\n")

    b = here.loop.backlog
    assert b.items == ("Fix it.", "other")
    assert not set(b.items) & set(b.done), "open and done at once is neither"


def test_a_preset_that_nobody_knows_is_generic(here: Project) -> None:
    resume(here, README.replace("preset: ui", "preset: gone"))

    assert here.loop.backlog.preset == "generic"
    assert here.loop.backlog.suggestions == built_in_presets()["generic"].suggestions


# --- nothing to go on from ---

NOTHING = {
    "no page": None,
    "an empty page": "",
    "a page without a scope": "## Backlog\n- one\n",
    "an empty scope": "---\nscope: \n---\n## Scope\n\n## Backlog\n- one\n",
    "not utf-8": b"---\nscope: \xff\n---\n",
    "prose": "just a note\n",
}


@pytest.mark.parametrize("text", NOTHING.values(), ids=NOTHING)
def test_without_a_page_that_says_what_it_is_about_there_is_nothing_to_resume(
    here: Project, text: str | bytes | None
) -> None:
    if text is not None:
        put(here, text)
    before = (here.root / PAGE).read_bytes() if text is not None else b""
    said = here.run("start", "--resume")

    assert (said.code, said.out) == (1, "")
    assert "No active loop to resume. Start without --resume." in said.err
    assert here.folder.read_loop() is None
    assert text is None or (here.root / PAGE).read_bytes() == before


@pytest.mark.parametrize("letter", ["x", "ü"])
def test_a_page_that_is_too_long_loses_nothing(here: Project, letter: str) -> None:
    said = resume(here, README + letter * (5 * MAX_CHARS) + "\nthe end\n")

    assert "our own error" not in said.err
    assert live(here).endswith("\nthe end\n")


def test_a_new_loop_over_such_a_page_archives_it(here: Project) -> None:
    put(here, README)
    assert here.run("start", "--preset", "docs", "mend the readme").code == 0

    (kept,) = (here.root / ".claude/loop-history").iterdir()
    assert kept.read_text() == README
    assert here.loop.spec == "mend the readme"
