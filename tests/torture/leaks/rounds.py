"""What happens in a loop, with a text of somebody else's in every place: `give(FIELD)` is the text to put there."""

from __future__ import annotations

import json
import os
import subprocess
from collections.abc import Callable
from pathlib import Path

from loopwright.store.presets import user_files
from tests.support.discovery import PAGE, cycle
from tests.support.hook import OTHER, SESSION, block, calls, event, returns, says, stop_event
from tests.support.plan_projects import a_plan, a_task
from tests.support.project import WHO
from tests.torture.leaks.world import World, argument, flat, put

Give = Callable[[str], str]
AGENT = {"CLAUDECODE": "1", "CLAUDE_CODE_SESSION_ID": SESSION}


def speaks(world: World, give: Give) -> None:
    """The last message of a turn, what the transcript tells of it, and what the check prints."""
    lines = [
        f"{name}: {flat(give(f'block {name}'))}"
        for name in ("GATE", "ALT", "RISK", "NEXT", "CONFIDENCE", "POINTS")
    ]
    step = f"STEP_DONE: {flat(give('step'))} | {flat(give('step note'))}"
    met = {
        "docs read well": {
            "met": True,
            "verification": "observation",
            "evidence": give("evidence"),
        },
        give("criterion"): True,
    }
    world.transcript.assistant(
        calls("Bash", command=give("tool command")),
        calls("Edit", "toolu_2", file_path=give("edited file")),
        id=give("message id"),
    )
    world.transcript.user(
        returns(give("tool error"), error=True),
        returns([says(give("tool words"))], "toolu_2", error=True),
    )
    put(world.here.root / "out.txt", give("check output"))
    world.stops(f"{flat(give('prose'))}\n{block(met, *lines, step)}")


def works(world: World, give: Give) -> None:
    """What the repository holds: names of files, the message of a commit, a branch, guides, settings."""
    root = world.here.root
    name = (
        give("file name").replace("/", "∕").replace("\0", "").encode("utf-8", "replace")[:200]
        or b"x"
    )
    put(Path(os.fsdecode(os.path.join(os.fsencode(root), name))), give("file content"))
    message, branch = (argument(give(field)) for field in ("commit message", "branch"))
    for words in (["add", "-A"], ["commit", "-q", "-m", message], ["checkout", "-q", "-b", branch]):
        subprocess.run(
            ["git", *words], cwd=root, env={**os.environ, **WHO}, capture_output=True, check=False
        )
    for place in ("CLAUDE.md", ".loop/notes.md", ".loop.toml", ".gsd/STATE.md"):
        put(root / place, give(place))
    world.stops("I have worked.")
    (root / ".loop.toml").unlink()


def edits(world: World, give: Give) -> None:
    """state.json, as a model writes into it."""
    status = {
        "docs read well": {
            "met": True,
            "verification": give("planned kind"),
            "evidence": give("mirror evidence"),
        }
    }
    names = [give("mirror step"), "mended"]
    world.here.edit_state(
        criteriaStatus=status, completedSteps=names, steps=names, session=give("mirror session")
    )
    world.here.edit_state(
        **{
            give("unknown field"): give("unknown value"),
            "circuitBreaker": {"lastUnmet": give("last unmet")},
        }
    )
    world.stops("I have edited.")


def claims(world: World, give: Give) -> None:
    given = {
        f"--{name}": argument(give(f"claim --{name}"))
        for name in ("evidence", "gate", "alt", "risk", "note")
    }
    words = [word for name, text in given.items() for word in (f"{name}={text}",)]
    world.run("claim", "--met", "docs read well", "--kind", "observation", *words, **AGENT)
    world.run("claim", f"--must-not={argument(give('claim --must-not'))}", **AGENT)
    world.run("task", "update", f"--completed-step={argument(give('task step'))}", **AGENT)
    world.goes_on()


