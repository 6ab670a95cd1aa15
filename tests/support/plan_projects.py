"""Plans as people write them, in Markdown, and what a scripted agent does about them."""

from __future__ import annotations

from typing import Any

from tests.support.project import CommandResult, Project
from tests.support.runner import script

# Waits for a file of somebody else's, and not for ever.
UNTIL = "for i in $(seq 500); do test -e {0} && break; sleep 0.02; done; test -e {0}"
# What the plan comes to, if nobody says otherwise: subjects and files of its commits.
DONE = [
    ("docs(1-01): do the work of 01", ["01.txt"]),
    ("docs(1-02): do the work of 02", ["02.txt"]),
]


def a_task(
    name: str,
    *files: str,
    wave: int = 1,
    depends: str = "",
    checks: tuple[str, ...] = (),
    does: str = "",
) -> str:
    """One that creates NAME.txt, which must be there, unless we say otherwise: "modify readme.md", 'cmd="make"'."""
    given = files or (f"create {name}.txt",)
    listed = "\n".join(
        f'    <file action="{action}">{path}</file>'
        for action, _, path in (file.partition(" ") for file in given)
    )
    found = checks or tuple(
        f"{path} exists"
        for action, _, path in (file.partition(" ") for file in given)
        if action != "delete"
    )
    shown = "\n".join(
        f'    <check type="test" {check}>it works</check>'
        if check.startswith("cmd=")
        else f'    <check type="{"file" if check.endswith(" exists") else "content"}">{check}</check>'
        for check in found
    )
    needs = f' depends="{depends}"' if depends else ""
    return (
        f'<task id="{name}" wave="{wave}"{needs}>\n  <files>\n{listed}\n  </files>\n'
        f"  <action>\n    {does or f'Do the work of {name}.'}\n  </action>\n"
        f"  <verify>\n{shown}\n  </verify>\n  <done>it is there</done>\n</task>\n"
    )


def a_plan(
    *tasks: str, musts: tuple[str, ...] = (), phase: str = "1", title: str = "A phase"
) -> str:
    """Two tasks side by side, unless we say otherwise."""
    body = "\n".join(tasks or (a_task("01"), a_task("02")))
    must_haves = "".join(f"- [ ] {must}\n" for must in musts)
    return f"---\nphase: {phase}\ntitle: {title}\n---\n\n# {title}\n\n## Must-Haves\n\n{must_haves}\n## Wave 1\n\n{body}"


def turn_on(task: str, *more: str, **does: Any) -> dict[str, Any]:
    """A turn that is played when it is about this task; it says that it is complete, unless told otherwise."""
    return {"when": [f'<task id="{task}"', *more], "say": f"TASK COMPLETE: {task}", **does}


def turn_writing(task: str, *more: str, **does: Any) -> dict[str, Any]:
    """The same, and its file is there."""
    return turn_on(task, *more, **{"write": {f"{task}.txt": f"the work of {task}\n"}, **does})


def start_plan(here: Project, *words: str, plan: str = "") -> Project:
    """A loop on that plan, which nobody is asked about."""
    here.write({"PLAN.md": plan or a_plan()})
    said = here.run("start", "--plan", "PLAN.md", "--yes", *words)
    assert said.code == 0, said.err
    return here


def run_script(here: Project, *turns: dict[str, Any], words: tuple[str, ...] = ()) -> CommandResult:
    return here.run("run", "--script", script(here, *turns), *words)


def files_of(here: Project) -> list[tuple[str, list[str]]]:
    """The commits since the first one, oldest first: subject and files."""
    first = here.git("rev-list", "--max-parents=0", "HEAD").strip()
    log = here.git(
        "log", "--reverse", "--format=%x00%s", "--name-only", "--no-renames", f"{first}..HEAD"
    )
    commits = [part.strip().splitlines() for part in log.split("\0")[1:]]
    return [(subject, [name for name in names if name]) for subject, *names in commits]
