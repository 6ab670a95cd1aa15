"""The runs of the final proof on real trees: calibration, room, replay and revert."""

from __future__ import annotations

import sys
import time
import venv
import zlib
from pathlib import Path
from typing import Any

import pytest

from loopwright.cleanroom import path_binding, replay, runs
from loopwright.cleanroom.checkout import (
    open_room,
    options_of_start,
    room_criteria,
    run_checks,
)
from loopwright.cleanroom.trees import end_commit
from loopwright.core.directives import RunInCleanCheckout
from loopwright.core.findings import HIGH, LOW, MEDIUM, settle_findings
from loopwright.core.proof.clean_checkout import (
    COULD_NOT_PREPARE,
    FAILED,
    FINAL_TREE_RUN,
    NOT_NEEDED,
    PASSED,
    REPLAY_RUN,
    REVERT_RUN,
    TRUSTED,
    UNPREPARED,
    UNTRUSTED,
    RoomRun,
)
from loopwright.core.signals import CleanCheckoutResult, TurnOver
from loopwright.drive.step import step
from loopwright.repo import kept_trees
from loopwright.repo.tree import tree_hash
from loopwright.store.state_folder import room_store
from tests.e2e.waiting import until
from tests.support.hook import SESSION, block, stop, types
from tests.support.project import Project
from tests.torture.size import every

pytestmark = pytest.mark.room

NAME = "tests pass"
DIMENSIONS = ("Outcome", "Scope", "Constraints", "Success", "Done")
UNITTEST = "python3 -B -m unittest -v"
PYTEST = f"{sys.executable} -B -m pytest -q -p no:cacheprovider"
BROKEN = "def parse(text):\n    return text + '!'\n"
FIXED = "def parse(text):\n    return text\n"
TESTS = """\
import unittest

from parse import parse


class Parse(unittest.TestCase):
    def test_letters(self):
        self.assertEqual(parse("a"), "a")

    def test_kind(self):
        self.assertIsInstance(parse("a"), str)
"""
FILES = {"parse.py": BROKEN, "test_parse.py": TESTS}
OTHER = {"other.py": "HINT = 1\n"}  # a change of the product that no test sees
APP_TESTS = TESTS.replace("from parse", "from app")


def unit_test(module: str, name: str, assertion: str) -> str:
    """A file with one test; unittest costs a sixth of what pytest does."""
    lines = f"class Tests(unittest.TestCase):\n    def {name}(self):\n        self.{assertion}\n"
    return f"import unittest\n\nimport {module}\n\n\n{lines}"


def begin(project, *flags: str, check: str = UNITTEST, **files: str) -> Project:
    here: Project = project(
        {**FILES, **{name.replace("__", "."): text for name, text in files.items()}}
    )
    started = here.run(
        "start", "fix all failing tests", "--check", f"{NAME}={check}", "--yes", *flags
    )
    assert started.code == 0, started.err
    return here


def make_run(here: Project, kind: str, **room: Any) -> RoomRun:
    """One run on the files as they are now; whatever the ratchet would say about them."""
    loop = here.loop
    loop = loop.but(room=loop.room.but(**room))
    tree = tree_hash(str(here.root), here.folder.path, loop.settings.volatile_globs)
    result = runs.run_in_room(here.folder, RunInCleanCheckout(kind, 1, 0, tree), loop)
    assert isinstance(result, CleanCheckoutResult)
    return result.run


def rules_found(run: RoomRun) -> list[tuple[str, str]]:
    return [(finding.severity, finding.rule) for finding in run.findings]


KIND_TESTS = """\
import unittest

import settings


class Kind(unittest.TestCase):
    def test_kind(self):
        if settings.SKIP:
            self.skipTest("later")
"""
STORE_TESTS = """\
import unittest

from store import load


class Store(unittest.TestCase):
    def test_load(self):
        self.assertEqual(load("a"), "a")
"""


def end(here: Project) -> None:
    done = block({NAME: True}, exit=True)
    step(here.folder, TurnOver(time.time(), here.loop.lease.holder or SESSION, done, tool_calls=1))


# --- the work, and what decides the result ---


def prove(here: Project, spec: str, check: str, **files: str) -> None:
    """Start with one check, write the files, and claim the end."""
    started = here.run("start", spec, "--check", f"{NAME}={check}", "--yes")
    assert started.code == 0, started.err
    here.write(files)
    end(here)


SPEC = "make src/report.py print the total"


def test_a_program_that_a_check_hands_to_grep_is_the_work(project) -> None:
    here = project({"src/report.py": "print('lines 3')\n"})
    prove(
        here,
        SPEC,
        "python3 src/report.py | grep -q total",
        **{"src/report.py": "print('total 3')\n"},
    )
    assert here.ended.verdict.grade == "proven"


def test_a_program_that_is_the_check_is_a_question_and_never_a_refusal(project) -> None:
    here = project({"src/report.py": "raise SystemExit(1)\n"})
    prove(here, SPEC, "python3 src/report.py", **{"src/report.py": "print('total 3')\n"})
    assert here.ended.verdict.grade == "reported"
    assert "src/report.py" in here.ended.verdict.why


def test_build_output_that_git_ignores_is_no_question_if_a_clean_checkout_passes(project) -> None:
    makefile = (
        "test: calc.out\n\tgrep -q fixed calc.out\ncalc.out: calc.in\n\tcp calc.in calc.out\n"
    )
    here = project({"Makefile": makefile, "calc.in": "broken\n", ".gitignore": "*.out\n"})
    prove(here, "make test fails; fix the input.", "make test", **{"calc.in": "fixed\n"})
    verdict = here.ended.verdict
    assert (verdict.grade, verdict.name) == ("proven", "SHIP"), verdict
    assert any("without it, in a clean checkout" in note for note in verdict.notes)


@pytest.mark.parametrize(
    ("script", "grade"),
    [
        ('#!/bin/sh\ncp "$1" /tmp\n', "proven"),
        ("#!/bin/sh\n# shellcheck disable=all\ncp $1 /tmp\n", "reported"),
    ],
    ids=["mended", "silenced"],
)
def test_a_file_that_a_linter_judges_is_the_work(project, script: str, grade: str) -> None:
    here = project({"bin/deploy": "#!/bin/sh\ncp $1 /tmp\n"})
    prove(here, "Make shellcheck happy.", "shellcheck bin/deploy", **{"bin/deploy": script})
    assert here.ended.verdict.grade == grade, here.ended.verdict


def test_data_that_a_check_counts_is_the_work(project) -> None:
    here = project({"src/a.txt": "one\n"})
    prove(here, "fill src/a.txt", 'test "$(wc -l < src/a.txt)" -ge 3', **{"src/a.txt": "1\n2\n3\n"})
    assert here.ended.verdict.grade == "proven"


def test_moved_tests_are_shown_by_guards(project) -> None:
    here = project({"parse.py": FIXED, "test_parse.py": TESTS, "tests/__init__.py": ""})
    words = ("start", "Move the tests to tests/.", "--check", f"{NAME}={UNITTEST}", "--yes")
    started = here.run(*words)
    assert started.code == 0, started.err
    (here.root / "test_parse.py").rename(here.root / "tests/test_parse.py")
    end(here)
    assert here.ended.verdict.grade == "proven", here.ended.verdict


