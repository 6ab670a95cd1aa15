"""The words of the test libraries that Java and Kotlin share: JUnit, AssertJ, Hamcrest, Truth."""

from __future__ import annotations

from ... import lazy_re as re
from .dialect import all_mean, truth_table
from .matchers import word_set

ASSERTS = {
    **all_mean("== e s d", "assertEquals assertArrayEquals assertIterableEquals"),
    **all_mean("== e s", "assertSame assertLinesMatch assertContentEquals"),
    **all_mean("not == e s", "assertNotEquals assertNotSame"),
    "assertTrue": "true s",
    "assertFalse": "false s",
    "assertNull": "null s",
    "assertNotNull": "not null s",
    **all_mean("toThrow e s", "assertThrows assertThrowsExactly assertFailsWith"),
    "assertFails": "toThrow s",
    "shouldThrow": "toThrow e s",
    "shouldThrowExactly": "toThrow e s",
    "shouldThrowAny": "toThrow s",
    "shouldNotThrow": "not toThrow e s",
    "shouldNotThrowAny": "not toThrow s",
    "assertDoesNotThrow": "not toThrow s",
    "assertInstanceOf": "toBeInstanceOf e s",
    "assertIs": "toBeInstanceOf e s",
    "assertContains": "toContain s e",
    "assertThat": "carry",
}
OWNERS = re.compile(r"(?:org\.[\w.]+\.)?(?:Assert|Assertions|TestCase|Truth|MatcherAssert)|this")
HEADS = re.compile(
    r"assertThat\w*|assertWithMessage|then|expectThat|expect|expectCatching|assertThatCode"
)
FLUENT = {
    **all_mean("==", "isEqualTo isSameAs equalTo isSameInstanceAs hasValue is"),
    **all_mean("==", "containsExactly containsExactlyElementsOf inOrder"),
    **all_mean("==", "hasToString isEqualByComparingTo hasContent shouldBeEqual"),
    **all_mean("not ==", "isNotEqualTo isNotSameAs doesNotReturn"),
    "isTrue": "== true",
    "isFalse": "== false",
    "isNull": "== null",
    "isNotNull": "not == null",
    "nullValue": "== null",
    "notNullValue": "not == null",
    "isPresent": "not == []",
    "isEmpty": "== []",
    "isNotEmpty": "not == []",
    "isZero": "== 0",
    "isOne": "== 1",
    "isNotZero": "not == 0",
    "isExhausted": "== []",
    "isNotPresent": "== []",
    "hasSize": "toHaveLength",
    **all_mean("toContain", "contains containsString hasItem hasItems containsKey"),
    **all_mean("toContain", "containsEntry containsAll containsOnly startsWith"),
    **all_mean("==", "containsExactlyInAnyOrder containsInAnyOrder"),
    **all_mean("not toContain", "doesNotContain isNotIn"),
    **all_mean("toMatch", "matches matchesPattern endsWith"),
    **all_mean("toBeInstanceOf", "isInstanceOf isExactlyInstanceOf instanceOf isA"),
    "hasMessage": "message ==",
    **all_mean("message toContain", "hasMessageContaining hasMessageStartingWith"),
    "isThrownBy": "toThrow",
    **all_mean("toThrow", "hasCauseInstanceOf hasCauseExactlyInstanceOf hasRootCauseInstanceOf"),
    "doesNotThrowAnyException": "not toThrow any",
    "isGreaterThan": ">",
    "greaterThan": ">",
    **all_mean(">=", "isGreaterThanOrEqualTo isAtLeast greaterThanOrEqualTo"),
    "isLessThan": "<",
    "lessThan": "<",
    **all_mean("<=", "isLessThanOrEqualTo isAtMost lessThanOrEqualTo"),
    "isPositive": "> 0",
    "isNegative": "< 0",
    "isBetween": "within",
    "isCloseTo": "closeTo",
    "closeTo": "closeTo",
    "isWithin": "~",
    "of": "==",
    "that": "subject",
    "hasMessageThat": "message",
    "not": "not ",
}
FILLERS = word_set(
    "as describedAs withFailMessage overridingErrorMessage extracting asString and "
    "usingRecursiveComparison"
)
OTHER_ASSERTS = re.compile(
    r"(?:assert|check|verify|expect|ensure|should|await)[A-Z_]\w*|andExpect|expectBody"
)
TRUTHS = truth_table(
    r"""
    (?:Objects|Arrays)\.equals\((.+), (.+)\) → ==
    (.+)\.(?:equals|contentEquals)\((.+)\) → ==
    (.+)\.isEmpty\(\) → == []
    (.+)\.isNotEmpty\(\) → not == []
    (.+)\.isPresent\(\) → not == []
    (.+)\.(?:contains|containsKey|startsWith|endsWith)\((.+)\) → toContain
    (.+) in (.+) → toContain
    Math\.abs\((.+)-(.+)\)<=?(.+) → closeTo
    abs\((.+)-(.+)\)<=?(.+) → closeTo
    """
)
TEST_MARK = re.compile(r"Test|ParameterizedTest|RepeatedTest|TestFactory|TestTemplate|Property")
OFF_MARK = re.compile(r"^@(?:\w+\.)*(?:Disabled|Ignore)\b(?!\w)|^@Test\(.*enabled ?= ?false")
CONDITION_MARK = re.compile(r"^@(?:Disabled|Enabled)(?:If|On|For)\w*")
LIST_MARKS = re.compile(r"CsvSource|ValueSource|EnumSource")
SOURCE_MARKS = re.compile(r"MethodSource|FieldSource|DataProvider")
EXPECTS_ERROR = re.compile(
    r"^@Test\(.*expected ?= ?([\w.]+?)(?:\.class|::class)|\w+\.expect(?:Message)?\((.+)\)$"
)
FAILS = re.compile(
    r"(?:Assert(?:ions)?\.)?fail\(|throw new (?:\w*Assertion\w*|\w*Exception|Error)|error\("
)
PATIENCE = re.compile(r"^@(?:Test\(.*timeout=|Timeout\((?:value=)?|RetryingTest\(|Retry\()(\d+)")
MOCKS = re.compile(r"\b(?:mock|spy|mockk|spyk)(?:<(\w+)>|\((\w+)(?:\.class|::class)?)|@Mock (\w+)")
TAMPERING = re.compile(r"System\.exit\(0\)|exitProcess\(0\)|Runtime\.getRuntime\(\)\.halt\(0\)")
