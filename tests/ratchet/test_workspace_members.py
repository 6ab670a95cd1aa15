"""Packages that are still there and no longer belong to what the checks build and test."""

from __future__ import annotations

import pytest

from loopwright.core.findings import MEDIUM, Finding
from loopwright.ratchet import findings
from loopwright.ratchet.project import Project
from loopwright.ratchet.settings_rules import workspace_members
from loopwright.repo.baseline import Change

GO = "module example.org/shop\n\ngo 1.19\n"
CARGO = '[workspace]\nmembers = ["crates/*"]\n'
MEMBER = '[package]\nname = "tax"\n'
SLN = 'Project("{9A}") = "Tax", "Tax\\Tax.csproj", "{1}"\nEndProject\n'
POM = "<modules>\n  <module>app</module>\n  <module>tax</module>\n</modules>\n"
PROJECT = {
    "go.mod": GO,
    "go.work": "go 1.19\n\nuse (\n\t.\n\t./tools\n)\n",
    "Cargo.toml": CARGO,
    "package.json": '{"workspaces": ["packages/*"]}',
    "pnpm-workspace.yaml": "packages:\n  - 'packages/*'\n",
    "settings.gradle": "include ':app',\n    ':libs:tax'\n",
    "settings.gradle.kts": 'include(":app", ":tax")\n',
    "pom.xml": POM,
    "Shop.sln": SLN,
    "CMakeLists.txt": "add_subdirectory(app)\nadd_subdirectory(tax)\n",
    "meson.build": "subdir('tax')\n",
    "deno.json": '{"workspace": ["./app", "./tax"]}',
    "lerna.json": '{"packages": ["packages/*"]}',
    "pyproject.toml": '[tool.uv.workspace]\nmembers = ["packages/*"]\n',
    "tax/tax.go": "package tax\n",
    "tax/tax_test.go": "package tax\n",
    "libs/tax/Tax.java": "class Tax {}\n",
    "Tax/Tax.csproj": "<Project/>\n",
    "tools/main.go": "package main\n",
    "crates/tax/Cargo.toml": MEMBER,
    "crates/tax/src/lib.rs": "pub fn tax() {}\n",
    "packages/tax/package.json": '{"name": "tax"}',
    "packages/tax/tax.test.js": "test('a', () => {});\n",
    "packages/esm/package.json": '{"type": "module"}',
    "packages/esm/index.js": "export default 1;\n",
}


def found(edits: dict[str, str | None], check: str = "make test") -> list[Finding]:
    changes = [Change(path, PROJECT.get(path), text) for path, text in edits.items()]
    project = Project(changes, PROJECT.get, lambda: [*PROJECT, *edits], (check,))
    return list(workspace_members.find(project))


LEAVING = {
    "a module inside the module": {"tax/go.mod": "module example.org/shop/tax\n"},
    "a folder that go ignores": {"go.mod": GO + "\nignore ./tax\n"},
    "several folders that go ignores": {"go.mod": GO + "\nignore (\n\t./tax\n)\n"},
    "a module that the workspace does not use": {"go.work": "go 1.19\n\nuse .\n"},
    "an exception of cargo": {"Cargo.toml": CARGO + 'exclude = ["crates/tax"]\n'},
    "a workspace inside the workspace": {"crates/tax/Cargo.toml": MEMBER + "\n[workspace]\n"},
    "a crate without a manifest": {"crates/tax/Cargo.toml": None},
    "an exception of npm": {"package.json": '{"workspaces": ["packages/*", "!packages/tax"]}'},
    "an exception of pnpm": {
        "pnpm-workspace.yaml": "packages:\n  - 'packages/*'\n  - '!packages/tax'\n"
    },
    "a package without a manifest": {"packages/tax/package.json": None},
    "a project of gradle": {"settings.gradle": "include ':app'\n"},
    "a project of gradle in kotlin": {"settings.gradle.kts": 'include(":app")\n'},
    "a module of maven": {"pom.xml": POM.replace("  <module>tax</module>\n", "")},
    "a project of a solution": {"Shop.sln": "\n"},
    "a folder of cmake": {"CMakeLists.txt": "add_subdirectory(app)\n"},
    "a folder of meson": {"meson.build": "\n"},
    "a member of deno": {"deno.json": '{"workspace": ["./app"]}'},
    "an exception of lerna": {
        "lerna.json": '{"packages": ["packages/*"], "ignore": ["packages/tax"]}'
    },
    "an exception of uv": {
        "pyproject.toml": PROJECT["pyproject.toml"] + 'exclude = ["packages/tax"]\n'
    },
    "a folder that bazel ignores": {".bazelignore": "tax\n"},
}


@pytest.mark.parametrize("edits", LEAVING.values(), ids=LEAVING.keys())
def test_a_package_that_leaves_needs_a_look(edits: dict[str, str | None]) -> None:
    (finding,) = found(edits)

    assert (finding.severity, finding.rule) == (MEDIUM, "fewer-files-included")
    assert finding.file in edits


STAYING = {
    "a new module with new files": {
        "examples/go.mod": "module example.org/examples\n",
        "examples/main.go": "package main\n",
    },
    "a newer version of go": {"go.mod": GO.replace("1.19", "1.21")},
    "a package that is deleted": {
        "go.work": "go 1.19\n\nuse .\n",
        "tools/main.go": None,
    },
    "a package that moved": {
        "settings.gradle": "include ':app', ':core:tax'\n",
        "libs/tax/Tax.java": None,
        "core/tax/Tax.java": PROJECT["libs/tax/Tax.java"],
    },
    "a pattern in the place of names": {"deno.json": '{"workspace": ["./*"]}'},
    "another spelling": {"deno.json": '{"workspace": ["app/", "tax/"]}'},
    "one more member": {"pom.xml": POM.replace("</modules>", "<module>new</module>\n</modules>")},
    "files that a package does not contain": {
        "crates/tax/Cargo.toml": MEMBER + 'exclude = ["/assets"]\n'
    },
    "an exception for what was never there": {"Cargo.toml": CARGO + 'exclude = ["target"]\n'},
    "a crate that goes with its sources": {
        "crates/tax/Cargo.toml": None,
        "crates/tax/src/lib.rs": None,
    },
    "a marker of modules that goes": {"packages/esm/package.json": None},
    "a folder of installed packages": {".bazelignore": "node_modules\n"},
}


@pytest.mark.parametrize("edits", STAYING.values(), ids=STAYING.keys())
def test_a_project_that_keeps_its_packages_does_not(edits: dict[str, str | None]) -> None:
    assert found(edits) == []


def test_a_module_in_whose_folder_a_check_starts_is_still_tested() -> None:
    edits = {"tax/go.mod": "module example.org/shop/tax\n"}

    assert found(edits, "cd tax && go test ./...") == []


def test_the_ratchet_names_a_nested_module() -> None:
    change = Change("tax/go.mod", None, "module example.org/shop/tax\n")

    rows = findings([change], ("go test ./...",), PROJECT.get, (), lambda: [*PROJECT, change.path])

    assert [row.rule for row in rows] == ["fewer-files-included"]