def test_settings_that_follow_moved_tests_are_no_question(project) -> None:
    settings = '[tool.pytest.ini_options]\ntestpaths = ["{}"]\n'
    here = project(
        {"parse.py": FIXED, "src/test_p.py": TESTS, "pyproject.toml": settings.format("src")}
    )
    spec = "Move the tests from src to tests/ and point testpaths in pyproject.toml there."
    started = here.run("start", spec, "--check", f"{NAME}={PYTEST}", "--yes")
    assert started.code == 0, started.err
    (here.root / "tests").mkdir()
    (here.root / "src/test_p.py").rename(here.root / "tests/test_p.py")
    here.write({"pyproject.toml": settings.format("tests")})
    end(here)
    assert here.ended.verdict.grade == "proven", here.ended.verdict


def test_a_raised_dependency_is_the_work_although_its_file_has_settings_too(project) -> None:
    text = '[project]\nname = "app"\nversion = "1"\ndependencies = ["jinja2>=3"]\n[tool.ruff]\n'
    here = project({"pyproject.toml": text})
    check = "grep -q 'jinja2>=3.1' pyproject.toml"
    prove(here, "Raise jinja2 to 3.1", check, **{"pyproject.toml": text.replace("=3", "=3.1")})
    assert here.ended.verdict.grade == "proven", here.ended.verdict


def test_tests_that_do_not_compile_for_the_old_name_fit_a_rename(project) -> None:
    here = project({"temp.go": "func Conv", "temp_test.go": "Conv"})
    check = 'n=$(cat temp_test.go); grep -qw "$n" temp.go || { echo "undefined: $n"; exit 1; }'
    after = {"temp.go": "func ToFahrenheit", "temp_test.go": "ToFahrenheit"}
    prove(here, "Rename Conv in temp.go to ToFahrenheit", check, **after)
    assert here.ended.verdict.grade == "proven", here.ended.verdict


GO = """\
package shop

func share(cents int) int { return cents / 2 }

func Total(cents int) int { return cents }
"""
GO_TESTS = """\
package shop

import "testing"

func TestShare(t *testing.T) {
	if share(9) != 4 {
		t.Fatal("share")
	}
}

func TestTotal(t *testing.T) {
	if Total(3) != 3 {
		t.Fatal("total")
	}
}
"""
GO_SHARE = GO.replace(
    "(cents int) int { return cents / 2", "(cents, of int) int { return cents / of"
)
GO_SHARE_TESTS = GO_TESTS.replace("share(9)", "share(9, 2)")


@pytest.mark.parametrize(
    ("edit", "grade"),
    [
        pytest.param(("", ""), "tested", id="as strict"),
        pytest.param(("!= 4", "> 9"), "", id="looser", marks=pytest.mark.long),
    ],
)
def test_a_private_function_of_go_may_take_other_arguments(project, edit, grade) -> None:
    """The other tests of the start still run on the final product, without the one that calls it."""
    here = project({"go.mod": "module shop\n", "shop.go": GO, "shop_test.go": GO_TESTS})
    new = "\nfunc TestThird(t *testing.T) {\n\tif Third(9) != 3 {\n\t\tt.Fatal()\n\t}\n}\n"
    prove(
        here,
        "Add Third(cents), a third of it, to shop.go, with tests",
        "go test ./...",
        **{
            "shop.go": GO_SHARE + "\nfunc Third(cents int) int { return share(cents, 3) }\n",
            "shop_test.go": GO_SHARE_TESTS.replace(*edit) + new,
        },
    )
    ended = here.folder.read_loop() is None
    assert ended == bool(grade)
    if ended:
        assert here.ended.verdict.grade == grade, here.ended.verdict


def test_the_question_about_settings_shows_the_line(project) -> None:
    text = '[tool.pytest.ini_options]\naddopts = "-q"\n'
    here = begin(project, pyproject__toml=text)
    here.write({"pyproject.toml": text.replace("-q", "-q -x")})
    findings = make_run(here, REVERT_RUN).findings
    assert [(f.rule, f.before, f.after) for f in findings] == [
        ("no-product-changed", 'addopts = "-q"', 'addopts = "-q -x"')
    ]


def test_where_only_tests_changed_one_question_is_asked(project) -> None:
    here = begin(project)
    here.write({"test_parse.py": TESTS.replace('(parse("a"), "a")', '(parse("a"), "a!")')})
    assert rules_found(make_run(here, FINAL_TREE_RUN)) == []
    assert rules_found(make_run(here, REPLAY_RUN)) == []
    assert rules_found(make_run(here, REVERT_RUN)) == [(MEDIUM, "no-product-changed")]


def test_tests_of_what_the_spec_asks_to_remove_are_not_put_back(project) -> None:
    here = project(
        {
            "app.py": "def write_xml():\n    return 1\n\n\ndef write_csv():\n    return 2\n",
            "test_xml.py": unit_test("app", "test_xml", "assertEqual(app.write_xml(), 1)"),
            "test_csv.py": unit_test("app", "test_csv", "assertEqual(app.write_csv(), 2)"),
        }
    )
    checks = ("--check", f"{NAME}={UNITTEST}", "--check", "gone=! grep -rn xml --include=*.py .")
    started = here.run("start", "Remove the XML export with its tests.", *checks, "--yes")
    assert started.code == 0, started.err
    here.write({"app.py": "def write_csv():\n    return 2\n"})
    (here.root / "test_xml.py").unlink()
    done = block({NAME: True, "gone": True}, exit=True)
    step(here.folder, TurnOver(time.time(), here.loop.lease.holder or SESSION, done, tool_calls=1))
    assert here.ended.verdict.grade == "proven", here.ended.verdict


def test_a_test_that_the_spec_asks_to_remove_is_a_question_and_never_a_refusal(project) -> None:
    kept = unit_test("parse", "test_b", "assertEqual(parse.parse('b'), 'b')")
    old = "\n    def test_a(self):\n        self.assertEqual(parse.parse('a', on=1), 'a')\n"
    here = project(
        {"parse.py": "def parse(text, on=0):\n    return text\n", "test_p.py": kept + old}
    )
    after = {"parse.py": FIXED, "test_p.py": kept}
    prove(here, "Drop the argument on of parse(). Remove its test.", f"{UNITTEST} test_p", **after)
    assert here.ended.verdict.grade == "reported"


# --- the whole proof ---


def test_an_honest_repair_is_proven_with_one_run_more(project) -> None:
    here = begin(project)
    assert here.loop.room.status == TRUSTED
    here.write({"parse.py": FIXED})
    end(here)

    loop = here.ended
    assert [(run.kind, run.outcome) for run in loop.room.runs] == [
        (FINAL_TREE_RUN, PASSED),
        (REPLAY_RUN, NOT_NEEDED),
        (REVERT_RUN, NOT_NEEDED),
    ]
    assert loop.verdict is not None
    assert loop.verdict.grade == "proven"
    assert not list(here.root.parent.glob("**/room-*")), "no room is left"


