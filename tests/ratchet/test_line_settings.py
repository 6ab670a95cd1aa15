"""Every row of the lines that builds and runners read, and projects inside of others."""

from __future__ import annotations

import pytest

from loopwright.core.findings import HIGH, LOW, MEDIUM
from loopwright.ratchet.project import Project
from loopwright.ratchet.settings_rules import line_settings, nested_projects, settings
from loopwright.ratchet.settings_rules.line_settings import ROWS
from loopwright.repo.baseline import Change

NAMES = {
    r".*\.gradle(?:\.kts)?|gradle\.properties": "app/build.gradle.kts",
    r".*\.gradle(?:\.kts)?": "app/build.gradle",
    r".*\.csproj|.*\.runsettings|Directory\.Build\.props": "Shop/Shop.csproj",
}


def path_of(files: str) -> str:
    """A path that the pattern of a row matches: its first alternative, without what may be left out."""
    first = files.replace("\\", "").split("|")[0]
    return NAMES.get(files) or first.split("(?:")[0].split("[")[0].removesuffix("ya?ml") + (
        "yml" if "ya?ml" in first else ".json" if "settings(" in first else ""
    )


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row.example)
def test_each_line_is_found_and_its_look_alike_is_not(row) -> None:
    path = path_of(row.files)
    if row.files.startswith("requirements"):
        path = "requirements.txt"
    if row.files.startswith("phpunit"):
        path = "phpunit.xml"
    if "rubocop" in row.files:
        path = ".rubocop.yml"

    def rules(before: str | None, after: str) -> list[tuple[str, str]]:
        found = line_settings.find(Project([Change(path, before, after)]))
        return [(finding.severity, finding.rule) for finding in found]

    assert line_settings.is_line_settings(path)
    assert rules("a\n", f"a\n{row.example}\n") == [(MEDIUM, row.rule)]
    assert rules(f"{row.example}\n", f"{row.example}\n\n") == []
    assert rules("a\n", f"a\n{row.look_alike}\n") == []


GO = "module example.org/shop\n\ngo 1.19\n"
PROJECT = {
    "go.mod": GO,
    "Cargo.toml": '[workspace]\nmembers = ["crates/*"]\n',
    "tax/tax.go": "package tax\n",
    "crates/tax/Cargo.toml": '[package]\nname = "tax"\n',
    "crates/tax/src/lib.rs": "pub fn tax() {}\n",
}


def test_a_new_folder_that_holds_no_tests_may_be_left_out() -> None:
    before = '[tool.pytest.ini_options]\nnorecursedirs = "build docs"\n'
    settings_file = Change("pyproject.toml", before, before.replace("docs", "docs tests/plugins"))

    def severities(*changes: Change) -> list[str]:
        return [row.severity for row in settings.find(Project([settings_file, *changes]))]

    assert severities(Change("tests/plugins/cover.py", None, "x = 1\n")) == [LOW]
    assert severities(Change("tests/plugins/test_cover.py", None, "def test_a(): ...\n")) == [HIGH]
    assert severities(Change("tests/plugins/cover.py", "x = 1\n", "x = 2\n")) == [HIGH]


def nested(path: str, text: str, check: str = "make test") -> list[str]:
    change = Change(path, PROJECT.get(path), text)
    project = Project([change], PROJECT.get, lambda: [*PROJECT, path], (check,))
    return [finding.rule for finding in nested_projects.find(project)]


def test_a_folder_that_becomes_a_project_of_its_own_needs_a_look() -> None:
    module, crate = "module example.org/shop/tax\n", PROJECT["crates/tax/Cargo.toml"]

    assert nested("tax/go.mod", module) == ["fewer-files-included"]
    assert nested("crates/tax/Cargo.toml", f"{crate}[workspace]\n") == ["fewer-files-included"]
    assert nested("tax/go.mod", module, "cd tax && go test ./...") == []
    assert nested("examples/go.mod", module) == []
    assert nested("go.mod", GO.replace("1.19", "1.21")) == []
    alone = Project([Change("tax/go.mod", None, module)], list_paths=lambda: ["tax/tax.go"])
    assert list(nested_projects.find(alone)) == []


def test_a_file_of_lines_that_is_gone_asks_for_nothing() -> None:
    gone = Project([Change(".npmrc", "script-shell=/bin/true\n", None)])

    assert list(line_settings.find(gone)) == []


MEMBERS = {
    "a member of npm": ("package.json", '{"workspaces": ["a", "b"]}', '{"workspaces": ["a"]}'),
    "an exception of npm": (
        "package.json",
        '{"workspaces": ["p/*"]}',
        '{"workspaces": ["p/*", "!p/a"]}',
    ),
    "a member of pnpm": ("pnpm-workspace.yaml", "packages:\n  - a\n  - b\n", "packages:\n  - a\n"),
    "a member of cargo": (
        "Cargo.toml",
        '[workspace]\nmembers = ["a", "b"]\n',
        '[workspace]\nmembers = ["a"]\n',
    ),
    "an exception of uv": (
        "pyproject.toml",
        '[tool.uv.workspace]\nmembers = ["p/*"]\n',
        '[tool.uv.workspace]\nmembers = ["p/*"]\nexclude = ["p/tax"]\n',
    ),
}


@pytest.mark.parametrize(("path", "before", "after"), MEMBERS.values(), ids=MEMBERS.keys())
def test_a_package_that_leaves_a_list_of_members_needs_a_look(path, before, after) -> None:
    (found,) = settings.find(Project([Change(path, before, after)]))

    assert (found.severity, found.rule) == (MEDIUM, "fewer-files-included")
    assert settings.find(Project([Change(path, after, before)])) == []


CARGO = '[package]\nname = "fares"\n[dependencies]\nserde = "1"\n'


@pytest.mark.parametrize(
    ("after", "rule"),
    [
        (f"{CARGO}[lib]\ndoctest = false\n", "tests-excluded"),
        (f'{CARGO}[[test]]\nname = "a"\nrequired-features = ["b"]\n', "tests-excluded"),
        (f"{CARGO}[profile.test]\noverflow-checks = false\n", "strictness-switched-off"),
        (CARGO.replace('"1"', '{ path = "serde" }'), "runner-setting-changed"),
    ],
)
def test_settings_of_cargo_that_ask_for_less_are_found(after: str, rule: str) -> None:
    (found,) = settings.find(Project([Change("Cargo.toml", CARGO, after)]))

    assert (found.severity, found.rule) == (MEDIUM, rule)


@pytest.mark.parametrize(
    "after",
    [
        f'{CARGO}shared = {{ path = "shared" }}\n',
        f'{CARGO}[[test]]\nname = "a"\npath = "tests/a.rs"\n',
        f"{CARGO}[profile.release]\noverflow-checks = false\n",
    ],
)
def test_other_settings_of_cargo_are_honest(after: str) -> None:
    assert settings.find(Project([Change("Cargo.toml", CARGO, after)])) == []
