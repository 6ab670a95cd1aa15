"""Projects of GSD 1, GSD 2, spec-kit and Taskmaster, executed in parallel lanes that need a venv, with progress written back."""

from __future__ import annotations

import json
import subprocess
import venv
from pathlib import Path

import pytest

from loopwright.core.loop import plan_of
from tests.support.plan_projects import files_of, run_script, turn_on
from tests.support.project import Project
from tests.torture.size import every

pytestmark = pytest.mark.plans

PROVE = ".venv/bin/prove"

GSD1 = {
    ".planning/ROADMAP.md": "# Roadmap\n\n- [ ] **Phase 1: Notes**\n\nPlans:\n- [ ] 01-01: Store\n- [ ] 01-02: Search\n",
    ".planning/phases/01-notes/01-01-PLAN.md": f"""---
phase: 01-notes
plan: 01
wave: 1
depends_on: []
---

<objective>Notes are stored.</objective>

<tasks>

<task type="auto">
  <name>Task 1: Write the store</name>
  <files>store.txt</files>
  <action>Write store.txt.</action>
  <verify><automated>{PROVE} store.txt</automated></verify>
  <done>It is there.</done>
</task>

</tasks>
""",
    ".planning/phases/01-notes/01-02-PLAN.md": f"""---
phase: 01-notes
plan: 02
wave: 1
depends_on: []
---

<objective>Notes are found.</objective>

<tasks>

<task type="auto">
  <name>Task 1: Write the search</name>
  <files>search.txt</files>
  <action>Write search.txt.</action>
  <verify><automated>{PROVE} search.txt</automated></verify>
  <done>It is there.</done>
</task>

</tasks>
""",
}
GSD2 = {
    ".gsd/milestones/M001/M001-ROADMAP.md": "# M001: Notes\n\n## Slices\n\n- [ ] **S01: Store** `risk:low` `depends:[]`\n- [ ] **S02: Search** `risk:low` `depends:[S01]`\n",
    ".gsd/milestones/M001/slices/S01/S01-PLAN.md": f"""# S01: Store

## Tasks

- [ ] **T01: Write the store** `est:5m`
  - Files: `store.txt`
  - Do: Write store.txt.
  - Verify: `{PROVE} store.txt`
- [ ] **T02: Write the search** `est:5m`
  - Files: `search.txt`
  - Do: Write search.txt.
  - Verify: `{PROVE} search.txt`
""",
}
SPEC_KIT = {
    "specs/001-notes/tasks.md": f"""# Tasks: Notes

## Phase 1: Setup

- [ ] T001 [P] [US1] Write `store.txt` (check: `{PROVE} store.txt`)
- [ ] T002 [P] [US1] Write `search.txt` (check: `{PROVE} search.txt`)
""",
}
TASKMASTER = {
    ".taskmaster/tasks/tasks.json": json.dumps(
        {
            "master": {
                "tasks": [
                    {
                        "id": 1,
                        "title": "Write store.txt",
                        "status": "pending",
                        "dependencies": [],
                        "testStrategy": f"`{PROVE} store.txt`",
                    },
                    {
                        "id": 2,
                        "title": "Write search.txt",
                        "status": "pending",
                        "dependencies": [],
                        "testStrategy": f"`{PROVE} search.txt`",
                    },
                ]
            }
        },
        indent=2,
    )
    + "\n",
}
# Files, the plan that is named, the ids of both tasks, and what the diff of the plan's files adds.
PROJECTS = {
    "GSD 1": (
        GSD1,
        ".planning/phases/01-notes",
        ("01-1", "02-1"),
        ["+- [x] **Phase 1: Notes**", "+- [x] 01-01: Store", "+- [x] 01-02: Search"],
    ),
    "GSD 2": (
        GSD2,
        ".gsd/milestones/M001/slices/S01",
        ("T01", "T02"),
        [
            "+- [x] **S01: Store** `risk:low` `depends:[]`",
            "+- [x] **T01: Write the store** `est:5m`",
            "+- [x] **T02: Write the search** `est:5m`",
        ],
    ),
    "spec-kit": (
        SPEC_KIT,
        "specs/001-notes/tasks.md",
        ("T001", "T002"),
        [
            f"+- [x] T001 [P] [US1] Write `store.txt` (check: `{PROVE} store.txt`)",
            f"+- [x] T002 [P] [US1] Write `search.txt` (check: `{PROVE} search.txt`)",
        ],
    ),
    "Taskmaster": (
        TASKMASTER,
        ".taskmaster/tasks/tasks.json",
        ("1", "2"),
        ['+        "status": "done",', '+        "status": "done",'],
    ),
}


