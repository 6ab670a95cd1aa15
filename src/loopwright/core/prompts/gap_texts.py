"""What a gap is called, and how it is closed, by its kind."""

from __future__ import annotations

CI_FAILURE = "ci_failure"  # also every gap that has none of the other types
# Type of gap → how to fix it.
GAP_STRATEGIES = {
    "orphan": "Add import + usage to parent",
    "broken_link": "Fix path/typo in reference",
    "stub": "Implement real functionality",
    "missing_export": "Add export statement",
    "wrong_import": "Correct import path",
    "ci_failure": "Apply specific fix for error",
}
# Type of gap → what is wrong with its file.
GAP_TEXTS = {
    "orphan": "nothing imports or uses {file}",
    "broken_link": "{file} and {target} are not connected",
    "stub": "{file} is a stub",
    "missing_export": "{file} does not export what others need",
    "wrong_import": "{file} imports what is not there",
    CI_FAILURE: "{file} fails",
}
