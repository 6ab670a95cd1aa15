"""The template of a PLAN.md: all parts of a plan, with placeholders for what to fill in."""

from __future__ import annotations

from ..core.prompts.phrases import clip_text

TEMPLATE = """---
phase: 1
---

# Phase 1: GOAL

<!-- Fill in whatever stands between ‹ and ›; delete what you do not need. Then:
       loop plan lint              errors and warnings, by line
       loop plan show              the waves and the longest chain
       loop start --plan PLAN.md   begins -->

## Must-Haves

<!-- What is true when all is done, as a stranger would see it. \
With a command it is proven, without one only reported. -->

- [ ] ‹fill in: something that can be seen› \
(check: `‹fill in: a command that exits with 0 when it is true›`)

## Wave 1

<!-- Tasks of one wave run side by side: they share no file. \
Each is small enough for one fresh context.
     A file is to be created, modified or deleted: action="create", "modify" or "delete". -->

<task id="01" wave="1">
  <files>
    <file action="create">‹fill in: path/of/a/file›</file>
  </files>
  <action>
    ‹fill in: what to do, so exactly that nobody must ask; code, < and & need no care›
  </action>
  <verify>
    <check type="content">‹fill in: path/of/a/file› contains "‹fill in: some text›"</check>
    <check type="test" cmd="‹fill in: a command›">‹fill in: what it shows›</check>
  </verify>
  <done>‹fill in: one sentence that says when it is done›</done>
</task>

## Wave 2

<!-- A wave begins when the one before it is done. \
depends="01,02" says what a task really needs. -->

<task id="02" wave="2" depends="01">
  <files>
    <file action="modify">‹fill in: path/of/another/file›</file>
  </files>
  <action>
    ‹fill in: what to do›
  </action>
  <verify>
    <check type="test" cmd="‹fill in: a command›">‹fill in: what it shows›</check>
  </verify>
  <done>‹fill in: one sentence that says when it is done›</done>
</task>

## Key Links

<!-- Files that must know of each other in the end. -->

| From | To | Connection |
|------|----|------------|
| ‹fill in: path/of/another/file› | ‹fill in: path/of/a/file› | ‹fill in: imports it› |
"""


def plan_template(goal: str) -> str:
    return TEMPLATE.replace("GOAL", clip_text(" ".join(goal.split()), 200), 1)
