"""Gaps: what is missing, read from a VERIFICATION.md or from a criterion that fails."""

from __future__ import annotations

import re
from collections.abc import Iterable
from html import unescape

from ..criteria import Criterion
from ..loop import Loop
from ..prompts.gap_texts import CI_FAILURE, GAP_STRATEGIES, GAP_TEXTS
from ..replies.reports import single_line
from .plan import Gap

HUMAN_NEEDED = "human_needed"
MAX_FILE, MAX_GAPS, MAX_EVIDENCE = 300, 100, 1_500
MAX_PAGE, MAX_BODY = 400_000, 8_000

# Only at the beginning of a line: prose and tables may mention the tag.
GAPS_BLOCK = re.compile(r"^[ \t]*<gaps\s*>(.*?)(?:</gaps\s*>|\Z)", re.I | re.M | re.S)
GAP_OPENING = re.compile(r"<gap(?=[\s/>])", re.I)
GAP_ENDING = re.compile(r"</gap\s*>|<gap(?=[\s/>])", re.I)
ATTRIBUTE = re.compile(r"""[\s,]*([\w.-]+)\s*=\s*(?:"([^"]*)"|'([^']*)'|([^\s"'<>]*[^\s"'<>/]))""")
STATUS_LINE = re.compile(
    r"^[#*_ \t]{0,9}status[*_ \t]{0,4}:[^\w\n]{0,9}"
    r"(passed|gaps[ _-]found|human[ _-]needed)\b(?![ \t]*[|/])",
    re.I | re.M,
)
# A path before a line number, as compilers, linters and test runners print it. An absolute path is
# not the project's.
FILE_AND_LINE = re.compile(
    r"(?<![\w/\\.@:+-])((?:[\w@.+-]{1,80}[/\\]){0,12}[\w@.+-]{1,80}\.[a-z]\w{0,7})"
    r"(?=:\d|\(\d|::|\", line \d)",
    re.I,
)
FOREIGN_FOLDERS = {"node_modules", "site-packages", "dist-packages", "venv", ".venv", ".."}
HOST_SUFFIXES = {"com", "org", "net", "io", "local"}  # example.com:443 is a host


def gaps_in(text: str) -> tuple[Gap, ...]:
    """The gaps of every <gaps> block, also of those in a code fence."""
    gaps: list[Gap] = []
    for block in GAPS_BLOCK.finditer(text[:MAX_PAGE]):
        gaps += _gaps_in_block(block[1], MAX_GAPS - len(gaps))
    return tuple(gaps)


def status_in(text: str) -> str:
    """passed, gaps_found, human_needed, or empty."""
    match = STATUS_LINE.search(text[:MAX_PAGE])
    return re.sub("[ -]", "_", match[1].lower()) if match else ""


def gap_of(criterion: Criterion) -> Gap:
    """The gap that a failing criterion shows."""
    proof = criterion.proof
    kind = proof.outcome if proof and proof.outcome in GAP_STRATEGIES else CI_FAILURE
    detail = _failure_detail(criterion)
    probe = _probe_words(criterion)
    file, target = _file_and_target(probe, kind)
    file = file or first_project_file(detail) or criterion.name
    text = _probe_text(criterion, kind, file, target) if probe else _failure_text(criterion)
    return Gap(
        kind=kind,
        file=single_line(file, MAX_FILE),
        text=single_line(text),
        evidence=sanitize_output(detail),
        target=single_line(target, MAX_FILE),
        criterion=criterion.name,
    )


def _failure_detail(criterion: Criterion) -> str:
    if criterion.proof:
        return criterion.proof.detail
    return criterion.claim.evidence if criterion.claim else ""


def _probe_words(criterion: Criterion) -> tuple[str, ...]:
    """What a probe examines, such as ("link", source, target, how); empty: not a probe."""
    check = criterion.check
    if check and check.probe and isinstance(check.command, tuple):
        return check.command
    return ()


def _file_and_target(probe: tuple[str, ...], kind: str) -> tuple[str, str]:
    """The file to fix, and the other end of a broken link."""
    _, first, second = (*probe, "", "", "")[:3]
    if probe[:1] != ("link",):
        return first, ""
    if kind == "missing_export":  # the export is missing in the target
        return second, ""
    return first, second


def objection_gaps(loop: Loop) -> tuple[Gap, ...]:
    """What refutes a plan whose checks all pass."""
    from ..findings import HIGH
    from ..loop import open_findings
    from ..prompts.objections import final_check_objection, finding_text, objection_reason

    tries = {gap.key: gap.tries for gap in loop.plan.gaps} if loop.plan else {}
    gaps = [
        _objection_gap(finding.file, finding.text, finding_text(finding))
        for finding in open_findings(loop, HIGH)
    ]
    gaps += [
        _objection_gap(c.name, objection_reason(loop), final_check_objection(c))
        for c in loop.failing_final_checks
    ]
    if loop.thin_files:
        from ..prompts.thin_work import INSTRUCTION, thin_text
        from ..proof.measured_strength import strength_of

        weak = strength_of(loop).weak_items
        thin = (_objection_gap(i.file, INSTRUCTION, thin_text(i)) for i in weak)
        gaps += [gap.but(measured=True) for gap in thin]
    return tuple(gap.but(tries=tries.get(gap.key, 0)) for gap in merge_gaps(gaps))


