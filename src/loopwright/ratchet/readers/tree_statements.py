"""What statements mean for the assertions in them: conditions, loops, handlers and names."""

from __future__ import annotations

from collections.abc import Mapping

from ... import lazy_re as re
from .dialect import Dialect
from .matchers import evaluate_condition, matcher_strength
from .suite import EXACT, LOOSE, NEVER, PARTIAL, Assertion
from .syntax import Node
from .tree_claims import ClaimReader
from .tree_scope import Here, Scope
from .tree_tables import WORD, Row, TableReader
from .tree_text import Link, TreeText, known_value, substitute_names

ASSERTING_WORD = re.compile(
    rb"assert|expect|[sS]hould|[vV]erify|refute|must_|fail|\.(?:Error|Fatal|Skip)"
    rb"|panic|require|[sS]kip"
)
TRUE = re.compile(
    r"(?:.*\|\|)?(?:true|1|!false)(?:\|\|.*)?"
    r"|.*\b(?:length|size|count|Count|Length|len)(?:\(.*\))?(?:>=0|>-1)"
)
FALSE = re.compile(r"(?:.*&&)?(?:false|0|!true|null)(?:&&.*)?")
LITERAL = re.compile(r"'[^']*+'|-?\d[\w.]*+|true|false|null|None|:\w+")
COMPUTED = re.compile(r"\.\.\.|\*\*|\(")  # another list is put in, or something is called
BROAD_ERROR = re.compile(r"Throwable|Assertion|\bError\b|\bException\b|Expectation")
FAILING_WORD = re.compile(
    rb"assert|expect|fail|throw|raise|Error|Fatal|panic|should|refute|flunk|\b(?:done|reject)\b"
)
SUBJECT_NAME = re.compile(r"\$?[A-Za-z_]\w*+(?:\.\w++)*+(?![(!:])")
CHOICE_SIGNS = ("&&", "||", "??")
MAX_STATEMENTS = 6  # of a block that makes a test fail
MAX_LOOP_ASSERTIONS = 1000  # with more, a loop is read as one over an unknown list
MAX_BOUND = 300  # letters of a call whose result has a name


def is_literal(tree: TreeText, node: Node, text: str) -> bool:
    """Is it a value that is written out, or a list of such?"""
    is_list = tree.kind(node) == "list" and len(text) <= MAX_BOUND
    return (is_list and not COMPUTED.search(text)) or bool(LITERAL.fullmatch(text))


