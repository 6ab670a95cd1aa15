"""A field that a journal leaves out was empty when it was written, and is empty when it is read."""

from tests.golden.empty_defaults import FILE, as_json, empty_defaults


def test_empty_defaults_stay_empty() -> None:
    then = FILE.read_text(encoding="utf-8")
    how = "a new field: python -m tests.golden.empty_defaults; any other difference breaks journals"
    assert as_json(empty_defaults()) == then, how
