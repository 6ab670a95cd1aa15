"""The words of tests in all languages: what a test is, what asserts, what says less, what skips.

Each table holds for every language: the words hardly clash, and a project mixes its frameworks.
"""

from __future__ import annotations

from ... import lazy_re as re

TEXT = r"(?P<q>['\"`])(?P<name>(?:\\.|(?!(?P=q)).)*)(?P=q)"

# The head of a test, with the decorators, attributes and annotations before it.
TEST_HEADS = tuple(
    re.compile(pattern, re.S)
    for pattern in (
        # JavaScript, Ruby, Pest: test("adds", …), it.each(…)("adds", …), xit 'adds' do
        r"(?:await |return )?(?:Deno\.|QUnit\.|t\.|\w+\.)?"
        r"[xf]?(?:it|test|specify|scenario|example|should|bench)(?:\.\w+)*"
        r"(?:\(.*?\)|\s*`.*?`)?\s*\(?\s*" + TEXT,
        r"[xf]?it\s*(?:\{|do\b)(?P<name>)",
        # Python, Ruby, PHP, Perl, C
        r"(?:async )?def (?P<name>test\w*[?!]?)",
        r"(?:[\w#\[\]()'\":,.\\ =>@]*\s)?function (?P<name>test\w*)\(",
        r"(?:static )?(?:void|int|bool) (?P<name>test\w*)\(",
        r"#\[Test\b.*\bfunction (?P<name>\w+)\(",
        r"subtest\s*\(?\s*" + TEXT,
        r"TEST(?:_[A-Z]+)?\s*\(\s*(?P<name>\w+(?:\s*,\s*\w+)?)",
        r"(?:TEST_CASE|SECTION|SCENARIO)\s*\(\s*" + TEXT,
        r"@test " + TEXT,
        # Go
        r"func (?:\([^)]*\) )?(?P<name>(?:Test|Benchmark|Fuzz|Example)\w*)\(",
        r"\w+\.Run\(\s*" + TEXT,
        # Rust
        r"(?:#\[.*\]\s*)*#\[(?:\w+::)*(?:test|rstest|test_case|case|quickcheck|wasm_bindgen_test)\b"
        r".*?\bfn (?P<name>\w+)",
        # Java, Kotlin, C#
        r".*?@(?:Test|ParameterizedTest|RepeatedTest|TestFactory|Property)\b.*?"
        r"(?:void|fun|\w[\w<>]*)\s+(?P<name>\w+|`[^`]+`)\s*\([^()]*\)(?:\s*(?:throws|=|:).*)?$",
        r"(?:public )?void (?P<name>test\w*)\(",
        r".*?\[(?:\w+\.)*(?:Fact|Theory|Test|TestCase|TestMethod|DataTestMethod)\b.*?"
        r"(?:void|Task|ValueTask)\s+(?P<name>\w+)\s*\(",
        # Kotest: "adds" { … }, should("add") { … }
        r"!?" + TEXT + r"(?:\.config\(.*\))?(?:\s+(?:should|when|-))?$",
        r"(?:x|f)?(?:given|then|expect|feature|When|and)\s*\(\s*" + TEXT,
    )
)
# What holds tests: its name is part of theirs, and its marks hold for all of them.
GROUP_HEADS = tuple(
    re.compile(pattern, re.S)
    for pattern in (
        r"(?:RSpec\.|\w+\.)?[xf]?(?:describe|context|suite)(?:\.\w+)*(?:\(.*?\)|\s*`.*?`)?"
        r"\s*\(?\s*(?P<name>(?:(['\"`]).*?\2|[\w.:]+))",
        r".*?\b(?:class|mod|module|object|namespace|trait|struct)\s+(?P<name>[\w.:]+)",
        r"impl\b[^{]*?(?P<name>\w+)\s*$",
    )
)
FUNCTION_HEAD = re.compile(
    r"(?:[\w@#\[\]()'\":,.<>*&?| ]*?\s)?(?:def|function\*?|fn|func|fun|sub)\s+"
    r"(?:\([^)]*\)\s*)?(?:self\.)?(?P<name>[\w$]+[?!]?)"
    r"|(?:export\s+)?(?:const|let|var)\s+(?P<bound>[\w$]+)\s*(?::[^=]*)?=\s*(?:async\s*)?"
    r"(?:function\b|\(.*\)\s*(?::[^=]*)?=>|\w+\s*=>)"
    r"|(?:(?:public|private|protected|internal|static|async|final|override)\s+)+[\w<>\[\],.? ]*?"
    r"(?P<method>\w+)\s*\("
)
SET_UP = re.compile(r"(?i)_*(?:async)?(?:set_?up|tear_?down|before|after|init|given|background)\w*")
SET_UP_HEAD = re.compile(
    r"@Before\w*|\b(?:[sS]et_?[uU]p\w*)\s*(?:\(|$)|\bbefore(?:Each|All)?\s*(?:\(|do\b|\{)"
)
CONSTANT = re.compile(
    r"(?:[\w:<>]+\s+)*?\$?(?P<name>[A-Za-z_]\w*)\s*(?::\s*[\w<>&' ]+)?\s*:?=\s*"
    r"(?P<value>-?\d[\w.]*|\"[^\"]*\"|'[^']*');?$"
)
# A statement that makes a test fail, or can.
ASSERTS = re.compile(
    r"\bassert(?!ions?\b|\.ifError)\w*|\bAssert\w*(?=\s*[.(!])|\b[A-Z]\w*Asserts?\b"
    r"|\bexpect(?:[A-Z_]\w*)?(?=\s*(?:[(<{.]|do\b))(?!\.(?:assertions|hasAssertions))"
    r"|\b(?:[sS]hould|must|wont)(?:_?\w+)?\b"
    r"|\b(?:require|is|t|tt|tb|c|qt|suite|s)\.(?:\w+\.)?(?:NoError|Equal\w*|Error\w*"
    r"|Fatal\w*|Fail\w*"
    r"|True|False|Nil|NotNil|Contains|Len|Empty|Is|like|throws?\w*|is|not|deepEqual|same|ok|pass"
    r"|truthy|falsy|snapshot|Assert|Check|ErrorIs|Panics\w*)\b"
    r"|\b(?:pytest\.)?(?:raises|warns|deprecated_call)\b|\b(?:[vV]erify\w*"
    r"|coVerify|refute\w*|flunk|fail|panic!|unreachable!|matchSnapshot|approve\w*)\b *[(!{]?"
    r"|\b(?:CHECK|REQUIRE|EXPECT|ASSERT)_?\w*\b|\bunwrap_err\b|should_panic|expectException\w*"
    r"|^(?:is|ok|isnt|like|unlike|cmp_ok|is_deeply|isa_ok|can_ok|dies_ok|lives_ok|throws_ok)\b"
    r"|^(?:run |\[\[? .*\]\]?$|test )|(?<![.\w])(?:check|verify|ensure)(?:_|(?=[A-Z]))\w+\("
    r"|->(?:throws|expect|toBe)\w*\("
    r"|\.(?:strictEqual|deepEqual|deepStrictEqual|notEqual|ok|throws|rejects|doesNotThrow)\("
)
# The module behind a name, in both ways of JavaScript.
MODULE_OF_NAME = re.compile(
    r"(?:import|const|let|var) (?P<name>[\w$]+) (?:from|= require\() ?"
    r"['\"](?:node:)?(?P<module>[^'\"]+)['\"]\)?;?$"
)
# A helper of tests that compares: what it compares is an assertion, too.
COMPARER = re.compile(
    r"(?i)same|equal|close|near|match|compar|diff|assert|check|verify|expect|approx"
)
# A statement that fails under the condition around it: the condition is what is asserted.
FAILS = re.compile(
    r"(?:raise|throw)\b|\b(?:t|tb|b|c)\.(?:Error|Errorf|Fatal|Fatalf|Fail|FailNow|fail)\b"
    r"|(?:self\.|this\.|pytest\.|Assert\.)?(?:fail|flunk|Fail)\b *\(|panic!|process\.exit\([1-9]"
    r"|sys\.exit\((?!0|\))|exit\(?\s*[1-9]|die\b|return (?:1|false|False)$"
)
CONTROL = re.compile(
    r"(?:\}\s*)?(?:if|else|elif|elsif|unless|for|foreach|while|until|switch|case|when"
    r"|match|try|begin"
    r"|with|async with|async for|do|loop|catch|except|rescue|finally|ensure|using|lock|select"
    r"|synchronized)\b"
)
CONDITION = re.compile(r"(?:\}\s*)?(?:else if|if|elif|elsif|unless|else|switch|case|when|match)\b")
CATCHES = re.compile(r"(?:\}\s*)?(?:catch|except|rescue)\b|\.catch\(|\bsuppress\(")
RETHROWS = re.compile(r"throw|raise")
TRIES = re.compile(r"(?:try|begin)\b")
SUPPRESSES = re.compile(
    r"with (?:contextlib\.)?suppress\(|\brunCatching\b|\bcatch_unwind|\brescue\b(?! =>)"
    r"|\.catch\(\s*(?:\(?\w*\)?\s*=>\s*(?:\{\s*\}|null|undefined|void 0|false|true)|noop)"
)
NOT_AWAITED = re.compile(r"(?:setTimeout|setImmediate|process\.nextTick|queueMicrotask)\(")
LEAVES_IF = re.compile(r"(?:if|unless)\b.*\)\s*return\b\s*;?$|return (?:if|unless)\b")
ENDS_TEST = re.compile(r"return(?:\s+(?:None|True|true|Ok\(\(\)\)))?;?$|(?:sys\.)?exit\(0?\)$")

