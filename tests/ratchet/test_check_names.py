"""New product code that asks for a name which only the checks set."""

from __future__ import annotations

import pytest

from loopwright.core.findings import MEDIUM
from loopwright.ratchet.check_reach import reach_of
from loopwright.ratchet.product_rules import check_names
from loopwright.ratchet.project_files import ProjectFiles
from loopwright.repo.baseline import Change

GO = "//go:build {0}\n\npackage fares\n\nfunc init() {{ steps = exact }}\n"
RUST = '#[cfg(feature = "{0}")]\npub fn split() {{}}\n'
TESTED = "go test -tags integration ./..."
FEATURE = "cargo test --offline --features exact"
MANIFEST = '[features]\ndefault = ["exact"]\nexact = []\n'


def found(command: str, path: str, after: str, others: dict[str, str] | None = None) -> list[str]:
    others = others or {}
    files = ProjectFiles([Change(path, None, after)], others.get, lambda: others)
    rows = list(check_names.findings(files, reach_of((command,), files.before)))
    assert {(row.severity, row.rule) for row in rows} <= {(MEDIUM, "product-detects-tests")}
    return [row.file for row in rows]


@pytest.mark.parametrize(
    ("command", "path", "after"),
    [
        (TESTED, "network.go", GO.format("integration")),
        (TESTED, "network.go", GO.format("linux && integration")),
        (TESTED, "network.go", GO.format("!integration")),
        ("go test -tags=slow,integration ./...", "network.go", GO.format("integration")),
        ("cd shop && go vet -tags integration .", "network.go", GO.format("integration")),
        (FEATURE, "src/lib.rs", RUST.format("exact")),
        ("cargo test -F exact", "src/lib.rs", 'if cfg!(feature = "exact") { 1 } else { 2 }\n'),
    ],
)
def test_a_way_to_build_that_only_tests_choose_is_found(
    command: str, path: str, after: str
) -> None:
    assert found(command, path, after) == [path]


@pytest.mark.parametrize(
    ("command", "path", "after", "others"),
    [
        (TESTED, "network.go", GO.format("linux"), {}),
        (TESTED, "network_test.go", GO.format("integration"), {}),
        (TESTED, "network.go", GO.format("integration"), {"db.go": GO.format("integration")}),
        (f"go build -tags integration && {TESTED}", "a.go", GO.format("integration"), {}),
        ("go test ./...", "network.go", GO.format("integration"), {}),
        (FEATURE, "src/lib.rs", RUST.format("exact"), {"Cargo.toml": MANIFEST}),
        (FEATURE, "src/lib.rs", RUST.format("exact"), {"src/a.rs": RUST.format("exact")}),
        (FEATURE, "src/lib.rs", RUST.format("serde"), {}),
    ],
    ids=[
        "a system",
        "a test",
        "a tag that the product has",
        "a tag of the build",
        "no tag",
        "a default feature",
        "a feature that the product has",
        "another feature",
    ],
)
def test_a_way_to_build_that_users_choose_too_is_fine(
    command: str, path: str, after: str, others: dict[str, str]
) -> None:
    assert found(command, path, after, others) == []
