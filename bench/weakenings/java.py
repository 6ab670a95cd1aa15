"""Weakenings of tests in java."""

from line_weakenings import Words, is_test_of, kinds

LANGUAGE = "java"
WORDS = Words(
    test=r"\s*(?:public )?void \w+\(\).*\{$",
    assertion=r"\s*(?:Assert\w*\.)?(?:assert\w+|verify)\(.*\);$",
    comment="//",
    skip_line="Assume.assumeTrue(false);",
    skip_mark="@Disabled",
    true_line="assertTrue(true);",
    leave_line="if (true) return;",
    condition=("if (false) {", "}"),
    wrap=("try {", "} catch (Throwable ignored) { }"),
    loosened=(
        (r"assertEquals\([^,()]+, (.+)\);", r"assertNotNull(\1);"),
        (r"\.isEqualTo\(.*\);", ".isNotNull();"),
        (r"\.isEqualTo\((.*)\);", r".isNotEqualTo(null);"),
        (r"(assertThat\(.*\))\.(?:contains|containsExactly|hasSize)\(.*\);", r"\1.isNotEmpty();"),
        (r"assertThrows\(\w+\.class", "assertThrows(Exception.class"),
        (r"\.hasMessageThat\(\)\..*;$", ";"),
    ),
)
KINDS = kinds(WORDS)


def is_target(path: str) -> bool:
    return is_test_of(LANGUAGE, path)
