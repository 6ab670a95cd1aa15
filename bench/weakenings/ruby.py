"""Weakenings of tests in ruby."""

from line_weakenings import Words, is_test_of, kinds

LANGUAGE = "ruby"
WORDS = Words(
    test=r"\s*(?:it|specify|test) .* do$|\s*def test_\w+$",
    assertion=r"\s*(?:assert|refute)\w* .*$|\s*expect\(.*\)\.(?:to|not_to) .*$|\s*\S.*\.must_\w+.*$",
    comment="#",
    skip_line='skip "later"',
    true_line="assert true",
    leave_line="next",
    condition=("if false", "end"),
    wrap=("begin", "rescue Exception; end"),
    body_opens=r"(?:do|def test_\w+)\s*$",
    loosened=(
        (r"assert_equal [^,()]+, (.+)$", r"assert \1"),
        (r"\.to eq\(.*\)$", ".not_to be_nil"),
        (r"\.must_equal .*$", ".wont_be_nil"),
        (r"\.to (?:eq|eql|match_array) .*$", ".not_to be_nil"),
        (r"raise_error\(.*\)", "raise_error"),
        (r"\bit (['\"])", r"xit \1"),
    ),
)
KINDS = kinds(WORDS)


def is_target(path: str) -> bool:
    return is_test_of(LANGUAGE, path)