# What says less than an exact comparison, by its name for people.
WEAKER = tuple(
    (name, re.compile(pattern))
    for name, pattern in (
        (
            "only that there is a value",
            r"is not None|IsNotNone|\.to(?:Be)?(?:Truthy|Defined)\b|not\.toBe(?:Null|Undefined)"
            r"|[Nn]ot_?(?:Null|Nil|Empty|nil|null|empty)\b|\.be\.(?:ok|true|an?)\b|be_truthy"
            r"|be_present|is_some\(|is_ok\(|is_err\(|isPresent|isNotNull|isNotEmpty"
            r"|should_not be_nil"
            r"|must_be_\w+|assert_predicate|isTruthy|\.exist\b|toHaveLength|(?:has"
            r"|have)Length|HasCount"
            r"|assertCount|assert(?:_)?True\(|assertTrue|Assert\.True|isTrue\(|\.ok\(|assert\.True",
        ),
        (
            "only the kind",
            r"isinstance\(|hasattr\(|callable\(|[iI]s_?[iI]nstance_?[oO]f|toBeInstanceOf|typeof\b"
            r"|expect\.any\(|be_an?\b|kind_of|is_a\(|IsType|instanceof|assertIsA\b|be_instance_of"
            r"|objectContaining|toMatchObject|toHaveProperty|assertArrayHasKey|respond_to"
            r"|matches!\(",
        ),
        (
            "only a part",
            r"(?<![\w.])not in |\bin\b(?! range)|assertIn\b|assertRegex|[cC]ontain\w*|\bincludes?\b"
            r"|[sS]tarts?_?[wW]ith|[eE]nds?_?[wW]ith|\b(?:re\.)?(?:search|match|fullmatch)\("
            r"|toMatch\b|[mM]atches\b|MatchesRegex|issubset|issuperset|[sS]ubset|arrayContaining"
            r"|stringContaining|stringMatching|be_in\b|any\(|some\(|\.Any\("
            r"|strings\.\w+\(|lower\(\)"
            r"|upper\(\)|strip\(\)|\btrim\w*\(|sorted\(|set\(|toLowerCase|round\(|\bis_one_of",
        ),
        (
            "only about",
            r"approx\(|[aA]lmostEqual|[cC]loseTo\b|be_within|be_close|InDelta|InEpsilon|WithDelta"
            r"|isclose\(|allclose\(|\babs\(|\.abs\(\)|Math\.abs|BeApproximately|isCloseTo"
            r"|plusOrMinus",
        ),
        (
            "only a bound",
            r"(?<![-=<>])[<>]=?(?![<>])(?!\w+>)|[gG]reater|[lL]ess(?:Than|Equal)|(?:at"
            r"|At)_?(?:L|l)east"
            r"|be_between|assertLess|toBeGreater|toBeLess|\.above\(|\.below\(|isPositive|!=|not_eq"
            r"|NotEqual|notEqual|not\.toBe\(|not\.toEqual|assert_ne!|assert_not_equal|isNotEqualTo",
        ),
        (
            "any error",
            r"raises\(\(?(?:Base)?Exception\b|raise_error(?:\s*(?:$|\)|\}))"
            r"|toThrow(?:Error)?\(\s*\)"
            r"|Throws(?:Any|Async)?<(?:System\.)?Exception>"
            r"|(?<!\w)(?:Runtime)?(?:Exception|Error)\.class"
            r"|Throwable\b|shouldThrowAny|assert_raises\s*\(?\s*(?:StandardError"
            r"|Exception)?\s*\)?\s*(?:do|\{)"
            r"|(?:expectException|toThrow|throws)\(\\?(?:Exception|Throwable|Error)(?:::"
            r"|\))|should_panic\]|\.throw\(\s*\)|is_err\("
            r"|(?:assert|require)\.Error\(|ThrowsAnyAsync|rejects\.toThrow\(\s*\)|assertFails\b",
        ),
        (
            "only that nothing fails",
            r"NoError|not_to raise|not\.toThrow|DoesNotThrow|assertDoesNotThrow"
            r"|doesNotThrow|err != nil"
            r"|shouldNotThrow|expectNotToPerformAssertions|resolves\.not|nothing_raised|lives_ok",
        ),
        (
            "only that it is called",
            r"toHaveBeenCalled\(\)|assert_called(?:_once)?\(\)|\.called\b|\bat_least\b",
        ),
        (
            "only the number",
            r"\blen\(|\.(?:len|size|count)\(|\.length\b|\.Count\b|toHaveLength|assertCount|Len\(",
        ),
        (
            "only that it is missing",
            r"(?:be_?|Is|is|assert|must_be_)[nN](?:il|ull|one)\b|is None|wont_\w+|not_to",
        ),
        ("either of several", r"\bor\b|\|\|"),
    )
)
# An error that must come, and a word that tells which one.
FAILURE = re.compile(
    r"\b(?:throws?|throwE\w+|toThrow\w*|raises|rejects|assertRaises|assert_raises)\s*\("
)
KIND_OF_ERROR = re.compile(r"\b[A-Z]\w*(?:Error|Exception|[a-z])\b|\"|'|/")
PLAIN_TRUTH = re.compile(
    r"^(?:assert |assert!\(|assert\(|assert_\(|ok\(|(?:self\.|t\.)?assert_?(?:True"
    r"|true)?\(|assert\.ok\()"
)
COMPARES = re.compile(
    r"[=!<>]=|[<>]|\b(?:in|is|isinstance|equals?|raises)\b|[eE]mpty|[eE]qual|matches"
)
# What can never fail.
CANNOT_FAIL = re.compile(
    r"(?:assert|assertTrue|assert!|assert_|ok|expect|t\.ok|assert\.ok|self\.assertTrue"
    r"|Assert\.True)"
    r"\s*\(?\s*(?:True|true|1)\s*\)?(?:\.(?:toBe\(true\)|toBeTruthy\(\)|to\.be\.true))?\s*(?:,.*)?$"
    r"|^(?:if|unless) \(?(?:false|False|0) ?(?:&&|and\b)|\bor True\b|\|\|\s*true\b"
    r"|(?:assert\w*!?|[Ee]qual)\s*\(\s*(?P<a>[\w.'\"]+)\s*,\s*(?P=a)\s*\)$"
    r"|expect\(\s*(?P<b>[\w.'\"]+)\s*\)\.to(?:Be|Equal)\(\s*(?P=b)\s*\)$"
    r"|assert (?P<c>[\w.]+) == (?P=c)$"
)
EQUALITY = re.compile(
    r"(?:\w+\.|\$this->|self::|static::)*(?:assert_?[eE]quals?|assert_equal|assertSame|assert_same"
    r"|assert_eq!|[eE]qual|strictEqual|deepEqual|deepStrictEqual|AreEqual|assertDictEqual|assertIs"
    r"|assertListEqual|assertCountEqual|assertStrictEquals|is|is_deeply|assertTupleEqual)$"
)
EXPECTED = re.compile(
    r"\.(?:to(?:Be|Equal|StrictEqual)|isEqualTo|isSameAs|to\.(?:deep\.)?equal|to\.eq"
    r"|to\.eql|toEq)\("
    r"|\)\.(?:to|must) (?:eq|eql|equal|be|==)\b|\bshould(?:Be| eq| ==|Equal)\b|\.Should\(\)\.Be\("
    r"|must_equal\b"
)