class StatementReader:
    """Reads the statements of a test into the scope that is open."""

    def __init__(self, dialect: Dialect) -> None:
        self.dialect = dialect
        self.tree = TreeText(dialect)
        self.claims = ClaimReader(self.tree)
        self.tables = TableReader(self.tree)
        self.scope = Scope()

    def walk(self, node: Node, here: Here) -> Here:
        """Reads a node; the answer is what holds after it."""
        raise NotImplementedError

    def _walk_parts(self, node: Node, here: Here) -> Here:
        if any(self.tree.kind(part) == "catch" for part in node.named_children):
            return self._read_try(node, here)
        for part in self.tree.parts(node):
            here = self.walk(part, here)
        return here

    def _walk_inside(self, node: Node, here: Here) -> Here:
        """What is inside does not end what follows."""
        self._walk_parts(node, here)
        return here

    def _add(self, assertion: Assertion, here: Here) -> None:
        assertion = _turn_comparison(assertion, here.literals)
        subject = _known_subject(assertion.subject, here.results)
        before, found, after = assertion.text.partition(assertion.subject or assertion.text)
        expected = substitute_names(after, here.literals)
        text = before + (subject or found) + expected
        strength = min(assertion.strength, here.reach)
        if expected in (" == true", " == false"):
            strength = min(strength, PARTIAL)  # one of two
        self.scope.assertions.append(assertion.but(text=text, subject=subject, strength=strength))

    def _blocks(self, links: list[Link]) -> list[Node]:
        """The functions that a call is given, and one that is called where it is written."""
        first = links[0].node
        called_here = [first] if first is not None and self.tree.kind(first) == "lambda" else []
        return called_here + [
            argument.node
            for link in links
            for argument in link.arguments
            if self.tree.kind(argument.node) == "lambda" and argument.node is not None
        ]

    def _declaration(self, node: Node) -> tuple[list[str], Node | None]:
        name_place, value_place = self.dialect.declarations[node.type]
        name, value = self.tree.part(node, name_place), self.tree.part(node, value_place)
        names = [] if name is None or name == value else WORD.findall(self.tree.text(name))
        return names, self.tree.unwrap(value) if value is not None else None

    def _read_declaration(self, node: Node, here: Here) -> Here:
        names, value = self._declaration(node)
        if value is None:
            return here
        self.tables.add_list(names[0] if names else "", value)
        if self.tree.kind(value) == "lambda" and len(names) == 1:
            return here  # it is read where it is called
        self.walk(value, here)
        values, literals, results = (
            {name: known for name, known in table.items() if name not in names}
            for table in (here.values, here.literals, here.results)
        )
        text = self.tree.text(value)
        literal = substitute_names(text, here.values)  # a row of a table may give it
        if is_literal(self.tree, value, literal) and len(names) == 1:
            literals[names[0]] = literal
        elif names and len(text) <= MAX_BOUND and self._is_plain_call(value):
            text = substitute_names(text, here.values)
            results[names[0]] = text
            if len(names) > 1:
                results |= {name: f"{text}[{at}]" for at, name in enumerate(names)}
        return here._replace(values=values, literals=literals, results=results)

    def _is_plain_call(self, node: Node) -> bool:
        if node.type not in self.dialect.calls and node.type not in self.dialect.methods:
            return False
        links = self.tree.chain(node)
        return not self._blocks(links) and not self.claims.chain_claims(links, 0, str)

    def _read_if(self, node: Node, here: Here) -> Here:
        condition_node = node.child_by_field_name("condition")
        before = node.child_by_field_name("initializer")
        if before is not None:
            here = self.walk(before, here)
        skipped = (condition_node, before)
        branches = [part for part in self.tree.parts(node) if part not in skipped]
        if condition_node is None or not branches:
            return self._walk_parts(node, here)
        is_asserted = self._asserts(condition_node, here)
        raw = self.tree.text(self.tree.unwrap(condition_node))
        condition = evaluate_condition(substitute_names(raw, here.values))
        is_unless = self.tree.kind(node) == "unless"
        body, others = branches[0], branches[1:]
        if self._fails(body):
            line = self.tree.line(node)
            for assertion in self.claims.condition_claims(condition, not is_unless, line):
                self._add(assertion, here)
            for other in others:
                self.walk(other, here.at_most(EXACT if self._fails(other) else LOOSE))
            return here
        # What was asserted before holds, and the row of a table decides.
        is_certain = is_asserted or raw != condition or self._was_asserted(condition, here)
        return self._read_branches(body, others, condition, is_unless, is_certain, here)

    def _was_asserted(self, condition: str, here: Here) -> bool:
        asked = _known_subject(condition.lstrip("!("), here.results)
        subjects = (assertion.subject for assertion in self.scope.assertions)
        return any(subject and asked.startswith(subject) for subject in subjects)

    def _asserts(self, condition: Node, here: Here) -> bool:
        """Is the condition itself an assertion, as in `if assert.NoError(t, err) {`?"""
        condition = self.tree.unwrap(condition)
        is_call = condition.type in self.dialect.calls or condition.type in self.dialect.methods
        if not is_call or not self._claims_of(self.tree.chain(condition), condition, here):
            return False
        self.walk(condition, here)
        return True

    def _claims_of(self, links: list[Link], node: Node, here: Here) -> list[Assertion]:
        return self.claims.chain_claims(
            links, self.tree.line(node), lambda name: substitute_names(name, here.values)
        )

    def _read_case(self, node: Node, here: Here) -> Here:
        """`case err == nil: t.Error(…)` in a switch without a value."""
        value = node.child_by_field_name("value")
        body = [part for part in self.tree.parts(node) if part is not value]
        condition = substitute_names(self.tree.text(value), here.values)
        if re.search(r"[=<>!]", condition) and any(map(self._fails, body)):
            for assertion in self.claims.condition_claims(condition, True, self.tree.line(node)):
                self._add(assertion, here)
        else:
            for part in body:
                self.walk(part, here)
        return here

    def _read_switch(self, node: Node, here: Here) -> Here:
        self._walk_parts(node, here.at_most(LOOSE))
        return here

    def _read_choice(self, node: Node, here: Here) -> Here:
        """What is behind `&&` runs only sometimes."""
        first, *others = self.tree.parts(node)
        is_choice = any(part.type in CHOICE_SIGNS for part in node.children)
        self.walk(first, here)
        for other in others:
            self.walk(other, here.at_most(LOOSE) if is_choice else here)
        return here

    def _read_branches(
        self,
        body: Node,
        others: list[Node],
        condition: str,
        is_unless: bool,
        is_decided: bool,
        here: Here,
    ) -> Here:
        is_true = bool(TRUE.fullmatch(condition)) != is_unless
        is_false = bool(FALSE.fullmatch(condition)) != is_unless
        is_known = bool(TRUE.fullmatch(condition) or FALSE.fullmatch(condition))
        both_assert = any(ASSERTING_WORD.search(other.text) for other in others)
        is_certain = both_assert or is_decided or (is_known and is_true)
        inside = here.at_most(EXACT if is_certain else LOOSE)
        if is_known and is_false:
            inside = here.at_most(NEVER)
        skips_before = self.scope.skip_condition
        after = self.walk(body, inside)
        for other in others:
            self.walk(other, here.at_most(NEVER) if is_known and is_true else inside)
        leaves = after.reach == NEVER and inside.reach != NEVER
        is_skip = self.scope.skip_condition != skips_before  # what is known of the whole test
        if others or not leaves or is_skip:
            return here
        if is_known:
            return here.at_most(NEVER) if is_true else here
        return here if is_decided else here.at_most(LOOSE)

    def _fails(self, node: Node) -> bool:
        """Does the block make the test fail?"""
        if self.tree.kind(node) in ("function", "lambda", "if"):
            return False
        if self.dialect.fails.match(self.tree.text(node)):
            return True
        if node.type in self.dialect.calls or node.type in self.dialect.methods:
            return False
        parts = self.tree.parts(node)
        return len(parts) <= MAX_STATEMENTS and any(self._fails(part) for part in parts)

    def _read_try(self, node: Node, here: Here) -> Here:
        kinds = ("catch", "ensure")
        parts = self.tree.parts(node)
        body = [part for part in parts if self.tree.kind(part) not in kinds]
        catches = [part for part in parts if self.tree.kind(part) == "catch"]
        must_throw = self.scope.counts_assertions or any(self._fails(part) for part in body)
        after = inside = here
        for catch in catches:
            end = self._walk_parts(catch, here.at_most(EXACT if must_throw else LOOSE))
            if end.reach == NEVER:  # it returns, so what follows runs only without an error
                after = after.at_most(LOOSE)
            head = self.tree.text(catch).partition("{")[0].partition(")")[0]
            is_broad = BROAD_ERROR.search(head) or not re.search(r"[A-Z]", head)
            if is_broad and not FAILING_WORD.search(self.tree.body_of(catch).text):
                inside = here.at_most(NEVER)
        for part in body:
            self.walk(part, inside)
        for part in parts:
            if self.tree.kind(part) == "ensure":
                self.walk(part, after)
        return after

    def _read_loop(self, node: Node, here: Here) -> Here:
        names_place, list_place = self.dialect.loops[node.type]
        names_node, listed = self._loop_part(node, names_place), self._loop_part(node, list_place)
        body = node.child_by_field_name("body") or self.tree.parts(node)[-1]
        names = WORD.findall(self.tree.text(names_node)) if names_node is not None else []
        rows = self.tables.rows(listed, names) if listed is not None else None
        self._read_rows(rows, body, here)
        return here

    def _loop_part(self, node: Node, place: str | int) -> Node | None:
        found = self.tree.part(node, place)
        if found is not None or not isinstance(place, str):
            return found
        for part in self.tree.parts(node):
            if self.tree.kind(part) == "range":
                return self.tree.part(part, place)
        return None

    def _read_rows(self, rows: list[Row] | None, body: Node, here: Here) -> None:
        count = len(self.scope.assertions)
        for row in [{}] if rows is None else rows:
            self.walk(body, here.with_values(row))
            if rows is not None and len(self.scope.assertions) - count > MAX_LOOP_ASSERTIONS:
                del self.scope.assertions[count:]
                self._read_rows(None, body, here)
                return
        if len(self.scope.assertions) > count:
            self.scope.cases = 0 if rows is None else max(self.scope.cases, len(rows))


def _known_subject(subject: str, results: Mapping[str, str]) -> str:
    """The subject, with the call whose result it begins with."""
    name = SUBJECT_NAME.match(subject)
    return known_value(name[0], results) + subject[name.end() :] if name else subject


def _turn_comparison(assertion: Assertion, literals: Mapping[str, str]) -> Assertion:
    """`3 == total()` as `total() == 3`: what is written out is the expected value."""
    left, sign, right = assertion.text.partition(" == ")
    value = literals.get(left, left)
    if not sign or left != assertion.subject or not LITERAL.fullmatch(value):
        return assertion
    if not right or LITERAL.fullmatch(literals.get(right, right)):
        return assertion
    strength, _ = matcher_strength("==", value, False)
    strength = min(strength, assertion.strength)
    return assertion.but(text=f"{right} == {value}", subject=right, strength=strength)
