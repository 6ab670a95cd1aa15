"""The blocks of a spec: headings, list items, scenarios and paragraphs, without code and quotes."""

from __future__ import annotations

from ... import lazy_re as re
from ..record import Record

MIN_WRAPPED, MAX_WRAPPED = 72, 120  # letters of a line behind which a text may go on
HEADING, ITEM, PROSE, SCENARIO = "heading", "item", "prose", "scenario"
FENCE = re.compile(r"^\s*(?:```|~~~)")
LIST_MARK = re.compile(r"^(\s*)(?:[-*+•]|\d+[.)]|[a-z]\))\s+(?:\[[ xX]\]\s*)?(?=\S)")
MARKDOWN_HEADING = re.compile(r"^\s{0,3}#{1,6}\s+(.+?)[\s#:]*$")
BOLD_LINE = re.compile(r"^(?:\*\*|__)([^*_]+?)(?:\*\*|__):?$")
TITLE_LINE = re.compile(r"^([A-Z][^.!?]{1,40}?):$")
# Headings of lists that say what is asked for, the clearest first. A list of tasks often repeats
# the criteria in other words.
DEMAND_HEADINGS = tuple(
    re.compile(pattern, re.I)
    for pattern in (
        r"\bdemands$",
        r"\b(?:acceptance(?: criteria)?|success criteria|criteria|requirements?|must haves?"
        r"|definition of done|done when|expected(?: behaviou?r| results?)?|what should happen"
        r"|behaviou?r|rules)$|^must$",
        r"\b(?:deliver(?:ables)?|to ?dos?|tasks?|what to do)$",
    )
)
# Headings of sections that ask for nothing.
BACKGROUND_HEADING = re.compile(
    r"^.*related to a problem.*$"
    r"|^(?:(?:the|our|current|describe the|describe) )?(?:background|context|additional context"
    r"|motivation|why|overview|introduction|state|(?:current|actual|observed) \w+|actual|observed"
    r"|bug|steps to reproduce|(?:to )?reproduc\w+|environment|versions?|notes?|hints?|non-?goals?"
    r"|(?:out of|not in) scope|links?|references?|see also|related|logs?|screenshots?|problem"
    r"|examples?|workarounds?|(?:open )?questions|resources|how to (?:test|run)|testing|setup"
    r"|docs|documentation|constraints|process|alternatives?(?: considered| you.ve considered)?)"
    r"(?: (?:and|or|of|for|to|&) .*| (?:statement|information|info|details|issues?|work))?$",
    re.I,
)
STEP_WORD = re.compile(r"^\s*(?:[-*]\s+)?(Scenario(?: Outline)?|Given|When|Then|And|But)\b:?\s+\S")
# What no person asks for: quotes, tables, HTML comments, lines of a stack trace or of a shell, and
# those that git and forges put below a message.
SKIPPED_LINE = re.compile(
    r"^\s*(?:>|\||<!--|\$ |at \S+ ?\(|File \"|Traceback |[\w.]+(?:Error|Exception): |-{3,}$"
    r"|[A-Z]\w+(?:-\w+)+: )"
)


class Block(Record):
    """One piece of a spec, on one line, and the headings above it."""

    kind: str
    text: str
    heading: str = ""


def blocks_of(spec: str) -> tuple[Block, ...]:
    """The blocks in their order. Items within an item belong to the outer one."""
    reader = _BlockReader(_lines_without_code(spec))
    for number in range(len(reader.lines)):
        reader.read_line(number)
    return tuple(reader.blocks)


