"""Weakenings of tests in php."""

from line_weakenings import Words, is_test_of, kinds

LANGUAGE = "php"
WORDS = Words(
    test=r"\s*public function (?:test\w+|\w+)\(\)",
    assertion=r"\s*(?:\$this->|self::|static::)assert\w+\(.*\);$",
    comment="//",
    skip_line="$this->markTestSkipped('later');",
    true_line="$this->assertTrue(true);",
    leave_line="return;",
    condition=("if (false) {", "}"),
    wrap=("try {", "} catch (\\Throwable $ignored) { }"),
    loosened=(
        (r"assert(?:Same|Equals)\([^,()]+, (.+)\);", r"assertNotNull(\1);"),
        (r"assertCount\([^,]+, (.+)\);", r"assertNotEmpty(\1);"),
        (r"expectException\([^)]+\)", "expectException(\\\\Throwable::class)"),
        (r"assertInstanceOf\([^,]+, (.+)\);", r"assertNotNull(\1);"),
    ),
)
KINDS = kinds(WORDS)


def is_target(path: str) -> bool:
    return is_test_of(LANGUAGE, path)
