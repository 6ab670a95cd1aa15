"""What a command prints is its answer.

A usage limit counts only at the end of what a command printed that failed.
"""

from __future__ import annotations

from ... import lazy_re as re
from ...core.prompts.phrases import cut_at_word
from ..base import MAX_TEXT, ProcessExit, TurnOutput, TurnRequest, judge_exit

ERROR_LINE = re.compile(
    r"\W{0,10}(?:\[?\w{0,30}(?:error|exception)\b|(?:failed|failure|fatal|cannot|unable to)\b)",
    re.I,
)
MAX_ERROR_LINE = 500
MAX_UNREAD = 20_000  # adding each line to a long text would take longer and longer


def read(output: TurnOutput, line: str, request: TurnRequest) -> TurnOutput:
    output = output.but(unread_text=output.unread_text + line)
    if len(output.unread_text) > MAX_UNREAD:
        output = _with_whole_text(output)
    if ERROR_LINE.match(line) and len(line) <= MAX_ERROR_LINE:
        error = cut_at_word(" ".join(line.split()), MAX_ERROR_LINE)
        output = output.but(error_line=error, error_lines=output.error_lines + 1)
    return output


def judge(output: TurnOutput, request: TurnRequest, process_exit: ProcessExit) -> TurnOutput:
    output = _with_whole_text(output).but(unpriced=("the command",))
    done = not process_exit.cut and process_exit.code == 0 and bool(output.text.strip())
    return judge_exit(output.but(results=int(done)), "the command", process_exit)


def tell(line: str) -> str:
    return line.rstrip()


def _with_whole_text(output: TurnOutput) -> TurnOutput:
    text = (output.text + output.unread_text)[-MAX_TEXT:]
    return output.but(text=text, unread_text="")
