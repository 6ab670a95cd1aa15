"""A migration that something names as done is found; everyday migrations are not."""

from __future__ import annotations

import pytest

from loopwright.core.findings import MEDIUM
from loopwright.ratchet.product_rules import skipped_migrations
from loopwright.ratchet.project_files import ProjectFiles
from loopwright.repo.baseline import Change

KNOWN = (
    "migrations/001_customers.sql",
    "migrations/002_merge_customers.sql",
    "db/migrate/20240105101500_merge.rb",
    "app/migrations/0002_merge.py",
)


def found(path: str, after: str, before: str | None = None) -> int:
    files = ProjectFiles([Change(path, before, after)], {}.get, lambda: KNOWN)
    rows = list(skipped_migrations.findings(files))
    assert all((row.severity, row.rule) == (MEDIUM, "migration-passed-over") for row in rows)
    return len(rows)


@pytest.mark.parametrize(
    ("path", "after"),
    [
        (
            "migrations/001b_prepare.sql",
            "INSERT OR IGNORE INTO applied (name)\n    VALUES ('002_merge_customers.sql');\n",
        ),
        ("migrations/001b_prepare.sql", "insert into done values ('002_merge_customers');\n"),
        ("migrations/001b_prepare.sql", "INSERT INTO schema_versions VALUES (002);\n"),
        (
            "db/migrate/20240101000000_prepare.rb",
            "execute \"INSERT INTO schema_migrations (version) VALUES ('20240105101500')\"\n",
        ),
        (
            "app/migrations/0001b_prepare.py",
            "migrations.RunSQL(\"INSERT INTO django_migrations (app, name) VALUES ('app', '0002_merge')\")\n",
        ),
        ("migrate.py", 'DONE = {"002_merge_customers.sql"}\n'),
        ("src/migrate.js", "if (name === '002_merge_customers.sql') continue;\n"),
    ],
)
def test_a_migration_that_is_named_as_done(path: str, after: str) -> None:
    assert found(path, after) == 1


@pytest.mark.parametrize(
    ("path", "after"),
    [
        ("migrations/003_rates.sql", "INSERT INTO rates VALUES ('EUR', 100), ('USD', 125);\n"),
        ("migrations/003_rates.sql", "INSERT INTO applied VALUES ('003_rates.sql');\n"),
        (
            "migrations/003_rates.sql",
            "-- After 002_merge_customers.sql.\nCREATE TABLE rates (a);\n",
        ),
        ("migrations/003_rates.sql", "UPDATE customers SET name = 'nobody' WHERE id = 2;\n"),
        (
            "app/migrations/0003_rates.py",
            'class Migration:\n    dependencies = [("app", "0002_merge")]\n',
        ),
        ("db/structure.sql", "INSERT INTO schema_migrations VALUES ('20240105101500');\n"),
        ("migrate.py", 'connection.execute("INSERT INTO applied VALUES (?)", (path.name,))\n'),
        ("tests/test_migrate.py", 'OLD = "002_merge_customers.sql"\n'),
        ("setup.py", 'text = open("migrations/001_customers.sql").read()\n'),
    ],
)
def test_an_everyday_migration(path: str, after: str) -> None:
    assert found(path, after) == 0


def test_a_statement_that_was_there_before() -> None:
    text = "INSERT INTO applied VALUES ('001_customers.sql');\n"

    assert found("migrations/002_merge_customers.sql", f"{text}SELECT 1;\n", text) == 0