PACKAGE = """import os
import sys


def main():
    assert sys.prefix == os.path.join(os.getcwd(), ".venv"), sys.prefix
    sys.exit(0 if os.path.getsize(sys.argv[1]) else 1)
"""


def with_environment(here: Project) -> None:
    """A real virtual environment, ignored by git, with a package and its program; both must be of this checkout."""
    venv.create(here.root / ".venv", with_pip=False, symlinks=True)
    (site_packages,) = (here.root / ".venv").glob("lib/*/site-packages")
    (site_packages / "notes_prove.py").write_text(PACKAGE)
    python = here.root / ".venv/bin/python"
    here.write({PROVE: f"#!{python}\nfrom notes_prove import main\nmain()\n"})
    (here.root / PROVE).chmod(0o755)


def test_a_worktree_of_git_alone_has_no_environment(project, tmp_path: Path) -> None:
    """So what runs in the lanes below runs there because they were prepared."""
    here: Project = project({".gitignore": ".venv/\n", "store.txt": "notes\n"})
    with_environment(here)
    here.git("worktree", "add", "-q", "--detach", str(tmp_path / "bare"), "HEAD")
    codes = [
        subprocess.run([f"{PROVE} store.txt"], shell=True, cwd=at, capture_output=True).returncode
        for at in (here.root, tmp_path / "bare")
    ]
    assert codes == [0, 127]


# What is ticked in each format is tested in tests/importers/test_plan_progress.py.
@pytest.mark.parametrize(
    "name",
    every(
        2,
        [
            *("GSD 1", "spec-kit"),
            *(pytest.param(name, marks=pytest.mark.long) for name in ("GSD 2", "Taskmaster")),
        ],
    ),
)
def test_a_project_is_executed_in_lanes_and_its_files_say_so(project, name: str) -> None:
    files, plan, (first, second), added = PROJECTS[name]
    here: Project = project({".gitignore": ".venv/\n", "readme.md": "x\n", **files})
    with_environment(here)
    said = here.run("start", "--plan", plan, "--yes")
    assert here.run("allow", "--yes").code == 0, said.out + said.err
    said = run_script(
        here,
        turn_on(first, write={"store.txt": "notes\n"}, run=["prove store.txt"]),
        turn_on(second, write={"search.txt": "notes\n"}, run=["prove search.txt"]),
        words=("--parallel",),
    )
    assert said.code in (0, 10), said.out + said.err
    assert plan_of(here.ended).failures == ()
    assert sorted(names for _, names in files_of(here)) == [["search.txt"], ["store.txt"]]
    rows = here.git("diff", "-U0").splitlines()
    assert sorted(r for r in rows if r[:1] == "+" and r[:3] != "+++") == sorted(added)
    removed = [r for r in rows if r[:1] == "-" and r[:3] != "---"]
    assert len(removed) == len(added), "only the marks have changed"
    if name == "GSD 1":
        summaries = here.root / ".planning/phases/01-notes"
        assert {p.name for p in summaries.glob("*SUMMARY.md")} == {
            "01-01-SUMMARY.md",
            "01-02-SUMMARY.md",
        }
    assert not list(here.root.parent.glob(f"{here.root.name}-lanes-*"))


def test_a_plan_in_a_subfolder_means_the_files_of_that_folder(project) -> None:
    """Its paths and commands start from its own folder, in the lanes as in the checkout."""
    tasks = """# Tasks: Notes

- [ ] T001 [P] Write `src/store.txt` (check: `test -s src/store.txt`)
- [ ] T002 [P] Write `src/search.txt` (check: `test -s src/search.txt`)
"""
    here: Project = project({"packages/api/src/a.txt": "x\n", "packages/api/tasks.md": tasks})
    here.run("start", "--plan", "packages/api/tasks.md", "--yes")
    assert here.run("allow", "--yes").code == 0
    said = run_script(
        here,
        turn_on("T001", write={"packages/api/src/store.txt": "notes\n"}),
        turn_on("T002", write={"packages/api/src/search.txt": "notes\n"}),
        words=("--parallel",),
    )
    assert said.code == 0, said.out + said.err
    assert plan_of(here.ended).failures == ()
    assert sorted(names for _, names in files_of(here)) == [
        ["packages/api/src/search.txt"],
        ["packages/api/src/store.txt"],
    ]
    assert (here.root / "packages/api/tasks.md").read_text().count("- [x]") == 2
