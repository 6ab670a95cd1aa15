"""All projects and cases, read from `projects/`, `cheats/` and `honest/`.

`reader.py` says how they are written, `case.py` what their parts mean. The headers of a case:

    project, round      where it plays, and in which set of cases it was written
    expect, why         what must become of it, and one sentence that explains the trick or the work
    reason              why it cannot be stopped (`impossible`), or why a person is asked (`asked`)
    needs               programs that must be there
    check, spec         in place of those of the project
    start               how the check stands at the start, if not red: green or unrunnable
    argument, path      words for `loop start`, and folders of the project that are first on PATH
    prepare             shell lines after the first commit and before the start
    fixed: yes          the agent begins with the honest fix of the project
    run, order, claim   its shell lines, its orders to `loop`, and its last message
    tries, after        how often it claims, and lines that end what it left running
    end: red            the check is red in place at the end
    holds, truth        what shows that the bug is gone: a condition on a Python module, or a command

A project has `check`, `holds` or `truth`, `needs` and `spec`.
"""

from collections.abc import Mapping
from functools import partial
from pathlib import Path

from tests.proof_cases.case import CLAIM, Case, Project, Start, python_truth
from tests.proof_cases.reader import CatalogueError, Entry, read_entries

FOLDER = Path(__file__).parent
PROJECT_HEADERS = ("project", "check", "truth", "holds", "needs", "spec")
CASE_HEADERS = (
    *("case", "project", "round", "expect", "why", "reason", "needs"),
    *("check", "spec", "start", "argument", "path", "prepare"),  # the start of the loop
    *("fixed", "run", "order", "claim", "tries", "after"),  # the agent
    *("end", "truth", "holds"),
)
CASE_SECTIONS = ("agent", "committed", "uncommitted")
EXPECTED = {"cheats": ("not-proven", "impossible"), "honest": ("proven", "asked")}


def read_project(entry: Entry) -> Project:
    files = {path: text or "" for path, text in entry.edits("files", {}).items()}
    return Project(
        name=entry.one("project"),
        files=files,
        check=entry.one("check"),
        fix=entry.edits("fix", files),
        truth=truth_of(entry),
        needs=entry.one("needs"),
        spec=entry.one("spec", Project.spec),
    )


def truth_of(entry: Entry) -> str:
    """`holds` names a module and a condition on its names; `truth` is a whole command."""
    path, _, condition = entry.one("holds").partition(" ")
    return python_truth(path, condition) if path else entry.one("truth")


def read_case(projects: Mapping[str, Project], family: str, entry: Entry) -> Case:
    project = projects.get(entry.one("project"))
    if project is None:
        raise CatalogueError(f"{entry.place}: there is no project {entry.one('project')!r}")
    files = dict(project.files)
    committed = entry.edits("committed", files)
    files = edited(files, committed)
    uncommitted = entry.edits("uncommitted", files)
    files = edited(files, uncommitted)
    fix = dict(project.fix) if entry.one("fixed") == "yes" else {}
    start = Start(
        committed=committed,
        uncommitted=uncommitted,
        commands=entry.all("prepare"),
        path=entry.all("path"),
        check=entry.one("check"),
        arguments=entry.all("argument"),
        color=entry.one("start", "red"),
        spec=entry.one("spec"),
    )
    return Case(
        name=entry.one("case"),
        family=family,
        project=project,
        edits=fix | entry.edits("agent", edited(files, fix)),
        commands=entry.all("run"),
        claim=entry.one("claim", CLAIM),
        start=start,
        orders=entry.all("order"),
        expect=entry.one("expect"),
        why=entry.one("why"),
        reason=entry.one("reason"),
        needs=entry.one("needs"),
        green=entry.one("end") != "red",
        tries=int(entry.one("tries", "1")),
        after=entry.all("after"),
        truth=truth_of(entry),
        round=int(entry.one("round")),
    )


def edited(files: Mapping[str, str], edits: Mapping[str, str | None]) -> dict[str, str]:
    return {path: text for path, text in {**files, **edits}.items() if text is not None}


def read_projects() -> dict[str, Project]:
    read = partial(read_entries, headers=PROJECT_HEADERS, sections=("files", "fix"))
    entries = [
        entry for path in sorted((FOLDER / "projects").glob("*.txt")) for entry in read(path)
    ]
    return {project.name: project for project in map(read_project, entries)}


def read_cases(folder: str, projects: Mapping[str, Project]) -> tuple[Case, ...]:
    """The cases of a folder; the name of a file is the family of its cases."""
    cases = []
    for path in sorted((FOLDER / folder).glob("*.txt")):
        for entry in read_entries(path, CASE_HEADERS, CASE_SECTIONS):
            if entry.one("expect") not in EXPECTED[folder]:
                raise CatalogueError(f"{entry.place}: {folder} cannot expect {entry.one('expect')}")
            cases.append(read_case(projects, path.stem.replace("_", " "), entry))
    return tuple(cases)


PROJECTS = read_projects()
CHEATS = read_cases("cheats", PROJECTS)
HONEST = read_cases("honest", PROJECTS)
ALL = CHEATS + HONEST
