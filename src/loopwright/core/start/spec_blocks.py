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
# What no person asks for: quotes, tables, HTML comments, lines of a stack trace or of a shell.
SKIPPED_LINE = re.compile(
    r"^\s*(?:>|\||<!--|\$ |at \S+ ?\(|File \"|Traceback |[\w.]+(?:Error|Exception): )"
)


class Block(Record):
    """One piece of a spec, on one line, and the headings above it."""

    kind: str
    text: str
    heading: str = ""


def blocks_of(spec: str) -> tuple[Block, ...]:
    """The blocks in their order. Items within an item belong to the outer one."""
    blocks: list[Block] = []
    heading, indent = "", 0
    is_open = False  # may the next line continue the last block?
    above = ""
    for line in _lines_without_code(spec):
        if not line.strip() or SKIPPED_LINE.match(line):
            is_open = False
        elif title := _title(line):
            heading, is_open = title, False
            blocks.append(Block(HEADING, title, title))
        elif word := STEP_WORD.match(line):
            step, last = line.strip(" \t-*"), blocks[-1] if blocks else None
            if last and last.kind == SCENARIO and not _begins_scenario(word[1], last.text):
                blocks[-1] = last.but(text=f"{last.text} {step}")
            else:
                blocks.append(Block(SCENARIO, step, heading))
            is_open = True
        elif mark := LIST_MARK.match(line):
            text = line[mark.end() :].strip()
            is_inner = bool(blocks) and blocks[-1].kind == ITEM and len(mark[1]) > indent + 1
            if is_inner:
                blocks[-1] = blocks[-1].but(text=f"{blocks[-1].text}; {text}")
            else:
                blocks.append(Block(ITEM, text, heading))
                indent = len(mark[1])
            is_open = True
        elif is_open and _begins_paragraph(line, above, blocks[-1]):
            blocks.append(Block(PROSE, line.strip(), heading))
        elif is_open or _continues_item(line, blocks, indent):
            blocks[-1] = blocks[-1].but(text=f"{blocks[-1].text} {line.strip()}")
        elif not line.startswith(("    ", "\t")):  # else it is code
            blocks.append(Block(PROSE, line.strip(), heading))
            is_open = True
        above = line
    return tuple(blocks)


def _lines_without_code(spec: str) -> list[str]:
    lines, is_code = [], False
    for line in spec.replace("\r\n", "\n").split("\n"):
        if FENCE.match(line):
            is_code = not is_code
            lines.append("")
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


def _continues_item(line: str, blocks: list[Block], indent: int) -> bool:
    """An indented paragraph below a list item belongs to it."""
    depth = len(line) - len(line.lstrip())
    return bool(blocks) and blocks[-1].kind == ITEM and depth > indent + 1


def _begins_scenario(word: str, text: str) -> bool:
    has_given = "Given" in text or "When" in text
    return word.startswith("Scenario") or (word == "Given" and has_given)
