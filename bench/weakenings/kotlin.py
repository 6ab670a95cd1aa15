"""Weakenings of tests in kotlin."""

from line_weakenings import Words, is_test_of, kinds

LANGUAGE = "kotlin"
WORDS = Words(
    test=r"\s*(?:@Test )?fun (?:`[^`]+`|\w+)\(\)(?: = \w+)? \{$",
    assertion=r"\s*assert\w+(?:<\w+>)?\(.*\)$|\s*\S.* should\w+ .*$",
    comment="//",
    skip_line="Assume.assumeTrue(false)",
    skip_mark="@Ignore",
    true_line="assertTrue(true)",
    leave_line="return",
    condition=("if (false) {", "}"),
    wrap=("try {", "} catch (e: Throwable) { }"),
    loosened=(
        (r"assertEquals\([^,()]+, (.+)\)$", r"assertNotNull(\1)"),
        (r"\.isEqualTo\(.*\)$", ".isNotNull()"),
        (r"shouldBe .*$", "shouldNotBe null"),
        (r"assertFailsWith<\w+>", "assertFailsWith<Throwable>"),
    ),
)
KINDS = kinds(WORDS)


def is_target(path: str) -> bool:
    return is_test_of(LANGUAGE, path)