SKIPS = re.compile(
    r"mark\.(?:skip|xfail)\b(?!if)|unittest\.skip\b|@skip\b|expectedFailure|@(?:Disabled"
    r"|Ignored?)\b(?!If)"
    r"|#\[ignore\b|\[(?:\w+\.)?Ignore\b|\bSkip ?= ?|\[Explicit\b|(?<!\w)x(?:it|describe"
    r"|context|test|specify)\b"
    r"|(?:\.|->)(?:skip|todo|fails|failing|fixme)\b|\bskip: *(?:true|['\"])"
    r"|\bpending\b(?! *=)|enabled ?= ?false"
    r"|^\"!|^!\"|\bskip\b(?= *(?:=>|do\b|$))|skip(?:if|If|Unless)\((?:True|true|1\b"
    r"|not False)|\btodo: *true|\bexpectFailure: *true"
    r"|\bignore ?= ?true|#\[cfg\(any\(\)\)\]|^#if 0\b|__test__ = False|\bskipped ?= ?true"
)
SKIPS_WITH_CONDITION = re.compile(
    r"mark\.skipif|skipIf|skipUnless|\.(?:skipIf|runIf)\(|@(?:Enabled|Disabled)(?:If|On"
    r"|For)\w*|cfg_attr\([^)]*ignore"
    r"|\bif: *|\bunless: *|xfail\(.*condition|@EnabledIf|#\[cfg\((?!test\b)"
)
# A call in the body that skips the rest of it.
SKIP_CALL = re.compile(
    r"(?:\b(?:t|b|tb|self|this|ctx|context|pytest|unittest|test|it|testing)\.(?:Skip\w*"
    r"|skip\w*|xfail|importorskip|fixme)\b"
    r"|\$this->markTest(?:Skipped|Incomplete)|\bskip\b *(?:\(|['\"]|$)|\bpending\b"
    r"|raise (?:unittest\.)?SkipTest"
    r"|\bAssume\.|\bassume\w*\(|Assert\.(?:Ignore|Inconclusive|Skip)|\bSkip\.\w+\(|\bself::markTest"
    r"|importorskip\(|\bskip_all\b|\btodo_skip\b)"
)
SKIPS_IF = re.compile(r"\bif\b|\bunless\b|[aA]ssum|importorskip|SkipIf|skipIf|Skip\.(?:If|Unless)")
ONLY = re.compile(
    r"\.only\b|(?<!\w)f(?:it|describe|context|test)\b|\bfocus: *true|\bonly: *true|, *:focus\b"
)
PATIENCE = re.compile(
    r"(?:timeout|retry|retries|flaky|reruns|timeoutMillis|setTimeout|repeat)\w*[\"'\s]*[(=:,]+\s*"
    r"(?:\w+\s*=\s*)?(?P<number>\d[\d_]*(?:\.\d+)?)|,\s*(?P<last>\d{3,})\s*\)?$"
)
# What begins a table of cases.
TABLE = re.compile(
    r"parametrize\(|\.each\b|\.for\(|ValueSource\(|CsvSource\(|MethodSource|provider|DataProvider"
    r"|InlineData\(|TestCase\(|DataRow\(|#\[case|test_case\(|Arguments\.of|(?:list|array"
    r"|sequence|map|row)"
    r"(?:Of)?\(|Stream\.of|subTest|withData|^for\b|\bcases\b|\btests\b"
)
# `map[string]int` is a type of Go.
LOOP = re.compile(r"\b(?:for|foreach|forEach|each\w*|while|map(?!\[)|subTest|all|any|until)\b")
ROW_CALL = re.compile(
    r"(?:InlineData|TestCase|DataRow|#\[case|test_case|Arguments\.of|pytest\.param|CsvSource"
    r"|@Param|row)\s*\("
)

