"""loop start --preset: the flags of a loop that improves, who may say what, what is shown, and where it leaves its files."""

from __future__ import annotations

from pathlib import Path

import pytest

from loopwright.cli.start.next_step import no_hook_text
from loopwright.store import presets
from tests.support.discovery import AGENT, PAGE, archives, page, section, start_discovery
from tests.support.hook import SESSION, prompts, stop
from tests.support.project import CommandResult, Project

SCOPE = "polish the settings page"


def start(here: Project, *words: str, **env: str) -> CommandResult:
    return here.run("start", SCOPE, "--preset", "ui", *words, **env)


# --- flags ---


def test_the_screen_says_what_it_works_on_how_far_and_how_to_end_it(project) -> None:
    said = start(project(), "--max-iterations", "20", "--check", "tests stay green=true")

    assert said.code == 0
    assert said.out.splitlines() == [
        "Running once: tests stay green …",
        "[LOOP] Starting | Discovery: ui | Guards: 1 | Max: 20 iterations | Budget: $25 | End it: `loop cancel`",
        f"Scope: {SCOPE}",
        "Preset: ui, 9 suggestions, one a turn",
        "Backlog: empty, so the first turn explores",
        "Guards, run after every change:",
        "- tests stay green ← true (passing now)",
        "",
        "Limits: 20 iterations, $25, 480 minutes; whichever comes first pauses it.",
        f"State: {PAGE}, yours to read and to edit at any time.",
        "Claude Code lets go after 8 answers in a row without a tool call; the loop then pauses. "
        "To allow more, set CLAUDE_CODE_STOP_HOOK_BLOCK_CAP in the settings of Claude Code, or in a terminal: "
        "loop install --block-cap",
        *no_hook_text().splitlines(),
    ]


def test_the_repositorys_own_command_is_a_guard_without_a_flag(project) -> None:
    here = project({"Makefile": "test:\n\ttrue\n"})

    assert "- tests pass ← make test (passing now, found in the repository)" in start(here).out
    assert [c.name for c in here.loop.criteria] == ["tests pass"]


def test_without_any_guard_the_screen_says_so(project) -> None:
    assert "No guard: nothing tells when the work breaks something. Add one: --check" in (
        start(project()).out
    )


def test_tasks_are_the_first_items_each_once(project) -> None:
    here = project()
    said = start(
        here, "--tasks", "a menu that overlaps; - [ ] no empty state;; ; A menu that  overlaps"
    )

    assert "Backlog: 2 to begin with\n- a menu that overlaps\n- no empty state\n" in said.out
    assert section(here, "Backlog") == "- a menu that overlaps\n- no empty state"
    assert prompts(here, "go").prompt.count("🎯 Go on with: a menu that overlaps") == 1


@pytest.mark.parametrize("flag", ["--tasks", "--context", "--suggestions", "--task-mode"])
def test_any_flag_of_the_kind_asks_for_the_kind_and_the_preset_is_generic(
    project, flag: str
) -> None:
    here = project()
    value = {"--task-mode": (), "--suggestions": ("docs",)}.get(flag, ("some words",))

    assert here.run("start", SCOPE, flag, *value).code == 0
    assert (here.loop.policy, here.loop.backlog.preset) == ("discovery", "generic")


def test_suggestions_of_another_preset(project) -> None:
    here = project()
    start(here, "--suggestions", "docs")

    assert here.loop.backlog.suggestions == presets.find_preset("docs").suggestions
    assert here.loop.backlog.look_for == presets.find_preset("ui").look_for


def test_s30_the_whole_context_is_in_every_turn_and_on_the_page(project) -> None:
    context = "\n".join(f"line {number} of the context" for number in range(1, 31))
    here = start_discovery(project(), "--context", context)

    assert context in stop(here).prompt
    assert section(here, "Context") == context


def test_s10_a_scope_of_many_lines_stays_whole(project) -> None:
    scope = 'Improve the auth flow.\n\n- log in: "remember me"\n- log out'
    here = project()
    here.run("start", scope, "--preset", "ui", "--session", SESSION)

    assert scope in stop(here).prompt
    assert section(here, "Scope") == scope
    assert 'scope: "Improve the auth flow. - log in: \\"remember me\\" - log out"\n' in page(here)


