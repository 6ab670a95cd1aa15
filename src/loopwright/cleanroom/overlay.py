"""Puts the tests and settings of one tree into a clean checkout of another, beside its product."""

from __future__ import annotations

from collections.abc import Iterable

from .. import lazy_re as re
from ..core.record import Record
from ..ratchet.readers.definitions import FUNCTION, definitions
from ..ratchet.readers.inner_tests import mix_tests
from ..ratchet.settings_rules.manifests import is_manifest, mixed_manifest
from ..repo.checkout import restore_paths
from .checkout import write_text


class Layer(Record):
    """One file: its text in the tree that it comes from, and in the tree of the product."""

    path: str
    around: str
    product: str
    has_inner_tests: bool = False  # a file of the product: only the tests in it are exchanged
    with_examples: bool = False  # the checks run the examples in it
    # Functions that call one of these are taken from the product's tree: they do not compile.
    changed_calls: frozenset[str] = frozenset()

    @property
    def mixed_text(self) -> str | None:
        """The text with the product of the one and everything else of the other; None: no mix."""
        if self.changed_calls:
            return _with_callers_of(self.changed_calls, self.path, self.around, self.product)
        if self.has_inner_tests:
            return mix_tests(self.path, self.around, self.product, self.with_examples)
        if is_manifest(self.path) and self.around and self.product:
            return mixed_manifest(self.path, self.around, self.product)
        return None

    @property
    def turned(self) -> Layer:
        """The same for the other direction."""
        return self.but(around=self.product, product=self.around)


def lay_over(room: str, commit: str, layers: Iterable[Layer]) -> None:
    """Give the checkout these files as the commit has them, and leave the product as it is."""
    layers = list(layers)
    restore_paths(room, commit, [layer.path for layer in layers if not layer.has_inner_tests])
    for layer in layers:
        text = layer.mixed_text
        if text is not None:
            write_text(room, layer.path, text)


def _with_callers_of(names: frozenset[str], path: str, text: str, other: str) -> str:
    """The text, with those functions of the other in which it calls one of these names."""
    call = re.compile(rf"\b(?:{'|'.join(sorted(names))})\(")
    others = {each.key: each.text for each in definitions(path, other)}
    lines = text.splitlines()
    for each in reversed(definitions(path, text)):
        is_caller = each.kind == FUNCTION and call.search(each.text)
        if is_caller and each.key in others:
            lines[each.first - 1 : each.last] = others[each.key].splitlines()
    return "\n".join([*lines, ""])
