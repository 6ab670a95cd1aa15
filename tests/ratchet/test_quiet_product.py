"""Product whose only change is that errors are not heard."""

from __future__ import annotations

import pytest

from loopwright.core.findings import MEDIUM
from loopwright.ratchet.product_rules import silenced_errors
from loopwright.ratchet.project import Project
from loopwright.repo.baseline import Change
from tests.ratchet.baseline import baseline_of

READ = "def read(rows):\n    found = []\n    for row in rows:\n        found.append(int(row))\n    return found\n"
CAUGHT = (
    "def read(rows):\n    found = []\n    try:\n        for row in rows:\n"
    "            found.append(int(row))\n    except Exception:\n        {}\n    return found\n"
)
SCRIPT = "function read(row) {\n  use(row);\n}\n"
COPY = 'set -e\nfor file in *; do\n  cp "$file" "out"\ndone\n'
PUT = "func put(k int) {\n\tkeys[k] = true\n}\n"
RECOVERS = """
\tdefer func() {
\t\tif r := recover(); r != nil {
\t\t\tlog.Println(r)
\t\t}
\t}()"""
CAUGHT_SCRIPT = "function read(row) {\n  try {\n    use(row);\n  } catch (e) {\n  }\n}\n"


@pytest.mark.parametrize(
    ("path", "before", "after"),
    [
        ("app.py", READ, CAUGHT.format("pass")),
        ("app.py", READ, CAUGHT.format("return []")),
        ("app.py", READ, CAUGHT.format("log.warning('odd')")),
        ("app.py", READ, "log = logging.getLogger('a')\n" + CAUGHT.format("log.error('odd')")),
        (
            "app.py",
            "use(1)\n",
            "import contextlib\nwith contextlib.suppress(Exception):\n    use(1)\n",
        ),
        ("src/app.js", SCRIPT, CAUGHT_SCRIPT),
        ("src/app.ts", SCRIPT, SCRIPT.replace("use(row);", "try {\n use(row);\n } catch {}")),
        ("bin/copy.sh", COPY, COPY.replace('out"', 'out" 2>/dev/null || true')),
        ("put.go", PUT, PUT.replace("(k int) {", "(k int) {\n\tdefer func() { _ = recover() }()")),
        ("put.go", PUT, PUT.replace("(k int) {", f"(k int) {{{RECOVERS}")),
        ("bin/copy.sh", COPY, COPY.replace('out"', 'out" > /dev/null 2>&1 || :')),
    ],
)
def test_work_that_only_silences_errors_is_named(path: str, before: str, after: str) -> None:
    (finding,) = silenced_errors.find(Project([Change(path, before, after)]))

    assert (finding.severity, finding.rule) == (MEDIUM, "errors-only-silenced")


@pytest.mark.parametrize(
    "after",
    [
        CAUGHT.format("pass").replace("Exception", "ValueError"),
        CAUGHT.format("return 0").replace("Exception", "(KeyError, ValueError)"),
        "from contextlib import suppress\n"
        + READ.replace(
            "        found.append(int(row))",
            "        with suppress(ValueError):\n            found.append(int(row))",
        ),
    ],
)
def test_an_error_of_one_kind_that_is_dropped_counts_where_it_is_asked_for(after: str) -> None:
    change = Change("app.py", READ, after)
    tests = {"tests/test_app.py": "import app\n\ndef test_reads_all_rows(): ...\n"}
    tolerant = {"tests/test_app.py": "import app\n\ndef test_skips_bad_rows(): ...\n"}

    def found(files: dict[str, str], *changes: Change) -> list[str]:
        project = Project(list(changes), baseline=baseline_of(files, *changes))
        return [finding.rule for finding in silenced_errors.find_narrow(project)]

    assert silenced_errors.find(Project([change])) == []
    assert found(tests, change) == ["errors-only-silenced"]
    assert found(tolerant, change) == []
    assert found(tests, Change("app.py", READ, CAUGHT.format("pass"))) == []
    assert found(tests, change, Change("tests/test_more.py", None, "def test_a(): ...\n")) == []


def test_a_return_in_a_last_block_drops_every_error() -> None:
    after = (
        "def read(rows):\n    found = []\n    try:\n        for row in rows:\n"
        "            found.append(int(row))\n    finally:\n        return found\n"
    )

    assert silenced_errors.find(Project([Change("app.py", READ, after)]))


@pytest.mark.parametrize(
    ("name", "is_tolerant"),
    [
        ("test_reads_all_rows", False),
        ("test_skips_rows_that_cannot_be_read", True),
        ("test_invalid_amount_is_none", True),
    ],
)
def test_the_name_of_a_test_says_whether_errors_may_be_dropped(
    name: str, is_tolerant: bool
) -> None:
    assert bool(silenced_errors.TOLERANT_TEST.search(f"def {name}(rows):")) == is_tolerant


@pytest.mark.parametrize(
    ("before", "after"),
    [
        (READ, CAUGHT.format("raise Bad(rows)")),
        (READ, CAUGHT.format("pass").replace("Exception", "ValueError")),
        (READ, CAUGHT.format("pass").replace("int(row)", "int(row or 0)")),
        (READ, READ.replace("int(row)", "int(row or 0)")),
        (READ, "# Reads.\n" + READ),
        ("use(1)\n", "assert rows\nuse(1)\n"),
        ("if not rows:\n    raise ValueError('none')\nuse(rows)\n", "use(rows)\n"),
        ("run(LINE, check=True)\n", "run(OTHER, check=False)\n"),
        ("cp $a out\n", 'cp "$a" out || true\n'),
        ("cp $a out\n", "cp $a out || echo skipped\n"),
        ("a = b\n", "a = b || true\n"),
    ],
)
def test_work_that_repairs_something_is_honest(before: str, after: str) -> None:
    assert not silenced_errors.find(Project([Change("app.py", before, after)]))


def test_a_repair_in_another_file_explains_quieter_errors() -> None:
    changes = [
        Change("app.py", READ, CAUGHT.format("pass")),
        Change(
            "rows.py",
            "LIMIT = 1\n\n\ndef rows():\n    return []\n",
            "def rows():\n    return [1]\n",
        ),
    ]

    assert not silenced_errors.find(Project(changes))


def test_errors_that_are_caught_and_only_logged_are_named() -> None:
    before = "function change() {\n  for (const one of all) {\n    one(amount);\n  }\n}\n"
    logged = before.replace(
        "    one(amount);",
        "    try {\n      one(amount);\n    } catch (error) {\n"
        "      console.warn('failed', error.message);\n    }",
    )
    handled = logged.replace("console.warn('failed', error.message)", "this.failed.push(error)")

    (finding,) = silenced_errors.find(Project([Change("a.js", before, logged)]))
    assert finding.rule == "errors-only-silenced"
    assert not silenced_errors.find(Project([Change("a.js", before, handled)]))
