"""A process of its own that reads test files with tree-sitter, for one that cannot import it.

python -I reader_process.py < requests > suites

A request is a line with a path and a text as JSON. The first line of the answer names the languages
that can be read here; then there is one line for each request, as soon as it is read.
"""

import os
import sys

PACKAGE = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
PACKAGE_PARENT = os.path.dirname(PACKAGE)


def main() -> None:
    sys.path.insert(0, PACKAGE_PARENT)  # another version may be installed, too
    from loopwright.core.json_text import dumps, loads
    from loopwright.core.record import encode
    from loopwright.ratchet.readers.languages import LANGUAGES, reading_language

    def answer(value: object) -> None:
        sys.stdout.buffer.write(dumps(value).encode("utf-8", "replace") + b"\n")
        sys.stdout.buffer.flush()

    answer([language.name for language in LANGUAGES if language.is_installed()])
    for line in sys.stdin.buffer:
        path, text = loads(line)
        language = reading_language(path, text)
        answer(encode(language.read_here(path, text)) if language else None)


if __name__ == "__main__":
    main()
