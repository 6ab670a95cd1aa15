"""Which files a spec and its checks make the work, and which decide the result."""

from __future__ import annotations

import pytest

from loopwright.checks.named_files import (
    DECIDES,
    WORK,
    NamedFiles,
    asks_for_as_many_tests,
    asks_for_tests,
    asks_to_remove,
    asks_to_remove_file,
    asks_to_remove_tests,
    has_text_of_spec,
    is_value_of_spec,
    lower_finding,
    only_adds_what_spec_names,
)
from loopwright.checks.reach import reach_of
from loopwright.checks.surroundings import surrounding_kind
from loopwright.core.findings import LOW, MEDIUM, Finding

FILES = {
    "src/report.py": "print(1)",
    "docs/index.md": "",
    "sub/index.md": "",
    "README.md": "",
    "Makefile": "test:\n\tsh scripts/check.sh\n",
    "scripts/check.sh": "exit 0",
    "scripts/pack.sh": "exit 0",
    "tests/test_report.py": "",
    "package.json": '{"scripts": {"test": "node --test"}}',
    ".github/workflows/ci.yml": "",
    ".github/workflows/tests.yml": "",
    "Dockerfile": "",
    "nav.txt": "",
}
ROLES = {
    "a program that a pipe hands to grep is product": (
        *("print the total", "python3 src/report.py | grep -q total", "src/report.py"),
        "",
    ),
    "a program whose exit code is the check decides": (
        *("print the total", "python3 src/report.py", "src/report.py"),
        DECIDES,
    ),
    "a workflow that the spec names is the work": (
        *("add a job to .github/workflows/ci.yml", "pytest", ".github/workflows/ci.yml"),
        WORK,
    ),
    "a workflow that a check reads is the work": (
        *("add a job", "grep -q lint .github/workflows/ci.yml", ".github/workflows/ci.yml"),
        WORK,
    ),
    "a workflow is no test, whatever its name": (
        *("add 3.13 to .github/workflows/tests.yml", "pytest", ".github/workflows/tests.yml"),
        WORK,
    ),
    "settings that must stay as they are": (
        *("Add a script, don't touch package.json.", "npm test", "package.json"),
        "",
    ),
    "the same in other words": (
        *("Speed up the tests; package.json itself should not change.", "npm test", "package.json"),
        "",
    ),
    "data is the work if the spec adds to it, by its stem": (
        *("Write a page and put it in the nav.", "make test", "nav.txt"),
        WORK,
    ),
    "data that the spec only speaks of is not": (
        *("The links in the nav are broken.", "make test", "nav.txt"),
        "",
    ),
    "a stem of two files names neither": (
        *("add the page to the index", "make test", "docs/index.md"),
        "",
    ),
    "so is what builds the image": ("use slim in the Dockerfile", "pytest", "Dockerfile", WORK),
    "a workflow that nobody names is not": (
        *("fix the parser", "pytest", ".github/workflows/ci.yml"),
        "",
    ),
    "settings decide": ("add a lint script to package.json", "npm test", "package.json", DECIDES),
    "so does a makefile": ("add a dist target to the Makefile", "make dist", "Makefile", DECIDES),
    "a script that checks": ("write scripts/check.sh", "make test", "scripts/check.sh", DECIDES),
    "a new script that no check runs": (
        "write bin/check-env.sh",
        "sh test.sh",
        "bin/check-env.sh",
        WORK,
    ),
    "a test stays a test": (
        *("make tests/test_report.py pass", "pytest", "tests/test_report.py"),
        "",
    ),
    "a document by its base name": ("bring the README up to date", "true", "README.md", WORK),
    "a name of two files names neither": ("rewrite index.md", "true", "docs/index.md", ""),
    "a file that is still to come": ("write docs/usage.md", "true", "docs/usage.md", WORK),
    "a hook of the test runner": ("add a fixture to conftest.py", "pytest", "conftest.py", ""),
}


@pytest.mark.parametrize(("spec", "command", "path", "role"), ROLES.values(), ids=ROLES.keys())
def test_the_role_of_a_changed_file(spec: str, command: str, path: str, role: str) -> None:
    programs = frozenset(reach_of((command,), FILES.get).scripts)
    named = NamedFiles(spec, (command,), programs, lambda: FILES)
    kind = surrounding_kind(path, FILES.get(path), "changed", programs)
    assert named.role(path, kind) == role


