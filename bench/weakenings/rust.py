"""Weakenings of tests in rust."""

from line_weakenings import Words, is_test_of, kinds

LANGUAGE = "rust"
WORDS = Words(
    test=r"\s*(?:pub )?(?:async )?fn (?:test\w*|\w+)\(\)(?: -> [^{]*)?\s*\{",
    assertion=r"\s*assert\w*!\(.*\);$",
    comment="//",
    skip_line="",
    skip_mark="#[ignore]",
    true_line="assert!(true);",
    leave_line="return;",
    condition=("if false {", "}"),
    wrap=("let _ = std::panic::catch_unwind(|| {", "});"),
    loosened=(
        (r"assert_eq!\(([^,]+), [^,]+\);", r"let _ = \1;"),
        (r"assert_eq!\(([^,]+), ([^,]+)\);", r"assert_ne!(\1, Default::default());"),
        (r"assert_eq!\(([^,]+), ([^,]+)\);", r"assert!(\1 == \2 || true);"),
        (r"assert!\((.*)\);$", r"assert!(\1 || true);"),
    ),
)
KINDS = kinds(WORDS)


def is_target(path: str) -> bool:
    return is_test_of(LANGUAGE, path)