def test_json_prints_facts_and_nothing_else(project) -> None:
    facts = start(project(), "--tasks", "a", "--json").json

    assert (facts["policy"], facts["backlog"]["items"]) == ("discovery", ["a"])


# --- what is wrong, and the way out ---

WRONG = {
    "an unknown preset": (("--preset", "uii"), "no preset 'uii'; did you mean 'ui'?"),
    "one that is like no other": (
        ("--preset", "qqq"),
        "there are: code-quality, deps, docs, generic,",
    ),
    "unknown suggestions": (("--suggestions", "dcos"), "no preset 'dcos'; did you mean 'docs'?"),
    "a guard without a command": (
        ("--criterion", "looks nice"),
        'a guard needs a command: --check "looks nice=COMMAND"',
    ),
    "too many iterations": (
        ("--max-iterations", "51"),
        "--iterations 51 is above 50. Add --yes if you mean it",
    ),
    "too much money": (("--budget", "101"), "--budget 101 is above 100. Add --yes if you mean it"),
    "no number": (("--max-iterations", "many"), "--iterations takes a number, not 'many'"),
    "none at all": (("--max-iterations", "0"), "--iterations takes a number above 0"),
}


def test_what_is_wrong_is_said_and_nothing_is_begun(project) -> None:
    here = project()
    for words, says in WRONG.values():
        said = start(here, *words)

        assert said.code == (64 if " takes a number" in says else 1)
        assert says in said.err
        assert not (here.root / ".loop").exists()
        assert not (here.root / PAGE).exists()


def test_a_guard_that_is_added_later_needs_a_command_too(project) -> None:
    here = start_discovery(project())

    assert here.run("criteria", "add", "looks nice").code == 1
    assert here.loop.criteria == ()


def test_without_a_scope_it_asks_for_one(project) -> None:
    said = project().run("start", "--preset", "ui")

    assert (said.code, "what is to be improved?" in said.err) == (1, True)


def test_a_second_loop_is_refused_and_replace_ends_the_first(project) -> None:
    here = project()
    start(here, "--tasks", "of the first")
    first = here.loop.id

    said = start(here)
    assert said.code == 1
    assert (
        f"a loop is running here: {SCOPE!r}. Continue it: loop continue. End it: loop cancel."
        in said.err
    )
    assert here.loop.id == first

    assert start(here, "--replace").code == 0
    assert here.loop.id != first
    assert "- of the first" in archives(here)[0]
    assert "of the first" not in page(here)


# --- limits ---


def limits(here: Project) -> tuple[float, float, float, int]:
    limit = here.loop.limits
    return limit.iterations, limit.minutes, limit.dollars, limit.idle


def test_the_limits_are_50_iterations_480_minutes_and_25_dollars(project) -> None:
    here = project()
    start(here)

    assert limits(here) == (50, 480, 25, 5)


def test_the_persons_settings_stand_over_them_and_flags_over_both(project) -> None:
    here = project()
    for name, value in (("iterations", "30"), ("minutes", "90"), ("dollars", "5"), ("idle", "4")):
        assert here.run("config", f"limits.{name}", value).code == 0
    start(here)
    assert limits(here) == (30, 90, 5, 4)

    start(here, "--replace", "--max-iterations", "40", "--budget", "50")
    assert limits(here) == (40, 90, 50, 4)

    start(here, "--replace", "--iterations", "80", "--yes")
    assert limits(here)[0] == 80


def test_a_projects_settings_may_only_lower_them(project) -> None:
    here = project({".loop.toml": "limits.iterations = 20\nlimits.dollars = 90\n"})
    start(here)

    assert limits(here) == (20, 480, 25, 5)


# --- where an agent types ---


def test_an_agent_gets_no_more_than_the_defaults(project) -> None:
    here = project()
    for words, says in [
        (("--max-iterations", "51"), "above the default; a higher limit is the person's to give"),
        (("--budget", "26"), "above the default"),
        (("--minutes", "481"), "above the default"),
        (("--yes",), "--yes is the person's to say"),
        (("--replace",), "--replace is the person's to say"),
        (("--volatile", "*"), "--volatile is the person's to say"),
        (("--pass-env", "TOKEN"), "--pass-env is the person's to say"),
    ]:
        said = start(here, *words, **AGENT)

        assert (said.code, says in said.err) == (1, True), said.err
        assert not (here.root / ".loop").exists()