def test_a_module_for_tests_that_were_there_first_is_proven(project) -> None:
    here = begin(project, test_store__py=STORE_TESTS, parse__py=FIXED)
    here.write({"store.py": "def load(text):\n    return text\n"})
    end(here)

    assert here.ended.verdict is not None
    assert (here.ended.verdict.name, here.ended.verdict.grade) == ("SHIP", "proven")


WINDOWS_TEST = """\
    @unittest.skipIf(True, "Windows only")
    def test_windows(self):
        self.assertEqual(load("a"), "a")
"""
SKIPPING = {  # what a new skipped test is in: the file that does not load at the start, or a new one
    "a file that did not load": (STORE_TESTS + WINDOWS_TEST, {}),
    "a new file": (STORE_TESTS, {"test_more.py": STORE_TESTS + WINDOWS_TEST}),
}


@pytest.mark.parametrize(("tests", "added"), SKIPPING.values(), ids=SKIPPING.keys())
@pytest.mark.parametrize(
    ("flags", "grade"),
    [((), "proven"), pytest.param(("--room", "off"), "proven-in-place", marks=pytest.mark.long)],
)
def test_a_skipped_test_that_did_not_run_at_the_start_refutes_nothing(
    project, tests: str, added: dict[str, str], flags: tuple[str, ...], grade: str
) -> None:
    here = begin(project, *flags, test_store__py=tests, parse__py=FIXED)
    here.write({"store.py": "def load(text):\n    return text\n", **added})
    end(here)

    assert here.ended.verdict is not None
    assert (here.ended.verdict.name, here.ended.verdict.grade) == ("SHIP", grade)


def test_a_second_hard_link_to_an_ignored_file_changes_nothing(project, tmp_path: Path) -> None:
    here = begin(project, __gitignore=".env\n", __env="MODE=test\n")
    here.write({"parse.py": FIXED})
    (tmp_path / "link").hardlink_to(here.root / ".env")
    end(here)

    assert here.ended.verdict is not None
    assert (here.ended.verdict.name, here.ended.verdict.grade) == ("SHIP", "proven")


def test_a_test_that_ran_at_the_start_and_is_skipped_now_refutes(project) -> None:
    here = begin(project, settings__py="SKIP = False\n", test_kind__py=KIND_TESTS)
    here.write({"parse.py": FIXED, "settings.py": "SKIP = True\n"})
    end(here)

    assert here.loop.status == "running"
    first = here.loop.baseline.findings[0]
    assert (first.severity, first.rule) == (HIGH, "more-tests-skipped")
    assert first.after == "test_kind (test_kind.Kind.test_kind)"


@pytest.mark.long
def test_a_question_about_a_test_is_settled_if_its_former_version_passes(project) -> None:
    here = begin(project)
    changed = TESTS.replace('parse("a"), "a"', 'parse("b"), "b"')
    here.write({"parse.py": FIXED, "test_parse.py": changed})
    end(here)

    loop = here.ended
    assert loop.verdict is not None
    assert loop.verdict.grade == "proven"
    assert [(f.severity, f.rule) for f in loop.baseline.findings] == [
        (LOW, "expected-value-changed")
    ]


CLOSE = "def close(left, right):\n    return abs(len(left) - len(right)) < 0.5\n"


@pytest.mark.parametrize(
    ("product", "bound", "grade"), [(FIXED, "0.9", "proven"), (BROKEN, "9", "reported")]
)
def test_a_looser_helper_is_a_note_if_the_former_one_passes_too(
    project, product: str, bound: str, grade: str
) -> None:
    tests = TESTS.replace("from parse", "from testing.close import close\nfrom parse").replace(
        'self.assertEqual(parse("a"), "a")', 'self.assertTrue(close(parse("a"), "a"))'
    )
    files = {"test_parse.py": tests, "testing/close.py": CLOSE}
    here = begin(project, **files)
    here.write({"parse.py": f"{product}# ended\n", "testing/close.py": CLOSE.replace("0.5", bound)})
    end(here)

    assert here.ended.verdict is not None
    assert here.ended.verdict.grade == grade
    loosened = [f for f in here.ended.baseline.findings if f.rule == "assertion-widened"]
    assert [f.severity for f in loosened] == [LOW if grade == "proven" else MEDIUM]


@pytest.mark.long
@pytest.mark.parametrize(("product", "severity"), every(2, [(FIXED, LOW), (BROKEN, MEDIUM)]))
def test_a_red_test_that_became_a_row_of_a_table_passes_in_the_replay(
    project, product: str, severity: str
) -> None:
    kind = "def test_kind():\n    assert isinstance(parse('a'), str)\n"
    before = f"from parse import parse\n\n\ndef test_a():\n    assert parse('a') == 'a'\n\n\n{kind}"
    table = "@pytest.mark.parametrize('text', ['a', 'b'])\ndef test_rows(text):\n"
    rows = "    assert parse(text) == text\n" if product == FIXED else "    assert parse(text)\n"
    after = f"import pytest\n\nfrom parse import parse\n\n\n{table}{rows}\n\n{kind}"
    here = begin(project, check=PYTEST, test_parse__py=before)
    here.write({"parse.py": f"{product}# ended\n", "test_parse.py": after})
    runs = [make_run(here, kind) for kind in (FINAL_TREE_RUN, REPLAY_RUN)]

    missing = tuple(f for f in runs[0].findings if f.rule == "test-missing")
    (finding,) = settle_findings(missing, set(runs[1].settled))
    assert finding.severity == severity


def test_a_red_test_with_a_new_name_passes_in_the_replay_where_nothing_is_counted(project) -> None:
    shell = """\
got=$(python3 -c "from parse import parse; print(parse('a'))")
[ "$got" = a ] && echo "ok 1 - small" || { echo "not ok 1 - small"; bad=1; }
echo "ok 2 - kind"
exit $bad
"""
    here = begin(project, check="sh test_rows.sh", test_rows__sh=shell)
    here.write({"parse.py": FIXED, "test_rows.sh": shell.replace("- small", "- small texts")})
    runs = [make_run(here, kind) for kind in (FINAL_TREE_RUN, REPLAY_RUN)]

    assert rules_found(runs[0]) == [(MEDIUM, "test-missing")]
    (finding,) = settle_findings(runs[0].findings, set(runs[1].settled))
    assert finding.severity == LOW


def test_a_deleted_test_is_a_question_if_it_passes_on_the_final_product(project) -> None:
    here = begin(project)
    here.write({"parse.py": FIXED, "test_parse.py": TESTS.partition("    def test_kind")[0]})
    end(here)

    loop = here.ended
    assert loop.verdict is not None
    assert loop.verdict.grade == "reported"
    assert [(f.severity, f.rule) for f in loop.baseline.findings] == [
        (MEDIUM, "fewer-tests-run"),
        (MEDIUM, "test-deleted"),
    ]
    texts = [finding.text for finding in loop.baseline.findings]
    assert all(text.endswith("(with its former version it passes too)") for text in texts)