def test_a_folder_that_a_check_names_and_what_must_not_change_are_no_work() -> None:
    spec = "Move the tests. Do not change src/report.py, and leave docs/index.md alone."
    named = NamedFiles(spec, ("node --test src",), frozenset(["src"]), lambda: FILES)
    assert (named.files_with_role(WORK), named.files_with_role(DECIDES)) == ((), ())


def test_the_start_names_what_is_there_and_what_is_to_come() -> None:
    spec = "/usr/lib/python3/json/decoder.py fails: fix src/report.py, write docs/usage.md, see e.g. 1.5/2.5; run it with make"
    named = NamedFiles(spec, ("make test",), frozenset(["scripts/check.sh"]), lambda: FILES)
    assert named.files_with_role(WORK) == ("docs/usage.md", "src/report.py")
    assert named.files_with_role(DECIDES) == ("scripts/check.sh",)


@pytest.mark.parametrize(
    ("before", "after", "expected"),
    [
        ("assert total() == 0.12", "assert total() == 0.13", True),
        ("assert total() == 0.12", "assert total() == 0.1", False),
        ("assert total() == 0.12", "assert total() == 0.14", False),
        ("assert name() == 'old'", "assert name() == 'per line'", True),
        ("assert a == b", "assert a", False),
        ("assert head() == 'Vary'", "assert head() == 'Vary, per line'", True),
        ("assert head() == 'Vary'", "assert head() == 'Vary, by line'", False),
        ("assert head() == 'Vary'", "assert head() == 'Vary' or line", False),
    ],
)
def test_a_new_value_that_the_spec_asks_for(before: str, after: str, expected: bool) -> None:
    assert is_value_of_spec(before, after, "round per line: 0.125 is 0.13.") is expected


@pytest.mark.parametrize(
    ("name", "expected"),
    [("write_xml", True), ("XmlWriter", True), ("parser", False), ("write_json", False)],
)
def test_what_the_spec_asks_to_remove(name: str, expected: bool) -> None:
    spec = "The XML export is deprecated, remove it. The json parser stays."
    assert asks_to_remove(name, spec) is expected


def test_what_the_spec_asks_to_move_is_not_at_its_old_place():
    assert asks_to_remove("DistFacade", "Move the legacy DistFacade to _compat.")
    assert not asks_to_remove("DistFacade", "Improve DistFacade.")


@pytest.mark.parametrize(
    ("spec", "expected"),
    [
        ("app/old.py is not used any more. Delete it, with its tests.", True),
        ("Remove old.py.", True),
        ("Replace app/old.py by a faster one.", False),
        ("app/old.py is slow. Delete the cache of app/new.py.", False),
    ],
)
def test_a_file_that_the_spec_asks_to_remove(spec: str, expected: bool) -> None:
    assert asks_to_remove_file("app/old.py", spec) is expected


@pytest.mark.parametrize(
    ("spec", "expected"),
    [
        ("Convert tests/test_queue.py from unittest to pytest.", True),
        ("tests/test_retry.py takes 3 seconds. Make it fast.", True),
        ("Convert tests/test_queue.py to pytest and add tests for its limits.", False),
        ("Write tests for queue.py.", False),
    ],
)
def test_a_spec_that_asks_for_as_many_tests(spec: str, expected: bool) -> None:
    assert asks_for_as_many_tests(spec) is expected


@pytest.mark.parametrize(
    ("spec", "expected"),
    [
        ("Drop the argument on from retry. Remove its test.", True),
        ("Switch the site to mkdocs: remove build.py and its test.", True),
        ("delete the obsolete tests", True),
        ("Remove the XML export. The tests must pass.", False),
        ("fix all failing tests", False),
    ],
)
def test_a_spec_that_asks_to_remove_tests(spec: str, expected: bool) -> None:
    assert asks_to_remove_tests(spec) is expected


@pytest.mark.parametrize(
    ("spec", "expected"),
    [
        ("Write unit tests for ring.go in ring_test.go.", True),
        ("stack.py has no tests at all. Write some.", True),
        ("raise the coverage of roman.py to 90 %", True),
        ("Convert tests/test_queue.py from unittest to pytest.", True),
        ("tests/test_retry.py takes 3 seconds. Make it fast.", True),
        ("fix all failing tests", False),
        ("The report shall end with a total.", False),
    ],
)
def test_a_spec_that_asks_for_tests(spec: str, expected: bool) -> None:
    assert asks_for_tests(spec) is expected


