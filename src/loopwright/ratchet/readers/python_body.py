"""Reads the body of a Python test: what it asserts and does, with known values put in."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Sequence

from ... import lazy_re as re
from .python_asserts import ASSERTING, call_assertions, condition_assertions, contains_assertion
from .python_literals import ANY_PATTERN, constant_truth, literal_rows
from .python_nodes import calls_in
from .python_scope import Context, Module
from .python_text import last_name, source_text
from .python_values import (
    MAX_LETTERS,
    MUTABLE,
    Function,
    Functions,
    Values,
    bind_arguments,
    forget_values,
    loop_values,
    substitute_names,
    unpack_target,
)
from .suite import EXACT, LOOSE, NEVER, PARTIAL, Assertion

RAISES = re.compile(r"raises|warns|assert(?:Raises|Warns)(?:Regex)?$")
SKIP_CALL = re.compile(
    r"(?:pytest\.)?(?:skip|xfail)\(|self\.skipTest\(|raise (?:unittest\.)?SkipTest"
)
ON_WINDOWS = re.compile(r"win32|'nt'|Windows")  # what is skipped only there still runs here
SWALLOWING_HANDLER = re.compile(
    r"except(?: [^:]*\b(?:AssertionError|Exception|BaseException)\b[^:]*)?:"
    r"(?!.*\b(?:raise|assert\w*|fail)\b)"
)
BROAD_EXCEPTION = re.compile(r"(?:AssertionError|Exception|BaseException)\b")
RAISED_MESSAGE = re.compile(r"str\(raised(?:\.\w+)?\) (?:has|==) (.*)")
MAX_CASES = 1000  # of one table
MAX_NESTED_ROUNDS = 300  # of loops in loops; more are read as a loop over an unknown list
MAX_HELPER_DEPTH = 3  # helpers that call helpers


class BodyReader:
    """The assertions and steps of one test, and what skips it."""

    def __init__(
        self,
        module: Module,
        helpers: Functions,
        patched_names: set[tuple[str, ...]],
        names_used: set[str],
    ) -> None:
        self.module = module
        self.helpers = helpers
        self.patched_names = patched_names
        self.names_used = names_used  # in the test and its set-up
        self.assertions: list[Assertion] = []
        self.steps: list[str] = []
        self.disabled_by = ""
        self.skip_condition = ""

    def walk_statements(self, body: Sequence[ast.stmt], here: Context) -> int:
        """Reads the statements; the answer is the reach of an assertion after them."""
        for part in body:
            self.module.count_statement()
            here = here._replace(reach=self._read_statement(part, here))
        return here.reach

    def _read_statement(self, part: ast.stmt, here: Context) -> int:
        match part:
            case ast.Assert():
                self._read_assert(part, here)
            case ast.Return() | ast.Expr() | ast.Raise() if self._ends_test(part, here):
                return NEVER
            case (
                ast.Expr(value=ast.Call() as call)
                | ast.Expr(value=ast.Await(value=ast.Call() as call))
            ):
                self._read_call(call, part, here)
            case (
                ast.Assign(targets=[target], value=value)
                | ast.AnnAssign(target=target, value=ast.expr() as value)
            ):
                self._read_helper_calls(part, here)
                self._read_assignment(target, value, here.values)
            case ast.If():
                return self._read_if(part, here)
            case ast.For() | ast.AsyncFor():
                self._read_for(part, here)
            case ast.Try():
                return self._read_try(part, here)
            case ast.With() | ast.AsyncWith():
                return self._read_with(part, here)
            case ast.While() | ast.Match():
                self._read_branches(part, here)
            case ast.FunctionDef() | ast.AsyncFunctionDef():
                self._read_inner_function(part, here)
            case ast.AugAssign() | ast.ClassDef():
                self._forget_changed(part, here.values)
        return here.reach

    def _ends_test(self, part: ast.stmt, here: Context) -> bool:
        """Does a `return` or a skip end the test here?"""
        if isinstance(part, ast.Return):
            self._read_helper_calls(part, here)
            return True
        if SKIP_CALL.match(source_text(part)):
            self._read_skip(part, here)
            return True
        return False

    def _read_branches(self, part: ast.While | ast.Match, here: Context) -> None:
        if isinstance(part, ast.While):
            self._read_while(part, here)
        else:
            self._read_match(part, here)

    def _read_while(self, part: ast.While, here: Context) -> None:
        holds = constant_truth(substitute_names(part.test, here.values))
        inside = here.at_most(NEVER) if holds is False else here
        self.walk_statements(part.body, inside.copied())

    def _read_match(self, part: ast.Match, here: Context) -> None:
        """Each case may run. What one assigns is unknown after them."""
        assigned: set[str] = set()
        for case in part.cases:
            inside = here.at_most(LOOSE).copied()
            self.walk_statements(case.body, inside)
            values = inside.values.items()
            assigned |= {name for name, value in values if value is not here.values.get(name)}
        for name in assigned:
            here.values.pop(name, None)

    def _forget_changed(self, part: ast.AugAssign | ast.ClassDef, values: Values) -> None:
        if isinstance(part, ast.AugAssign):
            forget_values(part.target, values)
        else:
            forget_values(part, values, MUTABLE)

    def _read_inner_function(self, part: Function, here: Context) -> None:
        """A function inside a test is called back by what it is given to.

        It asserts nothing if no one can call it: the test never names it, and it is not decorated.
        """
        for node in ast.walk(part):
            if isinstance(node, ast.Nonlocal | ast.Global):
                for name in node.names:
                    here.values.pop(name, None)  # it may have another value after a call
        forget_values(part, here.values, MUTABLE)  # it may change them when it is called
        is_callable = part.decorator_list or part.name in self.names_used
        inside = here if is_callable else here.at_most(NEVER)
        self.walk_statements(part.body, inside.copied())

    def _read_assert(self, part: ast.Assert, here: Context) -> None:
        self._read_helper_calls(part, here)
        if constant_truth(part.test) is False:
            return  # `assert False` says that this line is never reached
        condition = substitute_names(part.test, here.values)
        self._add_assertions(condition_assertions(condition), part, here)

    def _read_skip(self, part: ast.stmt, here: Context) -> None:
        text = source_text(part)
        if here.reach == EXACT:
            self.disabled_by = self.disabled_by or text
        self.skip_condition = self.skip_condition or text

    def _read_for(self, part: ast.For | ast.AsyncFor, here: Context) -> None:
        rows = literal_rows(substitute_names(part.iter, self.module.constants | here.values))
        rounds = here.rounds * len(rows or ())
        if rows is None or rounds > (MAX_CASES if here.rounds == 1 else MAX_NESTED_ROUNDS):
            self.walk_statements(part.body, here.with_values(loop_values(part, here.values)))
            return
        if not rows:
            here = here.at_most(NEVER)
            self.walk_statements(part.body, here)
        for row in rows:
            values = here.values | unpack_target(part.target, row)
            self.walk_statements(part.body, here._replace(values=values, rounds=rounds))

    def _read_try(self, part: ast.Try, here: Context) -> int:
        handlers = part.handlers
        swallows = any(SWALLOWING_HANDLER.match(source_text(handler)) for handler in handlers)
        inside = here.at_most(NEVER) if swallows else here
        after_body = self.walk_statements([*part.body, *part.orelse], inside)
        after = here if swallows else here._replace(reach=after_body)
        in_handler = here.at_most(LOOSE)
        ends = [self.walk_statements(handler.body, in_handler.copied()) for handler in handlers]
        if NEVER in ends:  # a handler returns, so what follows runs only without an exception
            after = after.at_most(LOOSE)
        return self.walk_statements(part.finalbody, after)

    def _add_assertions(
        self, assertions: Iterable[Assertion], part: ast.stmt, here: Context
    ) -> None:
        for assertion in assertions:
            assertion = self._with_raised_message(assertion)
            strength = min(assertion.strength, here.reach)
            if self._is_about_patched_name(assertion):
                strength = NEVER
            self.assertions.append(assertion.but(line=part.lineno, strength=strength))

    def _with_raised_message(self, assertion: Assertion) -> Assertion:
        """Joins an assertion about the message of an exception with the one before it.

        It then says the same as `match=`.
        """
        message = RAISED_MESSAGE.fullmatch(assertion.text)
        if not message or not self.assertions:
            return assertion
        if not self.assertions[-1].text.startswith("raises ("):
            return assertion
        raised = self.assertions.pop()
        return raised.but(
            text=raised.text.replace("): ", f", {message[1]}): ", 1),
            strength=min(raised.strength + 1, EXACT),
        )

    def _is_about_patched_name(self, assertion: Assertion) -> bool:
        """Is the code under test replaced, so that the assertion proves nothing?"""
        for module, owner, name in self.patched_names:
            if re.match(rf"[\w.]*\b{module or owner}(?:\(.*\))?\.{name}\(", assertion.subject):
                return True
        return False

    def _read_call(self, call: ast.Call, part: ast.stmt, here: Context) -> None:
        known, name = substitute_names(call, here.values), last_name(call)
        expected = 2 if name.endswith("Regex") else 1  # what is raised, and its message
        if RAISES.match(name) and len(call.args) > expected:
            done = ast.Call(known.args[expected], known.args[expected + 1 :], known.keywords)
            raises = ast.Call(known.func, known.args[:expected], [])
            self._add_raises(raises, source_text(done), part, here)
            return
        if self._read_helper_calls(part, here):
            return
        is_own_function = isinstance(call.func, ast.Name) or name.startswith("assert")
        if ASSERTING.match(name) and is_own_function:
            self._add_assertions(call_assertions(known), part, here)
            return
        self.steps.append(source_text(known))
        forget_values(call, here.values, MUTABLE)  # the call may have changed them

    def _read_helper_calls(self, part: ast.AST, here: Context) -> bool:
        """Reads the asserting helpers of this file that a statement calls. Was there one?"""
        if here.helper_depth >= MAX_HELPER_DEPTH:
            return False
        calls = [call for call in calls_in(part) if self._is_asserting_helper(call)]
        for call in calls:
            helper = self.helpers[last_name(call)]
            values = self.module.short_constants | bind_arguments(helper, call, here.values)
            depth = here.helper_depth + 1
            self.walk_statements(helper.body, Context(values, here.reach, depth))
        return bool(calls)

    def _is_asserting_helper(self, call: ast.Call) -> bool:
        name = last_name(call)
        if name not in self.helpers or source_text(call.func) not in (name, f"self.{name}"):
            return False
        return contains_assertion(self.helpers[name].body, self.helpers)

    def _read_assignment(self, target: ast.expr, value: ast.expr, values: Values) -> None:
        known = substitute_names(value, values)
        text = source_text(known)
        self.steps.append(text)
        forget_values(value, values, MUTABLE)
        forget_values(target, values)
        if len(text) < MAX_LETTERS:
            values.update(unpack_target(target, known))

    def _read_if(self, part: ast.If, here: Context) -> int:
        holds = constant_truth(substitute_names(part.test, here.values))
        if holds is not None:
            runs, never_runs = part.body, part.orelse
            if not holds:
                runs, never_runs = never_runs, runs
            self.walk_statements(never_runs, here.at_most(NEVER))
            return self.walk_statements(runs, here)
        both_assert = contains_assertion(part.body) and contains_assertion(part.orelse)
        self._read_conditional_return(part, here)
        inside = here.at_most(LOOSE)
        if both_assert or ON_WINDOWS.search(source_text(part.test)):
            inside = here
        ends = [self.walk_statements(body, inside.copied()) for body in (part.body, part.orelse)]
        if both_assert or NEVER not in ends or SKIP_CALL.match(source_text(part.body[-1])):
            return here.reach
        return inside.reach

    def _read_conditional_return(self, part: ast.If, here: Context) -> None:
        """`if …: return` skips the rest of a test under a condition."""
        is_return = isinstance(part.body[-1], ast.Return) and len(part.body) == 1
        is_first = not self.assertions and not here.helper_depth
        if is_return and is_first and not ON_WINDOWS.search(source_text(part.test)):
            self.skip_condition = self.skip_condition or f"if {source_text(part.test)}: return"

    def _read_with(self, part: ast.With | ast.AsyncWith, here: Context) -> int:
        for item in part.items:
            call = substitute_names(item.context_expr, here.values)
            if last_name(call) == "suppress":
                is_broad = BROAD_EXCEPTION.search(source_text(call))
                self.walk_statements(part.body, here.at_most(NEVER if is_broad else LOOSE))
                return here.reach
            if isinstance(call, ast.Call) and RAISES.match(last_name(call)):
                body = [source_text(substitute_names(one, here.values)) for one in part.body]
                self._add_raises(call, "; ".join(body), part, here)
                call = ast.Name("raised")
            if item.optional_vars:
                self._read_assignment(item.optional_vars, call, here.values)
        return self.walk_statements(part.body, here)

    def _add_raises(self, call: ast.Call, body: str, part: ast.stmt, here: Context) -> None:
        """The assertion that `body` raises what the call of `raises` names."""
        exception = call.args[0] if call.args else None
        name = source_text(exception) if exception else ""
        name = "" if name == "None" else name  # pytest.warns(None) accepts everything, or nothing
        message = _expected_message(call)
        strength = PARTIAL if name and not BROAD_EXCEPTION.fullmatch(name) else LOOSE
        if not name and last_name(call) == "warns":
            strength = NEVER
        assertion = Assertion(
            text=f"raises ({name}{message}): {body}",
            line=0,
            strength=strength + bool(message),
            subject=body,
            slack=len(exception.elts) - 1.0 if isinstance(exception, ast.Tuple) else 0.0,
        )
        self._add_assertions([assertion], part, here)


def _expected_message(call: ast.Call) -> str:
    """The message that a call of `raises` expects, after a comma; "" if it accepts every one."""
    patterns = [keyword.value for keyword in call.keywords if keyword.arg == "match"]
    patterns = call.args[1:2] or patterns
    text = source_text(patterns[0]) if patterns else ""
    return f", {text}" if text and text not in ANY_PATTERN else ""
