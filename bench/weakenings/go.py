"""Weakenings of tests in go."""

from line_weakenings import Words, is_test_of, kinds

LANGUAGE = "go"
WORDS = Words(
    test=r"func Test\w*\(",
    assertion=r"\s*(?:assert|require)\.\w+\(t, .*\)$|\s*(?:check|assert)\w+\(t, .*\)$",
    comment="//",
    skip_line='t.Skip("later")',
    true_line="assert.True(t, true)",
    leave_line="return",
    condition=("if false {", "}"),
    loosened=(
        (r"(assert|require)\.Equal\(t, [^,()]+, ([^,]+)\)$", r"\1.NotNil(t, \2)"),
        (r"(assert|require)\.(Equal|EqualValues)\(t, [^,()]+, ([^,]+)\)$", r"\1.NotEmpty(t, \3)"),
        (r"(assert|require)\.ErrorIs\(t, (\w+), \S+\)$", r"\1.Error(t, \2)"),
        (r"\bt\.(?:Errorf|Fatalf)\(", "t.Logf("),
        (r"\bt\.(?:Error|Fatal)\(", "t.Log("),
        (r"^(\s*if )(\w+ != .*)\{$", r"\1false && \2{"),
    ),
)
KINDS = kinds(WORDS)


def is_target(path: str) -> bool:
    return is_test_of(LANGUAGE, path)
