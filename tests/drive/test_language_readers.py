"""Tests in languages other than Python are read by a second process: who reads, and what if nobody can."""

from __future__ import annotations

import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

from loopwright import ratchet
from loopwright.core.findings import HIGH, MEDIUM
from loopwright.drive.doctor.examination import diagnose_test_readers
from loopwright.drive.errors import UserError
from loopwright.drive.proof import language_readers
from loopwright.drive.proof.language_readers import read_changed_tests, reader_interpreters
from loopwright.ratchet.readers import languages
from loopwright.ratchet.readers.syntax import GRAMMARS, REQUIREMENTS
from loopwright.repo.baseline import Change

GO = "package a\n\nfunc TestA(t *testing.T) {\n\tif F(1) != 2 {\n\t\tt.Error(1)\n\t}\n}\n"
RUST = "pub fn f() {}\n\n#[cfg(test)]\nmod tests {\n    #[test]\n    fn a() {\n        assert_eq!(f(), 1);\n    }\n}\n"
SOURCE = Path(language_readers.__file__).resolve().parents[3]


@pytest.fixture(autouse=True)
def nothing_read_yet(monkeypatch):
    monkeypatch.setattr(languages, "read_ahead", {})


def find_rules(changes, recorded=sys.executable, root="/project"):
    read_changed_tests(changes, recorded, root)
    return [(f.severity, f.rule, f.file) for f in ratchet.findings(changes, ())]


def a_program(path: Path, text: str) -> str:
    path.write_text(f"#!/bin/sh\n{text}\n")
    path.chmod(0o755)
    return str(path)


def test_a_process_without_packages_has_the_tests_read_by_another(tmp_path):
    script = (
        f"import sys; sys.path.insert(0, {str(SOURCE)!r})\n"
        "from loopwright import ratchet\n"
        "from loopwright.drive.proof.language_readers import read_changed_tests\n"
        "from loopwright.repo.baseline import Change\n"
        "try:\n    import tree_sitter\n    raise SystemExit('it has packages')\n"
        "except ImportError:\n    pass\n"
        f"changes = [Change('a_test.go', {GO!r}, {GO.replace('!= 2', '== 0')!r})]\n"
        f"read_changed_tests(changes, {sys.executable!r}, '/project')\n"
        "print([(f.severity, f.rule) for f in ratchet.findings(changes, ())])\n"
    )
    done = subprocess.run(
        [sys.executable, "-I", "-S", "-c", script],
        capture_output=True,
        text=True,
        env={"HOME": str(tmp_path)},
    )

    assert done.stdout.strip() == "[('high', 'assertion-loosened')]", done.stderr


@pytest.mark.parametrize(
    ("change", "is_reported"),
    [
        (Change("a_test.go", GO, GO.replace("2", "3")), True),
        (Change("a_test.go", GO, None), True),
        (Change("a_test.go", None, GO), False),
        (Change("a.go", "package a\n", "package b\n"), False),
        (Change("src/f.rs", RUST, RUST.replace("f(), 1", "f(), 2")), True),
        (Change("src/f.rs", RUST, RUST.replace("f() {}", "f() { g() }")), False),
        (Change("src/f.rs", "fn f() {}\n", RUST), False),
    ],
    ids=["changed", "deleted", "new", "product", "inline", "beside inline", "new inline"],
)
@pytest.mark.parametrize(
    "program", ["exit 1", "echo garbage", "echo '[]'", "echo '[\"go\"]'; echo x"]
)
def test_what_no_process_can_read_is_changed_and_not_compared(
    tmp_path, monkeypatch, change, is_reported, program
):
    monkeypatch.setattr(sys, "executable", a_program(tmp_path / "python", program))

    assert find_rules([change], "") == [(MEDIUM, "tests-not-compared", change.path)] * is_reported


def test_a_process_that_hangs_is_ended_and_what_it_read_counts(tmp_path, monkeypatch):
    monkeypatch.setattr(language_readers, "MAX_READ_SECONDS", 6)
    slow = f'{sys.executable} "$@" | head -2; exec sleep 99'
    monkeypatch.setattr(sys, "executable", a_program(tmp_path / "python", slow))
    changes = [
        Change("a_test.go", GO, None),
        Change("b_test.go", GO.replace("TestA", "TestB"), None),
    ]

    assert find_rules(changes, "") == [
        (HIGH, "test-deleted", "a_test.go"),
        (MEDIUM, "tests-not-compared", "b_test.go"),
    ]


def test_an_interpreter_of_the_project_is_not_used(tmp_path, monkeypatch):
    inside = a_program(tmp_path / "python", "echo '[\"go\"]'")
    monkeypatch.setattr(sys, "executable", inside)

    assert reader_interpreters(inside, str(tmp_path)) == []
    assert language_readers.interpreter_to_record(str(tmp_path)) == ""
    assert language_readers.interpreter_to_record("/elsewhere") == inside


