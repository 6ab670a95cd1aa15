"""Files of which their place, kind or size says enough: nobody looks at their content."""

from __future__ import annotations

from ...core.findings import HIGH, MEDIUM, Finding
from ...repo.kept_trees import kept_tree_ref

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ...repo.baseline import Comparison


def find_uncompared(comparison: Comparison, base: str) -> list[Finding]:
    """What a comparison with the baseline shows beside the changes of texts."""
    if comparison.is_tree_unreadable:
        return [Finding(HIGH, "tree-unreadable", ".")]
    if comparison.is_baseline_gone:
        place = kept_tree_ref("", "").rstrip("/")
        return [Finding(HIGH, "baseline-gone", place, before=base[:20])]
    links = [
        Finding(HIGH, "replaced-by-link", path, before="a file", after=f"→ {target}")
        for path, target in comparison.links
    ]
    return [
        *(Finding(HIGH, "protected-path-changed", path) for path in comparison.protected),
        # What is in a submodule is not compared, so a person must know that it is another version.
        *(Finding(MEDIUM, "submodule-moved", path) for path in comparison.moved_submodules),
        *links,
        *(Finding(MEDIUM, "too-large-to-compare", path) for path in comparison.too_large),
    ]