def test_a_deleted_test_refutes_the_claim_if_it_fails_on_the_final_product(project) -> None:
    here = begin(project)
    without_red_test = (
        TESTS[: TESTS.index("    def test_letters")] + TESTS[TESTS.index("    def test_kind") :]
    )
    here.write({"parse.py": f"{BROKEN}\n# fixed\n", "test_parse.py": without_red_test})
    end(here)

    assert here.loop.status == "running"
    deleted = [f for f in here.loop.baseline.findings if f.rule == "test-deleted"]
    assert [(f.severity, f.settled) for f in deleted] == [(HIGH, False)]


def test_a_changed_test_shows_what_its_former_version_does_on_the_final_product(project) -> None:
    twice = "def test_twice():\n    with pytest.raises(ValueError):\n        parse('')\n"
    tests = f"import pytest\nfrom parse import parse\n\n\n{twice}"
    broken = "def parse(text):\n    if not text:\n        raise ValueError\n    return 1\n"
    here = begin(project, check=PYTEST, parse__py=broken, test_parse__py=tests)
    here.write(
        {
            "parse.py": FIXED,
            "test_parse.py": tests.replace("test_twice", "test_x").replace(
                "with pytest.raises(ValueError):\n        parse('')", "assert parse('') == ''"
            ),
        }
    )
    run = make_run(here, REPLAY_RUN)

    [unmet] = run.unmet_tests
    assert unmet.startswith("test_parse::test_twice fails (")
    assert "DID NOT RAISE" in unmet


def test_a_new_step_is_a_note_if_the_check_passes_without_it(project) -> None:
    here = begin(project, check="sh check.sh", check__sh=f"set -e\n{UNITTEST}\n")
    here.write({"parse.py": FIXED, "check.sh": f"set -e\nls parse.py\n{UNITTEST}\n"})
    end(here)

    loop = here.ended
    assert loop.verdict is not None
    assert loop.verdict.grade == "proven"
    assert [(f.severity, f.rule) for f in loop.baseline.findings] == [(LOW, "check-step-added")]


def test_a_new_step_on_which_the_check_depends_is_not(project) -> None:
    here = begin(project, check="sh check.sh", check__sh=f"set -e\n{UNITTEST}\n")
    helped = f"set -e\nexport PYTHONPATH=good\nls good\ncd good\n{UNITTEST}\n"
    here.write({"good/parse.py": FIXED, "good/test_parse.py": TESTS, "check.sh": helped})
    end(here)

    assert here.ended.verdict is not None
    assert here.ended.verdict.grade == "reported"
    steps = [f for f in here.ended.baseline.findings if f.rule == "check-step-added"]
    assert [(f.severity, f.settled) for f in steps] == [(MEDIUM, False)]


ECHO_CHECK = "check() { python3 -m unittest -q; }\nset -e\ncheck\n"
QUIET_CHECK = "set -e\n. ./checks.sh\nrun_tests\n"
CHECKS = "run_tests() { python3 -m unittest -q; }\n"


@pytest.mark.long
def test_a_rewritten_check_is_a_question_if_the_former_one_passes(project) -> None:
    here = begin(project, check="sh check.sh", check__sh=ECHO_CHECK)
    here.write({"parse.py": FIXED, "check.sh": QUIET_CHECK, "checks.sh": CHECKS})
    end(here)

    assert here.ended.verdict is not None
    assert here.ended.verdict.grade == "reported"
    changed = [f for f in here.ended.baseline.findings if f.rule == "check-command-changed"]
    assert [(f.severity, f.settled) for f in changed] == [(MEDIUM, True)]


def test_a_rewritten_check_refutes_the_claim_if_the_former_one_fails(project) -> None:
    here = begin(project, check="sh check.sh", check__sh=ECHO_CHECK)
    here.write({"check.sh": QUIET_CHECK, "checks.sh": "run_tests() { echo OK; }\n"})
    end(here)

    assert here.loop.status == "running"


def test_it_is_not_settled_if_the_former_version_fails(project) -> None:
    here = begin(project)
    changed = TESTS.replace('parse("a"), "a"', 'parse("b"), "b?"')
    here.write({"parse.py": FIXED.replace("text\n", "text + '?'\n"), "test_parse.py": changed})
    end(here)

    assert here.ended.verdict is not None
    assert here.ended.verdict.grade == "reported"


