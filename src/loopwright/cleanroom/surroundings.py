"""The files around the product that changed, and the tests inside of product files."""

from __future__ import annotations

from ..checks.settings_files import is_settings_file
from ..checks.surroundings import GRAVE_KINDS, INNER, SCRIPT, SETTINGS
from ..checks.test_files import DATA, HELPER, TEST, kind_in_tests
from ..core.findings import Finding
from ..core.record import Record
from ..ratchet.project import lost_lines, new_lines
from ..ratchet.readers.inner_tests import InnerTests, compare_inner_tests
from ..verify.unrunnable import TEST_SCRIPT
from .overlay import Layer
from .test_names import ChangedTests


class Surroundings(Record):
    """The files around the product that changed since the baseline, by their kind."""

    kinds: tuple[tuple[str, str], ...] = ()  # path and kind
    texts: tuple[tuple[str, str, str], ...] = ()  # path, text at the baseline and at the end
    scripts: tuple[str, ...] = ()  # of them, those that the checks run
    manifests: tuple[str, ...] = ()  # manifests and lock files whose packages changed
    new_packages: tuple[str, ...] = ()  # by name
    indirect_packages: tuple[str, ...] = ()  # those that only lock files name
    product_findings: tuple[Finding, ...] = ()  # what only the whole change shows
    allowed: tuple[tuple[str, str, str], ...] = ()  # the texts that the person let the agent change
    changed: tuple[str, ...] = ()  # every file that changed, the product too
    has_product: bool = True  # is one of them product, or no file changed at all?
    deciding: tuple[str, ...] = ()  # of the kinds: what the spec names, and the checks run or load
    inner_tests: str = ""  # tests of the baseline inside of product files that changed
    # Product files in which tests changed, and the tests of the start in them.
    inner_texts: tuple[tuple[str, str], ...] = ()
    kept_tests: tuple[str, ...] = ()  # of them: those of the start are as they were, others new
    with_examples: bool = False  # the checks run the examples in docstrings

    @property
    def paths(self) -> tuple[str, ...]:
        return tuple(path for path, _ in self.kinds)

    @property
    def replayed_paths(self) -> tuple[str, ...]:
        """The files of which the replay takes the version of the start."""
        return tuple(path for path in self.paths if path not in self.kept_tests)

    @property
    def layers(self) -> tuple[Layer, ...]:
        """The files as the replay exchanges them, whole or in part."""
        inner = dict(self.inner_texts)
        return tuple(
            Layer(path, before, after, path in inner, self.with_examples)
            for path, before, after in self.texts
        )

    @property
    def unmixed_paths(self) -> tuple[str, ...]:
        """Product files into which the tests of the start cannot be put back."""
        layers = [layer for layer in self.layers if layer.path in self.replayed_paths]
        inner = [layer for layer in layers if layer.has_inner_tests]
        return tuple(layer.path for layer in inner if layer.mixed_text is None)

    @property
    def former_tests(self) -> dict[str, str]:
        """The changed tests as they were at the start, by their files."""
        texts = {path: before for path, before, _ in self.texts} | dict(self.inner_texts)
        paths = [path for path, kind in self.kinds if kind in (TEST, INNER)]
        return {path: texts[path] for path in paths if path not in self.kept_tests}

    @property
    def changed_without_product(self) -> tuple[str, ...]:
        """The changed files if none is product; () if they only moved.

        That tests may change is the word of a person: their strength is measured. The keys of
        settings that the spec names are compared, so they raise no question here.
        """
        compared = {path for path in self.deciding if is_settings_file(path)}
        moved = [row for row in self.texts if row[0] not in compared]
        only_moved = sorted(row[1] for row in moved) == sorted(row[2] for row in moved)
        is_all = len(self.texts) == len(self.changed)
        allowed_tests = {path for path, _, _ in self.allowed if kind_in_tests(path)}
        is_shown = allowed_tests.issuperset(self.changed) or (is_all and only_moved)
        return () if self.has_product or is_shown else self.changed

    @property
    def changed_setting(self) -> tuple[str, str]:
        """The first line of a setting that changed, as it was and as it is; "" for none."""
        for path, before, after in self.texts:
            if dict(self.kinds)[path] == SETTINGS:
                lost, new = lost_lines(before, after), new_lines(before, after)
                return lost[0] if lost else "", new[0][1] if new else ""
        return "", ""

    @property
    def has_only_tests(self) -> bool:
        """Did nothing but tests, their helpers and data change, and settings that were compared?"""
        others = [path for path, kind in self.kinds if kind not in (TEST, INNER, HELPER, DATA)]
        compared = {path for path in self.deciding if is_settings_file(path)}
        return len(self.kinds) == len(self.changed) and compared.issuperset(others)

    @property
    def has_changed_tests(self) -> bool:
        """May there be a new demand: in a test, or in what belongs to the tests?"""
        return any(
            kind in (TEST, INNER, HELPER, DATA) or (kind == SCRIPT and TEST_SCRIPT.search(path))
            for path, kind in self.kinds
        )

    @property
    def allowed_tests(self) -> dict[str, str]:
        """The test files that the person let the agent change, as they were at the start."""
        return {path: old for path, old, now in self.allowed if kind_in_tests(path, now) == TEST}

    @property
    def has_work_tests(self) -> bool:
        """May a test show the work: a changed one, or beside product one that may change?"""
        return self.has_changed_tests or (self.has_product and bool(self.allowed_tests))

    @property
    def work_tests(self) -> ChangedTests:
        """The changed tests, with those that may change."""
        changed, allowed = self.changed_tests, self.allowed_tests
        text = "\n".join((changed.baseline_text, *allowed.values()))
        return changed.but(paths=(*changed.paths, *allowed), baseline_text=text)

    @property
    def grave_paths(self) -> tuple[str, ...]:
        return tuple(path for path, kind in self.kinds if kind in GRAVE_KINDS)

    @property
    def helpers(self) -> tuple[str, ...]:
        return tuple(path for path, kind in self.kinds if kind == HELPER)

    @property
    def changed_tests(self) -> ChangedTests:
        texts = self.former_tests
        has_data = any(kind == DATA for _, kind in self.kinds)
        return ChangedTests(tuple(texts), "\n".join(texts.values()), self.inner_tests, has_data)


def changed_inner_tests(
    product: dict[str, tuple[str | None, str | None]], with_examples: bool
) -> dict[str, InnerTests]:
    """The product files in which tests changed."""
    compared = {
        name: compare_inner_tests(name, before, after, with_examples)
        for name, (before, after) in product.items()
        if before is not None and after is not None
    }
    return {name: tests for name, tests in compared.items() if tests.is_changed}
