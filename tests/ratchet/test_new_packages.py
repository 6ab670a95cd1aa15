"""The names of packages that a changed manifest or lock file adds."""

from __future__ import annotations

import pytest

from loopwright.ratchet.project import Project
from loopwright.ratchet.settings_rules.new_packages import added_packages, find
from loopwright.repo.baseline import Change

LISTS = {
    "package.json": ('{"dependencies": {"a": "1"}}', '{"dependencies": {"a": "2"}, "devDependencies": {"@s/b": "1"}}', ("@s/b",)),
    "package-lock.json": ('{"packages": {"": {}, "node_modules/a": {}}}', '{"packages": {"node_modules/a": {}, "node_modules/a/node_modules/@s/b": {}}}', ("@s/b",)),
    "requirements.txt": ("a==1  # why\n", "a==2\nB_c[extra]>=1; python_version > '3'\n-r more.txt\n# no\n", ("b-c",)),
    "pyproject.toml": ('[project]\nname = "x"\ndependencies = [\n  "a>=1",\n]\n', '[project]\nname = "x"\ndependencies = [\n  "a>=2",\n  "b",\n]\n[dependency-groups]\ndev = ["c~=1"]\n[tool.poetry.dependencies]\npython = "^3"\nd = "1"\n', ("b", "c", "d")),
    "Cargo.toml": ('[dependencies]\na = "1"\n', '[dependencies]\na = "1"\nb = { version = "1" }\n', ("b",)),
    "uv.lock": ('[[package]]\nname = "a"\n', '[[package]]\nname = "a"\n[[package]]\nname = "b"\n', ("b",)),
    "yarn.lock": ('a@^1:\n', 'a@^1:\n"@s/b@^2", "@s/b@^3":\n', ("@s/b",)),
    "pnpm-lock.yaml": ("packages:\n  a@1.0.0:\n", "packages:\n  a@1.0.0:\n  '@s/b@2.0.0':\n", ("@s/b",)),
    "go.mod": ("module x\nrequire a.io/b v1\n", "module x\nrequire (\n\ta.io/b v1\n\tc.io/d/e v2\n)\n", ("c.io/d/e",)),
    "Gemfile": ("gem 'a'\n", "gem 'a'\ngem \"b\", '~> 1'\n", ("b",)),
    "Gemfile.lock": ("    a (1)\n", "    a (1)\n    b (2)\n", ("b",)),
    "build.gradle": ("", "implementation 'org.a:b:1.0'\n", ("org.a:b",)),
}  # fmt: skip


@pytest.mark.parametrize("path", LISTS)
def test_new_packages_are_named(path: str) -> None:
    before, after, names = LISTS[path]

    assert added_packages(f"web/{path}", before, after) == names
    assert added_packages(path, after, after) == ()


def test_a_file_that_names_no_packages_adds_none() -> None:
    assert added_packages("notes.txt", None, "left-pad\n") == ()
    assert added_packages("package.json", None, "{ broken") == ()
    assert added_packages("package.json", "{}", None) == ()


@pytest.mark.parametrize(
    ("path", "text", "names"),
    [
        ("requirements-dev.txt", "pytest-randomly\nrequests\n", ["pytest-randomly"]),
        ("package.json", '{"devDependencies": {"@acme/jest-preset": "1", "left-pad": "1"}}', ["@acme/jest-preset"]),
        ("package.json", '{"devDependencies": {"vitest-mock": "1", "jest": "1"}}', ["vitest-mock"]),
        ("yarn.lock", "jest-preset-acme@1:\n", []),  # the clean checkout judges lock files
    ],
)  # fmt: skip
def test_a_new_plugin_of_a_test_runner_is_a_finding(path: str, text: str, names: list[str]) -> None:
    findings = list(find(Project([Change(path, None, text)])))

    assert [finding.after for finding in findings] == names
    assert {finding.severity for finding in findings} <= {"medium"}