def test_where_namespaces_are_refused_paths_are_rewritten(
    project, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(path_binding, "KINDS", ())
    here: Project = project({**FILES, ".gitignore": ".venv/\n"})
    venv.create(here.root / ".venv", with_pip=False)
    check = f"{here.root}/.venv/bin/python -B -m unittest -v"
    here.run("start", "fix all failing tests", "--check", f"{NAME}={check}", "--yes")
    assert (here.loop.room.why, here.loop.room.status) == ("", TRUSTED)
    assert not here.loop.room.binding
    here.write({"parse.py": FIXED})

    assert make_run(here, FINAL_TREE_RUN).outcome == PASSED


def test_a_binding_that_no_longer_works_is_a_lost_room(
    project, monkeypatch: pytest.MonkeyPatch
) -> None:
    here = begin(project)
    here.write({"parse.py": FIXED})
    monkeypatch.setattr(path_binding, "is_bound", lambda *_: False)

    run = make_run(here, FINAL_TREE_RUN, binding="unshare")

    assert (run.outcome, rules_found(run)) == (COULD_NOT_PREPARE, [(MEDIUM, "clean-checkout-lost")])
    assert run.why == "the system no longer lets it appear at the path of the project"


def test_after_a_kill_between_the_runs_only_the_missing_ones_run(
    project, monkeypatch: pytest.MonkeyPatch
) -> None:
    here = begin(project, helper__py="x = 1\n")
    here.write({"parse.py": FIXED, "tests/test_more.py": "import parse\n"})
    made: list[str] = []
    real = runs._make_run

    def counted(folder, wanted, loop, time_limit):
        made.append(wanted.kind)
        if made == [FINAL_TREE_RUN, REPLAY_RUN]:
            raise KeyboardInterrupt  # as a signal ends the hook
        return real(folder, wanted, loop, time_limit)

    monkeypatch.setattr(runs, "_make_run", counted)
    with pytest.raises(KeyboardInterrupt):
        end(here)
    assert [run.kind for run in here.loop.room.runs] == [FINAL_TREE_RUN]
    end(here)

    assert made == [FINAL_TREE_RUN, REPLAY_RUN, REPLAY_RUN, REVERT_RUN]
    assert here.ended.verdict is not None
    assert here.ended.verdict.grade == "proven"


# --- calibration ---


def test_a_check_that_needs_an_ignored_file_makes_the_room_untrusted(project) -> None:
    here = project({**FILES, ".gitignore": "built/\n", "built/it": ""})
    here.run("start", "fix it", "--check", f"{NAME}=test -e built/it && false", "--yes")
    assert here.loop.room.status == UNTRUSTED
    assert (
        here.loop.room.why
        == "tests pass: fails without output, so a missing package would look the same"
    )


def test_a_check_that_fails_in_silence_is_tried_in_one_room(project) -> None:
    here = begin(project, check="python3 -c 'raise SystemExit(1)'")
    assert here.loop.room.status == UNTRUSTED
    outputs = list((here.root / ".loop/evidence").iterdir())
    assert len(outputs) == 2, "in place and in one room: no other room could be trusted either"


def test_a_check_that_only_asks_about_files_may_fail_in_silence(project) -> None:
    here = begin(project, check="test ! -e setup.cfg", setup__cfg="[tool]\n")
    assert here.loop.room.status == TRUSTED


@pytest.mark.parametrize("way", every(2, ["--include", ".worktreeinclude"]))
def test_an_ignored_file_that_the_checks_need_can_be_included(project, way: str) -> None:
    files = {"__gitignore": "secret.cfg\n"}
    if way != "--include":
        files["__worktreeinclude"] = "# what the tests need\n\n/secret.cfg\nmissing.cfg\n"
    here: Project = project(
        {**FILES, **{name.replace("__", "."): text for name, text in files.items()}}
    )
    here.write({"secret.cfg": "key\n"})
    flags = ("--include", "secret.cfg") if way == "--include" else ()
    check = f"cat secret.cfg && {UNITTEST}"
    assert (
        here.run(
            "start", "fix all failing tests", "--check", f"{NAME}={check}", "--yes", *flags
        ).code
        == 0
    )
    assert (here.loop.room.why, here.loop.room.status) == ("", TRUSTED)
    here.write({"parse.py": FIXED, "secret.cfg": "what the agent wrote\n"})

    run = make_run(here, FINAL_TREE_RUN)

    assert run.outcome == PASSED
    log = (here.root / ".loop" / run.checks[0].log).read_text()
    assert log.startswith("key\n"), "it is as it was before the agent worked"


def test_a_module_that_the_installation_wrote_beside_the_code_is_in_the_clean_checkout(
    project,
) -> None:
    here: Project = project({**FILES, ".gitignore": "_version.py\nconftest.py\n"})
    here.write({"_version.py": "NUMBER = 1\n", "conftest.py": "x = 1\n"})
    check = f"cat _version.py && ls *.py && {UNITTEST}"
    here.run("start", "fix all failing tests", "--check", f"{NAME}={check}", "--yes")
    assert (here.loop.room.why, here.loop.room.status) == ("", TRUSTED)
    here.write({"parse.py": FIXED, "_version.py": "what the agent wrote\n"})

    run = make_run(here, FINAL_TREE_RUN)

    assert run.outcome == PASSED
    log = (here.root / ".loop" / run.checks[0].log).read_text()
    assert log.startswith("NUMBER = 1\n"), "it is as it was before the agent worked"
    assert "conftest.py" not in log, "what surrounds the tests has to be in the tree"


def test_a_module_that_was_written_again_from_a_changed_source_is_a_question(project) -> None:
    here: Project = project({**FILES, ".gitignore": "_version.py\n", "number": "1\n"})
    here.write({"_version.py": "NUMBER = 1\n"})
    check = f'{UNITTEST} && grep -q "$(cat number)" _version.py'
    here.run("start", "fix all failing tests", "--check", f"{NAME}={check}", "--yes")
    assert here.loop.room.status == TRUSTED
    here.write({"parse.py": FIXED, "number": "2\n", "_version.py": "NUMBER = 2\n"})

    run = make_run(here, FINAL_TREE_RUN)

    assert (run.outcome, run.why) == (
        COULD_NOT_PREPARE,
        "_version.py changed since the start, and git ignores it",
    )
    assert [(f.severity, f.rule) for f in run.findings] == [("medium", "clean-checkout-lost")]


def test_an_include_that_is_not_there_is_refused(project) -> None:
    here: Project = project(FILES)
    refused = here.run("start", "fix it", "--include", "gone.cfg", "--yes")

    assert refused.code != 0
    assert "--include gone.cfg: there is no such path here" in refused.err


def test_a_path_outside_the_project_is_not_copied(project) -> None:
    here: Project = project({**FILES, ".worktreeinclude": "sub/../../other.cfg\n"})
    (here.root.parent / "other.cfg").write_text("of someone else\n")
    here.run("start", "fix all failing tests", "--check", f"{NAME}={UNITTEST}", "--yes")

    assert here.loop.room.status == UNPREPARED
    assert (
        here.loop.room.why
        == "../other.cfg is not a path inside the project: see --include and .worktreeinclude"
    )


def test_a_setup_that_fails_is_said_before_the_start(project) -> None:
    here: Project = project(FILES)
    started = here.run(
        *("start", "fix all failing tests", "--check", f"{NAME}={UNITTEST}", "--yes"),
        *("--setup", "echo no registry; exit 3"),
    )

    assert here.loop.room.status == UNPREPARED
    assert "No clean checkout: `echo no registry; exit 3` exited 3: no registry" in started.out
    assert "The best grade is then proven in place" in started.out


def test_a_folder_without_git_is_proven_through_a_git_folder_of_ours(project) -> None:
    here: Project = project({**FILES, "helper.py": "x = 1\n"}, git=False)
    here.run("start", "fix all failing tests", "--check", f"{NAME}={UNITTEST}", "--yes")
    assert (here.loop.room.why, here.loop.room.status) == ("", TRUSTED)
    here.write({"parse.py": FIXED, "test_more.py": TESTS})
    (here.root / "helper.py").unlink()
    end(here)

    outcomes = [(run.kind, run.outcome) for run in here.ended.room.runs]
    assert outcomes == [(FINAL_TREE_RUN, PASSED), (REPLAY_RUN, PASSED), (REVERT_RUN, PASSED)]
    assert here.ended.verdict is not None
    assert here.ended.verdict.grade == "proven"
    assert not (here.root / ".git").exists()


def test_a_repair_outside_the_files_of_a_folder_without_git_does_not_hold(project) -> None:
    here: Project = project(FILES, git=False)
    here.run("start", "fix all failing tests", "--check", f"{NAME}={UNITTEST}", "--yes")
    here.write({"parse.py": "from hidden import parse\n", "node_modules/hidden.py": FIXED})
    (here.root / "hidden.py").symlink_to("node_modules/hidden.py")

    assert rules_found(make_run(here, FINAL_TREE_RUN)) == [(HIGH, "fails-in-clean-room")]


def test_a_tree_that_is_too_large_only_at_the_end_is_a_finding(
    project, monkeypatch: pytest.MonkeyPatch
) -> None:
    here: Project = project(FILES)
    here.run("start", "fix all failing tests", "--check", f"{NAME}={UNITTEST}", "--yes")
    here.write({"parse.py": FIXED, "recording.txt": "more than ten bytes\n"})
    for module in ("kept_trees", "git_tree"):
        monkeypatch.setattr(f"loopwright.repo.{module}.MAX_NEW_BYTES", 10)
    run = make_run(here, FINAL_TREE_RUN)

    assert rules_found(run) == [(MEDIUM, "clean-checkout-lost")]
    assert "too much new content" in run.why


def test_a_folder_that_git_and_we_cannot_keep_is_proven_in_place(
    project, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("loopwright.repo.kept_trees.MAX_NEW_BYTES", 10)
    here: Project = project(FILES, git=False)
    here.run("start", "fix all failing tests", "--check", f"{NAME}={UNITTEST}", "--yes")
    assert here.loop.room.status == UNPREPARED
    assert here.loop.room.why == (
        "the project is not in a git repository, and it is too large to keep"
    )
    here.write({"parse.py": FIXED})
    end(here)

    assert here.ended.verdict is not None
    assert here.ended.verdict.grade == "proven-in-place"


def test_room_off_is_the_choice_of_the_person(project) -> None:
    here = begin(project, "--room", "off")
    here.write({"parse.py": FIXED})
    end(here)

    assert here.ended.verdict is not None
    assert here.ended.verdict.grade == "proven-in-place"
    assert here.ended.room.runs == ()


@pytest.mark.parametrize(
    "flags",
    [
        ("--setup", "true"),
        ("--include", "parse.py"),
        ("--may-change", "test_parse.py"),
        ("--allow-new-deps",),
        ("--room", "off"),
    ],
)
def test_an_agent_cannot_choose_how_its_work_is_proven(project, flags: tuple[str, ...]) -> None:
    here: Project = project(FILES)
    refused = here.run("start", "fix all failing tests", *flags, CLAUDECODE="1")

    assert refused.code == 1
    assert f"{flags[0]} is the person's to say" in refused.err


def test_an_editable_install_of_the_live_checkout_is_refused(
    project, monkeypatch: pytest.MonkeyPatch, tmp_path
) -> None:
    monkeypatch.setattr(path_binding, "KINDS", ())  # as where the system refuses namespaces
    link = tmp_path / "link"
    here: Project = project({**FILES, "app/__init__.py": ""})
    link.symlink_to(here.root)  # a path of the project that no rewriting knows
    monkeypatch.setenv("PYTHONSAFEPATH", "1")
    monkeypatch.setenv("PYTHONPATH", str(link))
    here.run("start", "fix all failing tests", "--check", f"{NAME}={PYTEST}", "--yes")

    assert here.loop.room.status == UNPREPARED
    assert here.loop.room.why.startswith("app would be imported from the project, not from the")
    assert "--setup COMMAND" in here.loop.room.why


def test_with_an_editable_install_the_room_tests_its_own_product(project, tmp_path: Path) -> None:
    here: Project = project({"src/app/__init__.py": BROKEN, "tests/test_app.py": APP_TESTS})
    environment = tmp_path / "environment"  # of the person, outside the project
    venv.create(environment, with_pip=False)
    (site_packages,) = environment.glob("lib/*/site-packages")
    (site_packages / "app.pth").write_text(f"{here.root}/src\n")
    check = f"{environment}/bin/python -B -m unittest discover -v tests"
    here.run("start", "fix all failing tests", "--check", f"{NAME}={check}", "--yes")
    loop = here.loop
    if not loop.room.binding:
        pytest.skip("the system refuses namespaces")
    assert (loop.room.why, loop.room.status) == ("", TRUSTED)
    here.write({"src/app/__init__.py": FIXED})

    with open_room(here.folder, loop, loop.baseline.tree_id, options_of_start(loop)) as room:
        in_room = run_checks(here.folder, loop, room, room_criteria(loop))
    assert not in_room[NAME].evidence.passed, "the live checkout is repaired, the room is not"
    assert make_run(here, FINAL_TREE_RUN).outcome == PASSED


def test_in_a_session_the_calibration_runs_in_the_background_and_is_told_once(project) -> None:
    here: Project = project(
        {
            ".gitignore": "built\n",
            "Makefile": "test:\n\t@cat built && ! grep -q bug code\n",
            "code": "bug\n",
        }
    )
    here.write({"built": "by hand\n"})
    types(here, "/loop:start fix all failing tests --no-gates")
    in_session = {"CLAUDE_CODE_SESSION_ID": SESSION, "CLAUDECODE": "1"}
    points = [word for name in DIMENSIONS for word in ("--point", f"{name}: 2 (exact)")]
    started = here.process("start", *points, **in_session)
    assert started.code == 0, started.err
    until(lambda: here.loop.room.status != "pending", lambda: "the calibration goes on")

    assert here.loop.room.status == UNTRUSTED
    assert len(here.events("RoomCalibrated")) == 1
    first, second = (stop(here, "working").message for _ in range(2))
    assert "The checks give other results in a clean checkout" in first
    assert "clean checkout" not in second


# --- the final tree ---


def test_a_repair_that_lives_in_an_ignored_file_does_not_hold(project) -> None:
    here = begin(project, __gitignore="hidden.py\n")
    here.write({"parse.py": "from hidden import parse\n", "hidden.py": FIXED})

    run = make_run(here, FINAL_TREE_RUN)

    assert (run.outcome, rules_found(run)) == (FAILED, [(HIGH, "fails-in-clean-room")])
    assert run.checks[0].failing, "the tests are named"


@pytest.mark.long
def test_a_failure_in_an_untrusted_room_says_nothing(project) -> None:
    here = begin(project, check="test -e build/done", __gitignore="build/\n")
    here.write({"build/done": ""})
    run = make_run(here, FINAL_TREE_RUN, status=UNTRUSTED, why="no database")

    assert (run.outcome, run.findings) == (COULD_NOT_PREPARE, ())
    assert run.why == "tests pass fails in a clean checkout, as the start made likely: no database"


@pytest.mark.long
def test_a_red_test_that_no_longer_runs_is_missed(project) -> None:
    here = begin(project, check="sh check.sh", check__sh=f"{UNITTEST}\n")
    here.write({"parse.py": FIXED, "check.sh": f"{UNITTEST} -k kind\n"})
    assert rules_found(make_run(here, FINAL_TREE_RUN)) == [(HIGH, "test-missing")]

    here.write({"test_parse.py": TESTS.replace("test_letters", "test_words")})
    assert rules_found(make_run(here, FINAL_TREE_RUN)) == [(MEDIUM, "test-missing")]


@pytest.mark.parametrize(
    "name", every(3, ["requirements.txt", "package-lock.json", "go.sum", "build.gradle"])
)
def test_new_packages_are_installed_only_with_permission(project, name: str) -> None:
    here = begin(project, **{name.replace(".", "__"): "a\n"})
    here.write({"parse.py": "import a_new_package\n", name: "a\nb\n"})

    run = make_run(here, FINAL_TREE_RUN)

    assert (run.outcome, rules_found(run)) == (COULD_NOT_PREPARE, [(MEDIUM, "clean-checkout-lost")])
    assert run.why == (
        f"{name} changed, and packages are installed only with your permission: "
        "loop start --allow-new-deps"
    )


def test_with_permission_new_packages_are_installed(project) -> None:
    install = "#!/bin/sh\ncp packages.txt new_package.py\n"
    here: Project = project(
        {**FILES, "gradlew": install, "build.gradle": "", "packages.txt": "x = 1\n"}
    )
    (here.root / "gradlew").chmod(0o755)
    here.commit()
    start = ("start", "fix all failing tests", "--check", f"{NAME}={UNITTEST}", "--yes")
    assert here.run(*start, "--allow-new-deps").code == 0
    assert (here.loop.room.status, here.loop.room.setup) == (TRUSTED, "")
    here.write({"parse.py": f"import new_package\n{FIXED}", "build.gradle": "new_package\n"})

    assert make_run(here, FINAL_TREE_RUN).outcome == PASSED


# --- the replay ---


def test_a_script_that_unchanged_tests_need_refutes(project) -> None:
    here = begin(project, check="sh check.sh", check__sh=f"{UNITTEST}\n")
    here.write({"check.sh": f"{UNITTEST} -k kind\n"})
    make_run(here, FINAL_TREE_RUN)

    run = make_run(here, REPLAY_RUN)

    assert (run.outcome, rules_found(run)) == (FAILED, [(HIGH, "passes-only-with-new-settings")])
    assert run.findings[0].file == "check.sh"
    assert "test_letters" in run.findings[0].after


@pytest.mark.long
def test_a_helper_that_unchanged_tests_need_is_for_a_person(project) -> None:
    test = TESTS.replace("from parse import parse", "from helper import parse")
    here = begin(
        project,
        check="python3 -B -m unittest discover -v tests",
        **{"tests/test_it__py": test, "tests/helper__py": "from parse import parse\n"},
    )
    here.write({"tests/helper.py": FIXED})
    make_run(here, FINAL_TREE_RUN)

    run = make_run(here, REPLAY_RUN)

    assert (run.outcome, rules_found(run)) == (PASSED, [(MEDIUM, "passes-only-with-new-helpers")])
    assert run.findings[0].file == "tests/helper.py"


def test_what_the_work_is_meant_to_change_is_not_put_back(project) -> None:
    here = begin(
        project, "--may-change", "check.sh", check="sh check.sh", check__sh=f"{UNITTEST}\n"
    )
    here.write({"check.sh": f"{UNITTEST} -k kind\n"})

    assert make_run(here, REPLAY_RUN).outcome == NOT_NEEDED


@pytest.mark.long
def test_a_changed_test_that_was_red_and_still_fails_as_it_was_is_for_a_person(project) -> None:
    here = begin(project)
    here.write({"test_parse.py": TESTS.replace('parse("a"), "a"', 'parse("a"), "a!"'), **OTHER})
    make_run(here, FINAL_TREE_RUN)

    assert rules_found(make_run(here, REPLAY_RUN)) == [(MEDIUM, "fails-with-baseline-tests")]


@pytest.mark.long
def test_without_names_and_without_changed_tests_the_replay_refutes(project) -> None:
    check = "grep -q fixed parse.py"
    here = begin(project, check="sh check.sh", check__sh=f"{check}\n")
    here.write({"check.sh": "true\n"})
    make_run(here, FINAL_TREE_RUN)

    assert rules_found(make_run(here, REPLAY_RUN)) == [(HIGH, "passes-only-with-new-settings")]


@pytest.mark.long
def test_without_names_and_with_changed_tests_the_replay_only_doubts(project) -> None:
    here = begin(project, check="sh check.sh", check__sh="grep -q fixed parse.py\n")
    here.write({"check.sh": "true\n", "test_parse.py": f"{TESTS}\n", **OTHER})
    make_run(here, FINAL_TREE_RUN)

    assert rules_found(make_run(here, REPLAY_RUN)) == [(MEDIUM, "fails-with-baseline-tests")]


@pytest.mark.long
def test_a_refutation_that_does_not_reproduce_is_a_flaky_check(
    project, monkeypatch: pytest.MonkeyPatch
) -> None:
    here = begin(project, check="sh check.sh", check__sh=f"{UNITTEST}\n")
    here.write({"check.sh": f"{UNITTEST} -k kind\n"})
    make_run(here, FINAL_TREE_RUN)
    real, replays = replay.replay, []

    def flaky(run_of, restored):
        replays.append(restored)
        if len(replays) == 3:
            restored = ()
        return real(run_of, restored)

    monkeypatch.setattr(replay, "replay", flaky)

    assert rules_found(make_run(here, REPLAY_RUN)) == [(MEDIUM, "flaky-in-room")]


@pytest.mark.long
def test_a_test_whose_interface_is_gone_is_listed(project) -> None:
    helper = "import parse\n\n\ndef call(text):\n    return parse.{}(text)\n"
    test = "from helper import call\n\n\ndef test_it():\n    assert call('a') == 'a'\n"
    here = begin(
        project,
        check=f"{PYTEST} tests",
        **{
            "parse__py": FIXED,
            "tests/helper__py": helper.format("parse"),
            "tests/test_it__py": test,
        },
    )
    here.write({"parse.py": FIXED.replace("parse", "parse_text")})
    here.write({"tests/helper.py": helper.format("parse_text")})
    make_run(here, FINAL_TREE_RUN)

    run = make_run(here, REPLAY_RUN)

    assert (run.outcome, rules_found(run)) == (PASSED, [(LOW, "test-no-longer-applies")])


# --- the revert test ---


@pytest.mark.long
def test_final_tests_that_pass_without_the_work_are_named(project) -> None:
    here = begin(project)
    here.write({"test_parse.py": TESTS.replace('parse("a"), "a"', 'parse("a"), "a!"'), **OTHER})

    run = make_run(here, REVERT_RUN)

    assert (run.outcome, rules_found(run)) == (PASSED, [(MEDIUM, "passes-without-the-work")])


def test_new_tests_that_fail_without_the_work_support_it(project) -> None:
    here = begin(project)
    here.write({"parse.py": FIXED, "test_more.py": TESTS})

    run = make_run(here, REVERT_RUN)

    assert (run.outcome, run.findings) == (PASSED, ())
    assert [check.passed for check in run.checks] == [False]


@pytest.mark.parametrize("room", ["on", pytest.param("off", marks=pytest.mark.long)])
@pytest.mark.parametrize(
    ("script", "text"),
    every(
        2,
        [
            pytest.param("check.py", "", id="missing"),
            pytest.param("tests/test_it.py", "", id="a missing test"),
            pytest.param("test_it.py", "def test_it(:\n", id="a syntax error in a test"),
        ],
    ),
)
def test_a_check_that_could_not_run_at_the_start_rests_on_the_agents_own_tests(
    project, script: str, text: str, room: str
) -> None:
    files = {script: text} if text else {}
    here = begin(project, "--room", room, check=f"python3 -B {script}", **files)
    assert here.loop.criteria[0].could_not_run
    here.write({"parse.py": FIXED, script: "print('all is well')\n"})
    end(here)

    verdict = here.ended.verdict
    assert verdict is not None
    assert (verdict.name, verdict.grade) == ("MONITOR", "reported")
    assert "the tests are the agent's own" in verdict.why


def test_own_tests_show_work_that_a_new_check_needs(project) -> None:
    here = begin(project, check="python3 -B test_a.py")
    here.write({"parse.py": FIXED, "test_a.py": "import parse\nassert parse.parse('a') == 'a'\n"})
    end(here)

    verdict = here.ended.verdict
    assert verdict is not None
    assert (verdict.name, verdict.grade, verdict.proven) == ("MONITOR", "tested", False)


def test_own_tests_in_place_of_a_broken_file_are_never_proof(project) -> None:
    here = begin(project, check=f"{UNITTEST} test_it", test_it__py="def test_it(:\n")
    assert here.loop.criteria[0].could_not_run
    test = unit_test("parse", "test_it", "assertEqual(parse.parse('a'), 'a')")
    here.write({"parse.py": FIXED, "test_it.py": test})
    end(here)

    verdict = here.ended.verdict
    assert verdict is not None
    assert (verdict.name, verdict.proven) == ("MONITOR", False)


# --- tested: new tests that fail without the work ---

JOINS = "\n\ndef join(parts):\n    return ','.join(parts)\n"
JOIN_TESTS = """\
import unittest

import parse


class Join(unittest.TestCase):
    def test_two(self):
        self.assertEqual(parse.join(["a", "b"]), "a,b")
"""
UPPER = FIXED.replace("return text", "return text.upper()")
SAYS_NOTHING = JOIN_TESTS.replace('self.assertEqual(parse.join(["a", "b"]), "a,b")', "parse.parse")
ASSERTS_NOTHING = SAYS_NOTHING.replace("parse.parse", "parse.join([])")
# What is written, the grade, how many tests fail without the work, and how many for want of a name.
FEATURES = {
    "a new function and its test": (
        {"parse.py": FIXED + JOINS, "test_join.py": JOIN_TESTS},
        ("tested", 1, 1),
    ),
    "a new function and a test that passes without it": (
        {"parse.py": FIXED + JOINS, "test_join.py": SAYS_NOTHING},
        ("reported", 0, 0),
    ),
    "a new function and a test that asserts nothing": (
        {"parse.py": FIXED + JOINS, "test_join.py": ASSERTS_NOTHING},
        ("reported", 0, 0),
    ),
    "a new function without a test": ({"parse.py": FIXED + JOINS}, ("reported", 0, 0)),
    "a test in a file that changed": (
        {
            "parse.py": FIXED.replace("return text", "return text.strip()"),
            "test_parse.py": TESTS
            + "\n    def test_blanks(self):\n        self.assertEqual(parse(' a '), 'a')\n",
        },
        ("tested", 1, 0),
    ),
    "tests of the start that fail now": (
        {"parse.py": UPPER, "test_parse.py": TESTS.replace('"a"), "a"', '"a"), "A"')},
        ("reported", 1, 0),
    ),
}


@pytest.mark.parametrize(
    ("files", "shown"), every(2, [*FEATURES.values()]), ids=every(2, [*FEATURES.keys()])
)
def test_work_on_passing_tests_is_tested_if_new_ones_fail_without_it(
    project, files: dict[str, str], shown: tuple[str, int, int]
) -> None:
    here = begin(project, parse__py=FIXED)
    here.write(files)
    end(here)

    loop = here.ended
    assert loop.verdict is not None
    checks = [c for run in loop.room.runs if run.kind == REVERT_RUN for c in run.checks]
    count = sum(check.work_test_count for check in checks)
    missing = sum(check.missing_count for check in checks)
    assert (loop.verdict.grade, count, missing) == shown
    assert (loop.verdict.name, loop.verdict.proven) == ("MONITOR", False)


def test_tests_that_may_change_show_the_work_too(project) -> None:
    here = begin(project, "--may-change", "test_parse.py", parse__py=FIXED)
    here.write({"parse.py": UPPER, "test_parse.py": TESTS.replace('"a"), "a"', '"a"), "A"')})
    end(here)

    assert here.ended.verdict is not None
    assert here.ended.verdict.grade == "tested"


@pytest.mark.long
def test_the_verdict_says_which_tests_show_it(project) -> None:
    here = begin(project, parse__py=FIXED)
    here.write({"parse.py": FIXED + JOINS, "test_join.py": JOIN_TESTS})
    end(here)

    assert here.ended.verdict is not None
    assert here.ended.verdict.notes[0] == (
        "tested: 1 new or changed test (test_two (test_join.Join.test_two)) fails without the work and passes with it "
        "(written by the agent); all 2 earlier tests pass"
    )


def test_a_changed_expectation_that_the_spec_states_is_tested(project) -> None:
    texts = [FIXED.replace("return text", f"return '{word}'") for word in ("draft", "ready")]
    tests = [TESTS.replace('"a"), "a"', f'"a"), "{word}"') for word in ("draft", "ready")]
    here = project({"parse.py": texts[0], "test_parse.py": tests[0]})
    after = {"parse.py": texts[1], "test_parse.py": tests[1]}
    prove(here, "parse says 'ready'.", UNITTEST, **after)
    assert here.ended.verdict.grade == "tested", here.ended.verdict


def test_the_spec_is_shown_by_new_tests_where_nothing_else_is_asked(project) -> None:
    here = project({"parse.py": FIXED, "test_parse.py": TESTS})
    started = here.run("start", "add a function join to parse.py, with tests", "--yes")
    assert started.code == 0, started.err
    assert [c.stands_for_spec for c in here.loop.criteria] == [True, False]
    assert "tried without it" in started.out

    here.write({"parse.py": FIXED + JOINS, "test_join.py": JOIN_TESTS})
    done = block({c.name: True for c in here.loop.criteria}, exit=True)
    step(here.folder, TurnOver(time.time(), here.loop.lease.holder or SESSION, done, tool_calls=1))
    assert here.ended.verdict.grade == "tested", here.ended.verdict


# --- the trees themselves ---


def test_a_replaced_object_of_the_start_is_noticed(project) -> None:
    here = begin(project)
    here.write({"test_parse.py": f"{TESTS}\n"})
    commit = here.loop.baseline.tree_id
    name = here.git("rev-parse", f"{commit}:parse.py").strip()
    path = here.root / ".git/objects" / name[:2] / name[2:]
    path.chmod(0o600)
    content = b"blob %d\0%s" % (len(FIXED), FIXED.encode())
    path.write_bytes(zlib.compress(content))  # the start would look as if nothing was broken

    run = make_run(here, REVERT_RUN)

    assert (run.outcome, rules_found(run)) == (COULD_NOT_PREPARE, [(MEDIUM, "clean-checkout-lost")])


def test_without_a_change_around_the_product_only_the_final_tree_is_run(project) -> None:
    here = begin(project)
    here.write({"parse.py": FIXED})

    assert make_run(here, REPLAY_RUN).outcome == NOT_NEEDED
    assert make_run(here, REVERT_RUN).outcome == NOT_NEEDED

    # Whatever checks have written since, it is the kept tree.
    loop, root, path = here.loop, str(here.root), here.folder.path
    tree = tree_hash(root, path, loop.settings.volatile_globs)
    kept = kept_trees.keep_tree(root, path, tree, kept_trees.kept_tree_ref(loop.id, 1))
    here.write({"report.txt": "written by a check\n"})
    assert end_commit(here.folder, loop, tree) == kept

    store = Path(room_store(loop))
    assert store.exists()
    here.run("cancel")
    assert not store.exists(), "a loop that has ended leaves nothing"