def gives_up(world: World, give: Give) -> None:
    for line in ("BLOCKED", "ASK", "MUST_NOT"):
        world.stops(block({}, f"{line}: {flat(give(line))}"))
        world.run("status")
        world.run("statusline")
        world.goes_on()
    world.hook(
        event(
            "StopFailure",
            world.here,
            error=give("failure"),
            last_assistant_message=give("failing words"),
        )
    )
    world.goes_on()
    world.run("pause", argument(give("pause reason")), **AGENT)
    world.run("forget", argument(give("refused order")), **AGENT)
    world.goes_on()


def events_come(world: World, give: Give) -> None:
    """Fields of the hooks' own input."""
    world.hook(event("SessionStart", world.here, source=give("source")))
    world.hook(event("SessionEnd", world.here, reason=give("end reason")))
    world.hook(event(give("event name"), world.here))
    world.hook(stop_event(world.here, "<loop-complete>", session=give("session")))
    world.stops(
        "I say no more.", transcript_path=give("transcript path"), permission_mode=give("mode")
    )
    typed = {
        "command_name": f"loop:{give('command')}",
        "command_args": give("command words"),
        "command_source": "plugin",
    }
    world.hook(event("UserPromptExpansion", world.here, OTHER, **typed))
    world.hook(stop_event(Path(give("cwd")), "x"))


def improves(world: World, give: Give) -> None:
    """A cycle, the page and the commands of a discovery loop."""
    world.stops(cycle(flat(give("done")), flat(give("found"))))
    for action in ("add", "note", "focus", "done"):
        world.run("backlog", action, "--", argument(give(f"backlog {action}")), **AGENT)
    page = world.here.root / PAGE
    if page.exists():
        text = page.read_text(encoding="utf-8").replace(
            "## Backlog\n", f"## Backlog\n\n- {flat(give('page item'))}\n", 1
        )
        put(page, f"{text}\n{give('page notes')}\n")
    world.stops("I have looked.")
    world.goes_on()


def reports(world: World, give: Give) -> None:
    """What executors say, and the papers of a plan."""
    lines = [
        f"TASK FAILED: 01 {give('failed')}",
        f"NEW ISSUE: {flat(give('issue'))}",
        f"GAP FAILED: {flat(give('gap'))}",
    ]
    gap = f'<gap type="stub" file="{give("gap file")}">{give("gap text")}</gap>'
    put(world.here.root / "VERIFICATION.md", f"<gaps>\n{gap}\n</gaps>")
    world.stops("\n".join(lines))
    world.stops(f"CHECKPOINT: {flat(give('checkpoint'))}")
    world.goes_on()


def plans(world: World, give: Give) -> None:
    """A plan, its probes, a preset and a shape that came with a repository: read, drawn, and nothing of it run."""
    task = a_task(
        flat(give("task id")),
        f"create {flat(give('task file'))}",
        depends=flat(give("depends")),
        does=give("action"),
    )
    text = a_plan(
        task,
        a_task("02", checks=(f'cmd="{give("plan command")}"', give("probe"))),
        title=give("title"),
    )
    must = f"- [ ] it works (check: {flat(give('must-have check'))})\n## Wave"
    put(world.here.root / "PLAN.md", text.replace("## Wave", must))
    quoted = json.dumps(give("preset")[:1_000]).replace("\x7f", "")
    put(Path(user_files()[-1]), f"[own]\ndescription = {quoted}\nsuggestions = [{quoted}]\n")
    put(
        world.here.root / "SHAPE.md",
        f"criteria:\n- {give('shape')}\n\n| x | test | `{give('shape command')}` |\n",
    )
    for view in (
        "plan lint PLAN.md",
        "plan show PLAN.md",
        "plan show PLAN.md --json",
        "presets own",
        "presets",
    ):
        world.run(*view.split())


ROUNDS = {
    "spec": (speaks, works, edits, claims, gives_up, events_come, plans),
    "discovery": (speaks, works, improves, events_come),
    "plan": (speaks, works, reports, plans),
}
