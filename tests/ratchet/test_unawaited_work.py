"""Work that a function began and no longer waits for is found; work that someone awaits is not."""

from __future__ import annotations

import pytest

from loopwright.core.findings import MEDIUM
from loopwright.ratchet.product_rules import unawaited_work
from loopwright.ratchet.project_files import ProjectFiles
from loopwright.repo.baseline import Change

SCRIPT = """\
class Store {{
  async write(text) {{
    await fs.appendFile(this.path, text);
  }}

  async flush() {{
    for (const line of this.waiting) {{
      {0}
    }}{1}
  }}
}}
"""
PYTHON = """\
class Store:
    async def write(self, text):
        await self.file.append(text)

    async def flush(self):
        for line in self.waiting:
            {0}{1}
"""
AWAITED = ("await this.write(line);", "await self.write(line)")


def found(template: str, line: str, rest: str = "") -> int:
    path = "src/store.js" if template is SCRIPT else "src/store.py"
    before, after = template.format(AWAITED[template is PYTHON], ""), template.format(line, rest)
    rows = list(unawaited_work.findings(ProjectFiles([Change(path, before, after)])))
    assert all((row.severity, row.rule) == (MEDIUM, "work-not-awaited") for row in rows)
    return len(rows)


@pytest.mark.parametrize(
    ("template", "line", "rest"),
    [
        (SCRIPT, "this.queue = this.queue.then(() => this.write(line));", ""),
        (SCRIPT, "this.write(line);", ""),
        (SCRIPT, "this.write(line).catch(() => {});", "\n    return true;"),
        (SCRIPT, "setImmediate(() => this.write(line));", ""),
        (PYTHON, "asyncio.create_task(self.write(line))", ""),
        (PYTHON, "self.tasks.append(asyncio.ensure_future(self.write(line)))", ""),
    ],
)
def test_work_that_nothing_waits_for(template: str, line: str, rest: str) -> None:
    assert found(template, line, rest) == 1


@pytest.mark.parametrize(
    ("template", "line", "rest"),
    [
        (SCRIPT, "jobs.push(this.write(line));", "\n    await Promise.all(jobs);"),
        (SCRIPT, "jobs.push(this.write(line));", "\n    return Promise.all(jobs);"),
        (
            SCRIPT,
            "this.queue = this.queue.then(() => this.write(line));",
            "\n  }\n\n  async close() {\n    await this.queue;",
        ),
        (SCRIPT, "fs.appendFileSync(this.path, line);", ""),
        (PYTHON, "jobs.append(self.write(line))", "\n        await asyncio.gather(*jobs)"),
        (PYTHON, "self.file.append_now(line)", ""),
    ],
)
def test_work_that_is_awaited(template: str, line: str, rest: str) -> None:
    assert found(template, line, rest) == 0


def test_a_function_that_is_no_longer_asynchronous() -> None:
    before = SCRIPT.format(AWAITED[0], "")
    after = before.replace("async ", "").replace("await ", "")

    assert not list(unawaited_work.findings(ProjectFiles([Change("a.js", before, after)])))