def _objection_gap(file: str, text: str, evidence: str) -> Gap:
    return Gap(
        CI_FAILURE, single_line(file, MAX_FILE), single_line(text), sanitize_output(evidence)
    )


def merge_gaps(gaps: Iterable[Gap]) -> tuple[Gap, ...]:
    """One gap for each key, with all that is wrong with its file."""
    merged: dict[str, Gap] = {}
    for gap in gaps:
        first = merged.setdefault(gap.key, gap)
        if gap.text not in first.text:
            merged[gap.key] = first.but(
                text=single_line(f"{first.text}; {gap.text}"),
                evidence=sanitize_output(f"{first.evidence}\n{gap.evidence}"),
            )
    return tuple(merged.values())


def first_project_file(output: str) -> str:
    """The first file of the project that an output names with a line; empty: none."""
    for match in FILE_AND_LINE.finditer(output):
        path = match[1].replace("\\", "/").removeprefix("./")
        is_foreign = not FOREIGN_FOLDERS.isdisjoint(path.split("/"))
        is_host = path.rpartition(".")[2].lower() in HOST_SUFFIXES
        if not is_foreign and not is_host:
            return path
    return ""


def sanitize_output(output: str) -> str:
    """The end of an output, safe inside a code fence and without control characters."""
    text = output[-MAX_EVIDENCE:]
    printable = "".join(
        letter if letter.isprintable() or letter == "\n" else " " for letter in text
    )
    return printable.replace("```", "'''").strip()


def _gaps_in_block(block: str, most: int) -> list[Gap]:
    """Read the gaps of a block: <gap attributes>body</gap> or <gap attributes/>.

    A gap that is not closed ends where the next one begins.
    """
    gaps: list[Gap] = []
    position = 0
    while len(gaps) < most and (opening := GAP_OPENING.search(block, position)):
        attributes, position = _read_attributes(block, opening.end())
        bracket = block.find(">", position)
        if bracket < 0:
            break
        is_closed = block[position:bracket].endswith("/")
        start = bracket + 1
        end = start if is_closed else _body_end(block, start)
        body = block[start : min(end, start + MAX_BODY)]
        gaps.append(_parse_gap(attributes, body))
        position = end
    return gaps


def _read_attributes(block: str, position: int) -> tuple[dict[str, str], int]:
    """The attributes at this position, and the position behind them."""
    attributes: dict[str, str] = {}
    while match := ATTRIBUTE.match(block, position):
        name, *values = match.groups()  # one value for each style of quotes
        attributes.setdefault(name.lower(), next(filter(None, values), ""))
        position = match.end()
    return attributes, position


def _body_end(block: str, start: int) -> int:
    ending = GAP_ENDING.search(block, start)
    return ending.start() if ending else len(block)


def _parse_gap(attributes: dict[str, str], body: str) -> Gap:
    """A gap from its attributes, or from child tags as the fix prompt writes them."""
    kind = re.sub(r"[\s-]", "_", attributes.get("type", "").strip().lower())
    kind = kind if kind in GAP_STRATEGIES else CI_FAILURE
    text = single_line(unescape(_child_text(body, "description") or body))
    file = attributes.get("file") or _child_text(body, "file") or attributes.get("from", "")
    file = single_line(unescape(file), MAX_FILE)
    file = file or first_project_file(text) or text[:80].rstrip()
    target = attributes.get("to") or _child_text(body, "to")
    target = single_line(unescape(target), MAX_FILE)
    usual_text = GAP_TEXTS[kind].format(file=file or "something", target=target or "its target")
    return Gap(
        kind=kind,
        file=file,
        text=text or usual_text,
        evidence=sanitize_output(unescape(_child_text(body, "evidence"))),
        target=target,
    )


def _child_text(body: str, name: str) -> str:
    inner, closed, _ = body.partition(f"<{name}>")[2].partition(f"</{name}>")
    return inner if closed else ""


def _probe_text(criterion: Criterion, kind: str, file: str, target: str) -> str:
    """What the probe saw: its first line, behind the levels that pass."""
    line = criterion.proof.detail.strip().partition("\n")[0] if criterion.proof else ""
    problem = single_line(line.partition("✗: ")[2] or line)
    if problem:
        return problem
    if kind == CI_FAILURE:
        return f'"{criterion.name}" does not hold'
    return GAP_TEXTS[kind].format(file=file, target=target)


def _failure_text(criterion: Criterion) -> str:
    proof, check = criterion.proof, criterion.check
    if not proof or not check:
        return f"{criterion.name}: not shown"
    command = single_line(check.command_line, 300)
    results = {"timeout": f"did not end within {check.timeout} s", "missing": "cannot be run"}
    result = results.get(proof.outcome, f"exited {proof.code}")
    return f"{criterion.name}: {command} {result}"
