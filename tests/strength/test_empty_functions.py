"""A new function that the spec names must do something."""

from __future__ import annotations

import pytest

from loopwright.strength.empty_functions import empty_functions
from tests.strength.measured import changed

SPEC = "Extend the stack:\n1. Clear(): removes all items\n2. `peek` gives the top item\n"
GO = "package s\n\n// Clear removes all.\nfunc (s *Stack) Clear() {}\n"
PYTHON = 'class Stack:\n    def peek(self):\n        """The top item."""\n        BODY\n'
JS = "export class Stack {\n  peek() {\n    // later\n  }\n}\n"
SPACES = "class Stack:\n    def peek(self):\n        return self.items[-1]\n"


@pytest.mark.parametrize(
    ("path", "text", "lines"),
    [
        ("s.go", GO, [4]),
        ("s.go", GO.replace("{}", "{ s.items = nil }"), []),
        ("s.go", GO.replace("Clear()", "Close()"), []),  # the spec does not name it
        ("s.py", PYTHON.replace("BODY", "pass"), [2]),
        ("s.py", PYTHON.replace("BODY", "..."), [2]),
        ("s.py", PYTHON.replace("BODY", "raise NotImplementedError"), [2]),
        ("s.py", PYTHON.replace("BODY", "return None"), []),
        ("s.py", PYTHON.replace("    def", "    @abstractmethod\n    def"), []),
        ("s.py", SPACES, []),
        ("s.js", JS, [2]),
        ("s.js", JS.replace("// later", "return {};"), []),
    ],
)
def test_a_new_function_of_the_spec_is_not_empty(path: str, text: str, lines: list[int]) -> None:
    assert [item.line for item in empty_functions([changed(path, text)], SPEC)] == lines


def test_one_that_was_empty_before_or_shall_be_is_no_work() -> None:
    file = changed("s.go", GO)

    assert empty_functions([file.but(before=GO)], SPEC) == []
    assert empty_functions([file], f"{SPEC}Clear() is a no-op here.") == []
