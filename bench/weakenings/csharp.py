"""Weakenings of tests in csharp."""

from line_weakenings import Words, is_test_of, kinds

LANGUAGE = "csharp"
WORDS = Words(
    test=r"\s*public (?:async )?(?:void|Task) \w+\(\)",
    assertion=r"\s*(?:await )?(?:Assert\.\w+(?:<[^>]+>)?\(.*|\S.*\.Should\w*\(.*)\);$",
    comment="//",
    skip_line='Assert.Skip("later");',
    skip_mark='[Fact(Skip = "later")]',
    true_line="Assert.True(true);",
    leave_line="return;",
    condition=("if (false) {", "}"),
    wrap=("try {", "} catch (Exception) { }"),
    loosened=(
        (r"Assert\.Equal\([^,()]+, (.+)\);", r"Assert.NotNull(\1);"),
        (r"\.ShouldBe\(.*\);", ".ShouldNotBeNull();"),
        (r"\.Should\(\)\.Be\(.*\);", ".Should().NotBeNull();"),
        (r"(Throw\w*)<\w+Exception>", r"\1<Exception>"),
        (r"Assert\.(?:Single|Empty)\((.+)\);", r"Assert.NotNull(\1);"),
    ),
    body_opens=r"\{\s*$",
)
KINDS = kinds(WORDS)


def is_target(path: str) -> bool:
    return is_test_of(LANGUAGE, path)