# A new line of a test file that takes the whole file out of the run.
FILE_OFF = re.compile(
    r"^(?://go:build|// \+build) (?!.*\b(?:linux|unix|integration|e2e)\b)|^#if 0\b"
    r"|^#!\[cfg\((?!test\))"
    r"|^load_tests *=|^def load_tests\(|^collect_ignore"
)
# A new line of a test file that forges results, leaves tests out or replaces an assertion.
TAMPERS = re.compile(
    r"\w\.(?:outcome|longrepr|wasxfail|exitstatus|testsfailed) = "
    r"|setattr\(\w+, ['\"](?:outcome|exitstatus)"
    r"|\bos\._exit\(|^(?:sys\.)?exit\(0?\)|pytest\.exit\(.*returncode=0|^(?:pytest"
    r"|unittest)\.[\w.]+ = "
    r"|\w\.force_result\(|\bitems\.clear\(|^del items\b|^items\[:\] = (?!sorted|list)"
    r"|\badd_marker\(.*(?:skip|xfail)|\bself\.(?:assert\w+|fail) = |^(?:global\."
    r"|globalThis\.)?(?:expect|assert)(?:\.\w+)* = "
    r"(?!chai\.(?:expect|assert)\b|require\(['\"](?:node:)?(?:assert|chai|expect(?:\.js)?)['\"/])"
    r"|\bprocess\.exit\(0?\)|\bos\.Exit\(0\)|process::exit\(0\)"
    r"|^\w*[Aa]ssert\w* = (?:lambda|print|\(|function|mock|Mock)"
)

# A new line of a test that makes other lines of it count for nothing, as C and Perl know them.
SWITCHES = re.compile(
    r"^//.*\\$|^#\s*(?:undef|define) assert|\bNDEBUG\b|\$TODO\b|\btodo_skip\b|\bskip_all\b|^SKIP:"
    r"|\bBAIL_OUT\b|^=[a-z]\w*$|^__(?:END|DATA)__|macro_rules! *(?:assert|panic)"
)
