"""A plan in three waves, the files that fulfil it, and what the scripted model says of them: for sessions and for nights."""

from __future__ import annotations

from collections.abc import Mapping

from tests.e2e.turn import Body, Turn, runs
from tests.e2e.world import FIXED, World

UNIT = "python3 -B -m unittest -q"
PLAN = f"""---
phase: 1
title: CSV export
wave_count: 3
task_count: 4
---

# Phase 1: CSV export

## Must-Haves (Goal-Backward)

- [ ] `report.py --csv` prints every row (check: `python3 -B report.py --csv`)

## Wave 1 (Parallel - what it is made of)

<task id="01" wave="1">
  <files>
    <file action="create">rows.py</file>
  </files>
  <action>
    Create the table. `rows()` returns it as a list of dicts with the keys name and age.
  </action>
  <libraries>none</libraries>
  <verify>
    <check type="content">rows.py contains "def rows"</check>
  </verify>
  <done>rows() returns the table</done>
  <skills>none</skills>
</task>

<task id="02" wave="1">
  <files>
    <file action="create">export.py</file>
    <file action="create">test_export.py</file>
  </files>
  <action>
    Create the writer. `write_csv(rows, file)` writes a header and one line a row, quoted as csv.writer does.
  </action>
  <libraries>none</libraries>
  <verify>
    <check type="test" cmd="{UNIT} test_export">the writer is tested</check>
  </verify>
  <done>write_csv exists and its test passes</done>
  <skills>none</skills>
</task>

## Wave 2 (Sequential - the command)

<task id="03" wave="2" depends="01, 02">
  <files>
    <file action="modify">report.py</file>
  </files>
  <action>
    Add `--csv` to the command, and hand the rows to write_csv.
  </action>
  <libraries>none</libraries>
  <verify>
    <check type="content">report.py contains "--csv"</check>
  </verify>
  <done>`report.py --csv` prints the table</done>
  <skills>none</skills>
</task>

## Wave 3 (Sequential - the docs)

<task id="04" wave="3" depends="03">
  <files>
    <file action="create">usage.md</file>
  </files>
  <action>
    Describe the flag.
  </action>
  <libraries>none</libraries>
  <verify>
    <check type="content">usage.md contains "--csv"</check>
  </verify>
  <done>the flag is described</done>
  <skills>none</skills>
</task>

## Key Links

| From | To | Connection |
|------|----|------------|
| report.py | export.py | imports write_csv |
"""
ROWS = 'def rows():\n    return [{"name": "Ada, Countess", "age": 36}]\n'
WRITER = """import csv

def write_csv(rows, file):
    writer = csv.DictWriter(file, list(rows[0]), lineterminator="\\n")
    writer.writeheader()
    writer.writerows(rows)
"""
UNQUOTED = """def write_csv(rows, file):
    for row in [dict(zip(rows[0], rows[0])), *rows]:
        print(*row.values(), sep=",", file=file)
"""
TEST_FILE = """import io
import unittest
from export import write_csv

class Writing(unittest.TestCase):
    def test_a_comma_is_quoted(self):
        file = io.StringIO()
        write_csv([{"name": "Ada, Countess", "age": 36}], file)
        self.assertEqual(file.getvalue(), 'name,age\\n"Ada, Countess",36\\n')
"""
REPORT = "print('Ada, Countess: 36')\n"
UNLINKED = 'import sys\n\nif "--csv" in sys.argv:\n    print("name,age")\n'
HALF_LINKED = 'import sys\n\nfrom rows import rows\n\nif "--csv" in sys.argv:\n    print(*rows())\n'
LINKED = HALF_LINKED.replace("from rows", "from export import write_csv\nfrom rows").replace(
    "print(*rows())", "write_csv(rows(), sys.stdout)"
)
USAGE = "`report.py --csv` prints the table as CSV.\n"


def write_project(world: World, files: Mapping[str, str] | None = None) -> None:
    """A project that the plan fits, committed; its own tests pass."""
    world.project.write({"greet.py": FIXED, "report.py": REPORT, "PLAN.md": PLAN, **(files or {})})
    world.project.commit("a report and a plan")


def subjects(world: World) -> list[str]:
    """Of the commits since the plan, the latest first."""
    return world.project.git(
        "log", "--format=%s", "HEAD", "--not", ":/a report and a plan"
    ).splitlines()


def commits(message: str, *files: str) -> Turn:
    """As the prompt has it done in a session: one task, one commit, only its files."""
    who = "-c user.name=Ada -c user.email=ada@example.invalid"
    return runs(f"git add {' '.join(files)} && git {who} commit -q -m '{message}'")


def answer_count(body: Body) -> int:
    """How often the model has spoken in this conversation."""
    return sum(message["role"] == "assistant" for message in body["messages"])


# --- several tools in one answer ---


def calls(*tools: tuple[str, Body]) -> Turn:
    return Turn(tools=tools)


def read(path: object) -> tuple[str, Body]:
    return "Read", {"file_path": str(path)}


def write_file_call(path: object, content: str) -> tuple[str, Body]:
    return "Write", {"file_path": str(path), "content": content}


def edit(path: object, old: str, new: str) -> tuple[str, Body]:
    return "Edit", {"file_path": str(path), "old_string": old, "new_string": new}


def send(task: str) -> tuple[str, Body]:
    """A sub-agent for a task. On a screen the client lets it work in the background, and wakes the model when it is done."""
    return "Agent", {
        "description": f"task {task}",
        "prompt": f"Do task {task}.",
        "subagent_type": "general-purpose",
    }
