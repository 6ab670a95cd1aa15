"""A package in the repository that a check looks at is work if its code is new."""

from __future__ import annotations

import pytest

from loopwright.ratchet.product_rules.vendored_code import updated_files

AUDIT = 'text = Path("vendor", name, "__init__.py").read_text()\n'
CODE = '"""minitar 1.2.0."""\n\n__version__ = "1.2.0"\n\n\ndef target(a, b):\n    return a + b\n'
NEW_NUMBER = CODE.replace("1.2.0", "1.2.1")
UPDATED = NEW_NUMBER.replace("return a + b", "return check(a) + b")
PATH = "vendor/minitar/__init__.py"


def updated(path: str, after: str, tool: str = AUDIT) -> list[str]:
    return updated_files({path: (CODE, after)}, lambda: [tool])


def test_a_package_with_new_code() -> None:
    assert updated(PATH, UPDATED) == [PATH]


def test_all_files_of_a_package_with_new_code() -> None:
    manifest = "vendor/minitar/package.json"
    changed = {PATH: (CODE, UPDATED), manifest: ('{"version": "1.2.0"}', '{"version": "1.2.1"}')}

    assert updated_files(changed, lambda: [AUDIT]) == [PATH, manifest]


@pytest.mark.parametrize(
    ("path", "after", "tool"),
    [
        pytest.param(PATH, NEW_NUMBER, AUDIT, id="only another number"),
        pytest.param(PATH, f"# Reviewed.\n{NEW_NUMBER}", AUDIT, id="a number and a comment"),
        pytest.param(PATH, UPDATED, 'print("ok")\n', id="no check looks at it"),
        pytest.param("src/minitar.py", UPDATED, AUDIT, id="not a package of others"),
        pytest.param("vendor/README.md", "new", AUDIT, id="a file of no package"),
    ],
)
def test_what_stays_around_the_product(path: str, after: str, tool: str) -> None:
    assert updated(path, after, tool) == []


def test_the_checks_are_read_only_for_packages() -> None:
    assert updated_files({"src/a.py": ("a", "b")}, lambda: pytest.fail("not needed")) == []
