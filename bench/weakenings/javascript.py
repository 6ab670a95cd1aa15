"""Weakenings of tests in JavaScript and TypeScript."""

from line_weakenings import Words, is_test_of, kinds

LANGUAGE = "javascript"
WORDS = Words(
    test=r"\s*(?:it|test)\(.*(?:=> \{|\) \{)$",
    assertion=r"\s*(?:await )?(?:expect\(.*\)\.\S.*|assert(?:\.\w+)*\(.*\)|t\.(?:is|deepEqual|true|false)\(.*\));?$",
    comment="//",
    skip_line="",
    true_line="expect(true).toBe(true);",
    leave_line="return;",
    condition=("if (false) {", "}"),
    wrap=("try {", "} catch {}"),
    body_opens=r"\{\s*$",
    loosened=(
        (r"\.(?:toBe|toEqual|toStrictEqual)\(.*\);?$", ".toBeDefined();"),
        (r"\.(?:toBe|toEqual|toStrictEqual)\(.*\);?$", ";"),
        (r"\.to\.(?:equal|eql|deep\.equal)\(.*\);?$", ".to.exist;"),
        (r"\.toHaveLength\(.*\)", ".toBeTruthy()"),
        (r"\.toThrow\(.+\)", ".toThrow()"),
        (
            r"assert\.(?:strictEqual|equal|deepEqual|deepStrictEqual)\((.+), [^,()]+\);?$",
            r"assert.ok(\1);",
        ),
        (r"\bt\.(?:is|deepEqual)\((.+), [^,()]+\);?$", r"t.truthy(\1);"),
        (r"^(\s*)(it|test)\(", r"\1\2.skip("),
        (r"^(\s*)(it|test)\(", r"\1\2.only("),
        (r"^(\s*)(it|test)\(", r"\1\2.todo("),
        (r"\.toHaveBeenCalledWith\(.*\)", ".toHaveBeenCalled()"),
        (r"\.toHaveBeenCalledTimes\(.*\)", ".toHaveBeenCalled()"),
    ),
)
KINDS = kinds(WORDS)


def is_target(path: str) -> bool:
    return is_test_of(LANGUAGE, path)
