"""Which assertions expect another value of the same call."""

from __future__ import annotations

import pytest

from loopwright.core.second_eyes.answers import Trial
from loopwright.drive.second_eyes.contradiction import contradicted_line, expectation

SAME_CALL = {
    "plain": "assert total([1, 2]) == 4",
    "unittest": "    self.assertEqual(total([1, 2]), 4)",
    "jest": "expect(total([1, 2])).toBe(4);",
    "node": "assert.strictEqual(total([1, 2]), 4)",
    "rust": "assert_eq!(total([1, 2]), 4);",
    "reversed": "assert 4 == total([1, 2])",
}


@pytest.mark.parametrize("line", SAME_CALL.values(), ids=SAME_CALL)
def test_the_call_and_its_value_are_found_in_every_form(line):
    call, value = expectation(line)

    assert ("".join(call), value) == ("total([1,2])", "4")
    assert contradicted_line(Trial("x", "t.py", line), {"a.py": "assert total([1, 2]) == 3"})


OTHERS = {
    "another input": "assert total([4]) == 3",
    "the same value": "assert total([1, 2]) == 3",
    "another function": "assert count([1, 2]) == 4",
    "negated": "assert total([1, 2]) != 4",
    "a bound": "assert total([1, 2]) < 4",
    "no assertion": "total([1, 2])",
    "two values": "assert total([1, 2]) == 4 and size == 2",
}


@pytest.mark.parametrize("line", OTHERS.values(), ids=OTHERS)
def test_what_contradicts_nothing(line):
    tests = {"a.py": "# total\nassert total([1, 2]) == 3\n"}

    assert contradicted_line(Trial(f'python -c "{line}"'), tests) == ""


def test_a_call_whose_value_depends_on_its_state_contradicts_nothing():
    check = Trial("x", "t.js", "assert.strictEqual(w.take('a'), false)")
    tests = "assert.strictEqual(w.take('a'), true)\n"

    assert contradicted_line(check, {"a.js": tests})
    assert not contradicted_line(check, {"a.js": f"{tests}assert.equal(w.take('a'), false)\n"})