def test_the_interpreter_of_our_own_folder_comes_first(monkeypatch):
    own = Path(language_readers.extra_interpreter())
    own.parent.mkdir(parents=True)
    own.symlink_to(sys.executable)

    assert reader_interpreters("", "/project") == [str(own), sys.executable]


def test_without_changed_tests_no_process_starts(monkeypatch):
    monkeypatch.setattr(subprocess, "run", lambda *_, **__: pytest.fail("a process was started"))

    assert (
        find_rules([Change("src/a.py", "a = 1\n", "a = 2\n"), Change("a.go", "", "package a\n")])
        == []
    )


def test_the_extra_names_the_same_packages_everywhere():
    with (SOURCE.parent / "pyproject.toml").open("rb") as file:
        extra = tomllib.load(file)["project"]["optional-dependencies"]["languages"]
    packages = {package.partition(">=")[0].replace("-", "_") for package in extra}

    assert tuple(extra) == REQUIREMENTS
    assert packages - {"tree_sitter"} == {package for package, _ in GRAMMARS.values()}


def test_every_language_has_a_reader_and_a_grammar():
    for language in languages.LANGUAGES:
        assert language.is_installed()
        assert language.read_here(f"a{language.files.suffixes[0]}", "") is not None


@pytest.mark.parametrize("name", [language.name for language in languages.LANGUAGES])
@pytest.mark.parametrize("text", ["(" * 50_000, "x" * 400_000, "'\"`{[(<" * 3000, "\x00\xff" * 100])
def test_a_hostile_file_breaks_no_reader(name, text):
    language = next(each for each in languages.LANGUAGES if each.name == name)

    suite = language.read_here(f"test/a_test{language.files.suffixes[0]}", text)

    assert suite is None or not suite.tests


def test_the_parsers_go_into_our_own_folder_and_out_again(monkeypatch):
    commands = []
    monkeypatch.setattr(language_readers, "_run_installer", commands.append)  # it needs a network
    folder = language_readers.extra_folder()

    said = language_readers.install_readers()

    assert said.startswith("Tests are compared in: Python, JavaScript and TypeScript, Go, Rust")
    assert said.endswith(f"Installed in {folder}")
    assert [command[2:5] for command in commands] == [
        ["-m", "venv", "--clear"],
        ["-m", "pip", "install"],
    ]
    assert set(REQUIREMENTS) < set(commands[1])
    Path(folder).mkdir(parents=True)
    assert language_readers.remove_readers() == f"{folder} is removed."
    assert not Path(folder).exists()


def test_an_installer_that_fails_leaves_nothing_and_names_the_way_out(monkeypatch, tmp_path):
    failing = a_program(tmp_path / "python", 'mkdir -p "$6"; echo "no network" >&2; exit 1')
    monkeypatch.setattr(sys, "executable", failing)

    with pytest.raises(UserError, match=r"no network.*loop install --extra languages"):
        language_readers.install_readers()

    assert not Path(language_readers.extra_folder()).exists()


def test_doctor_names_the_languages_that_are_used_and_cannot_be_read(
    project, monkeypatch, tmp_path
):
    folder = project({"a_test.go": GO, "src/a.js": "", "tests/test_a.py": ""}).folder
    (ok,) = diagnose_test_readers(folder, None)
    assert ok.what.startswith(
        "changed tests are compared in: Python, JavaScript and TypeScript, Go"
    )

    monkeypatch.setattr(sys, "executable", a_program(tmp_path / "python", "exit 1"))
    ok, warning = diagnose_test_readers(folder, None)

    assert ok.what == "changed tests are compared in: Python"
    assert (warning.level, warning.fix) == ("warn", "loop install --extra languages")
    assert warning.what.startswith("changed tests in Go are not compared")


def test_a_function_of_the_file_that_is_called_test_is_no_test():
    text = "class A {\n  @Test\n  fun days() {\n    fun test(n: Int) { assertEquals(n, f(n)) }\n    test(1)\n  }\n}\n"

    suite = languages.ALL.read("src/test/kotlin/A.kt", text)

    assert [(test.name, test.disabled_by) for test in suite.tests] == [("A::days", "")]
    assert [assertion.text for assertion in suite.tests[0].assertions] == ["f(1) == 1"]


def test_a_handler_of_another_error_swallows_no_assertion():
    text = "it 'a' do\n  assert_equal 1, f\nrescue Lint::LintError => error\n  skip error\nend\n"

    assert [a.strength for a in languages.ALL.read("a_spec.rb", text).tests[0].assertions] == [3]


def test_assertions_in_the_arguments_of_a_macro_are_read():
    text = (
        "#[test]\nfn a() {\n    with!(data, |s| {\n        assert_eq!(s.next(), 1);\n    });\n}\n"
    )

    (test,) = languages.ALL.read("tests/a.rs", text).tests
    assert [assertion.text for assertion in test.assertions] == ["s.next() == 1"]
