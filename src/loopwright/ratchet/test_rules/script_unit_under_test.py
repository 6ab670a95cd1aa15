"""Finds tests of JavaScript that no longer test the product."""

from __future__ import annotations

from ... import lazy_re as re
from ...checks.imports import (
    SCRIPT_BINDING,
    script_names_bound,
    script_paths,
    script_place,
)
from ...core.findings import MEDIUM, Finding
from ...repo.baseline import Change
from ..project import Project
from ..readers import languages

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

SCRIPT_MOCK = re.compile(r"(?:jest|vi|vitest|mock)\.(?:mock|doMock|module)\(\s*['\"]([^'\"]+)['\"]")
SCRIPT_SPY = re.compile(
    r"(?:(?:jest|vi)\.spyOn|mock\.method|sinon\.stub)\(\s*(\w+),\s*['\"](\w+)['\"]\s*"
    r"(?:\)\.(?:mock|returns|resolves|callsFake)|,\s*\S)"
)
SCRIPT_ASSERTION = re.compile(r"(?m)^.*\b(?:expect|assert|t\.\w+)\b.*$")
MODULE_END = re.compile(r"(?:(?:^|/)index)?\.[cm]?[jt]sx?$|/index$")
SCRIPTS = languages.LANGUAGES[0]


def script_findings(change: Change, files: Project) -> Iterator[Finding]:
    old, new = script_names_bound(change.before or ""), script_names_bound(change.after or "")
    for name, module in old.items():
        other = new.get(name, module)
        leads_inside = other[:1] in ".#/"
        path, other_path = (_module_path(change.path, each) for each in (module, other))
        # The package that offers a name to its users may give it, instead of the module in it.
        is_package = other_path == "." or path.startswith(f"{other_path}/")
        is_other = path != other_path and not is_package
        if is_other and leads_inside and _is_there(change.path, module, files):
            before, after = f"{name} from {module}", f"{name} from {other}"
            yield Finding(MEDIUM, "test-import-redirected", change.path, 0, before, after)
    mocked_before = set(SCRIPT_MOCK.findall(change.before or ""))
    for module in SCRIPT_MOCK.findall(change.after or ""):
        if module in old.values() and module[:1] in ".#/" and module not in mocked_before:
            after = f"mock of {module}"
            yield Finding(MEDIUM, "unit-under-test-replaced", change.path, after=after)
    yield from _script_spy_findings(change, old)
    yield from _script_rebinding_findings(change, old)


def _script_spy_findings(change: Change, old: dict[str, str]) -> Iterator[Finding]:
    """A method of the product that is asserted gets another body: `spyOn(cart, 'total').mock…`."""
    known = set(map(str.strip, (change.before or "").splitlines()))
    products = {name for name, module in (old | script_names_bound(change.after or "")).items()}
    products = {name for name in products if old.get(name, ".")[:1] in ".#/"}
    asserting = " ".join(SCRIPT_ASSERTION.findall(change.before or ""))
    for number, line in enumerate((change.after or "").splitlines(), 1):
        spied = SCRIPT_SPY.search(line) if line.strip() not in known else None
        if spied and spied[1] in products and re.search(rf"\b{spied[2]}\(", asserting):
            after = line.strip()[:200]
            yield Finding(MEDIUM, "unit-under-test-replaced", change.path, number, after=after)


def _script_rebinding_findings(change: Change, old: dict[str, str]) -> Iterator[Finding]:
    known = set(map(str.strip, (change.before or "").splitlines()))
    # In a file that was there: the names that it imports. In a new one: modules of the product.
    imports = old if change.before is not None else script_names_bound(change.after or "")
    names = [name for name, module in imports.items() if module[:1] in ".#/" or "assert" in module]
    if not names:
        return
    pattern = re.compile(
        rf"(?:^|(?<!:)[;\s])(?P<name>{'|'.join(map(re.escape, names))})(?:\.\w+)?\s*=(?![=>])"
        r"(?:\s*(?P<maker>\w+)\()?"
    )
    imports_now = script_names_bound(change.after or "")
    for number, line in enumerate((change.after or "").splitlines(), 1):
        match = None if SCRIPT_BINDING.search(line) else pattern.search(line)
        # What the same module gives is no other unit: `const slug = slugWithCounter()`.
        is_own = match and imports_now.get(match["maker"] or "") == imports[match["name"]]
        if match and not is_own and line.strip() not in known:
            after = line.strip()[:200]
            yield Finding(MEDIUM, "unit-under-test-replaced", change.path, number, after=after)


def _module_path(path: str, module: str) -> str:
    """`../` and `../index.js` are one module, and so are `./cart` and `./cart.js`."""
    if module[:1] != ".":
        return module
    return MODULE_END.sub("", script_place(path, module)) or "."


def _is_there(path: str, module: str, files: Project) -> bool:
    """Is the module, as this file names it, still in the project?"""
    if module[:1] != ".":
        return True
    paths = script_paths(script_place(path, module))
    return any(files.now(file) is not None for file in paths)
