"""Languages whose build tool has a fixed command for each check."""

from __future__ import annotations

from ... import lazy_re as re
from .folder import ProjectFolder, Way, is_on_path

TESTS, LINT, BUILD = "tests pass", "lint clean", "build succeeds"
CARGO = {TESTS: "cargo test", LINT: "cargo clippy -q", BUILD: "cargo build -q"}
GO_PACKAGES = "./..."
GO = {TESTS: "go test {}", LINT: "go vet {}", BUILD: "go build {}"}
# The file that shows the build tool → its commands. The first file that is there counts.
OTHER_TOOLS = {
    "gradlew": {TESTS: "./gradlew test"},
    "mvnw": {TESTS: "./mvnw -q test"},
    "pom.xml": {TESTS: "mvn -q test"},
    "mix.exs": {TESTS: "mix test"},
    "Package.swift": {TESTS: "swift test"},
}
MAX_MODULES = 50  # of a workspace
GO_WORK_FOLDER = re.compile(r"^\s*(?:use\s+)?(\.[\w./-]*)\s*$", re.M)


def convention_ways(folder: ProjectFolder) -> list[list[Way]]:
    """The ways of each build tool."""
    groups = [_cargo_commands(folder), _go_commands(folder)]
    groups.append(OTHER_TOOLS.get(folder.first_of(*OTHER_TOOLS), {}))
    return [
        [Way(criterion, line, _is_possible(line)) for criterion, line in commands.items()]
        for commands in groups
        if commands
    ]


def _is_possible(line: str) -> bool:
    program = line.split()[0]
    return program.startswith("./") or is_on_path(program)


def _cargo_commands(folder: ProjectFolder) -> dict[str, str]:
    if not folder.has("Cargo.toml"):
        return {}
    # Without --workspace, cargo looks at the package of the root alone, if it has one.
    has_both = {"workspace", "package"} <= (folder.table("Cargo.toml", "") or {}).keys()
    flag = " --workspace" if has_both else ""
    return {criterion: f"{line}{flag}" for criterion, line in CARGO.items()}


def _go_commands(folder: ProjectFolder) -> dict[str, str]:
    """In a workspace of go, `./...` is no module: each has to be named."""
    if folder.has("go.work"):
        names = dict.fromkeys(GO_WORK_FOLDER.findall(folder.text("go.work")))
        modules = " ".join(f"{name.rstrip('/')}/..." for name in list(names)[:MAX_MODULES])
    else:
        modules = GO_PACKAGES if folder.has("go.mod") else ""
    return {criterion: line.format(modules) for criterion, line in GO.items()} if modules else {}