@pytest.mark.parametrize(
    ("after", "expected"),
    [
        ("equal(scan(), {\n  a: 1,\n  isNegated: false\n})\n", True),
        ("equal(scan(), {\n  a: 1,\n  somethingElse: false\n})\n", False),
        ("equal(scan(), {\n  a: 2,\n  isNegated: false\n})\n", False),
        ("equal(scan(), {\n  a: 1\n})\n", False),
    ],
)
def test_expectations_that_grew_by_what_the_spec_names(after: str, expected: bool) -> None:
    before, spec = "equal(scan(), {\n  a: 1\n})\n", "Add isNegated to the result of scan"
    assert only_adds_what_spec_names(before, after, spec) == expected


@pytest.mark.parametrize(
    ("after", "expected"),
    [
        ('equal(get(), {"name": "tea", "price": 450, "stock": 0})\n', True),
        ('equal(get(), {"name": "tea", "price": 450, "other": 0})\n', False),
        ('equal(get(), {"name": "tea", "price": 460, "stock": 0})\n', False),
        ('equal(get(), {"name": "tea", "stock": 0})\n', False),
        ('equal(get(), {"name": "tea", "price": 450} or stock)\n', False),
        ('equal(get(), {"name": "tea", "price": 450, "stock": get()["stock"]})\n', False),
    ],
)
def test_an_expected_object_that_grew_in_its_line(after: str, expected: bool) -> None:
    before, spec = 'equal(get(), {"name": "tea", "price": 450})\n', 'Return the count as "stock".'
    assert only_adds_what_spec_names(before, after, spec) == expected


def test_an_expected_object_that_grew_and_got_other_lines():
    before = 'title = 1\nequal(get(), {\n  "a": {"x": {"y": 1}},\n})\n'
    grown = '  "a": {\n    "x": {"y": 1},\n    "title": "A",\n  },\n'
    after = f"title = 1\nequal(get(), {{\n{grown}}})\n"
    assert only_adds_what_spec_names(before, after, "The title is missing.")
    assert not only_adds_what_spec_names(before, after, "The name is missing.")


def test_what_gets_another_name_keeps_its_tests() -> None:
    spec = "Rename the function discounted to reduce_by_percent."

    assert asks_to_remove("discounted", spec)
    assert not asks_to_remove("discounted", spec, with_tests=True)
    assert asks_to_remove("shorten", "Delete shorten and its tests.", with_tests=True)


def test_a_value_may_be_replaced_as_two_texts_of_the_spec_differ() -> None:
    spec = 'Change the output from "name: 5.00" to tab separated, i.e. "name\\t5.00".'
    line = "assert report(x) == 'rent: 5.00, food: 2.50'"

    assert is_value_of_spec(line, line.replace(": ", "\\t"), spec)
    assert not is_value_of_spec(line, line.replace(": ", "\\t").replace("2.50", "2.5"), spec)
    assert not is_value_of_spec(line, line.replace("== ", "!= "), spec)


def test_a_text_of_the_spec_may_hold_a_placeholder() -> None:
    spec = "Change the message to `config file not found: PATH`."

    assert has_text_of_spec("{ message: `config file not found: ${file}` }", spec)
    assert has_text_of_spec("== 'config file not found: /a.json'", spec)
    assert not has_text_of_spec("== 'config file not found'", spec)
    assert not has_text_of_spec("== 'some other text'", spec)


def test_an_example_in_a_document_weighs_as_much_where_the_document_is_the_work() -> None:
    finding = Finding(MEDIUM, "expected-data-changed", "README.md", before=">>> add(1, 2) → 3")

    assert lower_finding(finding, WORK) == finding
    assert lower_finding(finding.but(before="A page"), WORK).severity == LOW


@pytest.mark.parametrize(
    ("step", "severity"),
    [
        ("./deploy.conf", LOW),
        ('. "$here/deploy.conf"', LOW),
        ("exit 0", MEDIUM),
        ("./a.conf", MEDIUM),
    ],
)
def test_a_step_that_takes_in_a_file_of_the_spec_was_asked_for(step: str, severity: str) -> None:
    finding = Finding(MEDIUM, "check-step-added", "deploy.sh", after=step)

    assert lower_finding(finding, DECIDES, "deploy.sh reads deploy.conf").severity == severity
    assert lower_finding(finding, DECIDES, "It reads deploy.conf") == finding
