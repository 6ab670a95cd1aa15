"""The mutants of a project's own Stryker: its report, and when our own are used instead.

The tests run a stand-in that writes a report in Stryker's format; the real one needs a registry.
"""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest

from loopwright.core.proof.strength import INCONCLUSIVE, MUTANT, NOT_NOTICED, NOTICED
from loopwright.strength.stryker import StrykerFailed, read_report
from tests.strength.measured import measure, reasons

WORK = "exports.half = (a) => {\n  if (a >= 10) {\n    return a / 2;\n  }\n  return a;\n};\n"
BEFORE = {
    "stryker.config.json": '{"mutate": ["src/*.js"]}\n',
    "lib/half.js": "exports.half = (a) => a;\n",
    "test/half.test.js": "const { half } = require('../lib/half');\n"
    "require('node:assert').equal(half(10) + half(3), half(3) + half(10));\n",
}
PACKAGE = "node_modules/@stryker-mutator/core/"
# Writes the report that the test wants, with the lines that it was asked to change.
STAND_IN = {
    f"{PACKAGE}package.json": '{"type": "module", "exports": "./index.js"}\n',
    f"{PACKAGE}index.js": """\
import { readFileSync, writeFileSync } from 'node:fs';
export class Stryker {
  constructor(options) { this.options = options; }
  async runMutationTest() {
    const status = readFileSync('wanted-status', 'utf8').trim();
    if (status === 'none') throw new Error('the dry run failed');
    const files = {};
    for (const place of this.options.mutate) {
      const [, path, line] = place.match(/^(.*):(\\d+)-\\d+$/);
      const column = { start: { line: +line, column: 7 }, end: { line: +line, column: 14 } };
      files[path] ??= { mutants: [] };
      files[path].mutants.push({ id: line, mutatorName: 'ConditionalExpression',
        replacement: 'false', status, location: column });
    }
    writeFileSync(this.options.jsonReporter.fileName, JSON.stringify({ files }));
  }
}
""",
}
needs_node = pytest.mark.skipif(not shutil.which("node"), reason="node is not installed")


def a_mutant(status: str) -> dict[str, object]:
    location = {"start": {"line": 2, "column": 7}, "end": {"line": 2, "column": 14}}
    how = {"mutatorName": "ConditionalExpression", "replacement": "false"}
    return {"id": "1", "status": status, "location": location, **how}


@pytest.mark.parametrize(
    ("status", "result"),
    [
        ("Killed", NOTICED),
        ("Survived", NOT_NOTICED),
        ("NoCoverage", NOT_NOTICED),
        ("Timeout", INCONCLUSIVE),
        ("CompileError", INCONCLUSIVE),
        ("RuntimeError", INCONCLUSIVE),
    ],
)
def test_what_the_report_says_of_a_mutant(status: str, result: str) -> None:
    report = json.dumps({"files": {"lib/half.js": {"mutants": [a_mutant(status)]}}})

    (found,) = read_report(report, {"lib/half.js": WORK})

    assert found.result == result
    assert found.mutant.line == 2
    assert found.mutant.taken == ("ConditionalExpression: `if (a >= 10) {` became `if (false) {`")


def test_a_mutant_that_was_not_tried_says_nothing() -> None:
    report = json.dumps({"files": {"lib/half.js": {"mutants": [a_mutant("Ignored")]}}})

    assert read_report(report, {"lib/half.js": WORK}) == []


@pytest.mark.parametrize("report", ["", "[]", '{"files": {"lib/half.js": {"mutants": [{}]}}}'])
def test_a_report_that_cannot_be_read_is_no_result(report: str) -> None:
    with pytest.raises(StrykerFailed):
        read_report(report, {"lib/half.js": WORK})


@needs_node
def test_its_mutants_take_the_place_of_ours_on_the_same_lines(tmp_path: Path) -> None:
    before = {**BEFORE, **STAND_IN, "wanted-status": "Killed"}

    strength = measure(tmp_path, before, {"lib/half.js": WORK}, "node --test test/")

    mutants = [item for item in strength.items if item.kind == MUTANT]
    assert strength.mutants_by == "Stryker"
    assert {item.result for item in mutants} == {NOTICED}
    assert all(item.taken.startswith("ConditionalExpression: ") for item in mutants)


@needs_node
@pytest.mark.parametrize(
    ("status", "changes", "why"),
    [
        ("none", {}, "the dry run failed"),
        ("Survived", {}, "none of its changes is noticed"),
        ("Ignored", {}, "none of its changes is noticed"),
        ("Killed", {"stryker.config.json": "{}\n"}, "stryker.config.json changed"),
        ("Killed", {"lib/off.js": "// Stryker disable all\n"}, "lib/off.js speaks of it"),
    ],
)
def test_ours_are_used_where_it_says_nothing_or_changed(
    tmp_path: Path, status: str, changes: dict[str, str], why: str
) -> None:
    before = {**BEFORE, **STAND_IN, "wanted-status": status}

    strength = measure(tmp_path, before, {"lib/half.js": WORK, **changes}, "node --test test/")

    assert strength.mutants_by == ""
    assert "Stryker: " in reasons(strength)
    assert why in reasons(strength)
    assert any("branch not taken" in item.taken for item in strength.items)


@needs_node
def test_a_configuration_without_its_package_is_named(tmp_path: Path) -> None:
    strength = measure(tmp_path, BEFORE, {"lib/half.js": WORK}, "node --test test/")

    assert "Stryker: it is not installed; the small changes are our own" in reasons(strength)