class _BlockReader:
    """What the lines so far say about the next one."""

    def __init__(self, lines: list[str]) -> None:
        self.lines = lines
        self.blocks: list[Block] = []
        self.heading = ""
        self.outer_heading: str | None = None  # above a label such as "Example:"
        self.has_body = False  # has something come below the heading?
        self.indent = 0  # of the last list item
        self.is_open = False  # may the next line continue the last block?

    def read_line(self, number: int) -> None:
        line = self.lines[number]
        if not line.strip() or SKIPPED_LINE.match(line):
            self.has_body = self.has_body or bool(line)
            self.is_open = False
        elif title := _title(line):
            self._add_heading(title, is_label=line.strip() == f"{title}:")
        elif (word := STEP_WORD.match(line)) and self._is_step(word[1], number):
            self._add_step(word[1], line.strip(" \t-*"))
        elif mark := LIST_MARK.match(line):
            self._add_item(len(mark[1]), line[mark.end() :].strip())
        else:
            self._add_text(line, self.lines[number - 1] if number else "")

    def _add(self, kind: str, text: str) -> None:
        self.blocks.append(Block(kind, text, self.heading))
        self.is_open = self.has_body = True

    def _extend(self, text: str) -> None:
        self.blocks[-1] = self.blocks[-1].but(text=f"{self.blocks[-1].text}{text}")
        self.is_open = True

    def _add_heading(self, title: str, is_label: bool) -> None:
        is_short = is_label and is_background(title)
        if is_short and self.outer_heading is None:
            self.outer_heading = self.heading
        elif not is_short:
            self.outer_heading = None
        self.heading = title
        self._add(HEADING, title)
        self.is_open = self.has_body = False

    def _is_step(self, word: str, number: int) -> bool:
        """«When it is empty, it returns 0» alone is a sentence; steps follow each other."""
        if word.startswith("Scenario") or (self.blocks and self.blocks[-1].kind == SCENARIO):
            return True
        following = next(filter(str.strip, self.lines[number + 1 :]), "")
        return bool(STEP_WORD.match(following))

    def _add_step(self, word: str, step: str) -> None:
        last = self.blocks[-1] if self.blocks else None
        if last and last.kind == SCENARIO and not _begins_scenario(word, last.text):
            self._extend(f" {step}")
        else:
            self._add(SCENARIO, step)

    def _add_item(self, indent: int, text: str) -> None:
        is_inner = bool(self.blocks) and self.blocks[-1].kind == ITEM and indent > self.indent + 1
        if is_inner:
            self._extend(f"; {text}")
        else:
            self._add(ITEM, text)
            self.indent = indent

    def _add_text(self, line: str, above: str) -> None:
        if self.is_open and _begins_paragraph(line, above, self.blocks[-1]):
            self._add(PROSE, line.strip())
        elif self.is_open or self._continues_item(line):
            self._extend(f" {line.strip()}")
        elif line.startswith(("    ", "\t")):
            self.has_body = True  # code
        else:
            self._end_label()
            self._add(PROSE, line.strip())

    def _end_label(self) -> None:
        """A label without a mark, such as «Example:», is about the one block below it."""
        if self.outer_heading is not None and self.has_body:
            self.heading, self.outer_heading = self.outer_heading, None

    def _continues_item(self, line: str) -> bool:
        """An indented paragraph below a list item belongs to it."""
        depth = len(line) - len(line.lstrip())
        is_below_item = bool(self.blocks) and self.blocks[-1].kind == ITEM
        return is_below_item and depth > self.indent + 1


def _lines_without_code(spec: str) -> list[str]:
    """A fenced block leaves lines of white space."""
    lines, is_code = [], False
    for line in spec.replace("\r\n", "\n").split("\n"):
        if FENCE.match(line):
            is_code = not is_code
            lines.append(" ")
        elif not is_code:
            lines.append(line)
    return lines


def _title(line: str) -> str:
    if match := MARKDOWN_HEADING.match(line) or BOLD_LINE.match(line.strip()):
        return match[1].strip("*_: ")
    match = TITLE_LINE.match(line.strip())  # "Add these:" is no heading
    return match[1] if match and (is_background(match[1]) or _is_about_demands(match[1])) else ""


def is_background(heading: str) -> bool:
    return bool(BACKGROUND_HEADING.match(heading.rstrip(" .?")))


def _is_about_demands(heading: str) -> bool:
    return any(pattern.search(heading) for pattern in DEMAND_HEADINGS)


def _begins_paragraph(line: str, above: str, last: Block) -> bool:
    """A sentence at the margin below a list item that has ended is a paragraph of its own.

    Below a line that is longer than editors wrap, each line stands for itself.
    """
    is_whole = len(above) < MIN_WRAPPED or not (last.text[-1].isalnum() or last.text[-1] in ",-(")
    has_ended = line[:1].isupper() and is_whole
    is_unwrapped = len(above) > MAX_WRAPPED and not line[:1].isspace()
    return last.kind == ITEM and (has_ended or is_unwrapped)


def _begins_scenario(word: str, text: str) -> bool:
    has_given = "Given" in text or "When" in text
    return word.startswith("Scenario") or (word == "Given" and has_given)
