"""Migrations of the past."""

from __future__ import annotations

import pytest

from loopwright.core.findings import MEDIUM
from loopwright.ratchet.product_rules import changed_migrations
from loopwright.ratchet.project_files import ProjectFiles
from loopwright.repo.baseline import Change

TABLE = "CREATE TABLE users (mail TEXT);\n"
UNIQUE = "CREATE TABLE users (mail TEXT UNIQUE);\n"


def found(path: str, before: str | None, after: str | None, *others: str) -> list[str]:
    files = ProjectFiles([Change(path, before, after)], list_paths=lambda: others)
    rows = list(changed_migrations.findings(files))
    assert all((row.severity, row.rule) == (MEDIUM, "old-migration-changed") for row in rows)
    return [row.after for row in rows]


@pytest.mark.parametrize(
    ("path", "later"),
    [
        ("notes/sql/001_users.sql", "notes/sql/002_notes.sql"),
        ("db/migrate/20240101_users.rb", "db/migrate/20240301_notes.rb"),
        ("app/migrations/0001_initial.py", "app/migrations/0002_notes.py"),
        (
            "src/main/resources/db/migration/V1__a.sql",
            "src/main/resources/db/migration/V1.1__b.sql",
        ),
        ("migrations/9-users.js", "migrations/10-notes.js"),
    ],
)
def test_a_migration_that_others_follow_is_found(path: str, later: str) -> None:
    assert found(path, TABLE, UNIQUE, later) == [f"before {later.rpartition('/')[2]}"]
    assert found(path, TABLE, None, later) == [f"before {later.rpartition('/')[2]}"]


@pytest.mark.parametrize(
    ("path", "before", "after", "others"),
    [
        ("sql/002_notes.sql", TABLE, UNIQUE, ("sql/001_users.sql",)),
        ("sql/003_more.sql", None, UNIQUE, ("sql/001_users.sql", "sql/002_notes.sql")),
        ("sql/001_users.sql", TABLE, f"-- People.\n{TABLE.lower()}", ("sql/002_notes.sql",)),
        ("sql/001_users.down.sql", TABLE, UNIQUE, ("sql/002_notes.down.sql",)),
        ("reports/001_users.sql", TABLE, UNIQUE, ("reports/002_notes.sql",)),
        ("sql/users.sql", TABLE, UNIQUE, ("sql/notes.sql",)),
        ("migrations/001_users.sql", TABLE, UNIQUE, ("other/migrations/002_notes.sql",)),
    ],
    ids=[
        "the newest",
        "a new one",
        "a comment",
        "the way back",
        "a report",
        "no number",
        "elsewhere",
    ],
)
def test_other_changes_are_not(
    path: str, before: str | None, after: str, others: tuple[str, ...]
) -> None:
    assert found(path, before, after, *others) == []


def test_a_migration_may_move() -> None:
    changes = [
        Change("sql/001_users.sql", TABLE, None),
        Change("db/sql/001_users.sql", None, TABLE),
    ]
    files = ProjectFiles(changes, list_paths=lambda: ("sql/002_notes.sql",))
    assert list(changed_migrations.findings(files)) == []


@pytest.mark.parametrize(
    ("spec", "expected"),
    [
        ("the migration 002 loses customers", True),
        ("repair migrations/002_merge.sql", True),
        ("repair 002_merge", True),
        ("customers are lost; see issue 1002", False),
        ("", False),
    ],
)
def test_a_spec_may_ask_for_the_change(spec: str, expected: bool) -> None:
    assert changed_migrations.is_named("migrations/002_merge.sql", spec) is expected