def test_an_agent_may_go_below_them_and_begins_at_once(project) -> None:
    here = project()
    said = start(here, "--max-iterations", "5", "--budget", "3", **AGENT)

    assert said.code == 0, said.err
    assert limits(here) == (5, 480, 3, 5)
    assert "It runs, and you drive it. Begin now.\n\n[LOOP] Starting | Discovery: ui" in said.out
    assert "🔍 EXPLORATION: The backlog is empty" in said.out
    assert "How to work here:\nOne item is one flaw in one view" in said.out
    assert here.loop.lease.holder == SESSION


def test_a_guard_that_an_agent_proposes_waits_for_a_yes_and_runs_after_it(project) -> None:
    here = project()
    said = start(here, "--check", "stays green=touch .loop/ran", **AGENT)

    assert "- stays green ← touch .loop/ran (waits for your yes)" in said.out
    assert "It waits for the person's yes" in said.out
    assert here.loop.gate.question == "A yes also lets 1 listed command run at every stop. Start?"
    assert f"Scope: {SCOPE}" in stop(here, "Here is the plan.").message, (
        "the person reads it from us"
    )
    assert not (here.root / ".loop/ran").exists()

    told = prompts(here, "yes").prompt
    assert told.startswith("[LOOP] Starting | Discovery: ui | Guards: 1")
    stop(here, "working")
    assert (here.root / ".loop/ran").exists()
    assert here.loop.unmet_criteria == ()


def test_a_guard_that_has_not_run_yet_is_no_reason_to_mend(project) -> None:
    here = project()
    start(here, "--check", "stays green=true", **AGENT)

    assert "🔍 EXPLORATION: The backlog is empty" in prompts(here, "yes").prompt
    assert "Mend" not in page(here) + here.run("status").out


def test_a_guard_that_was_not_agreed_to_never_runs_and_never_holds(project) -> None:
    here = project()
    start(here, "--check", "stays green=touch .loop/ran; false", **AGENT)

    assert "waits for the person's yes" in prompts(here, "mind the logo").prompt
    assert stop(here, "talking").prompt == ""
    assert here.run("continue", "--unproven").code == 0
    assert "Mend" not in stop(here, "working").prompt
    assert not (here.root / ".loop/ran").exists()


# --- files ---


def test_a_page_that_lies_here_is_archived_when_another_loop_starts(project) -> None:
    here = project()
    here.write({PAGE: "## Scope\n\nof an older loop\n"})
    start(here)

    assert archives(here) == ["## Scope\n\nof an older loop\n"]
    assert f"## Scope\n\n{SCOPE}\n" in page(here)


@pytest.mark.parametrize(
    "theirs",
    [False, True],
    ids=["nobody ignores anything there", "the project has its own list there"],
)
def test_add_takes_nothing_of_ours_along(project, theirs: bool) -> None:
    here = project()
    if theirs:
        here.write({".claude/.gitignore": "*.log\n"})
        here.commit()
    for _ in range(2):
        start(here, "--replace")
        stop(here)

    assert (here.root / ".claude/.gitignore").read_text() == (
        "*.log\n" if theirs else "/loop-state*\n/loop-history/\n/.gitignore\n"
    )
    here.git("add", "-A")
    assert here.git("status", "--porcelain") == ""


def test_where_the_page_cannot_lie_nothing_starts(project) -> None:
    here = project({".claude": "a file in its place\n"})
    said = start(here)

    assert (
        said.code,
        "the page of the loop is in .claude, which cannot be written" in said.err,
    ) == (1, True)
    assert here.folder.read_loop() is None


def test_a_spec_loop_leaves_git_and_the_clients_folder_alone(project) -> None:
    here = project()
    (here.root / ".git/info").mkdir(exist_ok=True)
    (here.root / ".git/info/exclude").write_text("*.log")
    here.start()

    assert (here.root / ".git/info/exclude").read_text() == "*.log"
    assert not (here.root / ".claude").exists()


def test_without_git_it_works_as_well(tmp_path: Path) -> None:
    here = start_discovery(
        Project(tmp_path / "plain", {"a.md": "a\n"}, git=False), "--tasks", "a; b"
    )

    stop(here)
    assert "Idle streak: 2" in stop(here).prompt
    here.write({"a.md": "b\n"})
    assert "Idle streak" not in stop(here).prompt
